"""What the benchmarks run on: WMT22 texts where they are at hand, and synthetic text of the same shape.

Nothing is stored; every call with the same arguments gives the same data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

VOCABULARY = 50_000


def zipf(length: int, rng: np.random.Generator) -> np.ndarray:
    """Token IDs whose frequencies fall as 1/rank, as those of words do."""
    weights = 1 / np.arange(1, VOCABULARY + 1)
    return np.random.default_rng(0).permutation(VOCABULARY)[rng.choice(VOCABULARY, length, p=weights / weights.sum())]


def completion(reference: np.ndarray, length: int, rng: np.random.Generator) -> np.ndarray:
    """Half copied from the reference in spans of seven tokens on average, half other text."""
    text = zipf(length, rng)
    start = 0
    while start < length:
        span = min(int(rng.geometric(0.15)), length - start)
        source = min(max(0, start + int(rng.integers(-5, 6))), len(reference) - 1)
        if rng.random() < 0.5:
            copied = reference[source : source + span]
            text[start : start + len(copied)] = copied
        start += span
    return text


def groups(n: int, length: int, size: int, seed: int = 1) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Completions in groups of one size, and the reference of each group."""
    rng = np.random.default_rng(seed)
    references = [zipf(length, rng) for _ in range(n // size)]
    return [completion(references[i // size], length, rng) for i in range(n)], references


def wmt22_lines(name: str) -> list[str] | None:
    """The lines of one file of the WMT22 general test, or None where ``CLIPGRAM_WMT22`` does not name its folder."""
    folder = os.environ.get("CLIPGRAM_WMT22")
    if not folder:
        return None
    return Path(folder, f"generaltest2022.{name}").read_text("utf-8").removesuffix("\n").split("\n")


def wmt22_pairs() -> tuple[list[str], list[str], list[str]] | None:
    """The 17,856 hypotheses of nine de-en systems, and both references of each."""
    folder = os.environ.get("CLIPGRAM_WMT22")
    if not folder:
        return None
    systems = sorted(path.name.split(".hyp.")[1] for path in Path(folder).glob("generaltest2022.de-en.hyp.*"))
    hypotheses = [line for system in systems for line in wmt22_lines(f"de-en.hyp.{system}") or ()]
    first, second = (len(systems) * (wmt22_lines(f"de-en.ref.{ref}.en") or []) for ref in "AB")
    return hypotheses, first, second


def as_ids(*texts: Iterable[Iterable[str]]) -> list[list[np.ndarray]]:
    """Tokens to int32 IDs, in order of first appearance."""
    known: dict[str, int] = {}
    return [
        [np.array([known.setdefault(token, len(known)) for token in tokens], np.int32) for tokens in text] for text in texts
    ]
