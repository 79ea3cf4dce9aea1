"""What sacreBLEU's metrics have in common: checks, corpora, sentences, bootstrap, signature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from clipgram.compat.sacrebleu.resampling import resampled_scores
from clipgram.compat.sacrebleu.signature import MADE_BY, Signature


class Metric(ABC):
    """A metric that counts segments, adds up the counts and scores the sum.

    Attributes
    ----------
    made_by : str
        The program that computes the scores.
    """

    made_by = MADE_BY
    _SIGNATURE_TYPE: type[Signature] = Signature

    def __init__(self) -> None:
        self._ref_cache: Any = None
        self._force = True
        self.n_bootstrap: int | None = None
        self.seed: str | None = None

    @abstractmethod
    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> list[list[Any]]:
        """Statistics of each segment; with references None, against those given to the constructor."""

    @abstractmethod
    def _compute_score_from_stats(self, stats: Any) -> Any:
        """The score of one row of statistics, of a segment or summed."""

    def _aggregate_and_compute(self, stats: Any) -> Any:
        """The score of the sum of several rows of statistics."""
        return self._compute_score_from_stats(_sum(stats))

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Score one segment.

        Parameters
        ----------
        hypothesis : str
        references : sequence of str
            All references of this segment; None stands for one that is missing.

        Returns
        -------
        Score
        """
        self._check_sentence_score_args(hypothesis, references)
        streams = [[reference] for reference in references]
        return self._aggregate_and_compute(self._extract_corpus_statistics([hypothesis], streams))

    def corpus_score(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]] | None, n_bootstrap: int = 1
    ) -> Any:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
        references : sequence of sequences of str, or None
            Streams: ``references[j][i]`` is the j-th reference of ``hypotheses[i]``, None where there is none.
            Streams longer than the shortest one are cut. None takes the references given to the constructor.
        n_bootstrap : int
            More than 1 gives the score a mean and a 95 % confidence interval from so many resampled corpora.

        Returns
        -------
        Score
        """
        self._check_corpus_score_args(hypotheses, references)
        stats = self._extract_corpus_statistics(hypotheses, references)
        return self._with_interval(self._aggregate_and_compute(stats), stats, n_bootstrap)

    def get_signature(self) -> Any:
        """How the scores are made.

        Returns
        -------
        Signature

        Raises
        ------
        ValueError
            Before anything was scored: the number of references is part of it.
        """
        return self._SIGNATURE_TYPE(self.__dict__)

    def _with_interval(self, score: Any, stats: Any, n_bootstrap: int) -> Any:
        """The score with a confidence interval, if one was asked for."""
        if n_bootstrap > 1:
            self.n_bootstrap = n_bootstrap
            self.seed, scores = resampled_scores(self, stats, n_bootstrap)
            score._set_interval(scores)
        return score

    def _check_sentence_score_args(self, hyp: Any, refs: Any) -> None:
        if not isinstance(hyp, str):
            wrong = f"the hypothesis is of type {type(hyp).__name__}; wanted a str"
        elif isinstance(refs, str) or not isinstance(refs, Sequence):
            wrong = f"the references are of type {type(refs).__name__}; wanted a list of str"
        elif not _is_line(refs[0]):
            wrong = f"the first reference is of type {type(refs[0]).__name__}; wanted a str"
        else:
            return
        raise TypeError(f"{type(self).__name__}: {wrong}")

    def _check_corpus_score_args(self, hyps: Any, refs: Any) -> None:
        wrong = None
        if not isinstance(hyps, Sequence):
            wrong = f"the hypotheses are of type {type(hyps).__name__}; wanted a list of str"
        elif not isinstance(hyps[0], str):
            wrong = f"the first hypothesis is of type {type(hyps[0]).__name__}; wanted a str"
        elif type(None) in set(map(type, hyps)):
            wrong = "a hypothesis is None; wanted a str"
        if refs is not None:
            streams = "a list of streams, each a list with one str a hypothesis"
            if not isinstance(refs, Sequence):
                wrong = f"the references are of type {type(refs).__name__}; wanted {streams}"
            elif not isinstance(refs[0], Sequence):
                wrong = f"the first stream of references is of type {type(refs[0]).__name__}; wanted {streams}"
            elif not _is_line(refs[0][0]):
                wrong = f"the first reference is of type {type(refs[0][0]).__name__}; wanted {streams}"
        if wrong:
            raise TypeError(f"{type(self).__name__}: {wrong}")


def _is_line(thing: Any) -> bool:
    return isinstance(thing, str) or thing is None


def _sum(rows: Any) -> Any:
    """The sum of several rows, column by column, in numbers of the type of the first. One row is its own sum."""
    if len(rows) == 1:
        return rows[0]
    total = [type(rows[0][0])(0.0)] * len(rows[0])
    for row in rows:
        for i in range(len(total)):
            total[i] += row[i]  # not sum(), which rounds floats less from Python 3.12
    return total
