"""BLEU: the geometric mean of clipped n-gram precisions, times a penalty for being short."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from clipgram import smoothing
from clipgram._describe import describe
from clipgram._forms import (
    ReferencesOfTexts,
    ReferencesOfTokens,
    TextReferences,
    Texts,
    TokenLists,
    TokenReferences,
    Tokens,
)
from clipgram.assembly import brevity_penalties, brevity_penalty, mean, mean_of_many, plan
from clipgram.batch import TokenBatch
from clipgram.counts import Counted, NgramCounts, ngrams_of, one_number_of
from clipgram.matrix import matches_among, other_lengths
from clipgram.metric import MAX_ORDER, Metric
from clipgram.segments import Matched
from clipgram.signature import signature, with_references, without_references
from clipgram.tokenizers import AnyTokenizer, Form

FEW = 20  # segments that are scored one by one: columns cost more than they save

Weights = Sequence[float]
Smoothing = Callable[[tuple[int, ...], tuple[int, ...]], Sequence[float]]


@dataclass(frozen=True, init=False)
class BLEUScore:
    """A BLEU score and what it was made of.

    Attributes
    ----------
    score : float, or tuple of float
        From 0 to 1; exactly 1 for a sentence that equals a reference. A corpus of such sentences is 1 too if one of
        them has ``max_order`` tokens, or with ``effective_order=True``. With several weights, one score each.
    precisions : tuple of float
        Of each order, from 0 to 1, smoothed.
    brevity_penalty : float
        From 0 to 1; 1 if the hypothesis is not shorter than the reference.
    matches, totals : tuple of int
        Clipped matches and hypothesis n-grams of each order, never smoothed.
    hypothesis_length, reference_length : int
        In tokens.
    signature : str
        How the score was made.
    """

    score: float | tuple[float, ...]
    precisions: tuple[float, ...]
    brevity_penalty: float
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    hypothesis_length: int
    reference_length: int
    signature: str

    def __init__(
        self,
        score: float | tuple[float, ...],
        precisions: tuple[float, ...],
        brevity_penalty: float,
        matches: tuple[int, ...],
        totals: tuple[int, ...],
        hypothesis_length: int,
        reference_length: int,
        signature: str,
    ) -> None:
        # What a frozen dataclass writes by itself takes three times as long, a tenth of a sentence's score.
        fields = self.__dict__
        fields["score"] = score
        fields["precisions"] = precisions
        fields["brevity_penalty"] = brevity_penalty
        fields["matches"] = matches
        fields["totals"] = totals
        fields["hypothesis_length"] = hypothesis_length
        fields["reference_length"] = reference_length
        fields["signature"] = signature

    @property
    def percent(self) -> float | tuple[float, ...]:
        """The score on the 0..100 scale."""
        if isinstance(self.score, tuple):
            return tuple(100 * score for score in self.score)
        return 100 * self.score

    @property
    def length_ratio(self) -> float:
        """Hypothesis length over reference length, 0 if the latter is 0."""
        return self.hypothesis_length / self.reference_length if self.reference_length else 0.0

    def __str__(self) -> str:
        percent = self.percent if isinstance(self.percent, tuple) else (self.percent,)
        return (
            f"BLEU = {'/'.join(f'{p:.2f}' for p in percent)} {'/'.join(f'{100 * p:.1f}' for p in self.precisions)} "
            f"(BP = {self.brevity_penalty:.3f} ratio = {self.length_ratio:.3f} "
            f"hyp_len = {self.hypothesis_length} ref_len = {self.reference_length})"
        )


class BLEU(Metric[BLEUScore]):
    """BLEU of corpora and sentences.

    Parameters
    ----------
    max_order : int
        The longest n-gram, 1 to 16.
    weights : sequence of float, or sequence of such, optional
        What each order counts for: not negative, together 1. An order of weight 0 is left out. By default all orders
        count the same. Several sequences give several scores from one count.
    smooth_method : {"exp", "floor", "add-k", "laplace", "none"} or callable
        What an order without a match counts for; see ``clipgram.smoothing``. A callable takes matches and totals of
        each order, two tuples of int, and returns precisions from 0 to 1. If nothing matches at all the score is 0
        whatever the method.
    smooth_value : float, optional
        For ``floor`` (default 0.1) and ``add-k`` (default 1).
    effective_order : bool, optional
        Leave out the orders of which the hypothesis has no n-gram, so that an exact match of three tokens scores 1
        and not 0. By default on for sentences and off for corpora. ``add-k`` gives every order a total, so there
        nothing is left out.
    ref_length : {"closest", "shortest"}
        Which of several references' lengths the hypothesis is measured against: the closest to its own, of two
        equally close ones the shorter; or the shortest. An empty reference is taken only where there is no other.
    tokenize : str, callable, or another library's tokenizer
        How text becomes tokens; see ``clipgram.tokenizers.get_tokenizer``.
    lowercase : bool
        Lowercase text first, as ``str.lower`` does.
    normalize : {"NFC", "NFKC"}, optional
        Bring text to a Unicode normal form, before it is lowercased.
    threads : int
        Threads that tokenize and count at once.

    References
    ----------
    Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation" (ACL 2002), section 2.
    Post, "A Call for Clarity in Reporting BLEU Scores" (WMT 2018), for the options and the signature.

    Examples
    --------
    >>> metric = BLEU()
    >>> print(metric.corpus_score(["the cat is on a mat today"], [["the cat is on the mat today", "a cat is on a mat"]]))
    BLEU = 88.01 100.0/100.0/80.0/75.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    >>> metric.sentence_scores([[5, 8, 9], [5, 8]], [[5, 8, 9], [5, 9, 8]]).tolist()
    [1.0, 0.42888194248035344]
    """

    name = "bleu"
    _per_reference = False

    def __init__(
        self,
        max_order: int = 4,
        weights: Weights | Sequence[Weights] | None = None,
        smooth_method: str | Smoothing = "exp",
        smooth_value: float | None = None,
        effective_order: bool | None = None,
        ref_length: str = "closest",
        tokenize: AnyTokenizer = "13a",
        lowercase: bool = False,
        normalize: Form | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__(max_order, tokenize, lowercase, normalize, threads)
        self._weights, self._many_weights = _check_weights(weights, self.max_order)
        self._default_weights = weights is None
        self.smooth_method, self.smooth_value = _check_smoothing(smooth_method, smooth_value)
        if effective_order not in (None, True, False):
            raise TypeError(f"effective_order is {describe(effective_order)}; wanted True, False or None")
        self.effective_order = effective_order
        if ref_length not in ("closest", "shortest"):
            raise ValueError(f"ref_length is {ref_length!r}; wanted 'closest' or 'shortest'")
        self.ref_length = ref_length

        self._means = [plan(one, self.max_order) for one in self._weights]
        self._signatures = {effective: self._signature(effective) for effective in (True, False, None)}

    def signature(self) -> str:
        return without_references(self._signatures[self.effective_order])

    def _signature(self, effective: bool | None) -> str:
        items = {
            **self._text_items(),
            "eff": {True: "yes", False: "no", None: "auto"}[effective],
            "tok": self.tokenizer.name,
            "smooth": _name_of_smoothing(self.smooth_method, self.smooth_value),
        }
        if self.max_order != 4:
            items["order"] = str(self.max_order)
        if not self._default_weights:
            items["weights"] = ";".join(",".join(format(w, ".6g") for w in one) for one in self._weights)
        if self.ref_length != "closest":
            items["reflen"] = self.ref_length
        return signature(self.name, items)

    def _rows(self, matched: Matched) -> NgramCounts:
        lengths = matched.lengths
        values = np.empty((len(lengths), 2 + 2 * self.max_order), np.int64)
        values[:, 0] = lengths
        values[:, 1] = _reference_lengths(matched, self.ref_length)
        values[:, 2 : 2 + self.max_order] = matched.matches
        for order in range(1, self.max_order + 1):
            values[:, 1 + self.max_order + order] = ngrams_of(lengths, order)
        return NgramCounts(values, self.name, self.max_order, 1, one_number_of(matched.n_references))

    def _score_one(self, counted: Counted) -> BLEUScore:
        length, reference_lengths, matches = counted
        reference_length = reference_lengths[0]
        if len(reference_lengths) > 1:
            candidates = [r for r in reference_lengths if r > 0] or [0]
            if self.ref_length == "closest":
                reference_length = min(candidates, key=lambda r: (abs(r - length), r))
            else:
                reference_length = min(candidates)
        n = self.max_order
        totals = tuple(range(length, length - n, -1) if length >= n else [max(length - i, 0) for i in range(n)])
        return self._assemble(length, reference_length, matches, totals, len(reference_lengths), True)

    def _score_row(self, row: list[int], n_references: int | None, of_sentence: bool) -> BLEUScore:
        matches, totals = tuple(row[2 : 2 + self.max_order]), tuple(row[2 + self.max_order :])
        return self._assemble(row[0], row[1], matches, totals, n_references, of_sentence)

    def _assemble(
        self,
        length: int,
        reference_length: int,
        matches: tuple[int, ...],
        totals: tuple[int, ...],
        n_references: int | None,
        of_sentence: bool,
    ) -> BLEUScore:
        effective = of_sentence if self.effective_order is None else self.effective_order
        penalty = brevity_penalty(length, reference_length)
        score: float | tuple[float, ...]
        if any(matches):
            precisions = tuple(self._precisions(matches, totals))
            n_orders = self.max_order
            if effective and self._leaves_out and not totals[-1]:
                n_orders = sum([total > 0 for total in totals])
            if self._many_weights:
                score = tuple([penalty * mean(precisions, plans[n_orders]) for plans in self._means])
            else:
                score = penalty * mean(precisions, self._means[0][n_orders])
        else:
            precisions = (0.0,) * self.max_order
            score = (0.0,) * len(self._means) if self._many_weights else 0.0
        return BLEUScore(
            score,
            precisions,
            penalty,
            matches,
            totals,
            length,
            reference_length,
            with_references(self._signatures[effective], n_references),
        )

    def _scores(self, counts: NgramCounts) -> np.ndarray:
        if 0 < len(counts) <= FEW:
            return np.array([self._score_row(row, None, True).score for row in counts.values.tolist()])
        matches, totals = list(counts.matches.T), list(counts.totals.T)
        return self._scores_of(counts.hypothesis_length, counts.reference_length, matches, totals)

    def _scores_matched(self, matched: Matched) -> np.ndarray:
        self._refuse_many_weights()
        reference_lengths = _reference_lengths(matched, self.ref_length)
        return self._scores_of(matched.lengths, reference_lengths, list(matched.matches.T))

    def _pair_scores(self, lengths: np.ndarray, reference_lengths: np.ndarray, matches: np.ndarray) -> np.ndarray:
        self._refuse_many_weights()
        pairs = matches.shape[1:]
        scores = self._scores_of(
            np.repeat(lengths, pairs[1]), np.tile(reference_lengths, pairs[0]), [column.ravel() for column in matches]
        )
        return scores.reshape(pairs)

    def _refuse_many_weights(self) -> None:
        if self._many_weights:
            raise ValueError(f"this metric has {len(self._means)} sets of weights; this takes one")

    def _scores_among(self, texts: TokenBatch) -> np.ndarray:
        """Score each text with all others as its references."""
        self._refuse_many_weights()
        lengths = texts.lengths
        matches = list(matches_among(texts, self.max_order).T)
        return self._scores_of(lengths, other_lengths(lengths, self.ref_length == "closest"), matches)

    def _scores_of(
        self,
        lengths: np.ndarray,
        reference_lengths: np.ndarray,
        matches: list[np.ndarray],
        totals: list[np.ndarray] | None = None,
    ) -> np.ndarray:
        """Scores of sentences, of which everything comes in columns; totals are those of the lengths by default."""
        penalty = brevity_penalties(lengths, reference_lengths)
        scores = np.empty((len(lengths), len(self._means)))
        rows: Any = slice(None)
        if self.smooth_method in ("exp", "floor", "none"):
            # As if there were nothing to smooth; then once more where there is.
            wide = lengths.astype(float)
            divisors = [wide - n for n in range(self.max_order)] if totals is None else totals
            precisions = [m / np.maximum(t, 1) for m, t in zip(matches, divisors, strict=True)]
            self._fill(scores, rows, penalty, precisions, -1)
            rows = np.flatnonzero(functools.reduce(np.minimum, matches) == 0)
            matches = [m[rows] for m in matches]
            totals = None if totals is None else [t[rows] for t in totals]
            lengths, penalty = lengths[rows], penalty[rows]
        if totals is None:
            totals = [ngrams_of(lengths, order) for order in range(1, self.max_order + 1)]
        penalty *= functools.reduce(np.maximum, matches) > 0  # nothing matched
        precisions = self._precision_columns(matches, totals)
        self._fill(scores, rows, penalty, precisions, -1)
        if self.effective_order is not False and self._leaves_out:
            # Once more where the hypothesis is so short that some orders are left out.
            short = np.flatnonzero(totals[-1] == 0)
            n_orders = sum((t[short] > 0).astype(int) for t in totals)
            for n in np.flatnonzero(np.bincount(n_orders)).tolist():
                some = short[n_orders == n]
                of_some = rows[some] if isinstance(rows, np.ndarray) else some
                self._fill(scores, of_some, penalty[some], [p[some] for p in precisions], n)
        return scores if self._many_weights else scores[:, 0]

    def _fill(self, scores: np.ndarray, rows: Any, penalty: np.ndarray, precisions: list[np.ndarray], n: int) -> None:
        """Score some rows, of whose precisions the first ``n`` count."""
        for w, plans in enumerate(self._means):
            scores[rows, w] = penalty * mean_of_many(precisions, plans[n])

    @property
    def _leaves_out(self) -> bool:
        return not (self.smooth_method == "add-k" and self.smooth_value)

    def _precisions(self, matches: tuple[int, ...], totals: tuple[int, ...]) -> list[float]:
        if isinstance(self.smooth_method, str):
            if all(matches) and self.smooth_method in ("exp", "floor", "none"):
                return [m / t for m, t in zip(matches, totals, strict=True)]  # nothing to smooth
            return smoothing.METHODS[self.smooth_method](matches, totals, self.smooth_value)
        precisions = [float(p) for p in self.smooth_method(matches, totals)]
        if len(precisions) != self.max_order or not all(0 <= p <= 1 for p in precisions):
            raise ValueError(
                f"smooth_method made {precisions} of matches {matches} and totals {totals}; "
                f"wanted {self.max_order} precisions from 0 to 1"
            )
        return precisions

    def _precision_columns(self, matches: list[np.ndarray], totals: list[np.ndarray]) -> list[np.ndarray]:
        if isinstance(self.smooth_method, str):
            return smoothing.METHODS[self.smooth_method](matches, totals, self.smooth_value)
        rows = zip(np.transpose(matches).tolist(), np.transpose(totals).tolist(), strict=True)
        precisions = [self._precisions(tuple(m), tuple(t)) for m, t in rows]
        return list(np.array(precisions, float).reshape(-1, self.max_order).T)


def _check_weights(weights: Any, max_order: int) -> tuple[tuple[tuple[float, ...], ...], bool]:
    """The weights as tuples of floats, and whether there are several."""
    if weights is None:
        return ((1 / max_order,) * max_order,), False
    if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
        raise TypeError(f"weights is {describe(weights)}; wanted a sequence of numbers, or several")
    weights = list(weights)
    several = bool(weights) and isinstance(weights[0], Iterable)
    checked = []
    for i, one in enumerate(weights if several else [weights]):
        name = f"weights[{i}]" if several else "weights"
        try:
            one = tuple(float(w) for w in one)
        except (TypeError, ValueError):
            raise TypeError(f"{name} is {describe(one)}; wanted a sequence of numbers") from None
        if not 1 <= len(one) <= max_order:
            more = f"; max_order goes up to {MAX_ORDER}" if len(one) > max_order else ""
            raise ValueError(f"{name} has {len(one)} numbers; wanted 1 to {max_order}, one an order{more}")
        if not all(w >= 0 for w in one) or abs(math.fsum(one) - 1) > 1e-6:
            raise ValueError(f"{name} is {one}, with sum {math.fsum(one):.6g}; wanted numbers, 0 or more each, with sum 1")
        checked.append(one)
    return tuple(checked), several


def _check_smoothing(method: Any, value: float | None) -> tuple[str | Smoothing, float]:
    if not isinstance(method, str) and not callable(method):
        raise TypeError(f"smooth_method is {describe(method)}; wanted a name or a callable")
    if isinstance(method, str) and method not in smoothing.METHODS:
        raise ValueError(f"smooth_method is {method!r}; wanted one of {', '.join(smoothing.METHODS)}, or a callable")
    if value is None:
        return method, smoothing.DEFAULT_VALUES.get(method, 0) if isinstance(method, str) else 0
    if method not in smoothing.DEFAULT_VALUES:
        raise ValueError(f"smooth_value is for {' and '.join(smoothing.DEFAULT_VALUES)}, not for {method}")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ValueError(f"smooth_value is {describe(value)}; wanted a number, 0 or more")
    if method == "floor" and value > 1:
        raise ValueError(f"smooth_value is {value}; to count more than one match where there is none is no smoothing")
    return method, value


def _name_of_smoothing(method: str | Smoothing, value: float) -> str:
    if not isinstance(method, str):
        return f"custom[{getattr(method, '__qualname__', type(method).__qualname__).replace('|', '/')}]"
    if method not in smoothing.DEFAULT_VALUES:
        return method
    two_digits = f"{value:.2f}"
    return f"{method}[{two_digits if float(two_digits) == value else value}]"


def _reference_lengths(matched: Matched, rule: str) -> np.ndarray:
    """The reference length of each segment by the rule."""
    candidates = matched.reference_lengths
    if len(candidates) == len(matched.lengths):
        return candidates
    keys = candidates
    if rule == "closest":
        own = matched.spread(matched.lengths)
        # Twice the distance, odd for the longer of two equally close ones, so that the least key is the answer.
        keys = 2 * np.abs(candidates - own) + (candidates > own)
    last = np.iinfo(np.int64).max
    least = np.minimum.reduceat(np.where(candidates == 0, last, keys), matched.starts)
    if rule == "closest":
        found = np.where(least & 1, matched.lengths + (least >> 1), matched.lengths - (least >> 1))
    else:
        found = least
    return np.where(least == last, 0, found)


@overload
def corpus_bleu(hypotheses: Texts, references: ReferencesOfTexts, **options: Any) -> BLEUScore: ...


@overload
def corpus_bleu(hypotheses: TokenLists, references: ReferencesOfTokens, **options: Any) -> BLEUScore: ...


def corpus_bleu(hypotheses: Any, references: Any, **options: Any) -> BLEUScore:
    """BLEU of a corpus: ``BLEU(**options).corpus_score(hypotheses, references)``.

    Examples
    --------
    >>> corpus_bleu(["the cat sat on a mat"], ["the cat sat on the mat"]).percent
    53.7284965911771
    """
    return BLEU(**options).corpus_score(hypotheses, references)


@overload
def sentence_bleu(hypothesis: str, references: TextReferences, **options: Any) -> BLEUScore: ...


@overload
def sentence_bleu(hypothesis: Tokens, references: TokenReferences, **options: Any) -> BLEUScore: ...


def sentence_bleu(hypothesis: Any, references: Any, **options: Any) -> BLEUScore:
    """BLEU of one segment: ``BLEU(**options).sentence_score(hypothesis, references)``.

    Examples
    --------
    >>> sentence_bleu([5, 8, 9, 4], [[5, 8, 9, 4, 2], [5, 8]]).score
    0.7788007830714049
    """
    return BLEU(**options).sentence_score(hypothesis, references)
