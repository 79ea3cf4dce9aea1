"""Nothing is left behind: resident memory stays flat over many distinct texts, tokens and errors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import clipgram
from clipgram import BLEU, GLEU, tokenize

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc, which is Linux's"),
    pytest.mark.skipif(clipgram.IMPLEMENTATION == "python", reason="only the compiled core takes memory by hand"),
]

LEAST = 6000  # bytes a round that are noticed; every round has more text than that


def resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096


def texts(start: int, n: int = 500) -> list[str]:
    return [f"text number {i} says {i * 7919 % 1_000_003} things, all of them once &amp; {i ^ 0x5555}." for i in range(start, start + n)]


def wrong(start: int) -> None:
    for reference in (None, 5, ["a", 1], [["a"]]):
        with suppress(TypeError, ValueError):
            BLEU().sentence_score(f"text {start}", reference)
        with suppress(TypeError, ValueError):
            GLEU().sentence_scores([f"text {start}".split()] * 100, [reference] * 100)


WORKS: dict[str, Callable[[int], object]] = {
    "corpus": lambda start: BLEU().corpus_score(texts(start), texts(start + 1)),
    "references": lambda start: GLEU().sentence_scores(texts(start), [[text, text[5:]] for text in texts(start + 1)]),
    "threads": lambda start: BLEU(threads=2).counts(texts(start), texts(start + 1)),
    "one by one": lambda start: [BLEU().sentence_score(text, text[3:]) for text in texts(start, 100)],
    "token lists": lambda start: GLEU().sentence_scores([text.split() for text in texts(start)], [["text"]] * 500),
    "ids": lambda start: BLEU().sentence_scores(np.arange(start, start + 20_000).reshape(-1, 40).tolist(), [[start] * 300] * 500),
    "tokenize": lambda start: [tokenize(text, name) for text in texts(start, 100) for name in ("13a", "intl", "char")],
    "errors": wrong,
}


@pytest.mark.parametrize("name", WORKS)
def test_memory_stays_flat(name: str) -> None:
    work, rounds = WORKS[name], 150
    for i in range(20):
        work(i * 1000)
    before = resident()
    for i in range(20, 20 + rounds):
        work(i * 1000)
    assert resident() - before < rounds * LEAST
