"""What BLEU and GLEU have in common: options about text, and the way from segments to counts to scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar, overload

import numpy as np

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
from clipgram.batch import TokenBatch
from clipgram.counts import Counted, NgramCounts, count_one, in_parts
from clipgram.matrix import group_sizes, score_pairs, some_of
from clipgram.prefix import score_prefixes, shape
from clipgram.segments import Matched, Segments, Strings, collect, collect_one, collect_sides
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

    #: Whether the matches of all orders count alike.
    _orders_together = False

    @abstractmethod
    def _pair_scores(self, lengths: np.ndarray, reference_lengths: np.ndarray, matches: np.ndarray) -> np.ndarray:
        """Score pairs as sentences: lengths [H] and [R], matches [columns, H, R]."""

    @abstractmethod
    def _scores_matched(self, matched: Matched) -> np.ndarray:
        """Score what was matched, as sentences."""

    @abstractmethod
    def _scores(self, counts: NgramCounts) -> np.ndarray:
        """Score each row as a sentence."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature()}>"

    @abstractmethod
    def signature(self) -> str:
        """How this metric makes scores, as one line. That of a score has the number of references too."""

    @overload
    def corpus_score(self, hypotheses: Texts, references: ReferencesOfTexts) -> Score: ...

    @overload
    def corpus_score(self, hypotheses: TokenLists, references: ReferencesOfTokens) -> Score: ...

    def corpus_score(self, hypotheses: Any, references: Any) -> Score:
        """Score a corpus: the counts of all segments are summed, then scored once.

        Parameters
        ----------
        hypotheses : list of segments, or TokenBatch
            A segment is a str, tokenized by this metric's tokenizer, or a sequence of tokens: all ints or all str.
            What ``TokenBatch.from_lists`` or ``from_arrow`` reads without options may be passed as it is: an integer
            matrix is a segment a row, all of it, so one with padding must go through ``from_padded``.
        references : list, TokenBatch or References
            ``references[i]`` is the reference of ``hypotheses[i]``, or a list of its references, where None stands
            for one that is missing. Those that are used again and again may be prepared once, see ``References``.

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

    @overload
    def sentence_score(self, hypothesis: str, references: TextReferences) -> Score: ...

    @overload
    def sentence_score(self, hypothesis: Tokens, references: TokenReferences) -> Score: ...

    def sentence_score(self, hypothesis: Any, references: Any) -> Score:
        """Score one segment.

        Parameters
        ----------
        hypothesis : str or sequence of tokens
        references : str, sequence of tokens, a list of such, or References
            One reference, or a list of them, where None stands for one that is missing; or one entry of References.

        Returns
        -------
        BLEUScore or GLEUScore
        """
        counted = count_one(hypothesis, references, self.tokenizer, self.max_order, self._per_reference)
        if counted is not None:
            return self._score_one(counted)
        counts = self._count(collect_one(hypothesis, references, self.tokenizer))
        return self._score_row(counts.values[0].tolist(), counts.n_references, of_sentence=True)

    @overload
    def sentence_scores(
        self, hypotheses: Texts, references: ReferencesOfTexts, *, ref_index: Any = None, out: np.ndarray | None = None
    ) -> np.ndarray: ...

    @overload
    def sentence_scores(
        self, hypotheses: TokenLists, references: ReferencesOfTokens, *, ref_index: Any = None, out: np.ndarray | None = None
    ) -> np.ndarray: ...

    def sentence_scores(
        self, hypotheses: Any, references: Any, *, ref_index: Any = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Score each segment by itself.

        Parameters
        ----------
        hypotheses, references
            As for ``corpus_score``. An empty batch gives an empty array.
        ref_index : integer array [B], optional
            Compare hypothesis ``i`` with ``references[ref_index[i]]``. Neighbours with the same index, or with equal
            references, share the work on them.
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
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is {describe(out)}; wanted a float64 array of shape {scores.shape}")
        if out.dtype != np.float64 or out.shape != scores.shape:
            raise ValueError(f"out is {describe(out)}; wanted a float64 array of shape {scores.shape}")
        out[...] = scores
        return out

    def prefix_scores(
        self,
        hypotheses: Any,
        references: Any,
        *,
        delta: bool = False,
        to_go: bool = False,
        gamma: float | None = None,
        ref_index: Any = None,
    ) -> np.ndarray | list[np.ndarray]:
        """Score every prefix of each hypothesis, in one pass: one value a token.

        Parameters
        ----------
        hypotheses, references, ref_index
            As for ``sentence_scores``.
        delta : bool
            What each token adds: the score of the prefix that it ends, less that of the prefix before it (0 for the
            empty one). The values of a hypothesis add up to its score.
        to_go : bool
            What the tokens from each one on add: the sums of the differences from there to the end. Instead of
            ``delta``.
        gamma : float, optional
            With ``delta``, ``gamma`` times the score of the prefix less that of the one before: shaping by a potential,
            which leaves the best policy what it is. With ``to_go``, the discounted sums of those.

        Returns
        -------
        float64 array or list of such
            For a batch from a padded matrix, or a matrix, one of the same shape, 0 where no token is; for any other
            ``TokenBatch``, one value a token, aligned with its ``values``; for anything else, an array a hypothesis.

        Notes
        -----
        Every value is that of ``sentence_score`` for the prefix alone, its brevity penalty included. BLEU with
        ``smooth_method="laplace"`` is the smoothing of Bahdanau et al., which lets every prefix score.

        References
        ----------
        Bahdanau et al., "An Actor-Critic Algorithm for Sequence Prediction" (ICLR 2017), section 3.2, for differences
        of smoothed BLEU as rewards. Wu et al., "A Study of Reinforcement Learning for Neural Machine Translation"
        (EMNLP 2018), section 3, for their sums. Ng, Harada and Russell, "Policy Invariance under Reward
        Transformations" (ICML 1999), for ``gamma``.

        Examples
        --------
        >>> from clipgram import GLEU
        >>> GLEU(max_order=2).prefix_scores([[5, 8, 2]], [[5, 8, 9]])
        [array([0.2, 0.6, 0.6])]
        >>> GLEU(max_order=2).prefix_scores([[5, 8, 2]], [[5, 8, 9]], delta=True)[0].round(3).tolist()
        [0.2, 0.4, 0.0]
        """
        if delta and to_go:
            raise ValueError("delta and to_go are both given; choose delta for the differences or to_go for their sums")
        if gamma is not None:
            if isinstance(gamma, bool) or not isinstance(gamma, (int, float, np.floating)) or not 0 <= gamma <= 1:
                raise ValueError(f"gamma is {describe(gamma)}; wanted a number from 0 to 1")
            if not delta and not to_go:
                raise ValueError("gamma is for differences; it needs delta=True or to_go=True")
        source = collect(hypotheses, references, self.tokenizer, ref_index)
        segments = source.encoded() if isinstance(source, Strings) else source
        batch = segments.hypotheses
        values = score_prefixes(segments, self.max_order, self._per_reference, self.threads, self._scores_matched)
        values = shape(values, batch.offsets, delta, to_go, gamma)
        if isinstance(hypotheses, TokenBatch) or batch._layout is not None:
            return batch._align(values)
        return np.split(values, batch.offsets[1:-1]) if len(batch) else []

    def pairwise_scores(self, hypotheses: Any, references: Any = None, *, groups: Any = None) -> Any:
        """Score each hypothesis with each reference.

        Parameters
        ----------
        hypotheses : list of segments, or TokenBatch
        references : the same, optional
            Each a single reference. By default the hypotheses themselves, which are counted once for both directions.
        groups : int or sequence of int, optional
            Score only within groups: neighbours, as many to a group as this says, with as many neighbours among the
            references.

        Returns
        -------
        float64 array [H, R]
            ``sentence_score(hypotheses[i], references[j]).score`` at ``[i, j]``. With one number of ``groups``, an
            array [G, n, n]; with several, a list of matrices.

        Examples
        --------
        >>> from clipgram import GLEU
        >>> GLEU(max_order=2).pairwise_scores(["a b c", "a b"], ["a b c", "c d", "b"]).round(2).tolist()
        [[1.0, 0.2, 0.2], [0.6, 0.0, 0.33]]
        """
        texts, n = collect_sides(hypotheses, references, self.tokenizer)
        if groups is None:
            return self._pairwise(texts, n, references is None)
        sizes = group_sizes(groups, n)
        if references is not None and len(texts) != 2 * n:
            raise ValueError(f"there are {n} hypotheses and {len(texts) - n} references; groups want as many of both")
        ends = np.cumsum(sizes)
        matrices = []
        for start, stop in zip((ends - sizes).tolist(), ends.tolist(), strict=True):
            sides = [slice(start, stop)] if references is None else [slice(start, stop), slice(n + start, n + stop)]
            matrices.append(self._pairwise(some_of(texts, sides), stop - start, references is None))
        return np.array(matrices).reshape(-1, groups, groups) if np.ndim(groups) == 0 else matrices

    def _pairwise(self, texts: TokenBatch, n: int, among: bool) -> np.ndarray:
        return score_pairs(texts, n, among, self._orders, self._orders_together, self.threads, self._pair_scores)

    @overload
    def counts(self, hypotheses: Texts, references: ReferencesOfTexts, *, ref_index: Any = None) -> NgramCounts: ...

    @overload
    def counts(
        self, hypotheses: TokenLists, references: ReferencesOfTokens, *, ref_index: Any = None
    ) -> NgramCounts: ...

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
