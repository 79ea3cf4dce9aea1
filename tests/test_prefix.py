"""Scores of prefixes are those of the prefixes alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clipgram
from clipgram import BLEU, GLEU, TokenBatch

TOKENS = st.lists(st.integers(0, 3), max_size=12)
METRICS: list[Any] = [
    BLEU(),
    BLEU(smooth_method="laplace"),
    BLEU(smooth_method="add-k", max_order=3, ref_length="shortest"),
    BLEU(smooth_method="none", effective_order=False),
    BLEU(smooth_method="floor", weights=(0.5, 0.2, 0.3)),
    BLEU(smooth_method=lambda matches, totals: [min(1, (m + 0.5) / (t + 1)) for m, t in zip(matches, totals, strict=True)]),
    GLEU(),
    GLEU(min_order=2, max_order=3),
]


def one_by_one(metric: Any, hyp: Any, refs: Any) -> list[float]:
    return [metric.sentence_score(hyp[:n], refs).score for n in range(1, len(hyp) + 1)]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@given(st.lists(st.tuples(TOKENS, st.lists(TOKENS, min_size=1, max_size=3)), max_size=4))
def test_every_prefix_as_if_alone(metric: Any, case: list[tuple[list[int], list[list[int]]]]) -> None:
    hyps, refs = [hyp for hyp, _ in case], [refs for _, refs in case]
    got = metric.prefix_scores(hyps, refs)
    assert [scores.tolist() for scores in got] == [one_by_one(metric, hyp, own) for hyp, own in case]


def test_long_hypotheses_in_blocks_and_threads() -> None:
    rng = np.random.default_rng(4)
    lengths = [0, 5000, 17, 20_000, 0, 300, 16_384, 1]
    hyps = [rng.integers(0, 30, n) for n in lengths]
    refs = [np.where(rng.random(n) < 0.7, hyp, 99) if n else np.array([1]) for n, hyp in zip(lengths, hyps, strict=True)]
    for one, two in ((BLEU(), BLEU(threads=2)), (GLEU(), GLEU(threads=2))):
        alone = one.prefix_scores(hyps, refs)
        assert [len(scores) for scores in alone] == lengths
        for hyp, ref, scores in zip(hyps, refs, alone, strict=True):
            for n in {1, 2, 3, 4, 17, 255, len(hyp) // 2, len(hyp)} & set(range(1, len(hyp) + 1)):
                assert scores[n - 1] == one.sentence_score(hyp[:n], ref).score
        for a, b in zip(alone, two.prefix_scores(hyps, refs), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("metric", [BLEU(smooth_method="laplace"), GLEU()], ids=repr)
def test_rewards_of_tokens(metric: Any) -> None:
    hyps, refs = [[1, 2, 3, 4, 9], [], [7, 2]], [[1, 2, 3, 5, 9], [1], [[7], [2, 7]]]
    scores = metric.prefix_scores(hyps, refs)
    whole = metric.sentence_scores(hyps, refs)
    delta = metric.prefix_scores(hyps, refs, delta=True)
    to_go = metric.prefix_scores(hyps, refs, to_go=True)
    shaped = metric.prefix_scores(hyps, refs, delta=True, gamma=0.9)
    discounted = metric.prefix_scores(hyps, refs, to_go=True, gamma=0.9)
    for i, hyp in enumerate(hyps):
        before = np.concatenate([[0.0], scores[i][:-1]]) if hyp else np.empty(0)
        np.testing.assert_array_equal(delta[i], scores[i] - before)
        np.testing.assert_array_equal(shaped[i], 0.9 * scores[i] - before)
        np.testing.assert_allclose(to_go[i], np.cumsum(delta[i][::-1])[::-1], atol=1e-15)
        sums = [sum(0.9**k * r for k, r in enumerate(shaped[i][t:])) for t in range(len(hyp))]
        np.testing.assert_allclose(discounted[i], sums, atol=1e-15)
        if hyp:
            assert to_go[i][0] == whole[i] and sum(delta[i]) == pytest.approx(whole[i])


def test_forms_of_input() -> None:
    metric = GLEU()
    text = metric.prefix_scores(["the cat sat", "a"], ["the cat", ["b", "a"]])
    words = metric.prefix_scores([["the", "cat", "sat"], ["a"]], [["the", "cat"], [["b"], ["a"]]])
    assert [scores.tolist() for scores in text] == [scores.tolist() for scores in words]
    assert text[1].tolist() == [1.0]
    batch = TokenBatch.from_lists([[5, 8], [9]])
    ragged = metric.prefix_scores(batch, [[5, 8]], ref_index=[0, 0])
    assert isinstance(ragged, np.ndarray) and ragged.tolist() == [1 / 3, 1.0, 0.0]
    assert metric.prefix_scores([], []) == []
    assert metric.prefix_scores(TokenBatch.from_lists([]), []).tolist() == []
    assert metric.prefix_scores(TokenBatch.from_lists([[], []]), [[1], [2]]).tolist() == []


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_padded_input_gives_padded_scores(dtype: Any) -> None:
    metric = GLEU()
    ids = np.array([[5, 8, 9, 2, 0], [0, 0, 0, 0, 0], [0, 5, 8, 2, 2], [7, -100, 5, 8, 1]], dtype)
    refs = [[5, 8, 9]] * 4
    batch = TokenBatch.from_padded(ids, pad_id=0, eos_id=2, ignore_ids=-100)
    got = metric.prefix_scores(batch, refs)
    alone = [one_by_one(metric, row.tolist(), refs[0]) for row in batch]
    wanted = [[*alone[0], 0, 0], [0] * 5, [0, *alone[2], 0, 0], [alone[3][0], 0, *alone[3][1:]]]
    assert got.shape == ids.shape and got.tolist() == wanted
    assert metric.prefix_scores(batch, refs, delta=True).sum(axis=1) == pytest.approx(metric.sentence_scores(batch, refs))
    whole = metric.prefix_scores(ids, refs)
    assert whole.shape == ids.shape and whole[0].tolist() == one_by_one(metric, ids[0].tolist(), refs[0])


def test_what_is_refused() -> None:
    metric = BLEU()
    with pytest.raises(ValueError, match="gamma is for differences; it needs delta=True or to_go=True"):
        metric.prefix_scores([[1]], [[1]], gamma=0.5)
    with pytest.raises(ValueError, match="delta and to_go are both given; choose"):
        metric.prefix_scores([[1]], [[1]], delta=True, to_go=True)
    for gamma in (2, -0.1, True, "1"):
        with pytest.raises(ValueError, match="gamma is .*; wanted a number from 0 to 1"):
            metric.prefix_scores([[1]], [[1]], delta=True, gamma=gamma)
    with pytest.raises(ValueError, match="2 sets of weights"):
        BLEU(weights=[(1,), (0.5, 0.5)]).prefix_scores([[1]], [[1]])
    with pytest.raises(ValueError, match="hypotheses has 1 entries and references 2"):
        clipgram.GLEU().prefix_scores([[1]], [[1], [2]])
