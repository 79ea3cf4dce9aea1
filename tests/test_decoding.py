"""Expected utilities, self-BLEU and repetition against their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clipgram
from clipgram import BLEU, GLEU, TokenBatch, mbr, repetition, self_bleu

TEXTS = st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=2, max_size=6)


@given(TEXTS)
def test_expected_utilities(texts: list[list[int]]) -> None:
    metric = GLEU()
    scores = np.array([[metric.sentence_score(a, [b]).score for b in texts] for a in texts])
    np.testing.assert_allclose(mbr(texts, metric), scores.mean(axis=1), atol=1e-15)
    weights = np.arange(1, len(texts) + 1)
    np.testing.assert_allclose(mbr(texts, metric, weights), np.average(scores, axis=1, weights=weights), atol=1e-15)
    np.testing.assert_allclose(mbr(texts[:1], metric, weights[1:], references=texts[1:]), [np.average(scores[0, 1:], weights=weights[1:])])


def test_expected_utilities_of_groups() -> None:
    texts, weights = ["a b c", "a b d", "x y", "x y z", "x"], [1, 3, 0, 1, 1]
    for groups in ([2, 3], [2, 0, 3]):
        got = mbr(texts, BLEU(), weights, groups=groups)
        np.testing.assert_allclose(got, np.r_[mbr(texts[:2], BLEU(), weights[:2]), mbr(texts[2:], BLEU(), weights[2:])])
    np.testing.assert_allclose(mbr(texts[:4], GLEU(), groups=2), np.r_[mbr(texts[:2], GLEU()), mbr(texts[2:4], GLEU())])
    assert mbr([], GLEU()).shape == mbr([], GLEU(), groups=3).shape == (0,)


@pytest.mark.parametrize("metric", [BLEU(), BLEU(smooth_method="laplace", max_order=3), BLEU(ref_length="shortest", effective_order=False)], ids=repr)
@given(texts=TEXTS)
def test_self_bleu(metric: Any, texts: list[list[int]]) -> None:
    others = [texts[:i] + texts[i + 1 :] for i in range(len(texts))]
    wanted = [metric.sentence_score(text, other).score for text, other in zip(texts, others, strict=True)]
    assert self_bleu(texts, metric=metric) == pytest.approx(np.mean(wanted), abs=1e-15)
    pairs = [metric.sentence_score(text, [ref]).score for text, other in zip(texts, others, strict=True) for ref in other]
    assert self_bleu(texts, "pairwise", metric=metric) == pytest.approx(np.mean(pairs), abs=1e-15)


def test_self_bleu_of_many_texts() -> None:
    rng = np.random.default_rng(8)
    texts = [rng.integers(0, 40, n) for n in rng.integers(0, 12, 1500)]
    others = [texts[:i] + texts[i + 1 :] for i in range(0, 1500, 100)]
    leave_one_out = BLEU()._scores_among(TokenBatch.from_lists(texts))
    wanted = [BLEU().sentence_score(text, other).score for text, other in zip(texts[::100], others, strict=True)]
    assert leave_one_out[::100].tolist() == wanted
    matrix = BLEU().pairwise_scores(texts)
    assert self_bleu(texts, "pairwise") == pytest.approx((matrix.sum() - np.trace(matrix)) / (1500 * 1499))
    assert self_bleu(["same text here"] * 3) == self_bleu(["same text here"] * 3, "pairwise") == 1.0


@given(st.lists(st.lists(st.integers(0, 2), max_size=12), max_size=5), st.integers(1, 4))
def test_repetition(texts: list[list[int]], n: int) -> None:
    """TRL 1.16.0, trl.rewards.get_repetition_penalty_reward: 1 less the share of distinct n-grams, 0 without any."""
    wanted = []
    for ids in texts:
        ngrams = [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]
        wanted.append(1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0)
    got = repetition(texts, n)
    assert got.dtype == np.float64 and got.tolist() == wanted
    assert repetition(TokenBatch.from_lists(texts), n).tolist() == wanted


def test_repetition_of_text() -> None:
    assert repetition(["la la la, la!", "no"], 1).tolist() == [0.5, 0.0]
    assert repetition(["la la la, la!"], 1, tokenize="none").tolist() == [0.25]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="metric is .*'bleu'"):
        mbr(["a"], "bleu")  # type: ignore[arg-type]
    for weights in ([1], [[1, 2]], ["a", "b"], [1, np.nan], [1, -1], [0, 0]):
        with pytest.raises(ValueError, match="weights"):
            mbr(["a", "b"], GLEU(), weights)
    with pytest.raises(ValueError, match="there is no sample to compare with"):
        mbr(["a"], GLEU(), references=[])
    with pytest.raises(ValueError, match="there are 1 texts"):
        self_bleu(["a"])
    with pytest.raises(ValueError, match="mode is 'mean'"):
        self_bleu(["a", "b"], "mean")
    with pytest.raises(TypeError, match="metric is .*GLEU"):
        self_bleu(["a", "b"], metric=GLEU())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n is 0"):
        clipgram.repetition([[1]], 0)
