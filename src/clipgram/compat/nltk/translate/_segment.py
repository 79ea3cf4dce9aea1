"""One segment as NLTK counts it: what the core takes, and the definition for everything else.

The core takes lists, tuples and str. NLTK asks less: any object that can be iterated over, more than once for BLEU. What
comes of others (an empty iterator, a KeyError) follows from the order in which it looks at them, so these are counted
as it does, n-gram by n-gram.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from clipgram.counts import Counted, count_objects
from clipgram.metric import MAX_ORDER

# These give the same tokens each time, as a list does.
_LIKE_LISTS = (np.ndarray, array, range, bytes)


def is_order(n: Any) -> bool:
    """Whether this is an order that the core counts."""
    return type(n) is int and 1 <= n <= MAX_ORDER


def are_orders(low: Any, high: Any) -> bool:
    """Whether these are the ends of a range of orders that the core counts."""
    return is_order(low) and is_order(high) and low <= high


def count(references: Any, hypothesis: Any, max_order: Any, per_reference: bool) -> Counted | None:
    """The lengths and matches of a segment, None if it has to be counted by the definition."""
    if not is_order(max_order):
        return None
    counted = count_objects(hypothesis, references, max_order, per_reference)
    if counted is None and type(references) in (list, tuple, np.ndarray):
        hyp, *refs = [list(tokens) if type(tokens) in _LIKE_LISTS else tokens for tokens in (hypothesis, *references)]
        counted = count_objects(hyp, refs, max_order, per_reference)
    return counted


def closest(reference_lengths: Iterable[int], length: int) -> int:
    """The closest length, of two equally close ones the shorter."""
    return min(reference_lengths, key=lambda reference_length: (abs(reference_length - length), reference_length))


def bleu_counts(references: Any, hypothesis: Any, max_order: int) -> tuple[int, int, Sequence[int], Sequence[int]]:
    """Length, closest length, matches and totals, the latter at least 1."""
    counted = count(references, hypothesis, max_order, False)
    if counted is not None:
        length, reference_lengths, matches = counted
        nearest = reference_lengths[0] if len(reference_lengths) == 1 else closest(reference_lengths, length)
        return length, nearest, matches, [length - i if length > i else 1 for i in range(max_order)]
    of_orders = [matches_and_total(references, hypothesis, order) for order in range(1, max_order + 1)]
    length = len(hypothesis)
    return length, closest(map(len, references), length), [m for m, _ in of_orders], [t for _, t in of_orders]


def matches_and_total(references: Any, hypothesis: Any, order: Any) -> tuple[int, int]:
    """Clipped matches and n-grams of the hypothesis, the latter at least 1, by the definition."""
    counts = _grams_if_any(hypothesis, order)
    most: dict[Any, int] = {}
    for reference in references:
        there = _grams_if_any(reference, order)
        for gram in counts:
            most[gram] = max(most.get(gram, 0), there[gram])
    # Without references this is a KeyError for the first n-gram, as it is in NLTK.
    matches = sum([min(n, most[gram]) for gram, n in counts.items()])
    return matches, max(1, sum(counts.values()))


def _grams_if_any(tokens: Any, order: Any) -> Counter[Any]:
    return Counter(_grams(tokens, order) if len(tokens) >= order else ())


def _grams(sequence: Any, order: Any) -> Iterator[tuple[Any, ...]]:
    """N-grams of one order. Order 0 has an empty one before each token and one at the end."""
    tokens = tuple(sequence)
    deque(islice(tokens, order), order)  # refuses what is no order: as NLTK does, with a ValueError or a TypeError
    return (tokens[start : start + order] for start in range(len(tokens) - order + 1))


def gleu_counts(references: Any, hypothesis: Any, min_len: Any, max_len: Any) -> tuple[int, int]:
    """Matches and larger side of the reference with the best ratio, the first of equal ones; (0, 0) without n-grams."""
    if are_orders(min_len, max_len):
        try:
            counted = count(references, hypothesis, max_len, True)
        except Exception:  # a token that cannot be hashed or compared, perhaps one that NLTK does not look at
            counted = None
        if counted is not None:
            return best_of(counted, min_len, max_len)
    counts = Counter(_every_gram(hypothesis, min_len, max_len))
    total = sum(counts.values())
    found, larger = [], []
    for reference in references:
        there = Counter(_every_gram(reference, min_len, max_len))
        found.append(sum((there & counts).values()))
        larger.append(max(total, sum(there.values())))
    return _best(found, larger)


def best_of(counted: Counted, min_len: int, max_len: int) -> tuple[int, int]:
    """As ``gleu_counts``, of what was counted reference by reference."""
    length, reference_lengths, matches = counted
    larger = [ngrams_of(own if own > length else length, min_len, max_len) for own in reference_lengths]
    starts = range(min_len - 1, len(matches), max_len)
    return _best([sum(matches[start : start + max_len - min_len + 1]) for start in starts], larger)


def _best(matches: list[int], larger: list[int]) -> tuple[int, int]:
    if len(matches) == 1:
        return matches[0], larger[0]
    best, ratio = (0, 0), -1.0
    for own, n in zip(matches, larger, strict=True):
        if n and own / n > ratio:
            best, ratio = (own, n), own / n
    return best


def ngrams_of(length: Any, low: int, high: int) -> Any:
    """N-grams of orders low to high that a sequence has; of an array of lengths, an array."""
    if type(length) is int:
        high = min(high, length)
        return (high - low + 1) * (2 * length - low - high + 2) // 2 if high >= low else 0
    total = np.zeros(len(length), np.int64)
    for order in range(low, high + 1):
        total += np.maximum(length - order + 1, 0)
    return total


def _every_gram(sequence: Any, min_order: Any, max_order: Any) -> Iterator[tuple[Any, ...]]:
    """N-grams of several orders, where a longest one of -1 is the whole sequence and None has no end."""
    if max_order == -1:
        try:
            max_order = len(sequence)
        except TypeError:
            sequence = list(sequence)
            max_order = len(sequence)
        if max_order > 256:
            raise ValueError(f"{max_order} tokens have too many n-grams of all orders; max_len=-1 is for up to 256")
    tokens = list(sequence)
    tuple(islice(tokens, max_order))  # refuses what is no order, with a ValueError
    for start in range(len(tokens) if max_order != 0 else 0):
        window = tokens[start:] if max_order is None else tokens[start : start + max_order]
        for order in range(min_order, len(window) + 1):
            yield tuple(window[:order])
