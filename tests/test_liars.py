"""Objects that are not what they say: an error, or the right number, never a wrong one and never a crash."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import clipgram
from clipgram import BLEU, GLEU, TokenBatch
from clipgram.segments import Strings

TEXT, REFERENCE = "the cat, sat on &amp; the mat.", "the cat sat on the hat"


class Says:
    """A sequence that says a length and gives another."""

    def __init__(self, says: int, items: list[Any]) -> None:
        self.says, self.items = says, items

    def __len__(self) -> int:
        return self.says

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)


class SaysList(list[Any]):
    def __len__(self) -> int:
        return 2**62


class ItersList(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter([7, 7, 7])


class Raises:
    def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
        raise ZeroDivisionError("no array today")


class GivesNoArray:
    def __array__(self, *args: object, **kwargs: object) -> Any:
        return "an array"


class NoDevice:
    def __dlpack_device__(self) -> Any:
        raise BufferError("no device")


class SaysShape(np.ndarray):
    @property
    def dtype(self) -> Any:  # type: ignore[override]
        return np.dtype(np.int64)


LIARS: list[tuple[Callable[[], Any], type[Exception]]] = [
    (lambda: Says(5, [1, 2]), ValueError),
    (lambda: Says(0, [1, 2]), ValueError),
    (lambda: Says(2**62, [1, 2]), ValueError),
    (lambda: Says(1, ["a", "b"]), ValueError),
    (lambda: SaysList([1, 2]), ValueError),
    (lambda: SaysList(["a", "b"]), ValueError),
    (lambda: ItersList([1, 2]), ValueError),
    (Raises, ZeroDivisionError),
    (GivesNoArray, ValueError),
    (NoDevice, TypeError),
    (lambda: np.array([1.5, 2.5]).view(SaysShape), TypeError),
]


@pytest.mark.parametrize("liar, error", LIARS)
@pytest.mark.parametrize("metric", [BLEU(), GLEU()])
def test_a_lie_about_tokens(metric: Any, liar: Callable[[], Any], error: type[Exception]) -> None:
    good: Any = ["a", "b"] if "a" in getattr(liar(), "items", liar() if isinstance(liar(), list) else []) else [1, 2]
    with pytest.raises(error):
        metric.sentence_score(liar(), good)
    with pytest.raises(error):
        metric.sentence_score(good, liar())
    with pytest.raises(error):
        metric.sentence_score(good, [good, liar()])
    with pytest.raises(error):
        metric.sentence_scores([good, liar()], [good, good])
    with pytest.raises(error):
        metric.sentence_scores([good, good], [good, [liar()]])


@pytest.mark.parametrize("says", [0, 1, 3, 2**62])
@pytest.mark.parametrize("segment", [TEXT, ["a", "b"], [1, 2]])
def test_a_lie_about_segments(says: int, segment: Any) -> None:
    liar = Says(says, [segment, segment])
    with pytest.raises(ValueError, match=r"hypotheses says that it has \d+ elements, and gives 2"):
        BLEU().corpus_score(liar, [segment, segment])
    with pytest.raises(ValueError, match=r"references says that it has \d+ elements, and gives 2"):
        BLEU().corpus_score([segment, segment], liar)
    with pytest.raises(ValueError, match=r"references\[1\] says that it has \d+ elements, and gives 2"):
        BLEU().corpus_score([segment, segment], [segment, liar])
    with pytest.raises(ValueError, match="says that it has"):
        TokenBatch.from_lists(liar)


class SaysLength(str):
    def __len__(self) -> int:
        return 10**6


class SaysCharacters(str):
    def __iter__(self) -> Iterator[str]:
        return iter("zzz")

    def __getitem__(self, i: Any) -> str:
        return "z"


class SaysEqual(str):
    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 1


def _z(self: str, *args: object) -> Any:
    return "z"


class SaysAnything(SaysEqual):
    split = strip = rstrip = replace = lower = casefold = encode = translate = __str__ = __getitem__ = _z

    def __contains__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize("kind", [SaysLength, SaysCharacters, SaysEqual, SaysAnything])
@pytest.mark.parametrize("tokenize", clipgram.tokenizers.RULES)
def test_a_str_counts_by_its_characters(tokenize: str, kind: type[str]) -> None:
    for options in ({}, {"lowercase": True}, {"normalize": "NFKC"}):
        metric = BLEU(tokenize=tokenize, **options)
        honest = metric.sentence_score(TEXT, REFERENCE)
        assert metric.sentence_score(kind(TEXT), kind(REFERENCE)) == honest
        assert metric.sentence_score(TEXT, [kind(REFERENCE), kind(REFERENCE)]).matches == honest.matches
        pair = metric.counts([kind(TEXT), TEXT], [kind(REFERENCE), [REFERENCE, kind(REFERENCE)]])
        assert pair.matches.tolist() == [list(honest.matches)] * 2
        assert clipgram.tokenize(kind(TEXT), tokenize, **options) == clipgram.tokenize(TEXT, tokenize, **options)
    tokens, reference = TEXT.split(), REFERENCE.split()
    honest = BLEU().sentence_score(tokens, reference)
    lies: tuple[Any, Any] = list(map(kind, tokens)), list(map(kind, reference))
    assert BLEU().sentence_score(*lies) == honest
    assert BLEU().counts([lies[0], tuple(lies[0])], [[lies[1]], lies[1]]).matches.tolist() == [list(honest.matches)] * 2


def test_a_segment_that_shortens_the_list_it_is_in() -> None:
    class Pops:
        def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
            things.pop()
            return np.array([1, 2])

    for which in (0, 1):
        things: list[Any] = [Pops(), [1, 2], [1, 2], [1, 2]]
        whole: list[Any] = [[1, 2]] * 4
        scores = BLEU().sentence_scores(*((things, whole) if which == 0 else (whole, things)))
        assert scores.tolist() == [1.0] * 4 and len(things) < 4


def test_a_tokenizer_that_changes_the_lists() -> None:
    hypotheses, references = ["a b"] * 4, ["a b"] * 4

    def tokenize(text: str) -> list[str]:
        for things in (hypotheses, references):
            if len(things) > 2:
                things.pop()
        return text.split()

    assert BLEU(tokenize=tokenize).corpus_score(hypotheses, references).matches == (8, 4, 0, 0)
    assert len(hypotheses) == len(references) == 2


def _shake(things: list[Any], least: int, spare: list[Any], stop: threading.Event) -> None:
    """Make a list longer and shorter, and move what is in it, until told to stop."""
    while not stop.is_set():
        things.extend(spare)
        things.reverse()
        things[0], things[-1] = things[-1], things[0]
        del things[least:]


@contextmanager
def suppress_unequal_lengths() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        if "entries and references" not in str(error):
            raise


SEGMENTS: list[tuple[Any, Any]] = [
    ("the cat sat on the mat", "the cat sat on the mat"),
    ("the caf\u00e9 sat on the mat", ["the caf\u00e9 sat on the mat"]),
    (["the", "cat", "sat", "on"], ["the", "cat", "sat", "on"]),
    (["the", "cat", "sat", "on"], [["the", "cat", "sat", "on"]]),
    ([1, 2, 3, 4], [1, 2, 3, 4]),
    ([1, 2, 3, 4], [[1, 2, 3, 4]]),
]


@pytest.mark.parametrize("hypothesis, reference", SEGMENTS)
def test_lists_that_another_thread_changes(hypothesis: Any, reference: Any) -> None:
    """All segments are equal, so whatever was read when, each score is 1, unless the two lists had unequal lengths."""
    hypotheses, references = [hypothesis] * 60, [reference] * 60
    stop = threading.Event()
    threads = [threading.Thread(target=_shake, args=(things, 50, [things[0]] * 10, stop)) for things in (hypotheses, references)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for _ in range(100):
            scores = np.ones(50)
            with suppress_unequal_lengths():
                scores = BLEU().sentence_scores(hypotheses, references)
            assert 50 <= len(scores) <= 60 and (scores == 1).all()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    assert (BLEU().sentence_scores(hypotheses[:50], references[:50]) == 1).all()


@pytest.mark.parametrize("token", ["word", 5])
def test_tokens_that_another_thread_changes(token: Any) -> None:
    """One token, again and again: as many match as the shorter of the two lists had, whenever that was."""
    hypothesis, reference = [token] * 60, [token] * 60
    stop = threading.Event()
    threads = [threading.Thread(target=_shake, args=(tokens, 50, [token] * 10, stop)) for tokens in (hypothesis, reference)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for i in range(200):
            try:
                if i % 2:
                    score = BLEU().sentence_score(hypothesis, reference)
                    matches, length = score.matches[0], score.hypothesis_length
                else:
                    counts = BLEU().counts([hypothesis] * 3, [[reference]] * 3)[1]
                    matches, length = int(counts.matches[0, 0]), int(counts.hypothesis_length[0])
            except RuntimeError as error:
                assert "changed" in str(error)
                continue
            assert 50 <= length <= 60 and 50 <= matches <= length
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)


def test_arrays_that_another_thread_changes() -> None:
    """What is counted then means nothing, but it is in bounds, and nothing is read that is not there."""
    rng = np.random.default_rng(3)
    stop = threading.Event()
    arrays = [rng.integers(0, 9, n).astype(dtype) for n in (20, 150, 300, 5000) for dtype in (np.int32, np.int64)]

    def overwrite() -> None:
        while not stop.is_set():
            for ids in arrays:
                ids[...] = ids[::-1] * 7 % 11 - (1 << 20)

    thread = threading.Thread(target=overwrite)
    thread.start()
    try:
        for ids in arrays:
            for other in arrays:
                score = BLEU().sentence_score(ids, [other, ids])
                assert all(0 <= m <= t for m, t in zip(score.matches, score.totals, strict=True))
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("rules", ["13a", None])
@pytest.mark.parametrize("which", [0, 1])
def test_lists_that_became_shorter_since(rules: str | None, which: int) -> None:
    """Segments that were taken are counted later, perhaps by threads; what lies in them is not their own."""
    sides: list[list[Any]] = [["a b"] * 3, ["a b"] * 3] if rules else [[["a", "b"]] * 3, [["a", "b"]] * 3]
    taken = Strings(*sides, np.arange(4), np.arange(3), rules, lambda: None)
    assert taken.match(0, 3, 2, False).matches.tolist() == [[2, 1]] * 3
    sides[which].pop()
    with pytest.raises(RuntimeError, match="a list changed its length while it was read"):
        taken.match(0, 3, 2, False)
    with pytest.raises(RuntimeError, match="a list changed its length while it was read"):
        taken.encoded()
