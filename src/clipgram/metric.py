"""What BLEU and GLEU have in common: options about text, and the way from segments to counts to scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np

from clipgram._describe import describe
from clipgram.counts import Counted, NgramCounts, count_one, in_parts
from clipgram.segments import Matched, Segments, Strings, collect, collect_one
from clipgram.tokenizers import AnyTokenizer, Form, get_tokenizer

Score = TypeVar("Score")

MAX_ORDER = 16


class Metric(ABC, Generic[Score]):
    """A metric with its options. It holds no state beside them: any number of threads can share it."""

    name: str

    def __init__(
        self, max_order: int, tokenize: AnyTokenizer, lowercase: bool, normalize: Form | None, threads: int
    ) -> None:
        self.max_order = whole_number(max_order, "max_order", 1, MAX_ORDER)
        self.tokenizer = get_tokenizer(tokenize, lowercase, normalize)
        self.threads = whole_number(threads, "threads", 1, 1024)

    #: Whether references count one by one, or all together.
    _per_reference: bool

    @abstractmethod
    def _rows(self, matched: Matched) -> NgramCounts:
        """What was counted, one row a segment."""

    @abstractmethod
    def _score_one(self, counted: Counted) -> Score:
        """Score a segment that was counted without arrays, by the same rules."""

    @abstractmethod
    def _score_row(self, row: list[int], n_references: int | None, of_sentence: bool) -> Score:
        """Score one row of counts, of a segment or a corpus."""

    @abstractmethod
    def _scores(self, counts: NgramCounts) -> np.ndarray:
        """Score each row as a sentence."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature()}>"

    @abstractmethod
    def signature(self) -> str:
        """How this metric makes scores, as one line. That of a score has the number of references too."""

    def corpus_score(self, hypotheses: Any, references: Any) -> Score:
        """Score a corpus: the counts of all segments are summed, then scored once.

        Parameters
        ----------
        hypotheses : list of segments, or TokenBatch
            A segment is a str, tokenized by this metric's tokenizer, or a sequence of tokens: all ints or all str.
        references : list, or TokenBatch
            ``references[i]`` is the reference of ``hypotheses[i]``, or a list of its references, where None stands
            for one that is missing.

        Returns
        -------
        BLEUScore or GLEUScore

        Raises
        ------
        TypeError, ValueError
            If something is not of that form, if the two differ in length, or if there is no segment.
        """
        source = collect(hypotheses, references, self.tokenizer)
        if not len(source):
            raise ValueError("a corpus without a segment has no score")
        return self.score_counts(self._count(source))

    def sentence_score(self, hypothesis: Any, references: Any) -> Score:
        """Score one segment.

        Parameters
        ----------
        hypothesis : str or sequence of tokens
        references : str, sequence of tokens, or a list of such
            One reference, or a list of them, where None stands for one that is missing.

        Returns
        -------
        BLEUScore or GLEUScore
        """
        counted = count_one(hypothesis, references, self.tokenizer, self.max_order, self._per_reference)
        if counted is not None:
            return self._score_one(counted)
        counts = self._count(collect_one(hypothesis, references, self.tokenizer))
        return self._score_row(counts.values[0].tolist(), counts.n_references, of_sentence=True)

    def sentence_scores(
        self, hypotheses: Any, references: Any, *, ref_index: Any = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Score each segment by itself.

        Parameters
        ----------
        hypotheses, references
            As for ``corpus_score``. An empty batch gives an empty array.
        ref_index : integer array [B], optional
            Compare hypothesis ``i`` with ``references[ref_index[i]]``. Neighbours with the same index, or with the
            same object as reference, share the work on it.
        out : float64 array [B], optional
            Where to put the scores.

        Returns
        -------
        float64 array [B]
            ``sentence_score(...).score`` of each segment, on the 0..1 scale.
        """
        scores = self.scores_from_counts(self.counts(hypotheses, references, ref_index=ref_index))
        if out is None:
            return scores
        if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != scores.shape:
            raise ValueError(f"out is {describe(out)}; wanted a float64 array of shape {scores.shape}")
        out[...] = scores
        return out

    def counts(self, hypotheses: Any, references: Any, *, ref_index: Any = None) -> NgramCounts:
        """Count matches and totals, one row a segment.

        The parameters are those of ``sentence_scores``.

        Returns
        -------
        NgramCounts
        """
        return self._count(collect(hypotheses, references, self.tokenizer, ref_index))

    def _count(self, source: Segments | Strings) -> NgramCounts:
        def count(start: int, stop: int) -> NgramCounts:
            return self._rows(source.match(start, stop, self.max_order, self._per_reference))

        return NgramCounts.concatenate(in_parts(source, self.threads, count))

    def score_counts(self, counts: NgramCounts) -> Score:
        """Score the sum of all rows, as a corpus.

        Parameters
        ----------
        counts : NgramCounts
            Made by a metric with the same orders.

        Returns
        -------
        BLEUScore or GLEUScore
        """
        self._check(counts)
        if not len(counts):
            raise ValueError("counts without a row have no score")
        return self._score_row(counts.values.sum(axis=0).tolist(), counts.n_references, of_sentence=False)

    def scores_from_counts(self, counts: NgramCounts) -> np.ndarray:
        """Score each row, as a sentence.

        Parameters
        ----------
        counts : NgramCounts
            Made by a metric with the same orders.

        Returns
        -------
        float64 array [B]
        """
        self._check(counts)
        return self._scores(counts)

    @property
    def _orders(self) -> tuple[int, int]:
        return 1, self.max_order

    def _check(self, counts: NgramCounts) -> None:
        if not isinstance(counts, NgramCounts):
            raise TypeError(f"counts is {describe(counts)}; wanted NgramCounts")
        if (counts.metric, counts.min_order, counts.max_order) != (self.name, *self._orders):
            low, high = self._orders
            raise ValueError(f"{counts!r} cannot be scored by {self.name} with orders {low} to {high}")

    def _text_items(self) -> dict[str, str]:
        items = {"case": "lc" if self.tokenizer.lowercase else "mixed"}
        if self.tokenizer.normalize is not None:
            items["norm"] = self.tokenizer.normalize
        return items


def whole_number(value: Any, name: str, low: int, high: int) -> int:
    """An int from low to high, or an error that says so."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {describe(value)}; wanted an int from {low} to {high}")
    if not low <= value <= high:
        raise ValueError(f"{name} is {value}; wanted an int from {low} to {high}")
    return int(value)
