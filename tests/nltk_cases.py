"""Random cases for the drop-in for NLTK, and the comparison with NLTK itself."""

from __future__ import annotations

import functools
import random
import warnings
from collections import UserList, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction as PlainFraction
from typing import Any

import nltk.translate.bleu_score as nltk_bleu
import nltk.translate.gleu_score as nltk_gleu
import numpy as np

import clipgram.compat.nltk as dropin

BLEU_NAMES = ["sentence_bleu", "corpus_bleu", "modified_precision", "closest_ref_length", "brevity_penalty"]
GLEU_NAMES = ["sentence_gleu", "corpus_gleu"]
SMOOTHING = [f"method{i}" for i in range(8)]


def peer_of(name: str) -> Any:
    return getattr(nltk_gleu if "gleu" in name else nltk_bleu, name)


def show(value: Any) -> Any:
    """A value with its type, floats by all their bits. Fractions are shown by what makes them."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [show(item) for item in value]
    if isinstance(value, PlainFraction):
        return type(value).__name__, repr(value.numerator), repr(value.denominator), float(value).hex()
    return type(value).__name__, value.hex() if isinstance(value, float) else repr(value)


def outcome(function: Callable[[], Any]) -> Any:
    """What a call gives: its value or the type of its exception, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result: Any = show(function())
        except Exception as error:
            result = "raised", type(error)
    return result, [(w.category, str(w.message)) for w in caught]


def compare(name: str, *arguments: Any, smoothing: Any = None, **options: Any) -> Any:
    """Both give the same. ``smoothing`` makes the smoothing function of a module."""
    both = []
    for module, function in ((dropin, getattr(dropin, name)), (nltk_bleu, peer_of(name))):
        own = {"smoothing_function": smoothing(module)} if smoothing else {}
        both.append(outcome(lambda f=function, own=own: f(*arguments, **own, **options)))  # type: ignore[misc]
    assert both[0] == both[1], (name, arguments, options)
    return both[0]


# Random cases.


class Hashed:
    """Tokens that share few hashes, so that == decides."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return self.number % 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashed) and self.number == other.number

    def __repr__(self) -> str:
        return f"Hashed({self.number})"


class Folded(str):
    """A str that compares in another way."""

    def __hash__(self) -> int:
        return hash(self.lower())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.lower() == other.lower()


NAN = float("nan")
ALPHABETS: list[list[Any]] = [
    ["a", "b"],
    ["a"],
    ["the", "cat", "sat", "on", "a", "mat", "."],
    [f"w{i}" for i in range(40)],
    [1, 2, 3, 2**70, -1, 2**61 - 1, 0],
    [1, True, 1.0, 0, False, -0.0, 2, Decimal(1), PlainFraction(2)],
    ["a", 1, None, ("a", 1), ("a", 1.0), 2.5, b"a", frozenset("ab")],
    [NAN, float("nan"), 1, float("inf")],
    ["\ud800", "\U0001f600", "\u00e9", "e\u0301", "", "\0", "a\0"],
    [Hashed(i) for i in (1, 1, 2, 3, 4, 5)],
    [Folded("A"), "a", "A", Folded("b"), "B"],
    [np.int64(1), 1, np.float32(0.5), 0.5, np.str_("a"), "a"],
    ["a", "b", ["no", "hash"]],
]
LIKELY = [8, 2, 20, 10, 6, 6, 6, 3, 4, 3, 2, 2, 1]


def segment(rng: random.Random, alphabet: list[Any]) -> Any:
    kind = rng.random()
    length = rng.choice([0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12]) if kind < 0.99 else rng.randrange(60, 140)
    tokens = [rng.choice(alphabet) for _ in range(length)]
    if rng.random() < 0.9:
        return tokens
    form = rng.randrange(7)
    if form == 0 and all(isinstance(t, str) for t in tokens):
        return "".join(tokens)
    return tuple(tokens) if form < 4 else UserList(tokens) if form == 4 else deque(tokens) if form == 5 else tokens


def some_segments(rng: random.Random, corpus: bool) -> tuple[list[Any], list[Any]]:
    alphabet = rng.choices(ALPHABETS, LIKELY)[0]
    n = rng.choices([0, 1, 2, 3, 4, rng.randrange(20, 40)], [2, 12, 12, 12, 6, 1])[0] if corpus else 1
    hypotheses, references = [], []
    for _ in range(n):
        hypotheses.append(segment(rng, alphabet))
        number = rng.choices([0, 1, 2, 3, 4], [1 if n < 5 else 0, 40, 20, 10, 5])[0]
        refs = [segment(rng, alphabet) for _ in range(number)]
        # Half of them share text with the hypothesis, so that higher orders match.
        for i in range(number):
            if rng.random() < 0.5:
                cut = rng.randrange(len(hypotheses[-1]) + 1)
                refs[i] = [*list(hypotheses[-1])[cut:], *list(refs[i])[:3]]
        references.append(refs if rng.random() < 0.9 else tuple(refs))
    return references, hypotheses


WEIGHTS: list[Any] = [
    (0.25, 0.25, 0.25, 0.25),
    [0.25, 0.25, 0.25, 0.25],
    (1,),
    (0.5, 0.5),
    (1 / 3,) * 3,
    (0.2,) * 5,
    (1 / 6,) * 6,
    (0.1, 0.3, 0.5, 0.1),
    (0, 0, 0, 1),
    (0.7, -0.2, 0.5),
    (2, 3.5),
    (float("inf"), 1),
    (float("nan"), 0.5, 0.5),
    (1e300, 1e300),
    (),
    [],
    [(1,), (0.5, 0.5), (0.25,) * 4],
    [(0.25,) * 4],
    ((0.25,) * 4, [0.25] * 4, (0.5,)),
    [()],
    np.array([0.25] * 4),
    np.array([[0.25] * 4, [0.5, 0.5, 0, 0]]),
    (PlainFraction(1, 2), PlainFraction(1, 2)),
    ("a", "b"),
    "ab",
    5,
    None,
    (1 / 20,) * 20,
]


def custom(precisions: list[Any], references: Any, hypothesis: Any, hyp_len: int) -> list[Any]:
    """Uses all that a smoothing function is given; of its results some are 0, negative or missing."""
    return [p.numerator / (p.denominator + len(hypothesis) + hyp_len) - (0.1 if i % 3 == 1 else 0) for i, p in enumerate(precisions)][:3]


def own_method(module: Any) -> Any:
    class Other(module.SmoothingFunction):  # type: ignore[misc]
        def method4(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            return [p or 0.5 for p in p_n]

    return Other()


def smoothings(rng: random.Random) -> Callable[[Any], Any] | None:
    """A smoothing function of either module, or none."""
    kind = rng.random()
    if kind < 0.25:
        return None
    parameters = {}
    if rng.random() < 0.4:
        epsilon = rng.choice([0.1, 0.5, 1, 0, -1, 1e-9, float("nan"), PlainFraction(1, 3), "no number", Decimal(1)])
        parameters = {"epsilon": epsilon, "alpha": rng.choice([5, 0, 0.5, -3]), "k": rng.choice([5, 1, 0.7, 0, -2, 100])}
    if kind < 0.9:
        name = rng.choice(SMOOTHING)
        return lambda module: getattr(module.SmoothingFunction(**parameters), name)
    odd: list[Callable[[Any], Any]] = [
        lambda module: custom,
        lambda module: lambda p_n, **others: p_n,
        lambda module: lambda p_n, **others: [float(p) for p in p_n],
        lambda module: lambda p_n, **others: tuple(p_n) + (0.5,) * 3,
        lambda module: functools.partial(module.SmoothingFunction().method1),
        lambda module: module.SmoothingFunction.method1,
        lambda module: module.SmoothingFunction(),
        lambda module: own_method(module).method7,
        lambda module: own_method(module).method4,
        lambda module: own_method(module).method3,
        lambda module: 0,
        lambda module: (),
    ]
    return rng.choice(odd)


def bleu_options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.6:
        options["weights"] = rng.choice(WEIGHTS) if rng.random() < 0.6 else rng.choice(WEIGHTS[:8])
    if rng.random() < 0.3:
        options["auto_reweigh"] = rng.choice([True, True, 1, False])
    return options


def gleu_options(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.5:
        return {}
    low = rng.choice([1, 1, 1, 2, 3, 4, 0, -1, -3, 5, True, 2.0, None, np.int64(2)])
    high = rng.choice([4, 4, 1, 2, 3, 5, 6, 8, 20, 0, -1, -2, True, 3.0, None, np.int64(3)])
    return {"min_len": low, "max_len": high} if rng.random() < 0.8 else rng.choice([{"min_len": low}, {"max_len": high}])
