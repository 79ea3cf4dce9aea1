"""GLEU, the Google-BLEU of sentences: one ratio of shared n-grams, the smaller of precision and recall."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from clipgram._forms import (
    ReferencesOfTexts,
    ReferencesOfTokens,
    TextReferences,
    Texts,
    TokenLists,
    TokenReferences,
    Tokens,
)
from clipgram.counts import Counted, NgramCounts, ngrams_of, one_number_of
from clipgram.metric import Metric, whole_number
from clipgram.segments import Matched
from clipgram.signature import signature, with_references, without_references
from clipgram.tokenizers import AnyTokenizer, Form


@dataclass(frozen=True, slots=True)
class GLEUScore:
    """A GLEU score and what it was made of.

    Attributes
    ----------
    score : float
        From 0 to 1.
    precision : float
        Matches over the n-grams of the hypothesis, 0 if it has none.
    recall : float
        Matches over the n-grams of the reference, 0 if it has none.
    matches : int
        Clipped matches of all orders together.
    hypothesis_ngrams, reference_ngrams : int
        N-grams of all orders together. With several references, those of the best one.
    signature : str
        How the score was made.
    """

    score: float
    precision: float
    recall: float
    matches: int
    hypothesis_ngrams: int
    reference_ngrams: int
    signature: str

    @property
    def percent(self) -> float:
        """The score on the 0..100 scale."""
        return 100 * self.score

    def __str__(self) -> str:
        return (
            f"GLEU = {self.percent:.2f} (P = {100 * self.precision:.1f} R = {100 * self.recall:.1f} "
            f"matches = {self.matches} hyp_ngrams = {self.hypothesis_ngrams} ref_ngrams = {self.reference_ngrams})"
        )


class GLEU(Metric[GLEUScore]):
    """GLEU of corpora and sentences.

    All n-grams from ``min_order`` to ``max_order`` are thrown together. For one segment the score is the number of
    clipped matches over the larger of the two numbers of n-grams, which is the smaller of precision and recall; there
    is no brevity penalty, and hypothesis and reference can be exchanged. Of several references the one with the best
    ratio counts, of equal ratios the one with fewer n-grams. A corpus sums matches and larger numbers over segments.

    Parameters
    ----------
    min_order, max_order : int
        The shortest and longest n-gram, 1 to 16.
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
    Wu et al., "Google's Neural Machine Translation System: Bridging the Gap between Human and Machine Translation"
    (2016), section 5.2.

    Examples
    --------
    >>> print(GLEU().sentence_score("the cat sat on a mat", "the cat sat on the mat"))
    GLEU = 61.11 (P = 61.1 R = 61.1 matches = 11 hyp_ngrams = 18 ref_ngrams = 18)
    """

    name = "gleu"
    _per_reference = True

    def __init__(
        self,
        min_order: int = 1,
        max_order: int = 4,
        tokenize: AnyTokenizer = "13a",
        lowercase: bool = False,
        normalize: Form | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__(max_order, tokenize, lowercase, normalize, threads)
        self.min_order = whole_number(min_order, "min_order", 1, self.max_order)

        items = {**self._text_items(), "tok": self.tokenizer.name}
        if (self.min_order, self.max_order) != (1, 4):
            items["order"] = f"{self.min_order}-{self.max_order}"
        self._signature = signature(self.name, items)

    def signature(self) -> str:
        return without_references(self._signature)

    @property
    def _orders(self) -> tuple[int, int]:
        return self.min_order, self.max_order

    def _rows(self, matched: Matched) -> NgramCounts:
        # One row a segment and reference of it, from which the row of the best reference is taken.
        matches = matched.matches
        hypothesis_ngrams = matched.spread(self._ngrams_of(matched.lengths))
        reference_ngrams = self._ngrams_of(matched.reference_lengths)
        larger = np.maximum(hypothesis_ngrams, reference_ngrams)
        values = np.empty((len(larger), 3 + self.max_order), np.int64)
        values[:, 0], values[:, 1], values[:, 2], values[:, 3:] = hypothesis_ngrams, reference_ngrams, larger, matches
        if len(larger) > len(matched.lengths):
            # Doubles order ratios of these numbers exactly up to 2**26 n-grams, and beyond in the same way whatever
            # the order of the references. An empty reference counts only where there is no other.
            ratio = matches[:, self.min_order - 1 :].sum(axis=1) / np.maximum(larger, 1)
            empty = matched.reference_lengths == 0
            segment = matched.spread(np.arange(len(matched.lengths)))
            values = values[_first_best(matched.starts, segment, (2.0 * empty - ratio, larger, reference_ngrams))]
        return NgramCounts(values, self.name, self.max_order, self.min_order, one_number_of(matched.n_references))

    def _ngrams_of(self, lengths: np.ndarray) -> np.ndarray:
        longest = int(lengths.max()) if len(lengths) else 0
        # Lengths come again and again.
        distinct = np.arange(longest + 1) if longest < len(lengths) else lengths
        total = np.zeros(len(distinct), np.int64)
        for order in range(self.min_order, self.max_order + 1):
            total += ngrams_of(distinct, order)
        return total.take(lengths) if distinct is not lengths else total

    def _score_one(self, counted: Counted) -> GLEUScore:
        length, reference_lengths, matches = counted
        hypothesis_ngrams = self._ngrams(length)
        best: tuple[tuple[bool, float, int, int], int] | None = None
        for r, reference_length in enumerate(reference_lengths):
            own = sum(matches[r * self.max_order + self.min_order - 1 : (r + 1) * self.max_order])
            reference_ngrams = self._ngrams(reference_length)
            larger = max(hypothesis_ngrams, reference_ngrams)
            rank = (reference_length == 0, -own / max(larger, 1), larger, reference_ngrams)
            if best is None or rank < best[0]:
                best = rank, own
        assert best is not None
        (_, _, larger, reference_ngrams), own = best
        return self._assemble(own, hypothesis_ngrams, reference_ngrams, larger, len(reference_lengths))

    def _score_row(self, row: list[int], n_references: int | None, of_sentence: bool) -> GLEUScore:
        hypothesis_ngrams, reference_ngrams, larger, *matches = row
        return self._assemble(
            sum(matches[self.min_order - 1 :]), hypothesis_ngrams, reference_ngrams, larger, n_references
        )

    def _ngrams(self, length: int) -> int:
        """N-grams of all orders that a sequence of this length has."""
        low, high = self.min_order, min(self.max_order, length)
        return (high - low + 1) * (2 * length - low - high + 2) // 2 if high >= low else 0

    def _assemble(
        self, matches: int, hypothesis_ngrams: int, reference_ngrams: int, larger: int, n_references: int | None
    ) -> GLEUScore:
        return GLEUScore(
            matches / max(larger, 1),
            matches / max(hypothesis_ngrams, 1),
            matches / max(reference_ngrams, 1),
            matches,
            hypothesis_ngrams,
            reference_ngrams,
            with_references(self._signature, n_references),
        )

    def _scores(self, counts: NgramCounts) -> np.ndarray:
        return counts.matches[:, self.min_order - 1 :].sum(axis=1) / np.maximum(counts.larger_ngrams, 1)

    def _scores_matched(self, matched: Matched) -> np.ndarray:
        if len(matched.reference_lengths) != len(matched.lengths):
            return self._scores(self._rows(matched))
        larger = self._ngrams_of(np.maximum(matched.lengths, matched.reference_lengths))
        columns = matched.matches[:, self.min_order - 1 :].T
        return functools.reduce(np.add, columns[1:], columns[0]) / np.maximum(larger, 1)

    _orders_together = True

    def _pair_scores(self, lengths: np.ndarray, reference_lengths: np.ndarray, matches: np.ndarray) -> np.ndarray:
        larger = np.maximum.outer(self._ngrams_of(lengths), self._ngrams_of(reference_lengths))
        return matches[0] / np.maximum(larger, 1)


def _first_best(starts: np.ndarray, segment: np.ndarray, ranks: tuple[np.ndarray, ...]) -> np.ndarray:
    """The first row of each segment among those that rank lowest: by the first rank, where equal by the second, ..."""
    left = np.ones(len(segment), bool)
    for rank in ranks:
        lowest = np.minimum.reduceat(np.where(left, rank, np.inf), starts)
        left &= rank == lowest[segment]
        if np.count_nonzero(left) == len(starts):
            return np.flatnonzero(left)
    rows = np.flatnonzero(left)
    return rows[np.r_[True, np.diff(segment[rows]) > 0]]


@overload
def corpus_gleu(hypotheses: Texts, references: ReferencesOfTexts, **options: Any) -> GLEUScore: ...


@overload
def corpus_gleu(hypotheses: TokenLists, references: ReferencesOfTokens, **options: Any) -> GLEUScore: ...


def corpus_gleu(hypotheses: Any, references: Any, **options: Any) -> GLEUScore:
    """GLEU of a corpus: ``GLEU(**options).corpus_score(hypotheses, references)``.

    Examples
    --------
    >>> corpus_gleu(["the cat sat", "it rains"], ["the cat sat down", "it rained"]).score
    0.5384615384615384
    """
    return GLEU(**options).corpus_score(hypotheses, references)


@overload
def sentence_gleu(hypothesis: str, references: TextReferences, **options: Any) -> GLEUScore: ...


@overload
def sentence_gleu(hypothesis: Tokens, references: TokenReferences, **options: Any) -> GLEUScore: ...


def sentence_gleu(hypothesis: Any, references: Any, **options: Any) -> GLEUScore:
    """GLEU of one segment: ``GLEU(**options).sentence_score(hypothesis, references)``.

    Examples
    --------
    >>> sentence_gleu([5, 8, 9, 4], [[5, 8, 9, 4, 2], [5, 8]]).score
    0.7142857142857143
    """
    return GLEU(**options).sentence_score(hypothesis, references)
