from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.gleu_score import corpus_gleu as nltk_corpus_gleu
from nltk.translate.gleu_score import sentence_gleu as nltk_sentence_gleu

from clipgram import GLEU, corpus_gleu, sentence_gleu

WORDS = st.lists(st.sampled_from("a b c d".split()), max_size=9)
ORDERS = st.sampled_from([(1, 4), (1, 1), (2, 4), (1, 6), (3, 3)])


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5), ORDERS)
def test_one_reference_scores_as_in_nltk(rows: list[tuple[list[str], list[str]]], orders: tuple[int, int]) -> None:
    hypotheses, references = zip(*rows, strict=True)
    metric = GLEU(*orders)
    wanted = nltk_corpus_gleu([[ref] for ref in references], hypotheses, *orders)
    assert metric.corpus_score(hypotheses, references).score == wanted
    alone = [nltk_sentence_gleu([ref], hyp, *orders) for hyp, ref in rows]
    assert metric.sentence_scores(hypotheses, references).tolist() == alone
    assert [metric.sentence_score(hyp, ref).score for hyp, ref in rows] == alone


@given(WORDS, st.lists(WORDS, min_size=1, max_size=4), ORDERS)
def test_the_best_reference_counts(hypothesis: list[str], references: list[list[str]], orders: tuple[int, int]) -> None:
    metric = GLEU(*orders)
    score = metric.sentence_score(hypothesis, references)
    assert score.score == max(metric.sentence_score(hypothesis, [ref]).score for ref in references)
    assert metric.sentence_score(hypothesis, references[::-1]) == score
    assert metric.sentence_scores([hypothesis] * 2, [references, [*references, None]]).tolist() == [score.score] * 2


@given(WORDS, WORDS)
def test_precision_recall_and_symmetry(one: list[str], other: list[str]) -> None:
    there, back = sentence_gleu(one, [other]), sentence_gleu(other, [one])
    assert there.score == back.score == min(there.precision, there.recall)
    assert (there.precision, there.recall, there.matches) == (back.recall, back.precision, back.matches)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=6), st.randoms())
def test_order_does_not_matter(rows: list[tuple[list[str], list[list[str]]]], random: Any) -> None:
    whole = corpus_gleu(*zip(*rows, strict=True))
    mixed = [(hyp, random.sample(refs, len(refs))) for hyp, refs in random.sample(rows, len(rows))]
    assert corpus_gleu(*zip(*mixed, strict=True)) == whole
    metric = GLEU()
    assert metric.score_counts(sum(metric.counts([hyp], [refs]).sum() for hyp, refs in rows)).score == whole.score


def test_several_references_are_not_pooled() -> None:
    # case 13; nltk 3.10.4 sentence_gleu gives 0.3 too, pooling would give 0.6
    assert sentence_gleu("a b c d", ["a b", "c d"]).score == 0.3


def test_equal_ratios_take_the_smaller_reference() -> None:
    score = sentence_gleu("x y", ["a b c", "d", "e f"])
    assert (score.score, score.reference_ngrams) == (0.0, 1)
    score = sentence_gleu("a b", ["a a b b", "a"])  # 3 of 10 and 1 of 3: no tie
    assert score.score == pytest.approx(1 / 3)


def test_an_empty_reference_is_no_way_out() -> None:
    score = sentence_gleu("x y", ["a b c", ""])
    assert (score.score, score.reference_ngrams) == (0.0, 6)
    assert sentence_gleu("x y", "").reference_ngrams == 0


def test_short_segments() -> None:
    assert sentence_gleu("w", "w").score == 1.0
    assert sentence_gleu("w x", "w x").score == 1.0
    assert sentence_gleu("", "").score == 0.0
    assert sentence_gleu("", "a b").score == 0.0
    assert sentence_gleu("a b", "").score == 0.0
    assert sentence_gleu("a b", "a b", min_order=3).score == 0.0


def test_the_score_object() -> None:
    score = sentence_gleu("the cat sat on a mat", "the cat sat on the mat today")
    assert str(score) == "GLEU = 50.00 (P = 61.1 R = 50.0 matches = 11 hyp_ngrams = 18 ref_ngrams = 22)"
    assert (score.percent, score.matches, score.hypothesis_ngrams, score.reference_ngrams) == (50.0, 11, 18, 22)
    assert score.signature.startswith("clipgram:gleu|nrefs:1|case:mixed|tok:13a|version:")
    assert "|order:2-6|" in GLEU(2, 6).signature()
    assert pickle.loads(pickle.dumps(score)) == score
    with pytest.raises(AttributeError):
        score.matches = 1  # type: ignore[misc]


def test_corpus_divides_by_the_sum_of_the_larger_numbers() -> None:
    counts = GLEU().counts(["a", "a b c"], ["a b", "a"])
    assert counts.larger_ngrams.tolist() == [3, 6]
    assert GLEU().score_counts(counts).score == 2 / 9


@pytest.mark.parametrize("orders", [(0, 4), (5, 4), (1, 17), (1.0, 4)])
def test_wrong_orders(orders: tuple[Any, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match="order is"):
        GLEU(*orders)


def test_metrics_pickle() -> None:
    metric = pickle.loads(pickle.dumps(GLEU(2, 5, tokenize="edge")))
    assert metric.signature() == GLEU(2, 5, tokenize="edge").signature()
