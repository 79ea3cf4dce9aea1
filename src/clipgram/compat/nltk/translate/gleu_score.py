"""``nltk.translate.gleu_score``: GLEU of sentences and corpora."""

from __future__ import annotations

from typing import Any

from clipgram.compat.nltk.translate._corpus import gleu_sums, parts
from clipgram.compat.nltk.translate._segment import best_of, gleu_counts
from clipgram.counts import count_objects

__all__ = ["corpus_gleu", "sentence_gleu"]


def sentence_gleu(references: Any, hypothesis: Any, min_len: Any = 1, max_len: Any = 4) -> float:
    """GLEU of one segment: the clipped matches of all orders over the n-grams of the larger side.

    Of several references the one with the best ratio counts, of equal ratios the first.

    Parameters
    ----------
    references : list of list of tokens
    hypothesis : list of tokens
    min_len, max_len : int
        The shortest and the longest n-gram.

    Returns
    -------
    float

    References
    ----------
    Wu et al., "Google's Neural Machine Translation System: Bridging the Gap between Human and Machine Translation"
    (2016), section 5.2.

    Examples
    --------
    >>> sentence_gleu(["the cat is on the mat".split()], "the cat is on a mat".split())
    0.6111111111111112
    """
    if min_len == 1 and max_len == 4 and type(min_len) is type(max_len) is int:
        counted = count_objects(hypothesis, references, 4, True)
        if counted is not None:
            length, reference_lengths, matches = counted
            if len(reference_lengths) == 1:  # the usual call, written out
                longer = reference_lengths[0]
                if length > longer:
                    longer = length
                return sum(matches) / (4 * longer - 6 if longer > 2 else max(1, 2 * longer - 1))
            match, larger = best_of(counted, 1, 4)
            return match / larger if larger else 0.0
    match, larger = gleu_counts(references, hypothesis, min_len, max_len)
    return match / larger if larger else 0.0


def corpus_gleu(list_of_references: Any, hypotheses: Any, min_len: Any = 1, max_len: Any = 4) -> float:
    """GLEU of a corpus: matches and larger sides are summed over segments, then divided once.

    Parameters
    ----------
    list_of_references : list of list of list of tokens
        The references of each hypothesis. A segment without any does not count.
    hypotheses : list of list of tokens
    min_len, max_len : int
        The shortest and the longest n-gram.

    Returns
    -------
    float

    Examples
    --------
    >>> corpus_gleu([["the cat is on the mat".split()], ["it rains".split()]], ["the cat is on a mat".split(), ["rain"]])
    0.5238095238095238
    """
    assert len(list_of_references) == len(hypotheses), (
        f"{len(list_of_references)} lists of references for {len(hypotheses)} hypotheses; wanted as many"
    )
    matches = larger = 0
    for some_references, some_hypotheses in parts(list_of_references, hypotheses):
        sums = gleu_sums(some_references, some_hypotheses, min_len, max_len)
        if sums is not None:
            matches += sums[0]
            larger += sums[1]
            continue
        for references, hypothesis in zip(some_references, some_hypotheses):  # noqa: B905  # not strict in NLTK
            best = gleu_counts(references, hypothesis, min_len, max_len)
            matches += best[0]
            larger += best[1]
    return matches / larger if larger else 0.0
