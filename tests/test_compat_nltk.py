"""The drop-in for NLTK: recorded numbers, and what is odd. Random cases are in test_compat_nltk_random.py."""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
import warnings
from array import array
from collections import UserList, deque
from collections.abc import Callable, Iterator
from fractions import Fraction as PlainFraction
from typing import Any

import nltk.translate
import nltk.translate.bleu_score as nltk_bleu
import nltk.translate.gleu_score as nltk_gleu
import numpy as np
import pytest
from nltk_cases import BLEU_NAMES, GLEU_NAMES, SMOOTHING, compare, outcome, peer_of, show
from nltk_tables import EXAMPLES, GLEU_EXAMPLES, METHODS, PRECISIONS, SEGMENTS, TEXTS

import clipgram.compat.nltk as dropin

# Recorded numbers, which need no NLTK.


def tokens_of(hypothesis: str, references: list[str]) -> tuple[list[list[str]], list[str]]:
    return [reference.split() for reference in references], hypothesis.split()


def smoothed(method: int | None) -> dict[str, Any]:
    return {} if method is None else {"smoothing_function": getattr(dropin.SmoothingFunction(), f"method{method}")}


quietly = pytest.mark.filterwarnings(r"ignore:\s*The hypothesis contains 0 counts:UserWarning")


@quietly
@pytest.mark.parametrize("name, hypothesis, references, bleu, gleu", SEGMENTS, ids=[row[0] for row in SEGMENTS])
def test_table_of_segments(nltk_core: None, name: str, hypothesis: str, references: list[str], bleu: float, gleu: float) -> None:
    refs, hyp = tokens_of(hypothesis, references)
    assert show(dropin.sentence_bleu(refs, hyp)) == show(bleu) == show(dropin.corpus_bleu([refs], [hyp]))
    assert show(dropin.sentence_gleu(refs, hyp)) == show(gleu) == show(dropin.corpus_gleu([refs], [hyp]))


@quietly
@pytest.mark.parametrize("method", range(8))
@pytest.mark.parametrize("name", METHODS)
def test_table_of_methods(nltk_core: None, name: str, method: int) -> None:
    hypothesis, references = next(row[1:3] for row in SEGMENTS if row[0] == name)
    wanted = METHODS[name][method]
    if wanted is None:
        with pytest.raises(AssertionError, match="non-zero precision for bigrams"):
            dropin.sentence_bleu(*tokens_of(hypothesis, references), **smoothed(method))
    else:
        assert show(dropin.sentence_bleu(*tokens_of(hypothesis, references), **smoothed(method))) == show(wanted)


def corpus_of(names: str) -> tuple[list[list[list[str]]], list[list[str]]]:
    pairs = [tokens_of(*TEXTS[name]) for name in names]
    return [refs for refs, _ in pairs], [hyp for _, hyp in pairs]


@quietly
@pytest.mark.parametrize("method", [None, *range(8)])
@pytest.mark.parametrize("names", EXAMPLES)
def test_table_of_examples(nltk_core: None, names: str, method: int | None) -> None:
    references, hypotheses = corpus_of(names)
    wanted = EXAMPLES[names][0 if method is None else method + 1]
    if wanted is None:
        with pytest.raises(AssertionError):
            dropin.corpus_bleu(references, hypotheses, **smoothed(method))
        return
    assert dropin.corpus_bleu(references, hypotheses, **smoothed(method)) == wanted
    if len(names) == 1:
        assert dropin.sentence_bleu(references[0], hypotheses[0], **smoothed(method)) == wanted


@pytest.mark.parametrize("names, low, high, wanted", GLEU_EXAMPLES)
def test_table_of_gleu(nltk_core: None, names: str, low: int, high: int, wanted: float) -> None:
    references, hypotheses = corpus_of(names)
    assert dropin.corpus_gleu(references, hypotheses, low, high) == wanted
    if len(names) == 1:
        assert dropin.sentence_gleu(references[0], hypotheses[0], min_len=low, max_len=high) == wanted


@pytest.mark.parametrize("name", PRECISIONS)
def test_table_of_precisions(nltk_core: None, name: str) -> None:
    references, hypothesis = tokens_of(*TEXTS[name])
    found = [dropin.modified_precision(references, hypothesis, n) for n in range(1, 5)]
    assert [(p.numerator, p.denominator) for p in found] == PRECISIONS[name]


# What is odd.


@pytest.mark.parametrize("name", [*BLEU_NAMES, *GLEU_NAMES, "SmoothingFunction", "Fraction"])
def test_signatures(name: str) -> None:
    ours, theirs = (inspect.signature(thing) for thing in (getattr(dropin, name), peer_of(name)))
    assert shape(ours) == shape(theirs)


@pytest.mark.parametrize("method", SMOOTHING)
def test_signatures_of_methods(method: str) -> None:
    for kind in (lambda module: module.SmoothingFunction, lambda module: module.SmoothingFunction()):
        assert shape(inspect.signature(getattr(kind(dropin), method))) == shape(inspect.signature(getattr(kind(nltk_bleu), method)))


def shape(signature: inspect.Signature) -> list[Any]:
    """A signature without annotations, which NLTK does not have."""
    return [(p.name, p.kind, p.default, type(p.default)) for p in signature.parameters.values()]


def test_names() -> None:
    assert {"Fraction", "SmoothingFunction", *BLEU_NAMES, *GLEU_NAMES} <= set(dropin.__all__)
    for module, peer in ((dropin.translate.bleu_score, nltk_bleu), (dropin.translate.gleu_score, nltk_gleu)):
        assert all(hasattr(peer, name) and getattr(module, name) is getattr(dropin, name) for name in module.__all__)
    assert dropin.translate.bleu is dropin.sentence_bleu and nltk.translate.bleu is nltk_bleu.sentence_bleu
    assert dropin.translate.gleu is dropin.sentence_gleu and nltk.translate.gleu is nltk_gleu.sentence_gleu
    assert set(vars(dropin.SmoothingFunction())) == set(vars(nltk_bleu.SmoothingFunction())) == {"epsilon", "alpha", "k"}


def test_without_nltk() -> None:
    code = (
        "import sys; sys.modules['nltk'] = None; from clipgram.compat.nltk import *;"
        "print(sentence_bleu([list('abcdef')], 'abcdeg'), sentence_gleu(['abc'], 'abd'), modified_precision(['ab'], 'aa', 1))"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0.7598356856515925 0.5 1/2\n", "")


WORDS = "the cat sat on the mat".split()
ONCE: list[tuple[str, Callable[[], tuple[Any, ...]]]] = [
    ("iterator of references", lambda: (iter([WORDS, WORDS[1:]]), WORDS)),
    ("generator for a reference", lambda: ([(w for w in WORDS)], WORDS)),
    ("generator for a hypothesis", lambda: ([WORDS], (w for w in WORDS))),
    ("no reference", lambda: ([], WORDS)),
    ("no reference, nothing", lambda: ([], [])),
    ("None for references", lambda: (None, WORDS)),
    ("None for a reference", lambda: ([WORDS, None], WORDS)),
    ("None for a hypothesis", lambda: ([WORDS], None)),
    ("a number", lambda: ([5], WORDS)),
    ("one reference, not in a list", lambda: (WORDS, WORDS)),
    ("str", lambda: (["the cat"], "the hat")),
    ("str for references", lambda: ("the cat", "the hat")),
    ("str and list", lambda: (["abc", list("abd")], ("a", "b", "c"))),
    ("set of references", lambda: ({tuple(WORDS), ("a",)}, WORDS)),
    ("dict for a reference", lambda: ([dict.fromkeys(WORDS)], WORDS)),
    ("dict of references", lambda: ({"abc": 1, "abd": 2}, "abd")),
    ("set for a hypothesis", lambda: ([WORDS], {1, 2})),
    ("bytes", lambda: ([b"the cat", bytearray(b"the")], b"the hat")),
    ("range", lambda: ([range(5), range(2, 9)], range(1, 6))),
    ("array of ints", lambda: ([array("i", range(5)), [1, 2]], array("q", range(1, 6)))),
    ("numpy", lambda: ([np.arange(5), np.arange(3, dtype=np.int8)], np.arange(1, 6))),
    ("numpy, references a row each", lambda: (np.arange(10).reshape(2, 5), np.arange(1, 6))),
    ("numpy, floats", lambda: ([np.array([0.5, np.nan, 1])], np.array([0.5, np.nan, 1.0]))),
    ("numpy, str", lambda: ([np.array(WORDS)], WORDS)),
    ("numpy, two dimensions", lambda: ([np.ones((2, 2))], np.ones((2, 2)))),
    ("numpy, none", lambda: ([np.array(1)], np.array(1))),
    ("numpy, empty", lambda: (np.zeros((1, 0)), np.zeros(0))),
    ("list in a list", lambda: ([["a", ["b"]]], ["a", ["b"]])),
    ("unhashable in a reference", lambda: ([["a"], ["b", []]], ["a", "b", "c"])),
    ("unhashable in short segments", lambda: ([[[]], ["a", "b"]], ["a", "b", "c"])),
    ("unhashable alone", lambda: ([[[]]], [{}])),
    ("subclass of list", lambda: ([Reversed(WORDS)], WORDS)),
    ("subclass of tuple", lambda: ([WORDS], Length(WORDS))),
]


class Reversed(list):  # type: ignore[type-arg]
    """Iterates backwards, whatever lies in the list."""

    def __iter__(self) -> Iterator[Any]:
        return reversed(self)


class Length(tuple):  # type: ignore[type-arg]
    """Claims to be short."""

    def __len__(self) -> int:
        return 2


@pytest.mark.parametrize("make", [make for _, make in ONCE], ids=[name for name, _ in ONCE])
def test_odd_segments(nltk_core: None, make: Callable[[], tuple[Any, ...]]) -> None:
    for name in ("sentence_bleu", "sentence_gleu", "modified_precision", "corpus_bleu", "corpus_gleu"):
        many = [{}, {"max_len": -1}, {"min_len": 2}, {"max_len": None}] if "gleu" in name else [{}, {"weights": (0.5, 0.5)}]
        if name == "modified_precision":
            many = [{"n": n} for n in (1, 2, 3, 6, 7)]
        for options in many:
            both = []
            for function in (getattr(dropin, name), peer_of(name)):
                references, hypothesis = make()
                if name.startswith("corpus"):  # the odd one among enough others for a batch
                    references, hypothesis = [[WORDS]] * 40 + [references], [WORDS] * 40 + [hypothesis]
                both.append(outcome(lambda f=function, r=references, h=hypothesis, o=options: f(r, h, **o)))  # type: ignore[misc]
            assert both[0] == both[1], (name, options)


def test_odd_corpora(nltk_core: None) -> None:
    cases: list[Callable[[], tuple[Any, Any]]] = [
        lambda: ([], []),
        lambda: ([[WORDS]], []),
        lambda: ([[WORDS]] * 2, [WORDS]),
        lambda: (iter([[WORDS]]), [WORDS]),
        lambda: ([[WORDS]], iter([WORDS])),
        lambda: ({"ab": 1}, {"ab": 1}),
        lambda: (("ab", "cd"), "ab"),
        lambda: (UserList([[WORDS]] * 50), deque([WORDS] * 50)),
        lambda: (tuple([(WORDS, WORDS[2:])] * 50), tuple([WORDS] * 50)),
        lambda: ([[[]]] * 50, [[]] * 50),
        lambda: ([[]] * 50, [WORDS] * 50),
        lambda: (None, None),
    ]
    for make in cases:
        for name in ("corpus_bleu", "corpus_gleu"):
            both = [outcome(lambda f=f: f(*make())) for f in (getattr(dropin, name), peer_of(name))]  # type: ignore[misc]
            assert both[0] == both[1], make()


def test_corpora_of_several_parts(nltk_core: None) -> None:
    """More segments than are counted at once, with one among them that is counted by itself."""
    rng = random.Random(11)
    hypotheses = [[rng.choice("abcd") for _ in range(rng.randrange(7))] for _ in range(2500)]
    references = [[[rng.choice("abcd") for _ in range(rng.randrange(7))] for _ in range(rng.choice([1, 1, 2]))] for _ in hypotheses]
    for odd in (False, True):
        if odd:
            references[2100] = [UserList(references[2100][0])]
        compare("corpus_bleu", references, hypotheses, smoothing=lambda module: module.SmoothingFunction().method5)
        compare("corpus_gleu", references, hypotheses, min_len=2, max_len=3)


def test_what_a_smoothing_function_gets(nltk_core: None) -> None:
    seen: list[Any] = []

    def spy(*arguments: Any, **named: Any) -> Any:
        seen.append((arguments, named))
        return arguments[0]

    references, hypotheses = [[WORDS[1:]], [WORDS, WORDS[:3]]], [WORDS, WORDS[:4]]
    for module in (nltk_bleu, dropin):
        module.corpus_bleu(references, hypotheses, (0.5, 0.5), spy)
    (theirs, their_names), (ours, our_names) = seen
    assert list(their_names) == list(our_names) == ["references", "hypothesis", "hyp_len"]
    assert our_names["references"] is references[1] and our_names["hypothesis"] is hypotheses[1]
    assert our_names == their_names and show(ours) == show(theirs) and isinstance(ours[0], list)
    assert type(ours[0][0]) is dropin.Fraction


def test_a_warning_is_shown_once_an_order() -> None:
    """By the usual filter, whatever way the score takes."""
    shown = []
    for module in (nltk_bleu, dropin):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(3):
                module.sentence_bleu([WORDS], WORDS[:2])
                module.sentence_bleu([WORDS], WORDS[:2], (0.2,) * 5)
                module.corpus_bleu([[WORDS]], [WORDS[:2]], smoothing_function=module.SmoothingFunction().method0)
        shown.append([(w.category, str(w.message)) for w in caught])
    assert shown[0] == shown[1] and len(shown[0]) == 3


def test_fractions() -> None:
    half, unreduced = dropin.Fraction(1, 2), dropin.Fraction(2, 4)
    assert (half == unreduced) is (nltk_bleu.Fraction(1, 2) == nltk_bleu.Fraction(2, 4)) is False
    assert (unreduced == half) is (nltk_bleu.Fraction(2, 4) == nltk_bleu.Fraction(1, 2)) is (sys.version_info >= (3, 12))
    assert type(half + half) is PlainFraction and isinstance(half, PlainFraction)
    for arguments in [(), (3,), ("3/4",), (0.5,), (1, 0), ("x",), (2, 4, True), (PlainFraction(2, 4), 3)]:
        found = [outcome(lambda F=F: F(*arguments)) for F in (dropin.Fraction, nltk_bleu.Fraction)]  # type: ignore[misc]
        assert found[0] == found[1]


def test_arguments_are_not_altered(nltk_core: None) -> None:
    references, hypotheses = [[list("abcd"), "abc"]], [list("abcx")]
    for smooth in SMOOTHING[:6]:
        dropin.corpus_bleu(references, hypotheses, [(0.5, 0.5)], getattr(dropin.SmoothingFunction(), smooth), True)
    dropin.corpus_gleu(references, hypotheses)
    assert references == [[list("abcd"), "abc"]] and hypotheses == [list("abcx")]


def test_real_text(nltk_core: None, wmt22: Any) -> None:
    names = ["de-en.hyp.LT22.en", "de-en.ref.A.en", "de-en.ref.B.en"]
    hyps, first, second = ([line.split() for line in wmt22.lines(name)[:300]] for name in names)
    references = [list(refs) for refs in zip(first, second, strict=True)]
    for refs, hyp in zip(references, hyps, strict=True):
        compare("sentence_bleu", refs[:1], hyp)
        compare("sentence_gleu", refs, hyp)
        compare("sentence_bleu", refs, hyp, smoothing=lambda module: module.SmoothingFunction().method7)
    compare("corpus_bleu", references, hyps)
    compare("corpus_gleu", references, hyps)
    characters = ["".join(hyp) for hyp in hyps]
    compare("corpus_bleu", [["".join(ref)] for ref in first], characters, weights=(1 / 6,) * 6)
