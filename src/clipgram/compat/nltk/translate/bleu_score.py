"""``nltk.translate.bleu_score``: BLEU of sentences and corpora."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import exp, fsum, log
from operator import add
from typing import Any

from clipgram.compat.nltk.translate._corpus import bleu_sums, parts
from clipgram.compat.nltk.translate._precision import Fraction, modified_precision
from clipgram.compat.nltk.translate._segment import bleu_counts, closest
from clipgram.compat.nltk.translate._smoothing import Rule, SmoothingFunction, rule_of, smooth_counts, warn_of_no_match
from clipgram.counts import count_objects

__all__ = [
    "Fraction",
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "sentence_bleu",
]

_DEFAULT = (0.25, 0.25, 0.25, 0.25)
_SMALLEST = log(sys.float_info.min)


def sentence_bleu(
    references: Any,
    hypothesis: Any,
    weights: Any = _DEFAULT,
    smoothing_function: Any = None,
    auto_reweigh: Any = False,
) -> Any:
    """BLEU of one segment.

    Parameters
    ----------
    references : list of list of tokens
    hypothesis : list of tokens
    weights : sequence of float, or list of such
        What each order counts for, from the first on. Several give a list of scores.
    smoothing_function : callable, optional
        A method of ``SmoothingFunction``, or a callable like them.
    auto_reweigh : bool
        With fewer than four tokens and the default weights, let only the orders that these tokens have count.

    Returns
    -------
    float, or list of float
        The int 0 if no unigram matches.

    References
    ----------
    Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation" (ACL 2002).

    Examples
    --------
    >>> sentence_bleu(["the cat is on the mat".split()], "the cat is on a mat".split())
    0.537284965911771
    >>> sentence_bleu(["the cat is on the mat".split()], "the cat is on a mat".split(), [(1,), (0.5, 0.5)])
    [0.8333333333333334, 0.7071067811865476]
    """
    if weights is _DEFAULT and auto_reweigh is False:
        counted = count_objects(hypothesis, references, 4, False)
        if counted is not None:
            length, reference_lengths, (a, b, c, d) = counted
            if not a:
                return 0
            nearest = reference_lengths[0] if len(reference_lengths) == 1 else closest(reference_lengths, length)
            penalty = 1 if length > nearest else exp(1 - nearest / length)
            ruled = None if smoothing_function is None else rule_of(smoothing_function)
            if smoothing_function is None or ruled is not None:
                logs: Sequence[float]
                if d:
                    logs = log(a / length), log(b / (length - 1)), log(c / (length - 2)), log(d / (length - 3))
                elif ruled is None:
                    warn_of_no_match(4 if c else 3 if b else 2, 4)
                    second, third = log(b / (length - 1)) if b else _SMALLEST, log(c / (length - 2)) if c else _SMALLEST
                    logs = log(a / length), second, third, _SMALLEST
                else:
                    logs = _smoothed_logs(length, counted[2], *ruled)
                # The fsum of quarters has the same bits as a quarter of the fsum: to divide by 4 does not round.
                return penalty * exp(0.25 * fsum(logs))
    weights, max_order = _sets(weights)
    counts = bleu_counts(references, hypothesis, max_order)
    return _score(counts, weights, smoothing_function, auto_reweigh, references, hypothesis)


def corpus_bleu(
    list_of_references: Any,
    hypotheses: Any,
    weights: Any = _DEFAULT,
    smoothing_function: Any = None,
    auto_reweigh: Any = False,
) -> Any:
    """BLEU of a corpus: counts are summed over segments, then scored once.

    Parameters
    ----------
    list_of_references : list of list of list of tokens
        The references of each hypothesis.
    hypotheses : list of list of tokens
    weights, smoothing_function, auto_reweigh
        As for ``sentence_bleu``. Smoothing sees the last segment only.

    Returns
    -------
    float, or list of float
        The int 0, or a list of them, if no unigram matches.

    Examples
    --------
    >>> corpus_bleu([["the cat is on the mat".split()], ["it rains".split()]], ["the cat is on a mat".split(), ["rain"]])
    0.3768499164492419
    """
    assert len(list_of_references) == len(hypotheses), (
        f"{len(list_of_references)} lists of references for {len(hypotheses)} hypotheses; wanted as many"
    )
    weights, max_order = _sets(weights)
    sums: list[Any] = [0, 0, [0] * max_order, [0] * max_order]
    references = hypothesis = None
    for some_references, some_hypotheses in parts(list_of_references, hypotheses):
        counted = bleu_sums(some_references, some_hypotheses, max_order)
        if counted is not None:
            _add(sums, counted)
            references, hypothesis = some_references[-1], some_hypotheses[-1]
            continue
        for references, hypothesis in zip(some_references, some_hypotheses):  # noqa: B905  # not strict in NLTK
            _add(sums, bleu_counts(references, hypothesis, max_order))
    return _score(sums, weights, smoothing_function, auto_reweigh, references, hypothesis)


def _sets(weights: Any) -> tuple[Any, int]:
    """The sets of weights, and the highest order in them."""
    if type(weights) is tuple and weights and type(weights[0]) is float:  # the usual form, without an exception
        return [weights], len(weights)
    try:
        weights[0][0]
    except (TypeError, IndexError):
        weights = [weights]
    return weights, max([len(weight) for weight in weights])


def _score(
    counts: Sequence[Any], weights: Any, smoothing_function: Any, auto_reweigh: Any, references: Any, hypothesis: Any
) -> Any:
    """The score, or the scores, of what was counted, whose last segment is given."""
    length, reference_length, matches, totals = counts
    if 0 in totals:
        raise ZeroDivisionError("a corpus without a segment has no precision")
    if not matches or not matches[0]:
        return 0 if len(weights) == 1 else [0] * len(weights)
    smoothing_function = smoothing_function or None
    precisions: Any = smooth_counts(smoothing_function, matches, totals, length)
    if precisions is None:
        precisions = smoothing_function(
            list(map(Fraction, matches, totals)), references=references, hypothesis=hypothesis, hyp_len=length
        )
    penalty = brevity_penalty(reference_length, length)
    scores = []
    for weight in weights:
        if auto_reweigh and length < 4 and weight == _DEFAULT:
            weight = (1 / length,) * length
        logs = [w * log(p) for w, p in zip(weight, precisions) if p > 0]  # noqa: B905  # not strict in NLTK
        scores.append(penalty * exp(fsum(logs)))
    return scores[0] if len(weights) == 1 else scores


def _smoothed_logs(length: int, matches: Sequence[int], rule: Rule, method: SmoothingFunction) -> list[float]:
    """The logarithms of the precisions of one segment, but of those that are not above 0."""
    # No order has a match where the one below has none.
    logs = [log(m / (length - i)) for i, m in enumerate(matches) if m]
    first = len(logs)
    for i in range(first, len(matches)):
        precision = rule(method, i + 1, length - i if length > i else 1, i - first + 1, length)
        if precision > 0:
            logs.append(log(precision))
    return logs


def _add(sums: list[Any], counted: Any) -> None:
    sums[0] += counted[0]
    sums[1] += counted[1]
    sums[2] = list(map(add, sums[2], counted[2]))
    sums[3] = list(map(add, sums[3], counted[3]))


def closest_ref_length(references: Any, hyp_len: Any) -> Any:
    """The length of the reference whose length is closest to the hypothesis', of two equally close ones the shorter.

    Parameters
    ----------
    references : list of list of tokens
    hyp_len : int

    Returns
    -------
    int

    Examples
    --------
    >>> closest_ref_length([["a"] * 13, ["a"] * 11, ["a"] * 2], 12)
    11
    """
    return closest(map(len, references), hyp_len)


def brevity_penalty(closest_ref_len: Any, hyp_len: Any) -> Any:
    """The int 1 for what is longer than the reference, the int 0 for what is empty, else exp(1 - reference / own length).

    Parameters
    ----------
    closest_ref_len, hyp_len : int
        Of a segment, or sums over a corpus.

    Returns
    -------
    int or float

    References
    ----------
    Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation" (ACL 2002), section 2.2.2.

    Examples
    --------
    >>> brevity_penalty(13, 12), brevity_penalty(12, 12), brevity_penalty(11, 12), brevity_penalty(12, 0)
    (0.9200444146293233, 1.0, 1, 0)
    """
    if hyp_len > closest_ref_len:
        return 1
    return exp(1 - closest_ref_len / hyp_len) if hyp_len != 0 else 0
