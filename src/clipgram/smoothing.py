"""What an order without a match counts for: from matches and totals to precisions.

Each function takes the clipped matches and the totals order by order, for one score as ints or for many as int64
columns of equal length, and returns precisions of the same form on the 0..1 scale. The arithmetic is the same for
both, so a score does not depend on whether it was computed alone. An order without any hypothesis n-gram has
precision 0, except where the method adds to its total.

The methods are those of sacreBLEU 2.6.0 and their names its own (``none``, ``floor``, ``add-k``, ``exp``); Chen and
Cherry, "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU" (WMT 2014), describe them as methods
0 to 3. ``laplace`` is Lin and Och's add-one (COLING 2004) taken to unigrams too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Columns = Sequence[Any]  # each an int, or an int64 array with one entry a score


def none(matches: Columns, totals: Columns, value: float) -> list[Any]:
    """Matches over totals.

    Examples
    --------
    >>> none([3, 1, 0, 0], [4, 3, 2, 0], 0)
    [0.75, 0.3333333333333333, 0.0, 0.0]
    """
    return [m / _at_least_one(t) for m, t in zip(matches, totals, strict=True)]


def floor(matches: Columns, totals: Columns, value: float) -> list[Any]:
    """Count ``value`` where nothing matched.

    Examples
    --------
    >>> floor([3, 1, 0, 0], [4, 3, 2, 0], 0.1)
    [0.75, 0.3333333333333333, 0.05, 0.0]
    """
    return [(m + (m == 0) * value) / _at_least_one(t) * (t > 0) for m, t in zip(matches, totals, strict=True)]


def add_k(matches: Columns, totals: Columns, value: float) -> list[Any]:
    """Add ``value`` to matches and totals of every order but the first.

    Examples
    --------
    >>> add_k([3, 1, 0, 0], [4, 3, 2, 0], 1)
    [0.75, 0.5, 0.3333333333333333, 1.0]
    """
    added = [0] + [value] * (len(matches) - 1)
    return [(m + k) / _at_least_one(t + k) for m, t, k in zip(matches, totals, added, strict=True)]


def exp(matches: Columns, totals: Columns, value: float) -> list[Any]:
    """Count 1/2 for the first order where nothing matched, 1/4 for the second, and so on.

    Examples
    --------
    >>> exp([3, 0, 0, 0], [4, 3, 2, 0], 0)
    [0.75, 0.16666666666666666, 0.125, 0.0]
    """
    precisions = []
    divisor = 1
    for m, t in zip(matches, totals, strict=True):
        divisor = divisor * (1 + (m == 0))
        precisions.append((m + (m == 0) / divisor) / _at_least_one(t) * (t > 0))
    return precisions


def laplace(matches: Columns, totals: Columns, value: float) -> list[Any]:
    """Add one to matches and totals of every order.

    Examples
    --------
    >>> laplace([3, 1, 0, 0], [4, 3, 2, 0], 0)
    [0.8, 0.5, 0.3333333333333333, 1.0]
    """
    return [(m + 1) / (t + 1) for m, t in zip(matches, totals, strict=True)]


def _at_least_one(total: Any) -> Any:
    return total + (total == 0)


METHODS: dict[str, Callable[[Columns, Columns, float], list[Any]]] = {
    "none": none,
    "floor": floor,
    "add-k": add_k,
    "exp": exp,
    "laplace": laplace,
}

DEFAULT_VALUES = {"floor": 0.1, "add-k": 1}
