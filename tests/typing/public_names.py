"""What type checkers make of the public names. Never run: mypy and pyright read it."""

from array import array
from typing import Any, Literal, assert_type

import numpy as np

import clipgram
from clipgram import BLEU, GLEU, BLEUScore, GLEUScore, NgramCounts, References, TokenBatch
from clipgram.rewards import Scorer

text = ["the cat sat", "it rains"]
references = [["the cat sat down", "a cat sat"], ["it rained"]]
ids = [[5, 8, 9], [5, 8]]

# The functions.
assert_type(clipgram.corpus_bleu(text, references), BLEUScore)
assert_type(clipgram.corpus_bleu(ids, ids, max_order=2, smooth_method="none"), BLEUScore)
assert_type(clipgram.sentence_bleu("the cat", ["the cat", None]), BLEUScore)
assert_type(clipgram.corpus_gleu(text, references), GLEUScore)
assert_type(clipgram.sentence_gleu([5, 8], [[5, 8], [5]]), GLEUScore)
assert_type(clipgram.__version__, str)
assert_type(clipgram.IMPLEMENTATION, Literal["ext", "python"])

# The metrics.
bleu = BLEU(max_order=2, weights=(0.5, 0.5), smooth_method="floor", smooth_value=0.1, lowercase=True, normalize="NFC")
gleu = GLEU(min_order=1, max_order=4, tokenize=str.split, threads=2)
assert_type(bleu.corpus_score(text, references), BLEUScore)
assert_type(gleu.corpus_score(text, references), GLEUScore)
assert_type(bleu.sentence_score(np.array([5, 8]), np.array([[5, 8], [5, 9]])), BLEUScore)
assert_type(bleu.counts(ids, ids), NgramCounts)
assert_type(gleu.score_counts(gleu.counts(ids, ids)), GLEUScore)
assert_type(bleu.signature(), str)
BLEU(weights=[(1.0,), (0.5, 0.5)], smooth_method=lambda matches, totals: [m / max(t, 1) for m, t in zip(matches, totals, strict=True)])
BLEU(normalize="NFD")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
GLEU(weights=(1,))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

# The scores.
score = clipgram.sentence_bleu("the cat", "the cat")
assert_type(score.score, float | tuple[float, ...])
assert_type(score.percent, float | tuple[float, ...])
assert_type(score.precisions, tuple[float, ...])
assert_type(score.matches, tuple[int, ...])
assert_type(score.length_ratio, float)
assert_type(str(score), str)
assert_type(clipgram.sentence_gleu("the cat", "the cat").score, float)
assert_type(clipgram.sentence_gleu("the cat", "the cat").recall, float)
score.score = 1.0  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]

# Counts.
counts = bleu.counts(text, references)
assert_type(counts.sum() + counts.sum(), NgramCounts)
assert_type(sum([counts.sum(), counts.sum()], start=counts.sum()), NgramCounts)
assert_type(NgramCounts.concatenate([counts, counts])[0], NgramCounts)
assert_type(NgramCounts.from_vector(counts.to_vector(), metric="bleu", max_order=2), NgramCounts)
assert_type(len(counts), int)
assert_type(counts.n_references, int | None)

# Batches.
batch = TokenBatch.from_lists(ids)
assert_type(batch, TokenBatch)
assert_type(TokenBatch.from_ragged(np.arange(4), [0, 2, 4]), TokenBatch)
assert_type(len(batch), int)
for sequence in batch:
    sequence.tolist()
assert_type(bleu.corpus_score(batch, batch), BLEUScore)
assert_type(TokenBatch.from_padded(np.zeros((2, 3), np.int64), pad_id=0, eos_id=[2, 3], eos="keep"), TokenBatch)

# References that are prepared once, prefixes, decoding, rewards.
prepared = References(references, lowercase=True, normalize="NFKC")
assert_type(prepared[0], References)
assert_type(bleu.corpus_score(text, prepared), BLEUScore)
for prefixes in bleu.prefix_scores(ids, ids, delta=True):
    prefixes.tolist()
assert_type(clipgram.self_bleu(text), float)
assert_type(clipgram.tokenize("the cat.", "13a", lowercase=True)[0], Any)
clipgram.mbr(text, gleu, [0.5, 0.5]).argmax()
clipgram.repetition(ids, 2).mean()
assert_type(Scorer(metric="gleu").score("the cat", "the cat"), float | None)

# Text with text, tokens with tokens, in every form.
for metric in (bleu, gleu):
    metric.corpus_score(["a b"], ["a b"])
    metric.corpus_score(iter(text), [("a b", None), "a b"])
    metric.corpus_score([["a", "b"]], [[["a", "b"], None]])
    metric.sentence_scores(np.zeros((2, 3), np.int64), [[5, 8], (5, 9)], ref_index=[0, 1])
    metric.sentence_scores([range(3), array("q", [5])], prepared)
    metric.sentence_score(["a", "b"], [["a"], None])
    metric.sentence_score(array("q", [5]), np.array([5]))
    metric.counts(batch, batch)
clipgram.sentence_bleu("a b", [[5, 8]])  # type: ignore[list-item]  # pyright: ignore[reportCallIssue, reportArgumentType]
clipgram.sentence_gleu([5, 8], "a b")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
clipgram.corpus_bleu(text, ids)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
clipgram.corpus_gleu(ids, text)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
bleu.sentence_scores(5, ids)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
bleu.counts([1.5], [1.5])  # type: ignore[list-item]  # pyright: ignore[reportCallIssue, reportArgumentType]
