"""Random corpora with what trips scorers up: empty lines, odd whitespace, leftovers of markup, few or no references."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

# How many corpora each peer's function is compared on. The full run is 20,000.
CASES = int(os.environ.get("CLIPGRAM_CASES", "1000"))

# fmt: off
WORDS = [
    "a", "b", "c", "the", "cat", "The", "CAT", "it's", "x-y", "5", "5.", ".5", "1,000", "3-4", "e.g.",
    "\u00e9t\u00e9", "\u4eca\u5929", "\u0130", "\u03a3", "\u1e9e",
]
MARKS = [
    ".", ",", "!", "?", "-", "--", "...", '"', "'", "(", ")", "&", "&amp;", "&AMP;", "&quot;", "&lt;", "&amp;lt;",
    "<skipped>", "%", "$", "\u201c", "\u2014", "\u3002", "\u20ac", "\u2603",
]
SPACES = [
    " ", " ", " ", " ", " ", "  ", "\t", "\n", "\r\n",
    "-\n", "\u00a0", "\u2028", "\u3000", "\x1c", "\x85", "\u200b", "\ufeff", "",
]
# fmt: on
ENDS = ["", "", "", "", " ", "\n", "-\n", ".\n", ". ", "\t\u3000", " .", "1990. ", "1990."]
EMPTY = ["", "", " ", "\n", "-\n", "\u00a0", "<skipped>", "."]


def text(rng: random.Random, longest: int = 12) -> str:
    """A line of mostly few words."""
    if rng.random() < 0.06:
        return rng.choice(EMPTY)
    words = WORDS[: rng.choice((2, 5, len(WORDS)))]
    made = []
    for _ in range(rng.randint(1, longest)):
        made.append(rng.choice(words if rng.random() < 0.8 else MARKS))
        made.append(rng.choice(SPACES) if rng.random() < 0.3 else " ")
    return "".join(made[:-1]) + rng.choice(ENDS)


def like(line: str, rng: random.Random) -> str:
    """A line that shares much with another."""
    kept = [word for word in line.split(" ") if rng.random() < 0.85]
    if rng.random() < 0.3:
        kept.insert(rng.randint(0, len(kept)), text(rng, 3))
    return " ".join(kept)


def corpus(rng: random.Random, equally_many: bool = False, without: float = 0.01) -> tuple[list[str], list[list[str]]]:
    """Predictions, and up to four references of each.

    Parameters
    ----------
    rng : random.Random
    equally_many : bool
        As many references for each prediction.
    without : float
        How often a prediction has none.
    """
    n = rng.choice((1, 1, 1, 2, 3, 5))
    longest = rng.choice((3, 12, 12, 30))
    predictions = [text(rng, longest) for _ in range(n)]
    same = rng.randint(1, 4)
    references = []
    for prediction in predictions:
        many = same if equally_many else 0 if rng.random() < without else rng.randint(1, 4)
        references.append([like(prediction, rng) if rng.random() < 0.7 else text(rng, longest) for _ in range(many)])
    if equally_many and rng.random() < without:
        references = [[] for _ in references]
    return predictions, references


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a call returns, or the type of its exception."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error)


def cases(seed: int, count: int = CASES) -> Iterator[tuple[int, random.Random]]:
    """Numbers and generators of that many cases."""
    for i in range(count):
        yield i, random.Random(f"{seed}-{i}")
