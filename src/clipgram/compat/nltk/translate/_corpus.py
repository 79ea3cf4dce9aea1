"""Many segments at once: the sums of NLTK's counts, from arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clipgram.compat.nltk.translate._segment import are_orders, is_order, ngrams_of
from clipgram.counts import COMPILED
from clipgram.segments import Segments, collect_objects

PART = 2048  # segments
FEW = 24 if COMPILED else 1 << 62  # segments: so many are as fast one by one


def parts(list_of_references: Any, hypotheses: Any) -> Iterator[tuple[Any, Any]]:
    """A corpus in parts that fit in the cache, where it can be cut."""
    if type(list_of_references) in (list, tuple) and type(hypotheses) in (list, tuple) and len(hypotheses) > PART:
        for start in range(0, len(hypotheses), PART):
            yield list_of_references[start : start + PART], hypotheses[start : start + PART]
    else:
        yield list_of_references, hypotheses


def bleu_sums(list_of_references: Any, hypotheses: Any, max_order: int) -> tuple[int, int, list[int], list[int]] | None:
    """Length, closest length, matches and totals, or None if the segments have to be counted one by one."""
    segments = _collect(list_of_references, hypotheses, max_order)
    if segments is None:
        return None
    matched = segments.match(0, len(segments), max_order, per_reference=False)
    lengths, reference_lengths = matched.lengths, matched.reference_lengths
    matches = matched.matches.sum(axis=0).tolist()
    totals = [int(np.maximum(lengths - i, 1).sum()) for i in range(max_order)]
    if len(reference_lengths) > len(lengths):
        own = matched.spread(lengths)
        # Twice the distance, odd for the longer of two equally close ones, so that the least is the closest.
        keys = 2 * np.abs(reference_lengths - own) + (reference_lengths > own)
        least = np.minimum.reduceat(keys, matched.starts)
        reference_lengths = np.where(least & 1, lengths + (least >> 1), lengths - (least >> 1))
    return int(lengths.sum()), int(reference_lengths.sum()), matches, totals


def gleu_sums(list_of_references: Any, hypotheses: Any, min_len: Any, max_len: Any) -> tuple[int, int] | None:
    """Matches and larger sides of the best references, or None if the segments have to be counted one by one."""
    if not are_orders(min_len, max_len):
        return None
    try:
        segments = _collect(list_of_references, hypotheses, max_len)
    except Exception:  # a token that cannot be hashed or compared, perhaps one that NLTK does not look at
        return None
    if segments is None:
        return None
    matched = segments.match(0, len(segments), max_len, per_reference=True)
    segment = matched.spread(np.arange(len(segments)))
    longer = np.maximum(matched.spread(matched.lengths), matched.reference_lengths)
    matches = matched.matches[:, min_len - 1 :].sum(axis=1)
    larger = ngrams_of(longer, min_len, max_len)
    if len(segment) > len(segments):
        # A reference without any n-gram on either side is none. Of equal ratios the first is taken.
        ratio = np.where(larger > 0, matches / np.maximum(larger, 1), -1)
        best = np.maximum.reduceat(ratio, matched.starts)
        rows = np.flatnonzero(ratio == best[segment])
        rows = rows[np.r_[True, np.diff(segment[rows]) > 0]]
        matches, larger = matches[rows], larger[rows]
    return int(matches.sum()), int(larger.sum())


def _collect(list_of_references: Any, hypotheses: Any, max_order: Any) -> Segments | None:
    if not is_order(max_order) or len(hypotheses) < FEW:
        return None
    return collect_objects(hypotheses, list_of_references)
