"""Matrices of scores hold the scores of the pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clipgram import BLEU, GLEU, TokenBatch

TEXTS = st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=6)
METRICS: list[Any] = [
    BLEU(),
    BLEU(smooth_method="laplace", max_order=2),
    BLEU(smooth_method="none", effective_order=False),
    BLEU(smooth_method="add-k", weights=(0.5, 0.2, 0.3), ref_length="shortest"),
    GLEU(),
    GLEU(min_order=2, max_order=3),
]


def one_by_one(metric: Any, hyps: Any, refs: Any) -> list[list[float]]:
    return [[metric.sentence_score(hyp, [ref]).score for ref in refs] for hyp in hyps]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@given(TEXTS, TEXTS)
def test_every_pair_as_if_alone(metric: Any, hyps: list[list[int]], refs: list[list[int]]) -> None:
    got = metric.pairwise_scores(hyps, refs)
    assert got.dtype == np.float64 and got.shape == (len(hyps), len(refs))
    assert got.tolist() == one_by_one(metric, hyps, refs)
    assert metric.pairwise_scores(hyps).tolist() == one_by_one(metric, hyps, hyps)


@pytest.mark.parametrize("metric", [BLEU(), GLEU(), BLEU(threads=2), GLEU(threads=3)], ids=repr)
def test_more_pairs_than_a_block(metric: Any) -> None:
    rng = np.random.default_rng(6)
    hyps = [rng.integers(0, 50, n) for n in rng.integers(0, 30, 300)]
    refs = [rng.integers(0, 50, n) for n in rng.integers(0, 30, 700)]
    got, among = metric.pairwise_scores(hyps, refs), metric.pairwise_scores(refs)
    assert got.shape == (300, 700) and among.shape == (700, 700)
    for i, j in rng.integers(0, 300, (200, 2)):
        assert got[i, 2 * j] == metric.sentence_score(hyps[i], [refs[2 * j]]).score
        assert among[2 * i, j] == metric.sentence_score(refs[2 * i], [refs[j]]).score
    np.testing.assert_array_equal(metric.pairwise_scores(refs, refs), among)


def test_forms_of_input() -> None:
    metric = GLEU()
    hyps, refs = ["the cat &amp; me", "a dog"], ["The cat", "a dog", ""]
    text = metric.pairwise_scores(hyps, refs)
    assert text.tolist() == one_by_one(metric, hyps, refs)
    words = metric.pairwise_scores([h.split() for h in hyps], [tuple(r.split()) for r in refs])
    assert words[1].tolist() == text[1].tolist()
    assert GLEU(lowercase=True).pairwise_scores(hyps, refs)[0, 0] > text[0, 0]
    assert GLEU(tokenize=str.split).pairwise_scores(hyps, refs)[1].tolist() == text[1].tolist()
    batch, other = TokenBatch.from_lists([[1, 2], [3]]), TokenBatch.from_ragged(np.array([1, 2, 3], np.int32), [0, 2, 3])
    for left in (batch, other, [[1, 2], [3]]):
        for right in (batch, other, [np.array([1, 2]), (3,)]):
            assert metric.pairwise_scores(left, right).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert metric.pairwise_scores([], refs).shape == (0, 3) and metric.pairwise_scores(hyps, []).shape == (2, 0)
    assert metric.pairwise_scores([]).shape == (0, 0)


def test_groups() -> None:
    metric = BLEU()
    hyps, refs = [[1, 2], [1, 3], [4, 5, 6], [4, 5]], [[1, 2], [9], [4, 5], [5, 6]]
    whole, among = metric.pairwise_scores(hyps, refs), metric.pairwise_scores(hyps)
    blocks = metric.pairwise_scores(hyps, refs, groups=2)
    assert blocks.shape == (2, 2, 2)
    np.testing.assert_array_equal(blocks, [whole[:2, :2], whole[2:, 2:]])
    for matrix, part in zip(metric.pairwise_scores(hyps, groups=[1, 3, 0]), (slice(1), slice(1, 4), slice(4, 4)), strict=True):
        np.testing.assert_array_equal(matrix, among[part, part])
    assert metric.pairwise_scores([], groups=4).shape == (0, 4, 4)


def test_what_is_refused() -> None:
    metric = BLEU()
    with pytest.raises(ValueError, match="4 hypotheses are no whole number of such groups"):
        metric.pairwise_scores([[1]] * 4, groups=3)
    with pytest.raises(ValueError, match="groups add up to 3, and there are 4 hypotheses"):
        metric.pairwise_scores([[1]] * 4, groups=[1, 2])
    with pytest.raises(ValueError, match="groups is 0"):
        metric.pairwise_scores([[1]] * 4, groups=0)
    with pytest.raises(ValueError, match="groups want as many of both"):
        metric.pairwise_scores([[1]] * 4, [[1]], groups=2)
    with pytest.raises(TypeError, match=r"references\[1\] is .*5"):
        metric.pairwise_scores([[1]], [[1], 5])
    with pytest.raises(TypeError, match=r"references\[0\] is .* one call takes one kind"):
        metric.pairwise_scores(["a"], [["a"]])
    with pytest.raises(TypeError, match=r"hypotheses\[0\]\[1\] is .* all ints or all str"):
        metric.pairwise_scores([["a", 1]], [["a"]])
    with pytest.raises(TypeError, match="hypotheses is .*'abc'"):
        metric.pairwise_scores("abc")
    with pytest.raises(ValueError, match="2 sets of weights"):
        BLEU(weights=[(1,), (0.5, 0.5)]).pairwise_scores([[1]], [[1]])
