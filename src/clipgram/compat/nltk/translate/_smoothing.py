"""NLTK's smoothing of precisions.

Methods 0, 1, 3 and 4 only say what an order without a match counts for, and method 2 adds ones. ``smooth_counts`` does
these from integers, without making fractions of them first, and gives the same doubles: the logarithm of a fraction is
that of numerator / denominator.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

from clipgram.compat.nltk.translate._precision import Fraction, modified_precision


def _no_match(order: int) -> str:
    return (
        f"\nThe hypothesis contains 0 counts of {order}-gram overlaps.\n"
        "Therefore the BLEU score evaluates to 0, independently of\n"
        "how many N-gram overlaps of lower order it contains.\n"
        "Consider using lower n-gram order or use SmoothingFunction()"
    )


# Made beforehand for the usual orders: to write the text takes longer than to warn.
_NO_MATCH = [_no_match(order) for order in range(17)]


def warn_of_no_match(first: int, last: int) -> None:
    """NLTK's warning for these orders, always from this line, so that the usual filter shows it once for each."""
    for order in range(first, last + 1):
        warnings.warn(_NO_MATCH[order] if order < 17 else _no_match(order))  # noqa: B028, as there


class SmoothingFunction:
    """The smoothing methods of Chen and Cherry as NLTK has them; where they differ from the paper, as NLTK does.

    A method, not the object, is what ``sentence_bleu`` and ``corpus_bleu`` take. Any other callable does too: it is
    called with the precisions, a list of ``Fraction``, and with ``references``, ``hypothesis`` (those of the last
    segment) and ``hyp_len`` (of all segments) by name, and returns the precisions to use; those not above 0 are left
    out of the mean.

    Parameters
    ----------
    epsilon : float
        For method 1.
    alpha : float
        For method 6.
    k : float
        For method 4.

    References
    ----------
    Chen and Cherry, "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU" (WMT 2014), section 3.

    Examples
    --------
    >>> SmoothingFunction(epsilon=0.5).method1([Fraction(3, 4), Fraction(0, 3)])
    [Fraction(3, 4), 0.16666666666666666]
    """

    def __init__(self, epsilon: Any = 0.1, alpha: Any = 5, k: Any = 5) -> None:
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: Any, *args: Any, **kwargs: Any) -> Any:
        """Nothing but a warning: an order without a match counts as the smallest normal double."""
        return _fill(self, list(p_n), _smallest)

    def method1(self, p_n: Any, *args: Any, **kwargs: Any) -> Any:
        """An order without a match counts as ``epsilon`` matches."""
        return _fill(self, list(p_n), _epsilon)

    def method2(self, p_n: Any, *args: Any, **kwargs: Any) -> Any:
        """One match and one n-gram more, of every order but the first (Lin and Och 2004)."""
        return [Fraction(p_n[i].numerator + 1, p_n[i].denominator + 1) if i else p_n[0] for i in range(len(p_n))]

    def method3(self, p_n: Any, *args: Any, **kwargs: Any) -> Any:
        """The orders without a match count as 1/2, 1/4, ... of a match, one after the other. Alters ``p_n``."""
        return _fill(self, p_n, _half)

    def method4(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """As method 3, times ln(hyp_len) / k, unless there is one token only. Alters ``p_n``."""
        length = _length(hyp_len, hypothesis)
        if any(precision.numerator == 0 for precision in p_n) and length > 1:
            return _fill(self, p_n, _half_by_length, length)
        return p_n

    def method5(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """The mean of the order below, already averaged, of the order, and of the one above. Alters ``p_n``.

        Below the first order is its precision plus 1, above the last one always order 5 of the last segment.
        """
        _length(hyp_len, hypothesis)
        above = p_n[1:] + [modified_precision(references, hypothesis, 5)]  # noqa: RUF005, p_n may be of any kind that adds
        below = p_n[0] + 1
        for i, own in enumerate(p_n):
            p_n[i] = below = (below + own + above[i]) / 3
        return p_n

    def method6(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """From the third order on, ``alpha`` n-grams more, with the precision that the two orders below suggest.

        The n-grams are those of the last hypothesis. Needs a match of the third order. Alters ``p_n``.
        """
        _length(hyp_len, hypothesis)
        assert p_n[2], "This smoothing method requires non-zero precision for bigrams."
        for i in range(2, len(p_n)):
            guess = 0 if p_n[i - 2] == 0 else p_n[i - 1] ** 2 / p_n[i - 2]
            matches = p_n[i].numerator
            total = max(0, len(tuple(hypothesis)) - i)
            p_n[i] = (matches + self.alpha * guess) / (total + self.alpha)
        return p_n

    def method7(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Method 4, then method 5. Alters ``p_n``."""
        length = _length(hyp_len, hypothesis)
        p_n = self.method4(p_n, references, hypothesis, length)
        return self.method5(p_n, references, hypothesis, length)


def _length(hyp_len: Any, hypothesis: Any) -> Any:
    return hyp_len if hyp_len else len(hypothesis)


# What an order without a match counts for. A rule gets the object with the parameters, the order, the number of its
# n-grams, which of the orders without a match it is, and the length.

Rule = Callable[[SmoothingFunction, int, Any, int, Any], Any]


def _smallest(method: SmoothingFunction, order: int, total: Any, nth: int, length: Any) -> Any:
    warn_of_no_match(order, order)
    return sys.float_info.min


def _epsilon(method: SmoothingFunction, order: int, total: Any, nth: int, length: Any) -> Any:
    return (0 + method.epsilon) / total


def _half(method: SmoothingFunction, order: int, total: Any, nth: int, length: Any) -> Any:
    return 1 / (2**nth * total)


def _half_by_length(method: SmoothingFunction, order: int, total: Any, nth: int, length: Any) -> Any:
    return 1 / (2**nth * method.k / math.log(length)) / total if length > 1 else 0


def _fill(method: SmoothingFunction, p_n: Any, rule: Rule, length: Any = None) -> Any:
    nth = 0
    for i, precision in enumerate(p_n):
        if precision.numerator == 0:
            nth += 1
            p_n[i] = rule(method, i + 1, precision.denominator, nth, length)
    return p_n


# The same from integers.

_RULES: dict[Any, Rule] = {
    SmoothingFunction.method0: _smallest,
    SmoothingFunction.method1: _epsilon,
    SmoothingFunction.method3: _half,
    SmoothingFunction.method4: _half_by_length,
}
_METHOD2 = SmoothingFunction.method2
_UNSMOOTHED = _smallest, SmoothingFunction()


def rule_of(function: Any) -> tuple[Rule, SmoothingFunction] | None:
    """What a smoothing function puts in the place of zeros, and for whom; None if that is not all it does."""
    if function is None:
        return _UNSMOOTHED
    if type(function) is MethodType and type(function.__func__) is FunctionType:
        rule = _RULES.get(function.__func__)
        owner: Any = function.__self__
        if rule is not None:
            return rule, owner
    return None


def smooth_counts(function: Any, matches: Sequence[int], totals: Sequence[int], length: int) -> list[Any] | None:
    """What a smoothing function makes of these counts, or None if it is not one of methods 0 to 4.

    Parameters
    ----------
    function : callable or None
        None stands for method 0.
    matches, totals : sequences of int
        Of each order.
    length : int
        Of all hypotheses.
    """
    ruled = rule_of(function)
    if ruled is None:
        if type(function) is MethodType and function.__func__ is _METHOD2:
            return [(m + 1) / (t + 1) if i else m / t for i, (m, t) in enumerate(zip(matches, totals, strict=True))]
        return None
    rule, method = ruled
    precisions: list[Any] = []
    nth = 0
    for i, (m, t) in enumerate(zip(matches, totals, strict=True)):
        if m:
            precisions.append(m / t)
        else:
            nth += 1
            precisions.append(rule(method, i + 1, t, nth, length))
    return precisions
