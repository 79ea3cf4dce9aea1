from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram import BLEU, BLEUScore, NgramCounts, corpus_bleu, sentence_bleu
from clipgram.bleu import FEW

WORDS = st.lists(st.sampled_from("a b c d".split()), max_size=9).map(" ".join)
OPTIONS = st.fixed_dictionaries(
    {
        "max_order": st.integers(1, 6),
        "smooth_method": st.sampled_from(["none", "floor", "add-k", "exp"]),
        "effective_order": st.booleans(),
        "lowercase": st.booleans(),
    }
)


def sacrebleu(options: dict[str, Any]) -> SacreBLEU:
    options = dict(options)
    return SacreBLEU(max_ngram_order=options.pop("max_order"), **options)


@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(WORDS, *[WORDS.filter(bool)] * n), min_size=1, max_size=5)), OPTIONS)
def test_corpora_score_as_in_sacrebleu(rows: list[tuple[str, ...]], options: dict[str, Any]) -> None:
    hypotheses, *streams = zip(*rows, strict=True)
    wanted = sacrebleu(options).corpus_score(hypotheses, streams)
    score = BLEU(**options).corpus_score(hypotheses, list(zip(*streams, strict=True)))
    assert score.percent == pytest.approx(wanted.score, rel=1e-12, abs=0)
    assert score.hypothesis_length == wanted.sys_len and score.reference_length == wanted.ref_len
    assert score.brevity_penalty == wanted.bp
    if options["smooth_method"] != "add-k":  # there sacreBLEU returns changed counts
        assert list(score.matches) == wanted.counts and list(score.totals) == wanted.totals
    if score.score:
        assert [100 * p for p in score.precisions] == pytest.approx(wanted.precisions, rel=1e-12, abs=0)


@given(WORDS, st.lists(WORDS.filter(bool), min_size=1, max_size=3), OPTIONS)
def test_sentences_score_as_in_sacrebleu(hypothesis: str, references: list[str], options: dict[str, Any]) -> None:
    wanted = sacrebleu(options).sentence_score(hypothesis, references).score
    assert BLEU(**options).sentence_score(hypothesis, references).percent == pytest.approx(wanted, rel=1e-12, abs=0)


WEIGHTS = [None, (0, 0, 1), (0.5, 0.5), (0.2, 0.3, 0.5), [(1,), (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3), (0.1, 0.2, 0.3, 0.4)]]
METHODS = ["none", "floor", "add-k", "exp", "laplace", lambda m, t: [(x + 0.5) / (y + 1) for x, y in zip(m, t, strict=True)]]


@given(
    st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), max_size=8),
    st.sampled_from(WEIGHTS),
    st.sampled_from(METHODS),
    st.sampled_from([None, True, False]),
    st.sampled_from(["closest", "shortest"]),
)
def test_a_score_has_the_same_bits_in_a_batch(rows, weights, method, effective, ref_length) -> None:
    metric = BLEU(weights=weights, smooth_method=method, effective_order=effective, ref_length=ref_length)
    hypotheses, references = [row[0] for row in rows], [row[1] for row in rows]
    alone = [metric.sentence_score(*row).score for row in rows]
    several = isinstance(weights, list)
    for times in (1, FEW + 1):  # a few are scored one by one, more in columns
        scores = metric.sentence_scores(hypotheses * times, references * times)
        n = len(rows) * times
        assert scores.dtype == np.float64 and scores.shape == ((n, 4) if several else (n,))
        assert scores.tolist() == [list(s) if several else s for s in alone] * times
        assert ((scores >= 0) & (scores <= 1)).all()


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=6), st.randoms())
def test_order_does_not_matter(rows: list[tuple[str, list[str]]], random: Any) -> None:
    metric = BLEU(smooth_method="floor")
    whole = metric.corpus_score(*zip(*rows, strict=True))
    mixed = [(hyp, random.sample(refs, len(refs))) for hyp, refs in random.sample(rows, len(rows))]
    assert metric.corpus_score(*zip(*mixed, strict=True)) == whole
    total = sum(metric.counts([hyp], [refs]).sum() for hyp, refs in rows)
    assert metric.score_counts(total).score == whole.score


@given(st.lists(WORDS.filter(bool), min_size=1, max_size=4), st.sampled_from(METHODS[:4]))
def test_a_perfect_match_is_exactly_one(texts: list[str], method: str) -> None:
    assert BLEU(smooth_method=method, effective_order=True).corpus_score(texts, texts).score == 1.0
    assert BLEU(smooth_method=method).sentence_scores(texts, texts).tolist() == [1.0] * len(texts)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_in_common_is_zero(method: Any) -> None:
    score = BLEU(smooth_method=method).sentence_score("d e f g h", "a b c")
    assert score.score == 0.0 and isinstance(score.score, float) and score.precisions == (0.0,) * 4
    assert BLEU(smooth_method=method).sentence_scores(["d e", ""], ["a b c", ""]).tolist() == [0.0, 0.0]


# hypothesis, reference and the values of evaluate 0.4.6 `bleu`, smooth=True (spec table; where something matches).
@pytest.mark.parametrize(
    "hypothesis, reference, wanted",
    [
        ("a b c x d e y", "a b c z d e w", 0.4111336169005197),
        ("a b x c d y", "a b z c d w", 0.3655552228545124),
        ("a x b y c z", "a p b q c r", 0.2626909894424158),
        ("the", "the cat sat on the mat", 0.006737946999085467),
        ("the cat", "the cat sat on the mat", 0.1353352832366127),
        ("the cat sat on the mat today at noon", "the cat sat on the mat", 0.6389431042462724),
    ],
)
def test_laplace_is_what_evaluate_calls_smooth(hypothesis: str, reference: str, wanted: float) -> None:
    score = corpus_bleu([hypothesis], [reference], smooth_method="laplace").score
    assert score == pytest.approx(wanted, rel=1e-12)


def test_laplace_and_the_effective_order() -> None:
    # Two tokens, one right: without orders 3 and 4 this is the mean of 2/3 and 1/2.
    assert sentence_bleu("a b", "a c", smooth_method="laplace").score == pytest.approx(math.sqrt(2 / 3 * 1 / 2))
    off = sentence_bleu("a b", "a c", smooth_method="laplace", effective_order=False).score
    assert off == pytest.approx((2 / 3 * 1 / 2) ** 0.25)


def test_effective_order_is_on_for_sentences_and_off_for_corpora() -> None:
    assert sentence_bleu("w x", "w x").score == 1.0
    assert corpus_bleu(["w x"], ["w x"]).score == 0.0
    assert corpus_bleu(["w x"], ["w x"], effective_order=True).score == 1.0
    assert sentence_bleu("w x", "w x", effective_order=False).score == 0.0
    assert "eff:yes" in sentence_bleu("w x", "w x").signature
    assert "eff:no" in corpus_bleu(["w x"], ["w x"]).signature


def test_several_weights_from_one_count() -> None:
    weights = [(1,), (0.5, 0.5), (0.25,) * 4]
    score = sentence_bleu("gold rain fell on quiet roofs", "gold rain fell on noisy roofs", weights=weights)
    # nltk 3.10.4, sentence_bleu with this list of weights: 0.8333, 0.7071, 0.5373
    assert score.score == pytest.approx((0.8333333333333334, 0.7071067811865476, 0.537284965911771))
    assert score.percent == pytest.approx((83.33333333333334, 70.71067811865476, 53.7284965911771))
    assert str(score).startswith("BLEU = 83.33/70.71/53.73 ")
    assert "weights:1;0.5,0.5;0.25,0.25,0.25,0.25" in score.signature


def test_weight_zero_drops_an_order() -> None:
    assert BLEU(weights=(0, 1), smooth_method="none").sentence_score("d c b a", "a b c d").score == 0.0
    assert BLEU(weights=(1, 0, 0, 0), smooth_method="none").sentence_score("d c b a", "a b c d").score == 1.0


@pytest.mark.parametrize(
    "hypothesis, references, wanted",
    [
        ("p q r s t", ["p q r s t u", "p q r s"], 4),
        ("p q r s t", ["p q r s", "p q r s t u"], 4),
        ("we ate warm bread", ["bye", "we ate warm bread today"], 5),
        ("I do", ["this is quite a long reference I do say", ""], 9),
        ("I do", ["", "", "one two three four"], 4),
        ("I do", [""], 0),
        ("a b c", ["a b c d e", "a", None], 1),
    ],
)
def test_the_closest_reference_length(hypothesis: str, references: list[str | None], wanted: int) -> None:
    assert sentence_bleu(hypothesis, references).reference_length == wanted
    assert BLEU().counts([hypothesis] * 2, [references] * 2).reference_length.tolist() == [wanted] * 2


def test_the_shortest_reference_length() -> None:
    metric = BLEU(ref_length="shortest")
    assert metric.sentence_score("we ate warm bread", ["bye", "we ate warm bread today"]).reference_length == 1
    assert metric.sentence_score("we ate", ["we ate warm", "", "we ate warm bread"]).reference_length == 3
    assert "reflen:shortest" in metric.signature()


def test_a_penalty_worked_out_by_hand() -> None:
    # nltk 3.10.4 gives 0.7788 too; the shortest reference would give 1
    score = sentence_bleu("we ate warm bread", ["bye", "we ate warm bread today"])
    assert score.score == score.brevity_penalty == math.exp(1 - 5 / 4)
    # case 11: an empty reference must not become the length
    score = sentence_bleu("I do", ["this is quite a long reference I do say", ""], smooth_method="floor")
    assert score.score == pytest.approx(math.exp(1 - 9 / 2))


def test_empty_segments_do_not_deflate_a_corpus() -> None:
    hyps, refs = ["red boats cross the wide bay", ""], ["red boats cross the blue bay", "one two three"]
    # sacrebleu 2.6.0 corpus_bleu: 32.588
    assert corpus_bleu(hyps, refs).score == pytest.approx(0.325880, abs=1e-6)
    perfect = ["red boats cross the blue bay", "ok"]
    assert corpus_bleu(perfect, perfect).score == 1.0


def test_the_score_object() -> None:
    score = corpus_bleu(["the cat sat on a mat"], [["the cat sat on the mat", "a cat sat on a mat"]])
    assert str(score) == "BLEU = 100.00 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)"
    assert score.percent == 100.0 and score.length_ratio == 1.0
    assert pickle.loads(pickle.dumps(score)) == score
    with pytest.raises(AttributeError):
        score.score = 0.5  # type: ignore[misc]
    assert isinstance(score, BLEUScore)
    assert all(type(m) is int for m in (*score.matches, *score.totals, score.hypothesis_length))


def test_str_is_sacrebleus() -> None:
    hyp, refs = "the quick brown fox jumps over dog today ok", ["the quick brown fox jumped over the lazy dog"]
    theirs = SacreBLEU().corpus_score([hyp], [refs])
    assert str(corpus_bleu([hyp], [refs])) == str(theirs)


def test_raw_counts_are_reported_under_every_smoothing() -> None:
    for method in METHODS:
        score = sentence_bleu("a b c x d e y", "a b c z d e w", smooth_method=method)
        assert (score.matches, score.totals) == ((5, 3, 1, 0), (7, 6, 5, 4))


@pytest.mark.parametrize(
    "options, found",
    [
        ({}, "clipgram:bleu|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:"),
        ({"smooth_method": "floor"}, "smooth:floor[0.10]"),
        ({"smooth_method": "floor", "smooth_value": 0.001}, "smooth:floor[0.001]"),
        ({"smooth_method": "add-k", "smooth_value": 2}, "smooth:add-k[2.00]"),
        ({"max_order": 2}, "|order:2|"),
        ({"lowercase": True, "tokenize": "edge"}, "case:lc|eff:yes|tok:edge"),
        ({"tokenize": str.split}, "tok:custom[str.split]"),
        ({"smooth_method": lambda m, t: [0.5] * 4}, "smooth:custom["),
    ],
)
def test_signatures(options: dict[str, Any], found: str) -> None:
    assert found in sentence_bleu("a b", "a b", **options).signature
    metric = BLEU(**options)
    assert metric.signature() == metric.sentence_score("a", "a").signature.replace("|nrefs:1", "").replace("eff:yes", "eff:auto")


def test_number_of_references_in_the_signature() -> None:
    assert "|nrefs:2|" in corpus_bleu(["a", "b"], [["a", "b"], ["a", "b"]]).signature
    assert "|nrefs:var|" in corpus_bleu(["a", "b"], [["a", "b"], ["a", None]]).signature


def test_metrics_pickle() -> None:
    metric = BLEU(max_order=3, smooth_method="floor", smooth_value=0.5, lowercase=True)
    again = pickle.loads(pickle.dumps(metric))
    assert again.signature() == metric.signature()
    assert again.sentence_score("A b c d", "a b x d") == metric.sentence_score("A b c d", "a b x d")


@pytest.mark.parametrize(
    "options, error, said",
    [
        ({"max_order": 0}, ValueError, "max_order is 0; wanted an int from 1 to 16"),
        ({"max_order": 17}, ValueError, "17"),
        ({"max_order": 4.0}, TypeError, "the float 4.0"),
        ({"max_order": True}, TypeError, "the bool True"),
        ({"weights": (0.5, 0.6)}, ValueError, "sum 1.1"),
        ({"weights": (1.5, -0.5)}, ValueError, "wanted numbers, 0 or more each, with sum 1"),
        ({"weights": (math.nan, 1)}, ValueError, "wanted numbers, 0 or more each"),
        ({"weights": (0.2,) * 5}, ValueError, "has 5 numbers; wanted 1 to 4"),
        ({"weights": [(1,), ()]}, ValueError, r"weights\[1\] has 0 numbers"),
        ({"weights": 1.0}, TypeError, "the float 1.0"),
        ({"weights": ("x",)}, TypeError, "wanted a sequence of numbers"),
        ({"smooth_method": "add_k"}, ValueError, "'add_k'; wanted one of none, floor, add-k, exp, laplace"),
        ({"smooth_method": 1}, TypeError, "the int 1"),
        ({"smooth_value": 0.1}, ValueError, "for floor and add-k, not for exp"),
        ({"smooth_method": "floor", "smooth_value": -1}, ValueError, "wanted a number, 0 or more"),
        ({"smooth_method": "floor", "smooth_value": 2}, ValueError, "no smoothing"),
        ({"effective_order": "yes"}, TypeError, "the str 'yes'"),
        ({"ref_length": "average"}, ValueError, "'average'"),
        ({"lowercase": 1}, TypeError, "wanted True or False"),
        ({"threads": 0}, ValueError, "threads is 0"),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        BLEU(**options)


@pytest.mark.parametrize("made", [[0.5], [0.5] * 5, [1.5] * 4, [-0.1] * 4, [math.nan] * 4])
def test_a_smoothing_that_makes_no_precisions(made: list[float]) -> None:
    metric = BLEU(smooth_method=lambda matches, totals: made)
    with pytest.raises(ValueError, match="wanted 4 precisions from 0 to 1"):
        metric.sentence_score("a b", "a b")
    with pytest.raises(ValueError, match="wanted 4 precisions from 0 to 1"):
        metric.sentence_scores(["a b"], ["a b"])


def test_counts_of_another_metric() -> None:
    counts = BLEU(max_order=3).counts(["a b"], ["a b"])
    with pytest.raises(ValueError, match="orders 1 to 3.*cannot be scored by bleu with orders 1 to 4"):
        BLEU().score_counts(counts)
    with pytest.raises(TypeError, match="wanted NgramCounts"):
        BLEU().scores_from_counts([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="without a row"):
        BLEU().score_counts(BLEU().counts([], []))
    assert BLEU().scores_from_counts(NgramCounts(np.empty((0, 10), np.int64))).shape == (0,)
