"""Tokens of any kind, by the compiled core and its twin."""

from __future__ import annotations

import gc
import importlib
import sys
import threading
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import definition
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st


def implementations() -> list[ModuleType]:
    found = [importlib.import_module("clipgram._objects_py")]
    if find_spec("clipgram._objects"):
        found.append(importlib.import_module("clipgram._objects"))
    return found


class Colliding:
    """Different tokens, one hash."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Colliding) and self.number == other.number


NAN = float("nan")
TOKENS = st.sampled_from(["a", "b", "the", 1, True, 1.0, 0, False, None, ("a", 1), ("a", 1.0), NAN, float("nan"), b"a", 2**70])
PLAIN = st.sampled_from(["a", "b", "the", "\u00e9", "\ud800", 1, -1, 2**61 - 1, 2**61, 0])
COLLIDING = st.builds(Colliding, st.integers(0, 3))
SEGMENTS = st.one_of(*(st.lists(tokens, max_size=12) for tokens in (TOKENS, PLAIN, COLLIDING)))


def segments_of(draw: st.DrawFn) -> Any:
    return draw(SEGMENTS | SEGMENTS.map(tuple) | st.text("ab", max_size=9))


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    n = draw(st.integers(0, 4))
    return [segments_of(draw) for _ in range(n)], [[segments_of(draw) for _ in range(draw(st.integers(1, 3)))] for _ in range(n)]


@given(cases(), st.integers(1, 6))
def test_counts(case: Any, max_order: int) -> None:
    for hyp, refs in zip(*case, strict=True):
        lists = list(hyp), [list(ref) for ref in refs]
        together = tuple(definition.matches(*lists, n) for n in range(1, max_order + 1))
        alone = tuple(definition.matches(lists[0], [ref], n) for ref in lists[1] for n in range(1, max_order + 1))
        lengths = len(hyp), tuple(map(len, refs))
        for core in implementations():
            assert core.count_objects(hyp, refs, max_order, False) == (*lengths, together)
            assert core.count_objects(hyp, tuple(refs), max_order, True) == (*lengths, alone)


@given(cases())
def test_names(case: Any) -> None:
    hyps, references = case
    made = [core.name_objects(hyps, references) for core in implementations()]
    for other in made[1:]:
        assert other[6] == made[0][6]
        for one, two in zip(made[0][:6], other[:6], strict=True):
            np.testing.assert_array_equal(one, two, strict=True)
    hyp_ids, hyp_offsets, ref_ids, ref_offsets, group_offsets, groups, n_ids = made[0]
    assert [a.dtype for a in made[0][:6]] == [np.int32, np.int64, np.int32, np.int64, np.int64, np.int64]
    assert groups.tolist() == list(range(len(hyps))) and n_ids == max([1, *(ref_ids + 1)])
    for i, (hyp, refs) in enumerate(zip(hyps, references, strict=True)):
        names: dict[Any, int] = {}
        for ref in refs:
            for token in ref:
                names.setdefault(token, len(names) + 1)
        for r, ref in zip(range(group_offsets[i], group_offsets[i + 1]), refs, strict=True):
            assert ref_ids[ref_offsets[r] : ref_offsets[r + 1]].tolist() == [names[token] for token in ref]
        assert hyp_ids[hyp_offsets[i] : hyp_offsets[i + 1]].tolist() == [names.get(token, 0) for token in hyp]


@pytest.mark.parametrize("length", [31, 32, 33, 64, 65, 300, 2000])
@pytest.mark.parametrize("kind", [str, int, Colliding, float])
def test_lengths(length: int, kind: Any) -> None:
    """Around the sizes of tables, and so long that the GIL is handed over."""
    if kind is Colliding:
        length = min(length, 300)
    tokens = [kind(i) for i in range(length)]
    for core in implementations():
        found = core.count_objects(tokens[::-1] + tokens, [tokens, tokens[1:]], 2, True)
        assert found == (2 * length, (length, length - 1), (length, length - 1, length - 1, length - 2))
        names = core.name_objects([tokens] * 3, [[tokens[::-1]], [[]], [tokens]])
        assert names[0].tolist() == [*range(length, 0, -1), *[0] * length, *range(1, length + 1)]


class Stringy(str):
    pass


NOT_TAKEN: list[tuple[Any, Any]] = [
    (["a"], []),
    (["a"], ()),
    (["a"], None),
    (["a"], [None]),
    (["a"], "a"),
    (None, [["a"]]),
    (5, [["a"]]),
    (["a"], [["a"], 5]),
    (["a"], [{"a"}]),
    (["a"], iter([["a"]])),
    (np.array([1]), [[1]]),
    (Stringy("a"), ["a"]),
    (type("List", (list,), {})("a"), [["a"]]),
    (["a"], type("List", (list,), {})([["a"]])),
]


@pytest.mark.parametrize("hypothesis, references", NOT_TAKEN, ids=range(len(NOT_TAKEN)))
def test_what_is_not_taken(hypothesis: Any, references: Any) -> None:
    for core in implementations():
        assert core.count_objects(hypothesis, references, 2, False) is None
        assert core.name_objects([["a"], hypothesis], [[["a"]], references]) is None
    for core in implementations():
        for hyps, refs in (([["a"]], []), ({}, []), ([], {}), (iter([]), []), ("", [])):
            assert core.name_objects(hyps, refs) is None


def test_errors_are_passed_on() -> None:
    class Odd:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise KeyError("no comparison")

    for core in implementations():
        for hyp, refs, error in (
            ([[]], [["a"]], TypeError),
            (["a"], [["a"], [{}]], TypeError),
            ([Odd()], [[Odd()]], KeyError),
            (["a"], [["a", Odd(), Odd()]], KeyError),
        ):
            with pytest.raises(error):
                core.count_objects(hyp, refs, 2, False)
            with pytest.raises(error):
                core.name_objects([["a"], hyp], [[["a"]], refs])


def test_tokens_that_change_the_lists() -> None:
    """What comparing and hashing do to the lists while they are read does not count, and harms nothing."""

    class Changing:
        def __init__(self, lists: list[list[Any]]) -> None:
            self.lists = lists

        def __hash__(self) -> int:
            for one in self.lists:
                one.clear()
            gc.collect()
            return 1

        def __eq__(self, other: object) -> bool:
            for one in self.lists:
                one.extend([object()] * 100)
            return True

    for core in implementations():
        hyp: list[Any] = ["a", "b"]
        refs: list[Any] = [["a", "b"], []]
        refs[1].extend([Changing([hyp, refs[0], refs]), Changing([hyp, refs[0], refs]), "b"])
        assert core.count_objects(hyp, refs, 1, True) == (2, (2, 3), (2, 1))

        hyp, own = ["a", "b"], ["a"]
        own.append(Changing([hyp, own]))
        hyps, references = [["x"], hyp, ["c"]], [[["x"]], [own], [["c"]]]
        own[1].lists.extend([hyps, references])
        made = core.name_objects(hyps, references)
        assert made[0].tolist() == [1, 1, 0, 1] and made[2].tolist() == [1, 1, 2, 1]


def test_nothing_is_kept() -> None:
    """References are counted right: afterwards nobody holds the tokens, the lists, or memory."""
    for core in implementations():
        token, hyp, refs = object(), [object()], [[object(), "a"]]
        hyp.append(token)
        refs[0].append(token)
        before = [sys.getrefcount(thing) for thing in (token, hyp, refs, refs[0])]
        for _ in range(200):
            core.count_objects(hyp, refs, 4, False)
            core.name_objects([hyp] * 3, [refs] * 3)
            core.name_objects([["a", "b"]] * 3, [[["b", 300000]]] * 3)
        assert [sys.getrefcount(thing) for thing in (token, hyp, refs, refs[0])] == before


def test_many_threads() -> None:
    wrong = []

    def work(core: ModuleType, number: int) -> None:
        tokens = [f"{number}-{i}" for i in range(1100)]
        for _ in range(10):
            if core.count_objects(tokens, [tokens[1:]], 2, False) != (1100, (1099,), (1099, 1098)):
                wrong.append(number)

    for core in implementations():
        threads = [threading.Thread(target=work, args=(core, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
