"""GLEU behind sacreBLEU's command line: clipgram's own metric, on the scale from 0 to 100."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clipgram import gleu
from clipgram.compat.sacrebleu.counting import Streams
from clipgram.compat.sacrebleu.metrics.base import Metric
from clipgram.compat.sacrebleu.score import Score
from clipgram.compat.sacrebleu.signature import MADE_BY, Signature
from clipgram.compat.sacrebleu.tokenizers import RULE_TOKENIZERS, tokenizer_called


class GLEUSignature(Signature):
    """How a ``GLEU`` makes scores. Its version is clipgram's, since sacreBLEU has no GLEU."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update(case="c", tok="tok")
        self.info.update(
            version=MADE_BY.replace(" ", "-"),
            case="lc" if args["lowercase"] else "mixed",
            tok=args["tokenizer_signature"],
        )


class GLEU(Metric):
    """Google-BLEU of 1- to 4-grams.

    Parameters
    ----------
    lowercase, tokenize, references
        As for ``BLEU``.

    Examples
    --------
    >>> metric = GLEU()
    >>> metric.corpus_score(["the cat sat on a mat"], [["the cat sat on the mat"]])
    GLEU = 61.11 (P = 61.1 R = 61.1 matches = 11 hyp_ngrams = 18 ref_ngrams = 18)
    >>> metric.get_signature().format().rpartition("|")[0]
    'nrefs:1|case:mixed|tok:13a'
    """

    _SIGNATURE_TYPE = GLEUSignature

    def __init__(
        self,
        lowercase: bool = False,
        tokenize: str | None = None,
        references: Sequence[Sequence[str]] | None = None,
    ) -> None:
        super().__init__()
        self.lowercase = lowercase
        tokenizer = tokenizer_called(tokenize or "13a")
        self.tokenizer_signature = tokenizer.signature()

        def tokens(line: str) -> list[str]:
            return tokenizer(line.rstrip()).split()

        native = tokenizer.rules if type(tokenizer) in RULE_TOKENIZERS else tokens
        self._metric = gleu.GLEU(tokenize=native, lowercase=lowercase)
        if references is not None:
            self._ref_cache = self._streams(references)

    def _streams(self, references: Any) -> Streams:
        streams = Streams.of(references)
        self.num_refs = streams.number
        return streams

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> list[list[int]]:
        streams = self._streams(references) if references else self._ref_cache
        n = min(len(hypotheses), streams.n)
        return self._metric.counts(list(hypotheses[:n]), streams.segments()[:n]).values.tolist()

    def _compute_score_from_stats(self, stats: Any) -> Score:
        hypothesis, reference, larger, *matched = (int(number) for number in stats)
        matches = sum(matched)
        score = Score("GLEU", 100 * matches / larger if larger else 0.0)
        precision = 100 * matches / hypothesis if hypothesis else 0.0
        recall = 100 * matches / reference if reference else 0.0
        score._verbose = (
            f"(P = {precision:.1f} R = {recall:.1f} matches = {matches} "
            f"hyp_ngrams = {hypothesis} ref_ngrams = {reference})"
        )
        return score

    def _scores_of_sums(self, sums: np.ndarray) -> list[float]:
        matches, larger = sums[:, 3:].sum(axis=1).astype(float), sums[:, 2].astype(float)
        return (100 * matches / np.where(larger == 0, 1, larger)).tolist()
