"""What decoding and the study of samples ask for: expected utilities, self-BLEU, repetition."""

from __future__ import annotations

from typing import Any

import numpy as np

from clipgram._backend import index
from clipgram._describe import describe
from clipgram.bleu import BLEU
from clipgram.matrix import group_sizes, some_of
from clipgram.metric import Metric, whole_number
from clipgram.segments import collect_sides
from clipgram.tokenizers import AnyTokenizer, get_tokenizer

ROWS = 1024  # of a matrix that is only summed


def mbr(batch: Any, metric: Metric[Any], weights: Any = None, *, references: Any = None, groups: Any = None) -> np.ndarray:
    """Expected utility of each candidate: its mean score against all samples, for minimum Bayes risk decoding.

    The best candidate is the ``argmax``. A candidate counts as a sample too, itself included, unless there are
    references.

    Parameters
    ----------
    batch : list of segments, or TokenBatch
        The candidates.
    metric : BLEU or GLEU
    weights : sequence of float, optional
        What each sample counts for, such as its probability; not negative. They are divided by their sum, in each
        group by that of the group. By default all count the same.
    references : list of segments, or TokenBatch, optional
        Samples to compare with instead of the candidates.
    groups : int or sequence of int, optional
        Compare only within groups of neighbours, see ``pairwise_scores``.

    Returns
    -------
    float64 array [H]

    References
    ----------
    Eikema and Aziz, "Sampling-Based Approximations to Minimum Bayes Risk Decoding for Neural Machine Translation"
    (EMNLP 2022), section 3.

    Examples
    --------
    >>> from clipgram import GLEU
    >>> candidates = ["a cat sat on the mat", "the cat sat on the mat", "dogs run"]
    >>> mbr(candidates, GLEU()).round(3).tolist()
    [0.593, 0.593, 0.333]
    >>> int(mbr(candidates, GLEU(), weights=[0.5, 0.2, 0.3]).argmax())
    0
    """
    if not isinstance(metric, Metric):
        raise TypeError(f"metric is {describe(metric)}; wanted a BLEU or a GLEU")
    scores = metric.pairwise_scores(batch, references, groups=groups)
    if isinstance(scores, np.ndarray) and scores.ndim == 2:
        return _expected(scores, None if weights is None else _checked(weights, scores.shape[1]))
    matrices = list(scores)
    n = sum(len(matrix) for matrix in matrices)
    sizes = group_sizes(groups, n)
    parts = [None] * len(matrices) if weights is None else np.split(_checked(weights, n), np.cumsum(sizes)[:-1])
    return np.concatenate([np.empty(0), *map(_expected, matrices, parts)])


def _checked(weights: Any, n: int) -> np.ndarray:
    checked = np.asarray(weights)
    if checked.shape != (n,) or checked.dtype.kind not in "iuf":
        raise ValueError(f"weights is {describe(weights)}; wanted {n} numbers, one a sample")
    if not (np.isfinite(checked) & (checked >= 0)).all():
        raise ValueError("weights has a number that is negative or not finite")
    return checked.astype(float)


def _expected(scores: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    if not scores.size:
        if len(scores):
            raise ValueError("there is no sample to compare with")
        return np.empty(0)
    if weights is None:
        return scores.mean(axis=1)
    if not weights.sum() > 0:
        raise ValueError("weights are all 0; wanted one above 0 among the samples compared with")
    return scores @ (weights / weights.sum())


def self_bleu(batch: Any, mode: str = "leave_one_out", *, metric: BLEU | None = None) -> float:
    """How alike several texts are: the mean BLEU of each of them against the others.

    Two definitions go by this name, and their values differ much.

    Parameters
    ----------
    batch : list of segments, or TokenBatch
        At least two texts.
    mode : {"leave_one_out", "pairwise"}
        ``leave_one_out`` takes all others together as the references of each text, and so grows with their number.
        ``pairwise`` takes one other text at a time, and is the mean over all ordered pairs.
    metric : BLEU, optional
        ``BLEU()`` by default.

    Returns
    -------
    float
        From 0 to 1; 1 if all texts are the same.

    References
    ----------
    Zhu et al., "Texygen: A Benchmarking Platform for Text Generation Models" (SIGIR 2018), section 3, for
    ``leave_one_out``.

    Examples
    --------
    >>> texts = ["it rains all day", "it rains all night", "the cat sat"]
    >>> round(self_bleu(texts), 4), round(self_bleu(texts, "pairwise"), 4)
    (0.3964, 0.1982)
    """
    if metric is None:
        metric = BLEU()
    if not isinstance(metric, BLEU):
        raise TypeError(f"metric is {describe(metric)}; wanted a BLEU")
    if mode not in ("leave_one_out", "pairwise"):
        raise ValueError(f"mode is {mode!r}; wanted 'leave_one_out' or 'pairwise'")
    texts, n = collect_sides(batch, None, metric.tokenizer)
    if n < 2:
        raise ValueError(f"there are {n} texts; to be compared with others takes two")
    if mode == "leave_one_out":
        return float(metric._scores_among(texts).mean())
    total = 0.0
    for start in range(0, n, ROWS):
        rows = slice(start, min(start + ROWS, n))
        size = rows.stop - start
        scores = metric._pairwise(some_of(texts, [rows, slice(0, n)]), size, False)
        total += float(scores.sum() - scores[np.arange(size), np.arange(start, rows.stop)].sum())
    return total / (n * (n - 1))


def repetition(batch: Any, n: int = 3, *, tokenize: AnyTokenizer = "13a") -> np.ndarray:
    """How much each text repeats itself: the share of its n-grams that have occurred in it before.

    That is 1 less the ratio of distinct n-grams to all. TRL's repetition penalty is this times its ``max_penalty``.

    Parameters
    ----------
    batch : list of segments, or TokenBatch
    n : int
        The order, 1 to 16.
    tokenize
        For text, see ``BLEU``.

    Returns
    -------
    float64 array [B]
        From 0 to below 1; 0 for a text without n-grams.

    Examples
    --------
    >>> repetition([[1, 2, 1, 2, 1], [1, 2, 3], [1]], n=2).tolist()
    [0.5, 0.0, 0.0]
    """
    n = whole_number(n, "n", 1, 16)
    texts, _ = collect_sides(batch, None, get_tokenizer(tokenize, False, None))
    _, _, repeats = index.number_ngrams(texts.values, texts.offsets, n)
    totals = np.maximum(texts.lengths - (n - 1), 0)
    distinct = totals - repeats[:, n - 1]
    return np.where(totals > 0, 1 - distinct / np.maximum(totals, 1), 0.0)
