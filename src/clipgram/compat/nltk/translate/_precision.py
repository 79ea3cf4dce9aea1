"""Precisions as NLTK has them: fractions that are not reduced."""

from __future__ import annotations

import fractions
import sys
from typing import Any, Self

from clipgram.compat.nltk.translate._segment import count, matches_and_total
from clipgram.counts import COMPILED

_REDUCES = sys.version_info >= (3, 12)  # where the base class cannot be told to keep a fraction as it is


class Fraction(fractions.Fraction):
    """A fraction whose numerator and denominator stay as given, unless ``_normalize`` is true.

    Up to Python 3.11 2/4 and 1/2 are two different numbers. From 3.12 on only the two properties keep what was given:
    ``Fraction(2, 4) == Fraction(1, 2)`` then compares 1/2 with the properties of the right side, and is true, while
    ``Fraction(1, 2) == Fraction(2, 4)`` is false. Arithmetic gives plain fractions.

    Parameters
    ----------
    numerator : int
    denominator : int, optional
    _normalize : bool

    Examples
    --------
    >>> half = Fraction(2, 4)
    >>> half.numerator, half.denominator, float(half)
    (2, 4, 0.5)
    """

    _normalize: bool
    _given: tuple[Any, Any]

    def __new__(cls, numerator: Any = 0, denominator: Any = None, _normalize: bool = False) -> Self:
        if _REDUCES:
            self = super().__new__(cls, numerator, denominator)
        else:
            self = super().__new__(cls, numerator, denominator, _normalize=_normalize)  # type: ignore[call-overload]
        self._normalize, self._given = _normalize, (numerator, denominator)
        return self

    @property
    def numerator(self) -> Any:
        return super().numerator if self._normalize else self._given[0]

    @property
    def denominator(self) -> Any:
        return super().denominator if self._normalize else self._given[1]


def modified_precision(references: Any, hypothesis: Any, n: Any) -> Fraction:
    """The clipped matches of order n over the n-grams of the hypothesis, or over 1 if there are none.

    Parameters
    ----------
    references : list of list of tokens
    hypothesis : list of tokens
    n : int

    Returns
    -------
    Fraction

    References
    ----------
    Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation" (ACL 2002), section 2.1.

    Examples
    --------
    >>> precision = modified_precision(["the cat is on the mat".split()], ["the"] * 7, 1)
    >>> precision.numerator, precision.denominator
    (2, 7)
    """
    try:
        counted = count(references, hypothesis, n, False) if COMPILED else None
    except Exception:
        # A token that cannot be hashed or compared, perhaps in a segment shorter than n, which NLTK does not look into.
        counted = None
    if counted is None:
        return Fraction(*matches_and_total(references, hypothesis, n))
    length, _, matches = counted
    return Fraction(matches[-1], max(1, length - n + 1))
