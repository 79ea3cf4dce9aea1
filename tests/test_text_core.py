"""From text and strings to IDs: the compiled core, its twin, and what both must be."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import definition
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clipgram.batch import offsets_of
from clipgram.tokenizers import RULES

WORDS = st.text(st.sampled_from("ab.\u00e9\u4e00-1 &"), max_size=12) | st.sampled_from(
    ["the cat", "<skipped>", "a" * 20, "a" * 19 + "b", "b" + "a" * 19, "a\0", "a", "a\0\0", "\ud800", "\U0001f600 x" * 40]
)


def implementations(module: str = "_text") -> list[ModuleType]:
    names = [f"clipgram.{module}_py", f"clipgram.{module}"]
    return [importlib.import_module(name) for name in names if find_spec(name)]


@st.composite
def grouped(draw: st.DrawFn, segment: st.SearchStrategy[Any]) -> tuple[list[Any], list[Any], np.ndarray, np.ndarray]:
    """Hypotheses, references, and which belong together; neighbours often share their references."""
    references = draw(st.lists(st.lists(segment, min_size=1, max_size=3), min_size=1, max_size=3))
    hypotheses = draw(st.lists(segment, max_size=5))
    groups = [draw(st.integers(0, len(references) - 1)) for _ in hypotheses]
    flat = [reference for group in references for reference in group]
    return hypotheses, flat, offsets_of([len(group) for group in references]), np.array(groups, np.int64)


def check(arrays: list[tuple[np.ndarray, ...]], tokens: list[list[str]], refs: list[list[str]], offsets: Any, groups: Any) -> None:
    """All implementations made the same arrays, and IDs are equal where tokens are."""
    hyp_ids, hyp_offsets, ref_ids, ref_offsets, new_offsets, new_groups, n_ids = arrays[0]
    assert n_ids == max([1 if len(tokens) else 0, *(ref_ids + 1)])
    for other in arrays[1:]:
        assert other[6] == n_ids
        for one, two in zip(arrays[0][:6], other[:6], strict=True):
            np.testing.assert_array_equal(one, two, strict=True)
    assert [a.dtype for a in arrays[0][:6]] == [np.int32, np.int64, np.int32, np.int64, np.int64, np.int64]
    for i, hyp in enumerate(tokens):
        mine = refs[offsets[groups[i]] : offsets[groups[i] + 1]]
        new = range(new_offsets[new_groups[i]], new_offsets[new_groups[i] + 1])
        assert len(new) == len(mine)
        names: dict[str, int] = {}
        for r, ref in zip(new, mine, strict=True):
            for token in ref:
                names.setdefault(token, len(names) + 1)
            assert ref_ids[ref_offsets[r] : ref_offsets[r + 1]].tolist() == [names[token] for token in ref]
        ids = hyp_ids[hyp_offsets[i] : hyp_offsets[i + 1]].tolist()
        assert ids == [names.get(token, 0) for token in hyp]


@given(grouped(WORDS), st.sampled_from([*RULES]))
def test_texts(case: Any, rules: str) -> None:
    hyps, refs, offsets, groups = case
    twin = implementations()[0]
    arrays = [core.encode(hyps, refs, offsets, groups, rules) for core in implementations()]
    check(arrays, [twin.tokenize(h, rules) for h in hyps], [twin.tokenize(r, rules) for r in refs], offsets, groups)


@given(grouped(st.lists(WORDS, max_size=6)))
def test_tokens(case: Any) -> None:
    hyps, refs, offsets, groups = case
    arrays = [core.encode(hyps, [tuple(ref) for ref in refs], offsets, groups, None) for core in implementations()]
    check(arrays, hyps, refs, offsets, groups)


@given(grouped(WORDS) | grouped(st.lists(WORDS, max_size=6)), st.sampled_from([*RULES]), st.integers(1, 5), st.booleans())
def test_counts(case: Any, name: str, max_order: int, per_reference: bool) -> None:
    hyps, refs, offsets, groups = case
    rules = None if any(isinstance(segment, list) for segment in (*hyps, *refs)) else name
    twin, *compiled = [core.count(hyps, refs, offsets, groups, rules, max_order, per_reference) for core in implementations()]
    for counted in compiled:
        for one, other in zip(counted, twin, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
    rows = []
    tokenize = implementations()[0].tokenize
    for hyp, group in zip(hyps, groups, strict=True):
        own = refs[offsets[group] : offsets[group + 1]]
        tokens, *references = [tokenize(one, rules) if rules else one for one in (hyp, *own)]
        for some in [[ref] for ref in references] if per_reference else [references]:
            rows.append([definition.matches(tokens, some, order) for order in range(1, max_order + 1)])
    assert twin[2].tolist() == rows


def test_many_neighbours_with_the_same_references() -> None:
    """More than are read at a time, against long references and short ones."""
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 60, n)) for n in rng.integers(0, 90, 700)]
    for n in (10, 100, 300):
        refs = [" ".join(f"w{i}" for i in rng.integers(0, 60, n)) for _ in range(2)]
        case = (texts, refs, np.array([0, 2]), np.zeros(700, np.int64), "none", 4, False)
        made = [core.count(*case) for core in implementations()]
        for one, other in zip(*made, strict=True) if len(made) == 2 else ():
            np.testing.assert_array_equal(one, other, strict=True)


def test_neighbours_with_equal_references_share_them() -> None:
    same = "".join(["the c", "at"])  # noqa: FLY002 (equal, but another object)
    for core in implementations():
        made = core.encode(["the", "cat", "a"], ["the cat", same, "a"], np.arange(4), np.arange(3), "13a")
        assert made[5].tolist() == [0, 0, 1] and made[4].tolist() == [0, 1, 2]
        assert made[2].tolist() == [1, 2, 1]


def test_many_words() -> None:
    """More than the first table holds, with long ones that agree in their first and last bytes."""
    words = [f"w{i}" for i in range(3000)] + [f"{'a' * 12}{i:06}{'b' * 12}" for i in range(3000)]
    text = " ".join(words)
    for core in implementations():
        made = core.encode([text, " ".join(words[::-1])], [text], np.array([0, 1]), np.array([0, 0]), "none")
        assert made[2].tolist() == list(range(1, 6001))
        assert made[0].tolist() == [*range(1, 6001), *range(6000, 0, -1)]


def test_many_characters() -> None:
    """Those of one byte are kept apart from the table, which grows after they were met."""
    ascii = "".join(map(chr, range(33, 127)))
    text = ascii + "".join(map(chr, range(0x4E00, 0x4E00 + 3000))) + ascii
    for core in implementations():
        made = core.encode([text[::-1]], [text], np.array([0, 1]), np.array([0]), "char")
        assert made[2].tolist() == [*range(1, 3095), *range(1, 95)]
        assert made[0].tolist() == made[2].tolist()[::-1] and made[6] == 3095


def test_markup_that_comes_late() -> None:
    """The tokens handed on before the markup was seen must be forgotten."""
    text = "w " * 700 + "a&lt;b"
    for core in implementations():
        for hyp, ref in ((text, "w < b"), ("w < b", text)):
            made = core.encode([hyp], [ref], np.array([0, 1]), np.array([0]), "13a")
            assert sorted(made[1].tolist() + made[3].tolist()) == [0, 0, 3, 703]


TEXTS = [
    ("a b c", "a b d", (3, (3,), (2, 1))),
    ("a b c", ["a b d", None, "c"], (3, (3, 1), (3, 1))),
    ("a b c", ("a b d", "b c"), (3, (3, 2), (3, 2))),
    ("", "", (0, (0,), (0, 0))),
    ("\u00e9 b", ["\u00e9 b"], (2, (2,), (2, 1))),
    ("a b", [], None),
    ("a b", [None], None),
    ("a b", None, None),
    ("a b", ["a", 1], None),
    ("a b", [["a"]], None),
    ("a b", 5, None),
    ("a b", {"a"}, None),
]


@pytest.mark.parametrize("hypothesis, references, wanted", TEXTS)
def test_one_text(hypothesis: str, references: Any, wanted: Any) -> None:
    for core in implementations():
        assert core.count_text(hypothesis, references, "13a", 2, False) == wanted


WORD_LISTS = [
    (["a", "b", "c"], ["a", "b", "d"], (3, (3,), (2, 1))),
    (["a", "b", "c"], [["a", "b", "d"], None, ["c"]], (3, (3, 1), (3, 1))),
    (["a b", "c"], [["a b", "c"], []], (2, (2, 0), (2, 1))),
    (["a"], [], None),
    (["a"], [None], None),
    (["a"], ["a", 1], None),
    (["a", 1], [["a"]], None),
    (["a"], [["a"], "b"], None),
    (["a"], "a", None),
    (["a"], [["a", None]], None),
    (["a"], [("a",)], None),
]


@pytest.mark.parametrize("hypothesis, references, wanted", WORD_LISTS)
def test_one_list_of_words(hypothesis: Any, references: Any, wanted: Any) -> None:
    for core in implementations():
        assert core.count_words(hypothesis, references, 2, False) == wanted, core


def test_reference_by_reference() -> None:
    for lists in implementations("_lists"):
        assert lists.count_lists([1, 2, 3], [[1, 2], None, [3]], 2, True) == (3, (2, 1), (2, 1, 1, 0))
    for text in implementations():
        assert text.count_text("a b c", ["a b", None, "c"], "none", 2, True) == (3, (2, 1), (2, 1, 1, 0))
        assert text.count_words(["a", "b", "c"], [["a", "b"], ["c"]], 2, True) == (3, (2, 1), (2, 1, 1, 0))


def test_what_is_no_str() -> None:
    for core in implementations():
        for hyps, refs in (([b"a"], ["a"]), (["a"], [None])):
            with pytest.raises(TypeError, match="a text is of type (bytes|NoneType)"):
                core.encode(hyps, refs, np.array([0, 1]), np.array([0]), "13a")
        for hyps, refs in (([[1]], [["a"]]), ([["a"]], [["a", None]]), ([["a"]], ["a"]), ([{"a"}], [["a"]])):
            with pytest.raises(TypeError, match="tokens are not all str, in lists or tuples"):
                core.encode(hyps, refs, np.array([0, 1]), np.array([0]), None)
        with pytest.raises(KeyError):
            core.tokenize("a", "13b")
