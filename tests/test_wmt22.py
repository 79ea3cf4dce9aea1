"""Recorded scores of real system outputs, made by sacreBLEU 2.6.0, and everything that must agree on them."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Wmt22

from clipgram import BLEU, GLEU, TokenBatch


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("tokenizer, rows", [("13a", 45), ("intl", 45), ("zh", 12), ("char", 18), ("ja-mecab", 6)])
def test_every_recorded_score(wmt22: Wmt22, tokenizer: str, rows: int, threads: int) -> None:
    if tokenizer == "ja-mecab":
        pytest.importorskip("MeCab")
    metric = BLEU(tokenize=tokenizer, threads=threads)
    done = 0
    for row in wmt22.rows():
        if row["tokenizer"] != tokenizer:
            continue
        hypotheses, references = wmt22.pair(row)
        assert len(hypotheses) == int(row["segments"]) and len(references[0]) == int(row["nrefs"])
        score = metric.corpus_score(hypotheses, references)
        assert score.matches == tuple(map(int, row["counts"].split()))
        assert score.totals == tuple(map(int, row["totals"].split()))
        assert score.hypothesis_length == int(row["sys_len"])
        assert score.reference_length == int(row["ref_len"])
        assert score.percent == pytest.approx(float(row["sacrebleu"]), rel=1e-12, abs=0)
        done += 1
    assert done == rows


@pytest.mark.parametrize("metric", [BLEU(), BLEU(max_order=6), GLEU(), GLEU(min_order=2)])
def test_sentences_corpora_and_counts_agree(wmt22: Wmt22, metric: BLEU | GLEU) -> None:
    hypotheses = wmt22.lines("de-en.hyp.Online-A.en")[:700]
    first, second = wmt22.lines("de-en.ref.A.en")[:700], wmt22.lines("de-en.ref.B.en")[:700]
    references = [[a, b] if i % 3 else [a] for i, (a, b) in enumerate(zip(first, second, strict=True))]

    scores = metric.sentence_scores(hypotheses, references)
    one_by_one = [metric.sentence_score(*pair).score for pair in zip(hypotheses, references, strict=True)]
    assert scores.tolist() == one_by_one

    counts = metric.counts(hypotheses, references)
    whole = metric.corpus_score(hypotheses, references)
    a, b = metric.counts(hypotheses[:100], references[:100]), metric.counts(hypotheses[100:], references[100:])
    assert metric.score_counts(a.sum() + b.sum()) == whole
    assert metric.scores_from_counts(counts).tolist() == one_by_one

    order = np.random.default_rng(3).permutation(700)
    shuffled = [hypotheses[i] for i in order], [references[i][::-1] for i in order]
    assert metric.corpus_score(*shuffled) == whole
    assert metric.sentence_scores(*shuffled).tolist() == scores[order].tolist()


@pytest.mark.parametrize("metric", [BLEU, GLEU])
def test_threads_change_nothing(wmt22: Wmt22, metric: type[BLEU | GLEU]) -> None:
    hypotheses, references = wmt22.lines("de-en.hyp.LT22.en"), wmt22.lines("de-en.ref.A.en")
    alone = metric().sentence_scores(hypotheses, references)
    for threads in (2, 8):
        np.testing.assert_array_equal(metric(threads=threads).sentence_scores(hypotheses, references), alone)


def test_ids_score_as_their_text_does(wmt22: Wmt22) -> None:
    hypotheses, references = wmt22.lines("de-en.hyp.LT22.en")[:300], wmt22.lines("de-en.ref.A.en")[:300]
    known: dict[str, int] = {}
    ids = [
        [[known.setdefault(token, 10**12 + len(known)) for token in line.split()] for line in lines]
        for lines in (hypotheses, references)
    ]
    from_text = BLEU(tokenize="none").sentence_scores(hypotheses, references)
    assert BLEU().sentence_scores(*ids).tolist() == from_text.tolist()
    assert BLEU().sentence_scores(*map(TokenBatch.from_lists, ids)).tolist() == from_text.tolist()
    tokens = [[line.split() for line in lines] for lines in (hypotheses, references)]
    assert BLEU().sentence_scores(*tokens).tolist() == from_text.tolist()
