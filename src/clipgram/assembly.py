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
    n = len(hypothesis_lengths)
    longest = int(reference_lengths.max()) if n else 0
    # Lengths come again and again: one exp a pair of lengths that can occur, if those are few.
    if longest < n:
        row = np.zeros(longest + 1, np.intp)
        row[reference_lengths] = 1
        distinct = np.flatnonzero(row)
        if len(distinct) * (longest + 1) <= n:
            row[distinct] = np.arange(len(distinct)) * (longest + 1)
            table = np.ones((len(distinct), longest + 1))
            for of_one, reference_length in zip(table, distinct.tolist(), strict=True):
                of_one[:reference_length] = _penalties(np.arange(reference_length), reference_length)
            where = np.minimum(hypothesis_lengths, longest)
            return table.ravel().take(where if len(distinct) == 1 else where + row[reference_lengths])
    penalties = np.ones(n)
    short = np.flatnonzero(hypothesis_lengths < reference_lengths)
    penalties[short] = _penalties(hypothesis_lengths[short], reference_lengths[short])
    return penalties


def _penalties(lengths: np.ndarray, reference_lengths: Any) -> np.ndarray:
    """Of hypotheses that are shorter."""
    return np.where(lengths > 0, _exp(1 - reference_lengths / np.maximum(lengths, 1)), 0.0)


def _each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    def of_array(numbers: np.ndarray) -> np.ndarray:
        return np.fromiter(map(function, numbers.tolist()), float, len(numbers))

    return of_array


_log, _exp = _each(math.log), _each(math.exp)
