"""Paired significance tests of several systems against the first one, with sacreBLEU's random numbers."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clipgram.compat.sacrebleu.resampling import (
    drawn_sums,
    resampled_scores,
    scores_of,
    seed_from_environment,
    swapped_sums,
)

__all__ = ["PairedTest", "Result", "estimate_ci"]

LOGGER = logging.getLogger("sacrebleu")

SAMPLES = {"ar": 10_000, "bs": 1000}


class Result:
    """What a test found out about one system.

    Attributes
    ----------
    score : float
    p_value : float or None
        How likely a difference to the baseline of this size is by chance. The baseline itself has None.
    mean, ci : float or None
        Mean score of resampled corpora, and half the length of its 95 % confidence interval.

    Examples
    --------
    >>> Result(30.5, 0.04)
    score=30.5,p_value=0.04,mean=None,ci=None
    """

    def __init__(
        self, score: float, p_value: float | None = None, mean: float | None = None, ci: float | None = None
    ) -> None:
        self.score = score
        self.p_value = p_value
        self.mean = mean
        self.ci = ci

    def __repr__(self) -> str:
        return ",".join(f"{name}={value!s}" for name, value in vars(self).items())


def estimate_ci(scores: np.ndarray) -> tuple[float, float]:
    """Mean, and half the length of the 95 % confidence interval.

    Parameters
    ----------
    scores : array of float
        Of resampled corpora.

    Examples
    --------
    >>> mean, half = estimate_ci(np.arange(41.0))
    >>> float(mean), float(half)
    (20.0, 19.0)
    """
    ordered = np.sort(scores)
    cut = len(ordered) // 40
    return ordered.mean(), 0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut])


class PairedTest:
    """Whether systems differ from the first one by more than chance.

    Parameters
    ----------
    named_systems : list of (str, sequence of str)
        Names and hypotheses; the first is the baseline.
    metrics : mapping of str to metric
        sacreBLEU's own metrics will do as well.
    references : sequence of sequences of str, or None
        Streams; None takes those given to the metrics.
    test_type : {"ar", "bs"}
        Approximate randomization, or bootstrap resampling.
    n_samples : int
        Trials or resamples; 0 takes 10,000 or 1,000.
    n_ar_confidence : int
        With ``"ar"``, resamples for confidence intervals: -1 none, 0 takes 1,000.
    n_jobs : int
        Accepted, and checked as sacreBLEU does. The systems are done one after the other, which takes less time than
        it takes to start processes.

    Notes
    -----
    The environment variable SACREBLEU_SEED seeds the random numbers: 12345 by default, ``none`` for others each time.

    References
    ----------
    Koehn, "Statistical Significance Tests for Machine Translation Evaluation" (EMNLP 2004), for the bootstrap.
    Riezler and Maxwell, "On Some Pitfalls in Automatic Evaluation and Significance Testing for MT" (2005), for
    approximate randomization.

    Examples
    --------
    >>> from clipgram.compat.sacrebleu import BLEU
    >>> systems = [("A", ["the cat sat on a mat", "it rained"]), ("B", ["a cat sat there", "it rained"])]
    >>> references = [["the cat sat on the mat", "it rained"]]
    >>> signatures, scores = PairedTest(systems, {"BLEU": BLEU()}, references, "bs", n_samples=100)()
    >>> scores["System"], round(scores["BLEU"][1].p_value, 2)
    (['A', 'B'], 0.01)
    >>> signatures["BLEU"]
    nrefs:1|bs:100|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
    """

    _DEFAULT_SAMPLES = SAMPLES

    def __init__(
        self,
        named_systems: list[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Any],
        references: Sequence[Sequence[str]] | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in self._DEFAULT_SAMPLES:
            raise AssertionError(f"test_type is {test_type!r}; wanted 'ar' or 'bs'")
        self.test_type = test_type
        self._seed = seed_from_environment()[1]
        self.references = references
        self.named_systems = named_systems
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence if n_ar_confidence != 0 else self._DEFAULT_SAMPLES["bs"]
        self.n_systems = len(named_systems) - 1
        self.n_jobs = _number_of_jobs(n_jobs, self.n_systems)
        self.metrics: dict[str, Any] = {}
        self._signatures: dict[str, Any] = {}
        self._baseline_info: dict[str, tuple[Any, Result]] = {}
        name, hypotheses = named_systems[0]
        for metric_name, metric in metrics.items():
            LOGGER.info(f"Pre-computing {metric_name} statistics for {name!r}")
            self._add_baseline(metric, hypotheses)

    def _add_baseline(self, metric: Any, hypotheses: Sequence[str]) -> None:
        stats = metric._extract_corpus_statistics(hypotheses, self.references)
        score = metric._aggregate_and_compute(stats)
        result = Result(score.score)
        resamples = self.n_samples if self.test_type == "bs" else self.n_ar_confidence
        if resamples > 0:
            result.mean, result.ci = estimate_ci(np.array(resampled_scores(metric, stats, resamples)[1]))
        self._baseline_info[score.name] = stats, result
        self.metrics[score.name] = metric
        signature = metric.get_signature()
        signature.update("seed", str(self._seed).lower())
        signature.update(self.test_type, self.n_samples)
        if self.n_ar_confidence > 0:
            signature.update("bs", self.n_ar_confidence)
        self._signatures[score.name] = signature

    def __call__(self) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        """Run the test.

        Returns
        -------
        signatures : dict
            By the name of the metric.
        scores : dict
            ``"System"`` has the systems' names, the name of each metric a ``Result`` for each system.
        """
        scores: dict[str, list[Any]] = {"System": [name for name, _ in self.named_systems]}
        for name, (_, result) in self._baseline_info.items():
            scores[name] = [result]
        if self.n_jobs != 1:
            if self.n_jobs < 1:
                raise ValueError(f"n_jobs is {self.n_jobs}; wanted 1 or more")
            LOGGER.info(f"Launching {self.n_jobs} parallel workers.")
        test = _randomize if self.test_type == "ar" else _resample
        # One sequence of random numbers, begun anew for every system and metric.
        seed = np.random.SeedSequence(self._seed or None)  # 0 is no seed in sacreBLEU either
        for system, hypotheses in self.named_systems[1:]:
            for name, metric in self.metrics.items():
                LOGGER.info(f"Computing {name} for {system!r} and extracting sufficient statistics")
                stats = metric._extract_corpus_statistics(hypotheses, self.references)
                result = Result(metric._aggregate_and_compute(stats).score)
                baseline, rng = self._baseline_info[name], np.random.default_rng(seed)
                test(self, metric, baseline, stats, result, len(hypotheses), rng)
                scores[name].append(result)
        return self._signatures, scores


def _resample(
    test: PairedTest,
    metric: Any,
    baseline: tuple[Any, Result],
    stats: Any,
    result: Result,
    n: int,
    rng: np.random.Generator,
) -> None:
    """Both systems on the same resampled corpora, centred: Koehn's paired bootstrap as Moses has it."""
    LOGGER.info(f" > Performing paired bootstrap resampling test (# resamples: {test.n_samples})")
    tables = [np.asarray(baseline[0]), np.asarray(stats)]
    first, second = (np.array(scores_of(metric, sums)) for sums in drawn_sums(rng, n, test.n_samples, tables))
    result.mean, result.ci = estimate_ci(second)
    differences = np.abs(second - first)
    result.p_value = _p_value(differences - differences.mean(), baseline[1], result)


def _randomize(
    test: PairedTest,
    metric: Any,
    baseline: tuple[Any, Result],
    stats: Any,
    result: Result,
    n: int,
    rng: np.random.Generator,
) -> None:
    """Two systems made of both by a throw of a coin for each segment."""
    chosen = rng.integers(2, size=(test.n_samples, n), dtype=bool)
    LOGGER.info(f" > Performing approximate randomization test (# trials: {test.n_samples})")
    first, second = swapped_sums(chosen, np.asarray(baseline[0]), np.asarray(stats))
    first, second = (np.array(scores_of(metric, sums, "_aggregate_and_compute")) for sums in (first, second))
    result.p_value = _p_value(np.abs(first - second), baseline[1], result)
    if test.n_ar_confidence > 0:
        LOGGER.info(
            f" > Performing bootstrap resampling for confidence interval (# resamples: {test.n_ar_confidence})"
        )
        (sums,) = drawn_sums(rng, n, test.n_ar_confidence, [np.asarray(stats)])
        result.mean, result.ci = estimate_ci(np.array(scores_of(metric, sums)))


def _p_value(differences: np.ndarray, baseline: Result, result: Result) -> float:
    """How many differences by chance are larger than the real one, the real one itself counted as one of them."""
    larger = int(np.count_nonzero(differences > abs(baseline.score - result.score)))
    return (larger + 1) / (len(differences) + 1)


def _number_of_jobs(n_jobs: int, n_systems: int) -> int:
    if os.name == "nt":
        LOGGER.warning("Parallel tests are not supported on Windows.")
        return 1
    if n_jobs == 0:
        # Half of the processors, as two threads may share one; no more than there are systems.
        half = multiprocessing.cpu_count() // 2
        return min(half, n_systems) if half else 1
    return n_jobs
