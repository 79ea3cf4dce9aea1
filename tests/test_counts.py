from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from clipgram import BLEU, GLEU, NgramCounts

HYPS = ["the cat sat on a mat", "it rains", "no", ""]
REFS = [["the cat sat on the mat", "a cat sat"], ["it rained"], ["yes"], ["something"]]


def test_the_columns_of_bleu() -> None:
    counts = BLEU(max_order=2).counts(HYPS, REFS)
    assert counts.values.tolist() == [[6, 6, 6, 3, 6, 5], [2, 2, 1, 0, 2, 1], [1, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0]]
    assert counts.matches.tolist() == [[6, 3], [1, 0], [0, 0], [0, 0]]
    assert counts.totals.tolist() == [[6, 5], [2, 1], [1, 0], [0, 0]]
    assert counts.hypothesis_length.tolist() == [6, 2, 1, 0] and counts.reference_length.tolist() == [6, 2, 1, 1]
    assert counts.n_references is None and counts[1:].n_references is None
    assert repr(counts) == "NgramCounts(4 rows of bleu, orders 1 to 2)"


def test_the_columns_of_gleu() -> None:
    counts = GLEU(2, 3).counts(HYPS, REFS)
    assert counts.hypothesis_ngrams.tolist() == [9, 1, 0, 0]
    assert counts.reference_ngrams.tolist() == [9, 1, 0, 0]
    assert counts.larger_ngrams.tolist() == [9, 1, 0, 0]
    assert counts.matches.tolist() == [[5, 3, 2], [1, 0, 0], [0, 0, 0], [0, 0, 0]]
    with pytest.raises(AttributeError, match="counts of gleu have no totals"):
        counts.totals  # noqa: B018
    with pytest.raises(AttributeError, match="counts of gleu have no reference_length; there are matches, hypothesis_ngrams"):
        counts.reference_length  # noqa: B018
    with pytest.raises(AttributeError, match="counts of bleu have no larger_ngrams"):
        BLEU().counts(HYPS, REFS).larger_ngrams  # noqa: B018


@pytest.mark.parametrize("metric", [BLEU(), BLEU(max_order=7), GLEU(), GLEU(2, 5)])
def test_adding_up(metric: BLEU | GLEU) -> None:
    counts = metric.counts(HYPS, REFS)
    whole = metric.corpus_score(HYPS, REFS)
    assert metric.score_counts(counts) == metric.score_counts(counts.sum()) == whole
    rows = [counts[i] for i in range(4)]
    assert sum(rows) == counts.sum()
    assert NgramCounts.concatenate(rows) == counts
    assert counts[[0, 2]] + counts[[1, 3]] == NgramCounts.concatenate([rows[0] + rows[1], rows[2] + rows[3]])
    assert counts[np.array([True, False, True, False])] == counts[::2]
    assert (counts + counts).sum().values.tolist() == (2 * counts.values).sum(axis=0, keepdims=True).tolist()


@pytest.mark.parametrize("metric", [BLEU(), BLEU(max_order=7), GLEU(), GLEU(2, 5)])
def test_vectors(metric: BLEU | GLEU) -> None:
    counts = metric.counts(HYPS, REFS)
    vector = counts.to_vector()
    assert vector.dtype == np.int64 and vector.ndim == 1
    kind: dict[str, Any] = {"metric": counts.metric, "max_order": counts.max_order, "min_order": counts.min_order}
    again = NgramCounts.from_vector(vector, **kind)
    assert again == counts
    vector[:] = 0
    assert counts.values.any()
    # what an all-reduce does
    summed = NgramCounts.from_vector(counts[:2].sum().to_vector() + counts[2:].sum().to_vector(), **kind)
    assert metric.score_counts(summed).score == metric.corpus_score(HYPS, REFS).score


def test_what_does_not_add_up() -> None:
    counts = BLEU().counts(HYPS, REFS)
    with pytest.raises(ValueError, match="cannot add counts of 4 and of 1 rows; add their sums, or use concatenate"):
        counts + counts[0]
    for other in (BLEU(max_order=5), GLEU()):
        with pytest.raises(ValueError, match="do not add up"):
            counts + other.counts(HYPS, REFS)
        with pytest.raises(ValueError, match="do not add up"):
            NgramCounts.concatenate([counts, other.counts(HYPS, REFS)])
    with pytest.raises(ValueError, match="nothing to concatenate"):
        NgramCounts.concatenate([])
    for wrong in (1, None, np.ones(10, np.int64)):
        with pytest.raises(TypeError):
            counts + wrong  # type: ignore[operator]
        with pytest.raises(TypeError):
            1 + counts  # type: ignore[operator]


@pytest.mark.parametrize(
    "vector, said",
    [
        (np.zeros(9, np.int64), "wanted an int64 vector of whole rows of 10"),
        (np.zeros(10), "float64"),
        (np.zeros((1, 10), np.int64), r"shape \(1, 10\)"),
        (np.zeros(10, np.int32), "int32"),
    ],
)
def test_wrong_vectors(vector: np.ndarray, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        NgramCounts.from_vector(vector)


def test_wrong_values() -> None:
    with pytest.raises(ValueError, match=r"wanted an int64 array of shape \(rows, 10\) for bleu up to order 4"):
        NgramCounts(np.zeros((3, 9), np.int64))
    with pytest.raises(ValueError, match="metric is 'chrf'"):
        NgramCounts(np.zeros((3, 10), np.int64), "chrf")


def test_pickle_and_equality() -> None:
    counts = GLEU(2, 5).counts(HYPS, REFS)
    assert pickle.loads(pickle.dumps(counts)) == counts
    assert counts != counts[1:] and counts != "counts"
    with pytest.raises(TypeError, match="unhashable"):
        hash(counts)


def test_resampling() -> None:
    """What a bootstrap does: the score of the segments that an index names, from one count."""
    metric = BLEU()
    counts = metric.counts(HYPS, REFS)
    index = [0, 0, 3, 1]
    assert metric.score_counts(counts[index]) == metric.corpus_score([HYPS[i] for i in index], [REFS[i] for i in index])
