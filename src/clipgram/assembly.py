"""The floating point of BLEU: the geometric mean of precisions and the brevity penalty.

One score and many are made by the same operations, so that a score has the same bits alone and in a batch: square
roots, products and quotients are exact to the last bit everywhere, and exp and log are always those of ``math``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Which orders count, and for how much; None if equally and their number is a power of two, so that roots will do.
Plan = tuple[tuple[int, ...], tuple[float, ...] | None]


def plan(weights: tuple[float, ...], max_order: int) -> list[Plan]:
    """How to take the mean where 0, 1, ... orders are left."""
    plans: list[Plan] = []
    for n in range(max_order + 1):
        kept = tuple(i for i, weight in enumerate(weights[:n]) if weight > 0)
        equal = len({weights[i] for i in kept}) <= 1 and len(kept) in (0, 1, 2, 4, 8, 16)
        total = sum(weights[i] for i in kept)
        plans.append((kept, None if equal else tuple(weights[i] / total for i in kept)))
    return plans


def mean(precisions: Sequence[float], plan: Plan) -> float:
    """The weighted geometric mean of the orders that count, 0 if none does.

    Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation" (ACL 2002), section 2.3.
    """
    return _mean(precisions, plan, math.sqrt, math.log, math.exp)


def mean_of_many(precisions: Sequence[np.ndarray], plan: Plan) -> Any:
    """The same of columns of precisions."""
    return _mean(precisions, plan, np.sqrt, _log, _exp)


def _mean(precisions: Sequence[Any], plan: Plan, sqrt: Any, log: Any, exp: Any) -> Any:
    orders, weights = plan
    if weights is None:
        if len(orders) == 4:  # the loop below, without the loop
            a, b, c, d = orders
            return sqrt(sqrt(precisions[a] * precisions[b]) * sqrt(precisions[c] * precisions[d]))
        values = [precisions[i] for i in orders]
        while len(values) > 1:
            values = [sqrt(values[i] * values[i + 1]) for i in range(0, len(values), 2)]
        return values[0] if values else 0.0
    nowhere_zero: Any = True
    logarithm: Any = 0.0
    for i, weight in zip(orders, weights, strict=True):
        nowhere_zero = nowhere_zero & (precisions[i] > 0)
        logarithm = logarithm + weight * log(precisions[i] + (precisions[i] == 0))
    return exp(logarithm) * nowhere_zero


def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    """1, or less for a hypothesis that is shorter than the reference (Papineni et al. 2002, section 2.2.2)."""
    if hypothesis_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / hypothesis_length) if hypothesis_length else 0.0


def brevity_penalties(hypothesis_lengths: np.ndarray, reference_lengths: np.ndarray) -> np.ndarray:
    """The same of columns of lengths."""
    penalties = np.ones(len(hypothesis_lengths))
    short = np.flatnonzero(hypothesis_lengths < reference_lengths)
    if not len(short):
        return penalties
    lengths, references = hypothesis_lengths[short], reference_lengths[short]
    # Lengths come again and again. Numbered from 0, those of the references; one exp a pair of lengths that can occur.
    longest = int(references.max())
    if longest < 4 * len(short):
        number = np.zeros(longest + 1, np.intp)
        number[references] = 1
        distinct = np.flatnonzero(number)
        width = int(lengths.max()) + 1
        if len(distinct) * width < len(short):
            number[distinct] = np.arange(len(distinct)) * width
            table = _penalties(np.tile(np.arange(width), len(distinct)), np.repeat(distinct, width))
            penalties[short] = table[number[references] + lengths]
            return penalties
    penalties[short] = _penalties(lengths, references)
    return penalties


def _penalties(lengths: np.ndarray, references: np.ndarray) -> np.ndarray:
    return np.where(lengths > 0, _exp(1 - references / np.maximum(lengths, 1)), 0.0)


def _each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    def of_array(numbers: np.ndarray) -> np.ndarray:
        return np.fromiter(map(function, numbers.tolist()), float, len(numbers))

    return of_array


_log, _exp = _each(math.log), _each(math.exp)
