"""BLEU as sacreBLEU computes it, to the last digit, counted by clipgram's core."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from itertools import islice
from math import exp, log
from typing import Any, ClassVar

import numpy as np

from clipgram.compat.sacrebleu.counting import (
    MOST,
    Info,
    ReferenceCache,
    Streams,
    all_plain,
    closest_length,
    reference_info,
    segment_statistics,
)
from clipgram.compat.sacrebleu.metrics.base import Metric
from clipgram.compat.sacrebleu.score import BLEUScore
from clipgram.compat.sacrebleu.signature import SMOOTH_DEFAULTS, BLEUSignature
from clipgram.compat.sacrebleu.tokenizers import RULE_TOKENIZERS, TOKENIZERS, tokenizer_called
from clipgram.counts import count_one

__all__ = ["BLEU", "BLEUScore", "BLEUSignature"]

LOGGER = logging.getLogger("sacrebleu")

MAX_NGRAM_ORDER = 4
TOKENIZED_LINES = 100  # that end in " ." before anybody is warned

# Methods that a subclass or a user may replace; what they would have done must then be left to them.
_TEXT = frozenset({"_preprocess_segment"})
_COUNTS = frozenset({"_extract_reference_info", "_compute_segment_statistics", "_get_closest_ref_len"})
_FLOW = frozenset({"_extract_corpus_statistics", "_cache_references", "_aggregate_and_compute"})
_SCORES = frozenset({"_compute_score_from_stats", "compute_bleu"})
_EVERY = _TEXT | _COUNTS | _FLOW | _SCORES

_FOR_ZEROS = frozenset({"none", "floor", "exp"})  # methods that change nothing where all orders match
_LOG_OF_0 = -9999999999

_FIELDS = 12  # that a metric has by itself, before it has seen references

# What NumPy's float32 scalars become when they meet a Python float: float32 from NumPy 2 on, float64 before.
_WITH_FLOAT = (np.float32(1) * 1.0).dtype


class BLEU(Metric):
    """BLEU with sacreBLEU's arguments and numbers, on the scale from 0 to 100.

    Parameters
    ----------
    lowercase : bool
        Lowercase text first.
    force : bool
        Do not warn of hypotheses that look tokenized.
    tokenize : str, optional
        A key of ``TOKENIZERS``. By default 13a, or what ``trg_lang`` asks for.
    smooth_method : {"exp", "floor", "add-k", "none"}
    smooth_value : float, optional
        For ``floor`` (by default 0.1) and ``add-k`` (by default 1).
    max_ngram_order : int
    effective_order : bool
        Leave out the orders of which there is no hypothesis n-gram. Meant for sentences.
    trg_lang : str
        ``"zh"``, ``"ja"`` and ``"ko"`` have tokenizers of their own.
    references : sequence of sequences of str, optional
        Streams for ``corpus_score(hypotheses, None)``.

    Raises
    ------
    AssertionError
        If there is no such smoothing method.
    KeyError
        If there is no such tokenizer.

    References
    ----------
    Post, "A Call for Clarity in Reporting BLEU Scores" (WMT 2018).

    Examples
    --------
    >>> metric = BLEU()
    >>> metric.corpus_score(["the cat sat on a mat", "it rained"], [["the cat sat on the mat", "it poured"]])
    BLEU = 50.00 75.0/50.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)
    >>> metric.get_signature()
    nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
    """

    SMOOTH_DEFAULTS = SMOOTH_DEFAULTS
    TOKENIZERS = TOKENIZERS.keys()
    TOKENIZER_DEFAULT = "13a"
    _TOKENIZER_MAP: ClassVar = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    _LANGUAGES: ClassVar = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}
    _SIGNATURE_TYPE = BLEUSignature
    _replaced_by_class: frozenset[str] = frozenset()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._replaced_by_class = frozenset(name for name in _EVERY if getattr(cls, name) is not getattr(BLEU, name))

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str]] | None = None,
    ) -> None:
        super().__init__()
        self._force = force
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        if smooth_method not in self.SMOOTH_DEFAULTS:
            raise AssertionError("Unknown smooth_method {self.smooth_method!r}")  # sacreBLEU lacks the f, too
        if tokenize is None:
            tokenize = self._TOKENIZER_MAP.get(trg_lang, self.TOKENIZER_DEFAULT)
        else:
            for code, language in self._LANGUAGES.items():
                own = self._TOKENIZER_MAP[code]
                if trg_lang == code and tokenize != own:
                    LOGGER.warning(f"Consider using the {own!r} or 'spm' tokenizer for {language}.")
        self.tokenizer = tokenizer_called(tokenize)
        self.tokenizer_signature = self.tokenizer.signature()
        if references is not None:
            self._ref_cache = self._cache_references(references)

    @staticmethod
    def compute_bleu(
        correct: list[Any],
        total: list[Any],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """BLEU of counts.

        Parameters
        ----------
        correct, total : list of int
            Clipped matches and hypothesis n-grams of each order. ``add-k`` adds to both, in place.
        sys_len, ref_len : int
            Tokens of the hypotheses and of the references.
        smooth_method, smooth_value, effective_order, max_ngram_order
            As for the class.

        Returns
        -------
        BLEUScore

        Examples
        --------
        >>> BLEU.compute_bleu([5, 3, 2, 1], [6, 5, 4, 3], 6, 6)
        BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
        """
        if smooth_method not in SMOOTH_DEFAULTS:
            raise AssertionError("Unknown smooth_method {smooth_method!r}")
        if smooth_value is None:
            smooth_value = SMOOTH_DEFAULTS[smooth_method]
        if smooth_method == "add-k" and any(correct):
            # To the orders that are looked at below, up to the first one without n-grams.
            for n in range(max_ngram_order):
                if n:
                    correct[n] += smooth_value
                    total[n] += smooth_value
                if total[n] == 0:
                    break
        return _score(
            correct, total, sys_len, ref_len, smooth_method, smooth_value, effective_order, max_ngram_order
        )

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> BLEUScore:
        """Score one segment.

        Parameters
        ----------
        hypothesis : str
        references : sequence of str
            All references of this segment; None stands for one that is missing.

        Returns
        -------
        BLEUScore

        Examples
        --------
        >>> BLEU(effective_order=True).sentence_score("the cat", ["the cat sat", "a cat"])
        BLEU = 100.00 100.0/100.0/0.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 2 ref_len = 2)
        """
        if not self.effective_order:
            LOGGER.warning("It is recommended to enable `effective_order` for sentence-level BLEU.")
        order = self.max_ngram_order
        tokenizer = self.tokenizer
        fields = self.__dict__
        if (
            type(hypothesis) is not str
            or (type(references) is not list and type(references) is not tuple)
            or type(tokenizer) not in RULE_TOKENIZERS
            or type(order) is not int
            or not 1 <= order <= MOST
            or self._replaced_by_class
            or ((len(fields) != _FIELDS + 1 or "num_refs" not in fields) and self._replaced(_EVERY))
        ):
            return super().sentence_score(hypothesis, references)
        counted = None
        if not self.lowercase:
            counted = count_one(hypothesis, references, tokenizer.native, order, False)
        elif all(type(reference) in (str, type(None)) for reference in references):
            lowered = [reference and reference.lower() for reference in references]
            counted = count_one(hypothesis.lower(), lowered, tokenizer.native, order, False)
        if counted is None:
            return super().sentence_score(hypothesis, references)
        length, lengths, matches = counted
        self.num_refs = len(lengths)
        reference_length = lengths[0] if len(lengths) == 1 else closest_length(length, lengths)
        method, value, effective = self.smooth_method, self.smooth_value, self.effective_order
        if order == 4 and 0 not in matches and method in _FOR_ZEROS:
            # What is below, for the usual order and nothing to smooth, in a third of the time.
            one, two, three, four = matches
            precisions = (
                100.0 * one / length,
                100.0 * two / (length - 1),
                100.0 * three / (length - 2),
                100.0 * four / (length - 3),
            )
            penalty = 1.0 if length >= reference_length else exp(1 - reference_length / length)
            score = penalty * exp(sum([log(p) for p in precisions]) / 4)
            return BLEUScore._of_numbers(score, matches, None, precisions, penalty, length, reference_length)
        if order == 4 and length > 3:
            totals = [length, length - 1, length - 2, length - 3]
        else:
            totals = [max(length - n, 0) for n in range(order)]
        score_of = _score if method == "exp" or method == "none" else self.compute_bleu  # these two need no value
        return score_of(list(matches), totals, length, reference_length, method, value, effective, order)

    def corpus_score(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]] | None, n_bootstrap: int = 1
    ) -> BLEUScore:
        if self._replaced(_FLOW):
            return super().corpus_score(hypotheses, references, n_bootstrap)
        self._check_corpus_score_args(hypotheses, references)
        rows = self._rows(hypotheses, references)
        if isinstance(rows, list):
            score = self._aggregate_and_compute(rows)
        else:
            score = self._compute_score_from_stats(rows.sum(axis=0).tolist())
        return self._with_interval(score, rows, n_bootstrap)

    corpus_score.__doc__ = Metric.corpus_score.__doc__

    def _replaced(self, names: frozenset[str]) -> bool:
        """Whether one of these methods is not the one below, but a subclass's or the object's own."""
        fields = self.__dict__
        if len(fields) > _FIELDS + ("num_refs" in fields) and not names.isdisjoint(fields):
            return True
        return bool(self._replaced_by_class) and not names.isdisjoint(self._replaced_by_class)

    def _preprocess_segment(self, sent: str) -> str:
        """A text as it is counted: lowercased if asked for, without trailing whitespace, tokenized."""
        if self.lowercase:
            sent = sent.lower()
        return self.tokenizer(sent.rstrip())

    def _compute_score_from_stats(self, stats: Any) -> BLEUScore:
        order = self.max_ngram_order
        return self.compute_bleu(
            correct=stats[2 : 2 + order],
            total=stats[2 + order :],
            sys_len=int(stats[0]),
            ref_len=int(stats[1]),
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective_order=self.effective_order,
            max_ngram_order=order,
        )

    def _get_closest_ref_len(self, hyp_len: int, ref_lens: Iterable[int]) -> int:
        return closest_length(hyp_len, ref_lens)

    def _extract_reference_info(self, refs: Sequence[str]) -> Info:
        """The n-grams and the lengths of tokenized references of one segment."""
        return reference_info(refs, self.max_ngram_order)

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Info) -> list[Any]:
        """Lengths, matches and totals of a tokenized hypothesis, from what ``_extract_reference_info`` returned."""
        return segment_statistics(hypothesis, ref_kwargs, self.max_ngram_order, self._get_closest_ref_len)

    def _cache_references(self, references: Any) -> Any:
        """References ready to be scored against, segment by segment; sets ``num_refs``."""
        streams = Streams.of(references)
        cache: Any = None
        if self._countable() and streams.n and streams.countable:
            if type(self.tokenizer) in RULE_TOKENIZERS and not self._replaced(_TEXT):
                if self.lowercase:
                    streams = streams.prepared([line.lower() for line in streams.lines])
                cache = ReferenceCache(streams, self.tokenizer, bool(self.lowercase), self.max_ngram_order)
            else:
                lines = list(map(self._preprocess_segment, streams.lines))
                if all_plain(lines):
                    cache = ReferenceCache(streams.prepared(lines), None, False, self.max_ngram_order)
        if cache is None:
            cache = [
                self._extract_reference_info(list(map(self._preprocess_segment, lines))) for lines in streams.segments()
            ]
        self.num_refs = streams.number
        return cache

    def _countable(self) -> bool:
        """Whether the core counts n-grams of this order, and nobody else wants to."""
        order = self.max_ngram_order
        return type(order) is int and 1 <= order <= MOST and not self._replaced(_COUNTS)

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> list[list[Any]]:
        """Lengths, matches and totals of each segment."""
        rows = self._rows(hypotheses, references)
        return rows if isinstance(rows, list) else rows.tolist()

    def _rows(self, hypotheses: Any, references: Any) -> np.ndarray | list[list[Any]]:
        """The same as an array where the core counted them, and as a list where it could not."""
        if references:
            cache = self._cache_references(references)
        elif self._ref_cache:
            cache = self._ref_cache
        else:
            raise RuntimeError("there are no references, neither given with the hypotheses nor to the constructor")
        if isinstance(cache, ReferenceCache) and cache.max_order == self.max_ngram_order and self._countable():
            hypotheses = list(islice(hypotheses, len(cache)))
            lines = self._lines_for(cache, hypotheses)
            if lines:
                if not self._force:
                    _warn_of_tokenized_lines(sum([hypothesis.endswith(" .") for hypothesis in hypotheses]))
                return cache.rows(lines)
        rows = []
        tokenized = 0
        for hypothesis, info in zip(hypotheses, cache, strict=False):
            if not self._force and hypothesis.endswith(" ."):
                tokenized += 1
            rows.append(self._compute_segment_statistics(self._preprocess_segment(hypothesis), info))
        _warn_of_tokenized_lines(tokenized)
        return rows

    def _lines_for(self, cache: ReferenceCache, hypotheses: list[Any]) -> list[str] | None:
        """Hypotheses in the state of cached references, or None if that is not to be had."""
        if not all_plain(hypotheses):
            return None
        if cache.tokenizer is None:
            lines = list(map(self._preprocess_segment, hypotheses))
            return lines if all_plain(lines) else None
        if cache.tokenizer is not self.tokenizer or cache.lowercase != bool(self.lowercase) or self._replaced(_TEXT):
            return None
        return [hypothesis.lower() for hypothesis in hypotheses] if cache.lowercase else hypotheses

    def _scores_of_sums(self, sums: np.ndarray) -> list[float] | None:
        """The score of each row of sums, as ``_compute_score_from_stats`` would compute it number by number.

        None if that does something else than it does here, or takes other numbers than those of Python.
        """
        order = self.max_ngram_order
        value = self.smooth_value if self.smooth_value is not None else SMOOTH_DEFAULTS[self.smooth_method]
        if (
            self._replaced(_SCORES | _FLOW)
            or type(order) is not int
            or order < 1
            or type(value) not in (int, float, type(None))
        ):
            return None
        kind: Any = _WITH_FLOAT if sums.dtype == np.float32 else np.dtype(np.float64)
        matches: Any = sums[:, 2 : 2 + order]
        totals: Any = sums[:, 2 + order :]
        if self.smooth_method == "add-k":
            # Into numbers of the same type, so that whole ones stay whole.
            matches, totals = matches.copy(), totals.copy()
            for counts in (matches, totals):
                counts[:, 1:] = (counts[:, 1:].astype(kind) + kind.type(value)).astype(counts.dtype)
        usual: Any = (matches > 0).all(axis=1) & (totals > 0).all(axis=1)
        precisions = 100.0 * matches[usual].astype(kind) / totals[usual].astype(kind)
        logarithms = [map(log, column) for column in precisions.T.tolist()]
        lengths = sums[usual, :2].astype(np.int64).tolist()
        found = iter(
            [
                _brevity_penalty(*pair) * exp(sum(logs) / order)
                for pair, logs in zip(lengths, zip(*logarithms, strict=True), strict=True)
            ]
        )
        return [
            next(found) if as_usual else self._compute_score_from_stats(row.copy()).score
            for as_usual, row in zip(usual.tolist(), sums, strict=True)
        ]


def _score(
    correct: list[Any],
    total: list[Any],
    sys_len: int,
    ref_len: int,
    smooth_method: str,
    smooth_value: Any,
    effective_order: bool,
    max_ngram_order: int,
) -> BLEUScore:
    """``compute_bleu`` after what add-k adds, with the value that belongs to the method."""
    penalty = _brevity_penalty(sys_len, ref_len)
    make = BLEUScore._of_numbers if type(sys_len) is type(ref_len) is int else BLEUScore
    orders = max_ngram_order
    precisions = [0.0] * max_ngram_order
    if not any(correct):
        return make(0.0, correct, total, precisions, penalty, sys_len, ref_len)
    zeros = 1.0
    for n in range(max_ngram_order):
        ngrams = total[n]
        if ngrams == 0:
            break
        if effective_order:
            orders = n + 1
        matches = correct[n]
        if matches != 0:
            precisions[n] = 100.0 * matches / ngrams
        elif smooth_method == "exp":
            zeros *= 2
            precisions[n] = 100.0 / (zeros * ngrams)
        elif smooth_method == "floor":
            precisions[n] = 100.0 * smooth_value / ngrams
    # The builtin sum, because it rounds differently from Python 3.12 on, here as there.
    score = penalty * exp(sum([log(p) if p else _LOG_OF_0 for p in precisions[:orders]]) / orders)
    return make(score, correct, total, precisions, penalty, sys_len, ref_len)


def _brevity_penalty(sys_len: int, ref_len: int) -> float:
    if sys_len >= ref_len:
        return 1.0
    return exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0


def _warn_of_tokenized_lines(number: int) -> None:
    if number >= TOKENIZED_LINES:
        LOGGER.warning("That's 100 lines that end in a tokenized period ('.')")
        LOGGER.warning("It looks like you forgot to detokenize your test data, which may hurt your score.")
        LOGGER.warning(
            "If you insist your data is detokenized, or don't care, you can suppress this message with the "
            "`force` parameter."
        )
