"""The drop-in for NLTK does what NLTK does in random cases: values to the last bit, types, warnings, exceptions.

CLIPGRAM_CASES=20000 makes ten times as many of them for each function as a normal run.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
import pytest
from nltk_cases import (
    GLEU_NAMES,
    SMOOTHING,
    bleu_options,
    compare,
    gleu_options,
    outcome,
    show,
    smoothings,
    some_segments,
)

import clipgram.compat.nltk as dropin

CASES = int(os.environ.get("CLIPGRAM_CASES", "2000"))


@pytest.mark.parametrize("name", ["sentence_bleu", "corpus_bleu"])
def test_random_bleu(nltk_core: None, name: str) -> None:
    rng = random.Random(f"3 {name}")
    for _ in range(CASES):
        references, hypotheses = some_segments(rng, name.startswith("corpus"))
        if name == "sentence_bleu":
            references, hypotheses = references[0], hypotheses[0]
        compare(name, references, hypotheses, smoothing=smoothings(rng), **bleu_options(rng))


@pytest.mark.parametrize("name", GLEU_NAMES)
def test_random_gleu(nltk_core: None, name: str) -> None:
    rng = random.Random(f"4 {name}")
    for _ in range(CASES):
        references, hypotheses = some_segments(rng, name.startswith("corpus"))
        if name == "sentence_gleu":
            references, hypotheses = references[0], hypotheses[0]
        compare(name, references, hypotheses, **gleu_options(rng))


def test_random_modified_precision(nltk_core: None) -> None:
    rng = random.Random(5)
    for _ in range(CASES):
        (references,), (hypothesis,) = some_segments(rng, False)
        n = rng.choice([1, 2, 3, 4, 5, 6, 1, 2, 3, 16, 17, 0, -1, True, 2.0, None, np.int64(2)])
        compare("modified_precision", references, hypothesis, n)


def test_random_lengths() -> None:
    rng = random.Random(6)
    for _ in range(CASES):
        (references,), _ = some_segments(rng, False)
        length = rng.choice([rng.randrange(12), rng.randrange(-2, 300), 2.5, None])
        compare("closest_ref_length", references, length)
        compare("brevity_penalty", rng.choice([rng.randrange(12), 0, 10**6, 2.5, "a"]), length)


@pytest.mark.parametrize("method", SMOOTHING)
def test_random_smoothing(nltk_core: None, method: str) -> None:
    rng = random.Random(f"7 {method}")
    for _ in range(CASES // 4):
        (references,), (hypothesis,) = some_segments(rng, False)
        parameters = [rng.choice([0.1, 2, 0]), rng.choice([5, 0.5, 0]), rng.choice([5, 0.3, 0])]
        pairs = [(rng.choice([0, 0, 1, 2, 3]), rng.choice([1, 2, 3, 7])) for _ in range(rng.randrange(7))]
        given = {"references": references, "hypothesis": hypothesis}
        if rng.random() < 0.7:
            given["hyp_len"] = rng.choice([0, 1, 2, 9, None])
        if rng.random() < 0.1:
            given.popitem()
        both = []
        for module in (dropin, nltk_bleu):
            p_n = [module.Fraction(*pair) for pair in pairs]
            smooth = getattr(module.SmoothingFunction(*parameters), method)
            same = []
            both.append(outcome(lambda s=smooth, p=p_n, same=same: (r := s(p, **given), same.append(r is p), r)[2]))  # type: ignore[misc]
            both.append((show(p_n), same))  # whether it altered the list, and gave it back
        assert both[:2] == both[2:], (method, pairs, given)


def test_random_fractions() -> None:
    rng = random.Random(8)
    operators: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a == b,
        lambda a, b: a < b,
        lambda a, b: a + b,
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a**2 - b,
        lambda a, b: (hash(a), bool(b), repr(a), str(b), float(a)),
        lambda a, b: (a.numerator, a.denominator, b.as_integer_ratio(), round(a), abs(b)),
    ]
    for _ in range(CASES):
        numbers = [rng.randrange(-4, 9) for _ in range(4)]
        normalize = [rng.choice([{}, {}, {"_normalize": True}, {"_normalize": False}]) for _ in range(2)]
        operator = rng.choice(operators)
        wanted, found = (
            outcome(lambda F=F: operator(F(*numbers[:2], **normalize[0]), F(*numbers[2:], **normalize[1])))  # type: ignore[misc]
            for F in (nltk_bleu.Fraction, dropin.Fraction)
        )
        assert wanted == found, (numbers, normalize)


def test_random_cases_are_worth_it() -> None:
    """Most of them are scores between 0 and 1, and all kinds of results come up."""
    rng = random.Random(9)
    results = []
    for _ in range(500):
        references, hypotheses = some_segments(rng, True)
        results.append(compare("corpus_bleu", references, hypotheses, smoothing=smoothings(rng), **bleu_options(rng)))
    kinds = [result[0] for result, _ in results]
    assert kinds.count("float") > 150 and kinds.count("list") >= 10
    assert 10 < kinds.count("raised") < 150
    assert sum(bool(warned) for _, warned in results) > 50
