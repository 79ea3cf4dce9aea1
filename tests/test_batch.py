from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from clipgram import BLEU, TokenBatch


def test_from_lists() -> None:
    batch = TokenBatch.from_lists([[5, 8], (), np.array([1, 2, 3], np.uint8)])
    assert len(batch) == 3
    assert [ids.tolist() for ids in batch] == [[5, 8], [], [1, 2, 3]]
    assert batch.lengths.tolist() == [2, 0, 3] and batch.offsets.tolist() == [0, 2, 2, 5]
    assert batch.values.dtype == np.int64
    assert batch[-1].tolist() == [1, 2, 3]
    assert TokenBatch.from_lists([]).lengths.tolist() == []
    assert TokenBatch.from_lists([[], []]).lengths.tolist() == [0, 0]
    assert TokenBatch.from_lists(np.arange(6, dtype=np.int32).reshape(2, 3)).values.dtype == np.int32
    assert TokenBatch.from_lists([np.array([])]).lengths.tolist() == [0]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_ragged_values_are_not_copied(dtype: Any) -> None:
    values = np.arange(5, dtype=dtype)
    batch = TokenBatch.from_ragged(values, [0, 2, 5])
    assert np.shares_memory(batch.values, values)
    assert values.flags.writeable and not batch.values.flags.writeable


def test_ragged_offsets_are_copied() -> None:
    offsets = np.array([0, 2, 5])
    batch = TokenBatch.from_ragged(np.arange(5), offsets)
    offsets[1] = 10**9
    assert batch[0].tolist() == [0, 1]
    for array in (batch.values, batch.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("offsets", [np.array([0, 1, 3], np.int32), [0, 1, 3], (0, 1, 3), np.array([0, 1, 3], np.uint64)])
def test_forms_of_offsets(offsets: Any) -> None:
    assert [ids.tolist() for ids in TokenBatch.from_ragged([7, 8, 9], offsets)] == [[7], [8, 9]]


@pytest.mark.parametrize(
    "values, offsets, error, said",
    [
        ([1, 2], [], ValueError, "offsets is empty"),
        ([1, 2], [0, 1], ValueError, "offsets go from 0 to 1; wanted 0 to 2"),
        ([1, 2], [1, 2], ValueError, "offsets go from 1 to 2; wanted 0 to 2"),
        ([1, 2], [0, 3], ValueError, "offsets go from 0 to 3; wanted 0 to 2"),
        ([1, 2], [0, 2, 1, 2], ValueError, r"offsets\[2\] is 1, less than offsets\[1\], which is 2"),
        ([1, 2], [0, -5, 2], ValueError, r"offsets\[1\] is -5, less than offsets\[0\]"),
        ([1, 2, 3], [2, 1], ValueError, r"offsets go from 2 to 1; wanted 0 to 3, .* These may be lengths, of which np.cumsum\(\[0, \*lengths\]\)"),
        ([1, 2, 3], [4, -1], ValueError, "offsets go from 4 to -1; wanted 0 to 3, the number of values$"),
        ([1, 2], [0, 1, 2.0], TypeError, r"offsets\[2\] is the float 2.0; offsets are integers"),
        ([True], [0, 1], TypeError, r"values\[0\] is the bool True; token IDs are integers"),
        ([1.5], [0, 1], TypeError, r"values\[0\] is the float 1.5; token IDs are integers"),
        (np.zeros((2, 2), int), [0, 4], ValueError, r"values is an int64 array of shape \(2, 2\); wanted one dimension"),
        ([1, 2], np.array([0.0, 2.0]), TypeError, "offsets is a float64 array .*; offsets are integers"),
        ("ab", [0, 2], TypeError, "values is the str 'ab'"),
    ],
)
def test_wrong_ragged(values: Any, offsets: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        TokenBatch.from_ragged(values, offsets)


@pytest.mark.parametrize(
    "lists, said",
    [
        ("ab", "lists is the str 'ab'"),
        ([1, 2], r"lists\[0\] is the int 1"),
        ([[1], ["a"]], r"lists\[1\]\[0\] is the str 'a'; token IDs are integers"),
        ([[1], [True]], r"lists\[1\]\[0\] is the bool True; token IDs are integers"),
        ([[1], np.array([1]), [True]], r"lists\[2\]\[0\] is the bool True"),
        ([[1], "a"], r"lists\[1\] is the str 'a'"),
        ([[1], None], r"lists\[1\] is None"),
    ],
)
def test_wrong_lists(lists: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        TokenBatch.from_lists(lists)


def test_there_is_no_other_way_to_make_one() -> None:
    for arguments in ((), ([[1, 2]],), ([1, 2], [0, 2])):
        with pytest.raises(TypeError, match="is made by TokenBatch.from_lists, from_padded, from_ragged or from_arrow"):
            TokenBatch(*arguments)


def test_indices_outside() -> None:
    batch = TokenBatch.from_lists([[1]])
    for i in (1, -2):
        with pytest.raises(IndexError, match="of a batch of 1"):
            batch[i]


def test_pickle_and_copy() -> None:
    batch = TokenBatch.from_ragged(np.arange(5, dtype=np.int32), [0, 2, 5])
    for again in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert again.values.dtype == np.int32
        assert [ids.tolist() for ids in again] == [[0, 1], [2, 3, 4]]


def test_ends_and_ignored_ids() -> None:
    lists = [[5, 8, 2, 9], [2, 2], [], [-100, 7, -100], [2, 5], [4, 2]]
    ragged = [token for ids in lists for token in ids], np.cumsum([0, *map(len, lists)])
    for options, wanted in [
        ({}, lists),
        ({"eos_id": 2}, [[5, 8], [], [], [-100, 7, -100], [], [4]]),
        ({"eos_id": 2, "eos": "keep"}, [[5, 8, 2], [2], [], [-100, 7, -100], [2], [4, 2]]),
        ({"eos_id": (8, 7), "eos": "keep"}, [[5, 8], [2, 2], [], [-100, 7], [2, 5], [4, 2]]),
        ({"ignore_ids": -100}, [[5, 8, 2, 9], [2, 2], [], [7], [2, 5], [4, 2]]),
        ({"ignore_ids": {2, 5, -100}}, [[8, 9], [], [], [7], [], [4]]),
        ({"ignore_ids": range(-100, 9)}, [[9], [], [], [], [], []]),
        ({"eos_id": 2, "ignore_ids": (-100, 5)}, [[8], [], [], [7], [], [4]]),
        ({"eos_id": 99, "ignore_ids": 2**70}, lists),
    ]:
        for batch in (
            TokenBatch.from_lists(lists, **options),
            TokenBatch.from_lists(map(np.array, lists), **options),
            TokenBatch.from_lists(TokenBatch.from_lists(lists), **options),
            TokenBatch.from_ragged(*ragged, **options),
        ):
            assert [ids.tolist() for ids in batch] == wanted
            assert batch.offsets.dtype == np.int64 and not batch.values.flags.writeable
    # With long sequences slices are copied, with short ones a mask selects.
    long = [list(range(1, 400)), [7], list(range(200, 0, -1))]
    assert [ids.tolist() for ids in TokenBatch.from_lists(long, eos_id=3)] == [[1, 2], [7], list(range(200, 3, -1))]
    assert [ids.tolist() for ids in TokenBatch.from_lists(long, eos_id=399)] == [long[0][:-1], [7], long[2]]


def test_what_is_not_cut_is_not_copied() -> None:
    values = np.arange(5, dtype=np.int32)
    assert np.shares_memory(TokenBatch.from_ragged(values, [0, 2, 5], eos_id=9, ignore_ids=8).values, values)
    assert np.shares_memory(TokenBatch.from_ragged(values, [0, 2, 5], eos_id=4, eos="keep").values, values)


def test_a_matrix_is_read_as_from_padded_reads_it() -> None:
    ids = np.array([[5, 8, 2], [2, 9, 9]])
    assert np.shares_memory(TokenBatch.from_lists(ids).values, ids)
    batch = TokenBatch.from_lists(ids, eos_id=2)
    assert [row.tolist() for row in batch] == [[5, 8], []]
    assert batch._align(np.ones(2)).tolist() == [[1, 1, 0], [0, 0, 0]]


def test_wrong_options() -> None:
    for make in (lambda **options: TokenBatch.from_lists([[1]], **options), lambda **options: TokenBatch.from_ragged([1], [0, 1], **options)):
        with pytest.raises(ValueError, match="eos is the str 'stop'; wanted 'drop' or 'keep'"):
            make(eos_id=1, eos="stop")
        with pytest.raises(TypeError, match="ignore_ids is the float 0.5; wanted an int or several"):
            make(ignore_ids=0.5)


def test_hypotheses_and_references_of_two_widths() -> None:
    narrow = TokenBatch.from_ragged(np.array([1, 2, 3, 4, -(2**31), 2**31 - 1], np.int32), [0, 4, 6])
    for refs, wanted in [
        ([[1, 2, 3, 4], [-(2**31), 2**31 - 1]], [1.0, 1.0]),
        ([[1, 2, 3, 4 + 2**32], [2**31, -(2**31) - 1]], [BLEU().sentence_score([1, 2, 3, 4], [1, 2, 3, 5]).score, 0.0]),
        ([[], []], [0.0, 0.0]),
    ]:
        wide = TokenBatch.from_lists(refs)
        assert BLEU().sentence_scores(narrow, wide).tolist() == wanted
        assert BLEU().sentence_scores(narrow.astype(np.int64), wide).tolist() == wanted
        assert BLEU().corpus_score(wide, narrow).matches == BLEU().corpus_score(narrow, wide).matches
