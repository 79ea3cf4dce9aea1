"""Scores of prefixes: what each token of a hypothesis adds, for rewards a token."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from clipgram.segments import Matched, Segments

BLOCK = 1 << 14  # tokens: the columns of that many stay in the cache


def score_prefixes(
    segments: Segments, max_order: int, per_reference: bool, threads: int, score: Callable[[Matched], np.ndarray]
) -> np.ndarray:
    """Score every prefix of every hypothesis, one value a token."""
    offsets = segments.hypotheses.offsets
    scores = np.empty(int(offsets[-1] - offsets[0]))

    def fill(part: tuple[int, int]) -> None:
        matched = segments.match_prefixes(*part, max_order, per_reference)
        scores[offsets[part[0]] - offsets[0] : offsets[part[1]] - offsets[0]] = score(matched)

    parts = _blocks(offsets)
    if threads == 1 or len(parts) < 2:
        for part in parts:
            fill(part)
    else:
        from concurrent.futures import ThreadPoolExecutor  # as in counts.in_parts

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, parts))
    return scores


def _blocks(offsets: np.ndarray) -> list[tuple[int, int]]:
    """Cut the segments into runs of about as many tokens."""
    stops = np.searchsorted(offsets, np.arange(offsets[0] + BLOCK, offsets[-1], BLOCK))
    edges = np.unique(np.concatenate([[0], stops, [len(offsets) - 1]])).tolist()
    return list(pairwise(edges))


def shape(scores: np.ndarray, offsets: np.ndarray, delta: bool, to_go: bool, gamma: float | None) -> np.ndarray:
    """Turn scores of prefixes into rewards of tokens, see ``prefix_scores``."""
    if not delta and not to_go:
        return scores
    lengths = np.diff(offsets)
    before = np.empty_like(scores)
    before[1:] = scores[:-1]
    before[(offsets[:-1] - offsets[0])[lengths > 0]] = 0.0  # the empty prefix
    if to_go:
        last = np.repeat(offsets[1:] - offsets[0], lengths)
        to_come = scores[last - 1]
        if gamma is not None:
            to_come = to_come * gamma ** (last - np.arange(len(scores)))
        return to_come - before
    return (scores if gamma is None else gamma * scores) - before
