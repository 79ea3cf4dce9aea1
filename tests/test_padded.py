"""Padded matrices: which cells are tokens, by a definition that looks at one row at a time."""

from __future__ import annotations

import copy
import importlib
import pickle
import tracemalloc
from itertools import dropwhile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clipgram import BLEU, GLEU, TokenBatch

Cell = tuple[int, int]  # column, ID


def without_padding(row: list[Cell], pad_id: int, eos_ids: set[int], keep: bool) -> list[Cell]:
    left = list(dropwhile(lambda cell: cell[1] == pad_id, row))
    right = list(dropwhile(lambda cell: cell[1] == pad_id, left[::-1]))[::-1]
    if right and keep and pad_id in eos_ids:
        right += left[len(right) : len(right) + 1]  # the padding begins with the end of the sequence
    return right


def sequence(row: list[Cell], eos_ids: set[int], keep: bool, ignore_ids: set[int]) -> list[Cell]:
    for i, (_, token) in enumerate(row):
        if token in eos_ids:
            row = row[: i + keep]
            break
    return [cell for cell in row if cell[1] not in ignore_ids]


DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">i8"]


@st.composite
def padded(draw: st.DrawFn) -> tuple[np.ndarray, dict[str, Any], list[list[Cell]]]:
    """A matrix, the arguments that go with it, and the cells of each row that are tokens."""
    rows, columns = draw(st.integers(0, 5)), draw(st.integers(0, 6))
    numbers = st.integers(0, 4)
    ids = np.array(draw(st.lists(numbers, min_size=rows * columns, max_size=rows * columns)), draw(st.sampled_from(DTYPES)))
    ids = ids.reshape(rows, columns)
    ids = draw(st.sampled_from([ids, np.asfortranarray(ids), np.repeat(ids, 2, axis=1)[:, ::2], ids[::-1, ::-1].copy()[::-1, ::-1]]))
    eos_ids = draw(st.sets(numbers, max_size=2))
    keep = draw(st.booleans())
    ignore_ids = draw(st.sets(numbers | st.just(-100) | st.just(2**40), max_size=2)) - eos_ids
    arguments: dict[str, Any] = {"eos_id": sorted(eos_ids), "eos": "keep" if keep else "drop", "ignore_ids": ignore_ids}
    cells = [list(enumerate(row)) for row in ids.tolist()]
    kind = draw(st.sampled_from(["none", "lengths", "mask", "pad_id"]))
    if kind == "lengths":
        lengths = [draw(st.integers(0, columns)) for _ in range(rows)]
        arguments["lengths"] = draw(st.sampled_from([lengths, np.array(lengths, np.int32)]))
        cells = [row[:n] for row, n in zip(cells, lengths, strict=True)]
    elif kind == "mask":
        mask = np.array(draw(st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns)), bool).reshape(rows, columns)
        arguments["mask"] = mask.astype(draw(st.sampled_from(["?", "u1", "i8"])))
        cells = [[cell for cell, yes in zip(row, keeps, strict=True) if yes] for row, keeps in zip(cells, mask.tolist(), strict=True)]
    elif kind == "pad_id":
        arguments["pad_id"] = draw(numbers)
        cells = [without_padding(row, arguments["pad_id"], eos_ids, keep) for row in cells]
    return ids, arguments, [sequence(row, eos_ids, keep, ignore_ids) for row in cells]


@pytest.mark.parametrize("wide", [0, 512])
def test_everybody_agrees(wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Narrow matrices are read by masks, wide ones row by row: here each size both ways.
    monkeypatch.setattr(importlib.import_module("clipgram._padded"), "WIDE", wide)

    @given(padded())
    def check(case: tuple[np.ndarray, dict[str, Any], list[list[Cell]]]) -> None:
        ids, arguments, wanted = case
        batch = TokenBatch.from_padded(ids, **arguments)
        assert [row.tolist() for row in batch] == [[token for _, token in row] for row in wanted]
        assert batch.values.dtype == (np.int64 if ids.dtype in ("u4", "u8", "i8", ">i8") else np.int32)
        assert batch.values.flags.c_contiguous and batch.values.dtype.isnative
        values = np.arange(1.0, len(batch.values) + 1)
        aligned = np.full(ids.shape, -1.0)
        at = [(r, column) for r, row in enumerate(wanted) for column, _ in row]
        for place, value in zip(at, values, strict=True):
            aligned[place] = value
        for one in (batch, pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch), batch.astype(np.int64)):
            assert np.array_equal(one._align(values, fill=-1.0), aligned)

    check()


IDS = np.array([[5, 8, 9, 2, 0, 0], [7, 2, 4, 2, 4, 4], [0, 0, 0, 6, 2, 0], [0, 0, 0, 0, 0, 0], [1, 3, 4, 5, 6, 7]])


def read(ids: Any = IDS, **arguments: Any) -> list[list[int]]:
    return [row.tolist() for row in TokenBatch.from_padded(ids, **arguments)]


def test_each_way_to_tell_padding() -> None:
    assert read() == IDS.tolist()
    assert read(lengths=[4, 6, 0, 1, 6]) == [[5, 8, 9, 2], [7, 2, 4, 2, 4, 4], [], [0], [1, 3, 4, 5, 6, 7]]
    assert read(pad_id=0) == [[5, 8, 9, 2], [7, 2, 4, 2, 4, 4], [6, 2], [], [1, 3, 4, 5, 6, 7]]
    assert read(mask=IDS != 0) == read(pad_id=0)
    assert read(mask=list(IDS != 0)) == read(mask=(IDS != 0).tolist()) == read(mask=(IDS != 0).astype(np.int8)) == read(pad_id=0)
    assert read(pad_id=99) == read(pad_id=-(2**70)) == IDS.tolist()


def test_holes_in_a_mask() -> None:
    mask = np.array([[1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 1], [0] * 6, [0] * 6, [1] * 6])
    assert read(mask=mask) == [[5, 9, 2], [2, 4, 4], [], [], [1, 3, 4, 5, 6, 7]]
    assert read(mask=mask, eos_id=2) == [[5, 9], [], [], [], [1, 3, 4, 5, 6, 7]]
    assert read(mask=mask, eos_id=2, eos="keep", ignore_ids=5) == [[9, 2], [2], [], [], [1, 3, 4, 6, 7]]


def test_ends_of_sequences() -> None:
    assert read(pad_id=0, eos_id=2) == [[5, 8, 9], [7], [6], [], [1, 3, 4, 5, 6, 7]]
    assert read(pad_id=0, eos_id=2, eos="keep") == [[5, 8, 9, 2], [7, 2], [6, 2], [], [1, 3, 4, 5, 6, 7]]
    assert read(pad_id=0, eos_id=[2, 9, 4]) == [[5, 8], [7], [6], [], [1, 3]]
    assert read(pad_id=0, eos_id={2, 9}) == read(pad_id=0, eos_id=np.array([9, 2])) == [[5, 8], [7], [6], [], [1, 3, 4, 5, 6, 7]]
    # what is behind the length does not end anything
    assert read(lengths=[3] * 5, eos_id=2, eos="keep") == [[5, 8, 9], [7, 2], [0, 0, 0], [0, 0, 0], [1, 3, 4]]


def test_padding_that_is_the_end_of_sequences_too() -> None:
    ids = np.array([[5, 8, 2, 2, 2], [2, 2, 5, 8, 2], [2, 2, 2, 5, 8], [5, 2, 8, 2, 2], [2, 2, 2, 2, 2], [1, 3, 4, 5, 6]])
    assert read(ids, pad_id=2, eos_id=2) == [[5, 8], [5, 8], [5, 8], [5], [], [1, 3, 4, 5, 6]]
    assert read(ids, pad_id=2, eos_id=2, eos="keep") == [[5, 8, 2], [5, 8, 2], [5, 8], [5, 2], [], [1, 3, 4, 5, 6]]
    # lengths can tell a sequence that ended at once from one that is all padding
    assert read(ids[[4, 4]], lengths=[1, 0], eos_id=2, eos="keep") == [[2], []]


def test_ignored_ids() -> None:
    labels = np.array([[-100, -100, 5, 8, -100], [7, -100, 9, 3, 2]])
    assert read(labels, ignore_ids=-100) == [[5, 8], [7, 9, 3, 2]]
    assert read(labels, pad_id=-100) == [[5, 8], [7, -100, 9, 3, 2]]
    assert read(labels, pad_id=-100, ignore_ids=(3, 9)) == [[5, 8], [7, -100, 2]]
    many = range(-100, 8)
    assert read(labels, ignore_ids=many) == [[8], [9]]
    assert read(labels.astype(np.uint32) % 256, ignore_ids=many) == read(labels % 256, ignore_ids=many)


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (3, 0)])
def test_empty_matrices(shape: tuple[int, int]) -> None:
    ids, mask = np.zeros(shape, int), np.zeros(shape, bool)
    for arguments in ({}, {"lengths": [0] * shape[0]}, {"mask": mask}, {"pad_id": 0}, {"pad_id": 0, "eos_id": 0, "eos": "keep"}):
        batch = TokenBatch.from_padded(ids, **arguments)
        assert batch.lengths.tolist() == [0] * shape[0]
        assert batch._align(np.zeros(0)).shape == shape
    assert len(TokenBatch.from_padded(np.zeros(shape))) == shape[0]  # what np.array([[], []]) makes


def test_rows_that_are_lists() -> None:
    assert read([[1, 2], (3, 4)], lengths=[1, 2]) == [[1], [3, 4]]
    assert read([np.array([1, 2], np.int8), [3, 4]], lengths=np.array([1, 2], np.uint8)) == [[1], [3, 4]]
    assert read([]) == []


def test_a_matrix_without_padding_is_not_copied() -> None:
    for dtype in (np.int32, np.int64):
        ids = np.arange(12, dtype=dtype).reshape(3, 4)
        ids.flags.writeable = False
        for arguments in ({}, {"lengths": [4, 4, 4]}, {"mask": np.ones((3, 4), bool)}, {"pad_id": 99, "eos_id": 98, "ignore_ids": -1}):
            assert np.shares_memory(TokenBatch.from_padded(ids, **arguments).values, ids)
    assert read(ids.T) == ids.T.tolist()
    # A matrix given to a metric is read in the same way.
    assert BLEU().sentence_scores(ids, ids[:, ::-1]).tolist() == [BLEU().sentence_score(row, row[::-1]).score for row in ids]


def test_a_matrix_with_padding_costs_its_tokens() -> None:
    # 16 MiB; with every cell but one a token, the copy alone is as large again.
    ids = np.ones((1024, 2048), np.int64)
    ids[0, -1] = 2
    mask = ids == 1
    holes = mask.copy()
    holes[:, 5] = False
    most = {
        "lengths": {"lengths": np.full(1024, 2047)},
        "mask": {"mask": mask, "eos_id": 3},
        "pad_id": {"pad_id": 2, "eos_id": 2, "eos": "keep"},
        "holes": {"mask": holes, "eos_id": 2},
        "ignored": {"ignore_ids": [2, 7, 8]},
    }
    for name, arguments in most.items():
        tracemalloc.start()
        batch = TokenBatch.from_padded(ids, **arguments)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert batch.values.nbytes > 0.99 * ids.nbytes
        assert peak < 1.45 * ids.nbytes, name


@pytest.mark.parametrize(
    "arguments, error, said",
    [
        ({"ids": [1, 2]}, TypeError, r"ids\[0\] is the int 1; wanted a sequence of token IDs"),
        ({"ids": np.arange(3)}, ValueError, r"ids is an int64 array of shape \(3,\); wanted two dimensions, a sequence a row"),
        ({"ids": np.zeros((1, 2, 3), int)}, ValueError, r"ids is an int64 array of shape \(1, 2, 3\)"),
        ({"ids": np.array(3)}, ValueError, r"ids is an int64 array of shape \(\)"),
        ({"ids": np.zeros((1, 2))}, TypeError, r"ids is a float64 array of shape \(1, 2\); token IDs are integers"),
        ({"ids": np.zeros((1, 2), bool)}, TypeError, r"ids is a bool array of shape \(1, 2\); token IDs are integers"),
        ({"ids": np.zeros((1, 2), object)}, TypeError, "object array"),
        ({"ids": np.array([[1, 2], [3, 2**63]], np.uint64)}, OverflowError, r"ids\[1, 1\] is 9223372036854775808; token IDs"),
        ({"ids": np.ma.masked_equal([[1, 2]], 2)}, TypeError, "ids is a masked array"),
        ({"ids": [[1, 2], [3]]}, ValueError, r"ids\[1\] has 1 columns and ids\[0\] 2; wanted two dimensions.* of one length"),
        ({"ids": [[1, 2], "ab"]}, TypeError, r"ids\[1\] is the str 'ab'"),
        ({"ids": [[1, "a"]]}, TypeError, r"ids\[0\]\[1\] is the str 'a'; token IDs are integers"),
        ({"ids": [[1, True]]}, TypeError, r"ids\[0\]\[1\] is the bool True; token IDs are integers"),
        ({"ids": "ab"}, TypeError, "ids is the str 'ab'; wanted two dimensions"),
        ({"ids": None}, TypeError, "ids is None; wanted two dimensions"),
        ({"lengths": [1, 2]}, ValueError, "lengths has 2 entries for 5 rows"),
        ({"lengths": [1, 2, 3, 4, 7]}, ValueError, r"lengths\[4\] is 7; the rows have 6 columns"),
        ({"lengths": [1, -1, 3, 4, 6]}, ValueError, r"lengths\[1\] is -1; the rows have 6 columns"),
        ({"lengths": np.ones(5)}, TypeError, "lengths is a float64 array .*; lengths are integers"),
        ({"lengths": [1.0] * 5}, TypeError, r"lengths\[0\] is the float 1.0; lengths are integers"),
        ({"lengths": [True] * 5}, TypeError, r"lengths\[0\] is the bool True; lengths are integers"),
        ({"lengths": np.ones(5, bool)}, TypeError, "lengths is a bool array"),
        ({"lengths": np.ones((5, 1), int)}, ValueError, r"lengths is an int64 array of shape \(5, 1\); wanted one dimension"),
        ({"lengths": 3}, TypeError, "lengths is the int 3"),
        ({"mask": np.ones((5, 5), bool)}, ValueError, r"mask is a bool array of shape \(5, 5\) and ids has the shape \(5, 6\)"),
        ({"mask": np.ones(5, bool)}, ValueError, r"mask is a bool array of shape \(5,\); wanted a bool or 0/1 array of shape \(5, 6\)"),
        ({"mask": np.ones((5, 6))}, TypeError, r"mask is a float64 array of shape \(5, 6\); wanted bool, or integers 0 and 1, such as mask == 1"),
        ({"mask": np.ones((5, 6), "U1")}, TypeError, r"mask is a .* array of shape \(5, 6\); wanted bool, or integers 0 and 1$"),
        ({"mask": np.ones((5, 6)).tolist()}, TypeError, r"mask\[0\]\[0\] is the float 1.0; wanted bool, or integers 0 and 1"),
        ({"mask": IDS}, ValueError, r"mask\[0, 0\] is 5; wanted 0 for padding or 1 for a token"),
        ({"mask": -(IDS > 4).astype(int)}, ValueError, r"mask\[0, 0\] is -1; wanted 0"),
        ({"mask": "111"}, TypeError, "mask is the str '111'"),
        ({"pad_id": 0.0}, TypeError, "pad_id is the float 0.0; wanted an int"),
        ({"pad_id": [0]}, TypeError, "pad_id is a list of 1; wanted an int"),
        ({"pad_id": False}, TypeError, "pad_id is the bool False; wanted an int"),
        ({"pad_id": 0, "lengths": [1] * 5}, ValueError, "lengths and pad_id are given; wanted one of them"),
        ({"mask": IDS > 0, "lengths": [1] * 5}, ValueError, "lengths and mask are given; wanted one of them"),
        ({"eos": "cut"}, ValueError, "eos is the str 'cut'; wanted 'drop' or 'keep'"),
        ({"eos": True}, ValueError, "eos is the bool True; wanted 'drop' or 'keep'"),
        ({"eos_id": "2"}, TypeError, "eos_id is the str '2'; wanted an int or several"),
        ({"eos_id": 2.0}, TypeError, "eos_id is the float 2.0; wanted an int or several"),
        ({"eos_id": [2, None]}, TypeError, r"eos_id\[1\] is None; wanted an int"),
        ({"eos_id": True}, TypeError, "eos_id is the bool True; wanted an int"),
        ({"ignore_ids": ["<unk>"]}, TypeError, r"ignore_ids\[0\] is the str '<unk>'; wanted an int"),
        ({"eos_id": [1, 2], "eos": "keep", "ignore_ids": 2}, ValueError, "2 is in eos_id, to be kept, and in ignore_ids"),
    ],
)  # fmt: skip
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        TokenBatch.from_padded(**{"ids": IDS, **arguments})


def test_values_that_are_not_one_a_token() -> None:
    with pytest.raises(ValueError, match="2 values for 3 tokens"):
        TokenBatch.from_lists([[1, 2, 3]])._align(np.zeros(2))


def test_values_of_other_batches_stay_as_they_are() -> None:
    values = np.arange(3.0)
    for batch in (TokenBatch.from_lists([[1], [2, 3]]), TokenBatch.from_ragged([1, 2, 3], [0, 3])):
        assert batch._align(values) is values


def test_aligned_values_are_their_own() -> None:
    values = np.arange(4)
    aligned = TokenBatch.from_padded([[1, 2], [3, 4]])._align(values)
    aligned[0, 0] = 9
    assert values[0] == 0 and aligned.dtype == values.dtype


def test_scores_of_prefixes_come_back_in_the_matrix() -> None:
    ids = np.array([[0, 0, 5, 8, 2], [7, 5, 8, 9, 4], [0, 0, 0, 0, 0]], np.int32)
    refs = [[5, 8, 9], [[7, 5], [5, 8, 9, 4]], [1]]
    for metric in (BLEU(smooth_method="laplace"), GLEU()):
        for arguments in ({"pad_id": 0, "eos_id": 2}, {"mask": ids % 3 != 0, "ignore_ids": 2}):
            batch = TokenBatch.from_padded(ids, **arguments)
            alone = metric.prefix_scores([row.tolist() for row in batch], refs)
            got = metric.prefix_scores(batch, refs)
            assert got.shape == ids.shape and got.dtype == np.float64
            assert [row[row != 0].tolist() for row in got] == [scores[scores != 0].tolist() for scores in alone]
            assert not got[0, [0, 1, 4]].any() and not got[2].any()
            assert (got[1] != 0).tolist() == [True, True, True, "mask" not in arguments, True]
            delta = metric.prefix_scores(batch, refs, delta=True)
            assert delta.sum(axis=1) == pytest.approx(metric.sentence_scores(batch, refs))
