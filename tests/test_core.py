"""The core against its twin and against the definition."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import definition
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clipgram import TokenBatch
from clipgram.batch import offsets_of

REGIMES = (0, 1, 2, 3)
INT32_ENDS = (-(2**31), 2**31 - 1)
INT64_ENDS = (-(2**63), 2**63 - 1)


@dataclass
class Case:
    hypotheses: list[list[int]]
    groups: list[int]
    references: list[list[list[int]]]  # of each group
    dtype: Any = np.int64

    def arguments(self) -> tuple[np.ndarray, ...]:
        flat = [ref for group in self.references for ref in group]
        return (
            np.array([t for hyp in self.hypotheses for t in hyp], self.dtype),
            offsets_of([len(hyp) for hyp in self.hypotheses]),
            np.array([t for ref in flat for t in ref], self.dtype),
            offsets_of([len(ref) for ref in flat]),
            offsets_of([len(group) for group in self.references]),
            np.array(self.groups, np.int64),
        )


@st.composite
def cases(draw: st.DrawFn, longest: int = 12) -> Case:
    dtype = draw(st.sampled_from([np.int32, np.int64]))
    ends = INT32_ENDS if dtype == np.int32 else INT64_ENDS
    # Few different tokens, so that n-grams repeat; some at the ends of the type, some that share their lower half.
    alphabet = draw(
        st.lists(
            st.sampled_from([0, 1, 2, -1, *ends, ends[0] + 1, ends[1] - 1])
            | st.integers(*ends)
            | st.sampled_from([5, 5 + 2**32, 5 - 2**32] if dtype == np.int64 else [5]),
            min_size=1,
            max_size=4,
        )
    )
    segment = st.lists(st.sampled_from(alphabet), max_size=longest)
    references = draw(st.lists(st.lists(segment, max_size=3), min_size=1, max_size=3))
    hypotheses = draw(st.lists(segment, max_size=4))
    groups = [draw(st.integers(0, len(references) - 1)) for _ in hypotheses]
    return Case(hypotheses, groups, references, dtype)


def implementations() -> list[ModuleType]:
    found = [importlib.import_module("clipgram._ngrams_py")]
    if importlib.util.find_spec("clipgram._ngrams"):
        found.append(importlib.import_module("clipgram._ngrams"))
    return found


@given(cases(), st.integers(1, 6) | st.just(16))
@example(Case([[]], [0], [[]]), 4)
@example(Case([[7] * 9], [0], [[[7] * 5], [[7] * 7]]), 4)
def test_everybody_agrees(case: Case, max_order: int) -> None:
    arguments = case.arguments()
    of_groups = [case.references[g] for g in case.groups]
    merged = [
        [definition.matches(hyp, refs, n + 1) for n in range(max_order)]
        for hyp, refs in zip(case.hypotheses, of_groups, strict=True)
    ]
    alone = [
        [definition.matches(hyp, [ref], n + 1) for n in range(max_order)]
        for hyp, refs in zip(case.hypotheses, of_groups, strict=True)
        for ref in refs
    ]
    flags = [f for h, r in zip(case.hypotheses, of_groups, strict=True) for f in definition.flags(h, r, max_order)]
    flags_alone = [
        f
        for hyp, refs in zip(case.hypotheses, of_groups, strict=True)
        for ref in refs
        for f in definition.flags(hyp, [ref], max_order)
    ]
    for core in implementations():
        for regime in REGIMES:
            counts = core.count_matches(*arguments, max_order, regime=regime)
            assert counts.dtype == np.int64 and counts.shape == (len(case.hypotheses), max_order)
            assert counts.tolist() == merged
            counts = core.count_matches(*arguments, max_order, True, regime=regime)
            assert counts.dtype == np.int64 and counts.shape == (len(alone), max_order)
            assert counts.tolist() == alone
            found = core.match_flags(*arguments, max_order, regime=regime)
            assert found.dtype == np.uint16 and found.tolist() == flags
            found = core.match_flags(*arguments, max_order, True, regime=regime)
            assert found.dtype == np.uint16 and found.tolist() == flags_alone


@st.composite
def long_cases(draw: st.DrawFn) -> Case:
    """Lengths around the crossovers, more tokens than hypothesis would draw one by one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    length = st.sampled_from(
        [0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 47, 48, 49, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300]
    )
    words = draw(st.sampled_from([1, 2, 3, 10, 100]))
    dtype = draw(st.sampled_from([np.int32, np.int64]))
    low, high = INT32_ENDS if dtype == np.int32 else INT64_ENDS
    start = draw(st.sampled_from([0, low, high - 100, -50]))

    def segment() -> list[int]:
        return (start + rng.integers(0, words, draw(length)).astype(object)).tolist()

    references = [[segment() for _ in range(draw(st.integers(0, 8)))] for _ in range(draw(st.integers(1, 2)))]
    hypotheses = [segment() for _ in range(draw(st.integers(1, 3)))]
    return Case(hypotheses, [draw(st.integers(0, len(references) - 1)) for _ in hypotheses], references, dtype)


@given(long_cases(), st.integers(1, 5) | st.just(16), st.booleans())
def test_twins_agree_around_the_crossovers(case: Case, max_order: int, per_reference: bool) -> None:
    twin, *compiled = implementations()
    counts = twin.count_matches(*case.arguments(), max_order, per_reference)
    flags = twin.match_flags(*case.arguments(), max_order, per_reference)
    bits = flags[:, None] >> np.arange(max_order) & 1
    assert bits.sum() == counts.sum()
    for core in compiled:
        for regime in REGIMES:
            got = core.count_matches(*case.arguments(), max_order, per_reference, regime)
            np.testing.assert_array_equal(got, counts, strict=True)
            got = core.match_flags(*case.arguments(), max_order, per_reference, regime)
            np.testing.assert_array_equal(got, flags, strict=True)
        prefixes = core.match_prefixes(*case.arguments(), max_order, per_reference)
        np.testing.assert_array_equal(prefixes, twin.match_prefixes(*case.arguments(), max_order, per_reference), strict=True)
        dense, n_ids = with_dense_ids(case)
        for regime in REGIMES:
            got = core.count_matches(*dense.arguments(), max_order, per_reference, regime, n_ids)
            np.testing.assert_array_equal(got, counts, strict=True)


def with_dense_ids(case: Case) -> tuple[Case, int]:
    """The same case as text has it: reference tokens are 1, 2, ... and a token that no reference has is 0."""
    names = {token: 0 for group in case.references for ref in group for token in ref}
    names = {token: i for i, token in enumerate(names, 1)}
    return Case(
        [[names.get(token, 0) for token in hyp] for hyp in case.hypotheses],
        case.groups,
        [[[names[token] for token in ref] for ref in group] for group in case.references],
        np.int32,
    ), len(names) + 1


@pytest.mark.parametrize("length", [2**16 - 1, 2**16, 2**16 + 1])
@pytest.mark.parametrize("words", [1, 50, 20_000])
def test_very_long_references(core: ModuleType, length: int, words: int) -> None:
    rng = np.random.default_rng(length + words)
    reference = rng.integers(0, words, length)
    hypothesis = np.concatenate([reference[1000:3000], rng.integers(0, 2 * words, 2000)])
    case = Case([hypothesis.tolist(), hypothesis[::-1].tolist()], [0, 0], [[reference.tolist(), hypothesis[:90].tolist()]])
    wanted = importlib.import_module("clipgram._ngrams_py").match_flags(*case.arguments(), 5)
    np.testing.assert_array_equal(core.match_flags(*case.arguments(), 5), wanted, strict=True)
    ends = case.arguments()[1]
    counts = core.count_matches(*case.arguments(), 5)
    for i in range(2):
        bits = wanted[ends[i] : ends[i + 1], None] >> np.arange(5) & 1
        assert counts[i].tolist() == bits.sum(axis=0).tolist()


def test_one_token_throughout_is_clipped(core: ModuleType) -> None:
    case = Case([[9] * 500, [9] * 10], [0, 0], [[[9] * 300, [9] * 5]])
    assert core.count_matches(*case.arguments(), 4).tolist() == [[300, 299, 298, 297], [10, 9, 8, 7]]
    assert core.count_matches(*case.arguments(), 2, True).tolist() == [[300, 299], [5, 4], [10, 9], [5, 4]]


def test_neighbours_that_share_references_do_not_disturb_each_other(core: ModuleType) -> None:
    rng = np.random.default_rng(5)
    reference = rng.integers(0, 5, 200).tolist()
    hyps = [rng.integers(0, 5, n).tolist() for n in (100, 0, 64, 200, 1)]
    together = core.count_matches(*Case(hyps, [0] * 5, [[reference]]).arguments(), 4)
    alone = [core.count_matches(*Case([hyp], [0], [[reference]]).arguments(), 4)[0] for hyp in hyps]
    np.testing.assert_array_equal(together, alone, strict=True)
    back = core.count_matches(*Case(hyps, [0, 1, 0, 1, 0], [[reference], [reference[::-1]]]).arguments(), 4)
    np.testing.assert_array_equal(back[::2], together[::2], strict=True)


def test_matches_of_prefixes(core: ModuleType) -> None:
    rng = np.random.default_rng(2)
    refs = [[rng.integers(0, 4, n).tolist() for n in (7, 20)], [rng.integers(0, 4, 80).tolist()]]
    hyps = [rng.integers(0, 4, n).tolist() for n in (30, 0, 9)]
    for per_reference in (False, True):
        made = core.match_prefixes(*Case(hyps, [0, 1, 0], refs).arguments(), 3, per_reference)
        assert made.dtype == np.int32
        rows = []
        for hyp, group in zip(hyps, [refs[0], refs[1], refs[0]], strict=True):
            for some in [[ref] for ref in group] if per_reference else [group]:
                rows.extend([definition.matches(hyp[:n], some, order) for order in (1, 2, 3)] for n in range(1, len(hyp) + 1))
        assert made.T.tolist() == rows


def test_part_of_a_batch(core: ModuleType) -> None:
    """Slices of the offsets lead into the same arrays: this is how threads share a batch."""
    case = Case([[1, 2], [3], [1, 2, 3], []], [0, 1, 1, 0], [[[1, 2]], [[3, 1, 2], [2, 3]]])
    hyp, hyp_offsets, ref, ref_offsets, group_offsets, groups = case.arguments()
    whole = core.count_matches(*case.arguments(), 3)
    for start in range(5):
        for stop in range(start, 5):
            part = core.count_matches(
                hyp, hyp_offsets[start : stop + 1], ref, ref_offsets, group_offsets, groups[start:stop], 3
            )
            np.testing.assert_array_equal(part, whole[start:stop], strict=True)


ARRAYS = {
    "int8": lambda ids: ids.astype(np.int8),
    "uint16": lambda ids: ids.astype(np.uint16),
    "uint64": lambda ids: ids.astype(np.uint64),
    "strided": lambda ids: np.repeat(ids, 3)[::3],
    "reversed twice": lambda ids: ids[::-1].copy()[::-1],
    "column": lambda ids: np.stack([ids, ids + 1], axis=1)[:, 0],
    "byte-swapped int32": lambda ids: ids.astype(np.int32).astype(">i4"),
    "byte-swapped int64": lambda ids: ids.astype(np.int64).astype(">i8"),
    "read-only int32": lambda ids: read_only(ids.astype(np.int32)),
    "read-only int64": lambda ids: read_only(ids.astype(np.int64)),
    "unaligned": lambda ids: np.frombuffer(b"x" + ids.astype(np.int64).tobytes(), np.int64, offset=1),
}


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("form", ARRAYS)
def test_every_kind_of_array(core: ModuleType, form: str) -> None:
    ids = np.array([1, 2, 3, 4, 2, 3, 9, 1, 2])
    given = ARRAYS[form](ids)
    before = given.tobytes()
    hyps = TokenBatch.from_ragged(given, [0, 4, 9])
    refs = TokenBatch.from_ragged(ARRAYS[form](ids[::-1].copy()), [0, 4, 9])
    counts = core.count_matches(
        hyps.values, hyps.offsets, refs.values, refs.offsets, np.array([0, 1, 2]), np.array([0, 1]), 4
    )
    wanted = [
        [definition.matches(ids[:4].tolist(), [ids[::-1][:4].tolist()], n + 1) for n in range(4)],
        [definition.matches(ids[4:].tolist(), [ids[::-1][4:].tolist()], n + 1) for n in range(4)],
    ]
    assert counts.tolist() == wanted
    assert given.tobytes() == before


@pytest.mark.parametrize("length", [1, 3, 60, 400])
def test_neighbours_with_equal_references(core: ModuleType, length: int) -> None:
    """Groups with equal references are read once; those that only begin alike, or split the same tokens, are not."""
    tokens = list(range(length))
    groups = [
        [tokens],
        [list(tokens)],
        [tokens[:-1], tokens[-1:]],
        [tokens[:1], tokens[1:]],
        [tokens[:1], tokens[1:]],
        [[*tokens[:-1], -1]],
        [tokens, tokens],
        [[]],
        [[]],
        [[], []],
    ]
    hypotheses = [tokens[length // 3 :] + tokens] * len(groups)
    for regime in REGIMES:
        for dtype in (np.int32, np.int64):
            case = Case(hypotheses, list(range(len(groups))), groups, dtype)
            for per_reference in (False, True):
                alone = [
                    core.count_matches(*Case([hyp], [0], [group], dtype).arguments(), 4, per_reference, regime).tolist()
                    for hyp, group in zip(hypotheses, groups, strict=True)
                ]
                got = core.count_matches(*case.arguments(), 4, per_reference, regime).tolist()
                assert got == [row for rows in alone for row in rows]
                flags = core.match_flags(*case.arguments(), 4, per_reference, regime)
                assert np.array_equal(
                    flags,
                    np.concatenate(
                        [
                            core.match_flags(*Case([hyp], [0], [group], dtype).arguments(), 4, per_reference, regime)
                            for hyp, group in zip(hypotheses, groups, strict=True)
                        ]
                    ),
                )
