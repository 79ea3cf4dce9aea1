"""Random corpora for the drop-ins: short texts of few words, so that something matches, and everything that is odd."""

from __future__ import annotations

import os
import random
from typing import Any

from nasty import WHITESPACE, nasty_strings

CASES = int(os.environ.get("CLIPGRAM_CASES", "2000"))  # random corpora for each function

WORDS = ["a", "b", "c", "d", "the", "The", "cat", "sat,", "mat.", "1.5", "x-y", "&amp;", "don't", "\u4eca\u5929", "\u00c9t\u00e9", "."]
NASTY = list(nasty_strings(500, seed=7))
WRONG: list[Any] = [None, 5, b"a b", ["a"], 2.5, True]


def line(rng: random.Random, longest: int = 9) -> str:
    kind = rng.random()
    if kind < 0.06:
        return ""
    if kind < 0.12:
        return "".join(rng.choices(WHITESPACE, k=rng.randint(1, 3)))
    if kind < 0.2:
        return rng.choice(NASTY)
    space = rng.choice(WHITESPACE) if rng.random() < 0.1 else " "
    words = rng.choices(WORDS[: rng.choice([2, 4, 16])], k=rng.randint(1, longest))
    return space.join(words) + rng.choice(["", "", "", " ", ".", " .", "\n"])


def near(rng: random.Random, text: str) -> str:
    """A text with a few words changed."""
    words = text.split(" ")
    for _ in range(rng.randint(0, 2)):
        i = rng.randrange(len(words))
        words[i : i + 1] = rng.choice([[], [rng.choice(WORDS)], [words[i], rng.choice(WORDS)]])
        words = words or [""]
    return " ".join(words)


def corpus(rng: random.Random, wrong: float = 0.03) -> tuple[list[Any], list[list[Any]]]:
    """Hypotheses, and 0 to 4 streams of references, not all of one length, some with something that is no text."""
    n = rng.choice([1, 1, 2, 3, 5, 12])
    hypotheses: list[Any] = [line(rng) for _ in range(n)]
    streams: list[list[Any]] = []
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 2, 3, 4])):
        stream: list[Any] = [near(rng, text) if rng.random() < 0.7 else line(rng) for text in hypotheses]
        if rng.random() < 0.3:
            stream = [None if rng.random() < 0.3 else text for text in stream]
        if rng.random() < 0.15:
            stream = stream[: rng.randint(0, n)] if rng.random() < 0.5 else [*stream, line(rng), line(rng)]
        streams.append(stream)
    if rng.random() < 0.05:
        del hypotheses[rng.randint(0, n) :]
    if rng.random() < wrong:
        target = rng.choice([hypotheses, *streams]) or [None]
        target[rng.randrange(len(target))] = rng.choice(WRONG)
    return hypotheses, streams


def in_another_form(rng: random.Random, hypotheses: Any, references: Any) -> tuple[Any, Any]:
    """The same as tuples, generators, or something that is no list at all."""
    kind = rng.random()
    if kind < 0.85:
        return hypotheses, references
    if kind < 0.95:
        return tuple(hypotheses), tuple(map(tuple, references))
    return rng.choice(
        [
            (hypotheses, None),
            (iter(hypotheses), references),
            (hypotheses, iter(references)),
            (hypotheses, [references[0], *map(iter, references[1:])] if references else []),
            ("a b c", references),
            (hypotheses, "a b c"),
            (hypotheses, ["a b c", "d e"]),
            ([], references),
            (None, references),
            (5, 5),
        ]
    )
