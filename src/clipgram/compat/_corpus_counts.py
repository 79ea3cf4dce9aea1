"""Counts of a corpus for the drop-ins of evaluate and torchmetrics.

Nothing is refused here that a peer takes: tokens are whatever hashes, orders go beyond those of the core, and which of
several references' lengths counts is each peer's own rule.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from clipgram.batch import TokenBatch, offsets_of
from clipgram.counts import Counted, count_one
from clipgram.metric import MAX_ORDER
from clipgram.segments import Matched, Segments, Strings
from clipgram.tokenizers import Tokenizer, get_tokenizer

Tokens = list[Hashable]

_WORDS = get_tokenizer("none")  # where there is nothing to tokenize


class Sums(NamedTuple):
    """What BLEU of a corpus is made of; matches and totals are those of each order."""

    length: int
    reference_length: int
    matches: list[int]
    totals: list[int]


# Which reference's length counts: for one segment, and for all.


def _shortest(matched: Matched) -> np.ndarray:
    return np.minimum.reduceat(matched.reference_lengths, matched.starts)


def _closest(matched: Matched) -> np.ndarray:
    own = matched.spread(matched.lengths)
    # Twice the distance, odd for the longer of two equally close ones.
    keys = 2 * np.abs(matched.reference_lengths - own) + (matched.reference_lengths > own)
    least = np.minimum.reduceat(keys, matched.starts)
    return np.where(least & 1, matched.lengths + (least >> 1), matched.lengths - (least >> 1))


def _closest_first(matched: Matched) -> np.ndarray:
    place = np.arange(len(matched.reference_lengths)) - matched.spread(matched.starts)
    most = int(matched.n_references.max())
    keys = np.abs(matched.reference_lengths - matched.spread(matched.lengths)) * most + place
    return matched.reference_lengths[matched.starts + np.minimum.reduceat(keys, matched.starts) % most]


_Rule = tuple[Callable[[int, tuple[int, ...]], int], Callable[[Matched], np.ndarray]]
_RULES: dict[str, _Rule] = {
    "shortest": (lambda length, candidates: min(candidates), _shortest),
    # of two equally close ones the shorter, or the one that is listed first
    "closest": (lambda length, candidates: min(candidates, key=lambda r: (abs(r - length), r)), _closest),
    "closest, first": (lambda length, candidates: min(candidates, key=lambda r: abs(r - length)), _closest_first),
}


def sum_texts(
    hypotheses: list[str], references: list[list[str]], tokenizer: Tokenizer, max_order: int, rule: str
) -> Sums:
    """Count texts, and sum over them.

    Parameters
    ----------
    hypotheses : list of str
    references : list of list of str
        One at least for each hypothesis.
    tokenizer : Tokenizer
        One that does nothing to texts first.
    max_order : int
        From 1.
    rule : {"shortest", "closest", "closest, first"}
        Which reference's length counts.

    Returns
    -------
    Sums
    """
    one = count_segment(hypotheses, references, tokenizer, max_order)
    if one is not None:
        return _sum_of_one(one, max_order, rule)
    return _sum(match_texts(hypotheses, references, tokenizer, max_order), max_order, rule)


def sum_tokens(hypotheses: list[Tokens], references: list[list[Tokens]], max_order: int, rule: str) -> Sums:
    """Count lists of tokens, and sum over them.

    Parameters
    ----------
    hypotheses : list of list
        Tokens are equal if they are as keys of a dict.
    references : list of list of list
        One at least for each hypothesis.
    max_order, rule
        As for ``sum_texts``.

    Returns
    -------
    Sums
    """
    one = count_segment(hypotheses, references, _WORDS, max_order)
    if one is not None:
        return _sum_of_one(one, max_order, rule)
    return _sum(match_tokens(hypotheses, references, max_order), max_order, rule)


def _sum_of_one(counted: Counted, max_order: int, rule: str) -> Sums:
    length, reference_lengths, matches = counted
    reference_length = reference_lengths[0]
    if len(reference_lengths) > 1:
        reference_length = _RULES[rule][0](length, reference_lengths)
    totals = list(range(length, length - max_order, -1))
    if length < max_order:
        totals = [max(total, 0) for total in totals]
    return Sums(length, reference_length, list(matches), totals)


def _sum(matched: Matched, max_order: int, rule: str) -> Sums:
    lengths = matched.lengths
    totals = [int(np.maximum(lengths - n, 0).sum()) for n in range(max_order)]
    reference_length = int(_RULES[rule][1](matched).sum())
    return Sums(int(lengths.sum()), reference_length, matched.matches.sum(axis=0).tolist(), totals)


def count_segment(
    hypotheses: list[Any], references: list[Any], tokenizer: Tokenizer, max_order: int, per_reference: bool = False
) -> Counted | None:
    """Count a corpus of one segment in the usual forms without arrays; None for any other."""
    if len(hypotheses) != 1 or max_order > MAX_ORDER:
        return None
    return count_one(hypotheses[0], references[0], tokenizer, max_order, per_reference)


def match_texts(
    hypotheses: list[str],
    references: list[list[str]],
    tokenizer: Tokenizer,
    max_order: int,
    per_reference: bool = False,
) -> Matched:
    """Count the matches of texts. The parameters are those of ``sum_texts``."""
    flat, which = _flat(references)
    if tokenizer.rules is None or max_order > MAX_ORDER:
        made = list(map(list, tokenizer.tokens_of([*hypotheses, *flat])))
        return _match_lists(made[: len(hypotheses)], made[len(hypotheses) :], which, max_order, per_reference)
    source = Strings(hypotheses, flat, *which, tokenizer.rules, _nothing)
    return source.match(0, len(hypotheses), max_order, per_reference)


def match_tokens(
    hypotheses: list[Tokens], references: list[list[Tokens]], max_order: int, per_reference: bool = False
) -> Matched:
    """Count the matches of lists of tokens. The parameters are those of ``sum_tokens``."""
    flat, which = _flat(references)
    return _match_lists(hypotheses, flat, which, max_order, per_reference)


def _flat(rows: list[list[Any]]) -> tuple[list[Any], tuple[np.ndarray, np.ndarray]]:
    return list(chain.from_iterable(rows)), (offsets_of(list(map(len, rows))), np.arange(len(rows)))


def _nothing() -> None:
    """There is no need to name the place of what is no str."""


def _match_lists(
    hyps: list[Tokens], refs: list[Tokens], which: tuple[np.ndarray, np.ndarray], max_order: int, per_reference: bool
) -> Matched:
    if max_order <= MAX_ORDER:
        try:
            return Strings(hyps, refs, *which, None, _nothing).match(0, len(hyps), max_order, per_reference)
        except TypeError:
            pass  # not all of them are str
    ids: dict[Hashable, int] = {}
    numbered = [[ids.setdefault(token, len(ids)) for token in tokens] for tokens in chain(hyps, refs)]
    segments = _segments(numbered, len(hyps), which)
    matched = segments.match(0, len(hyps), min(max_order, MAX_ORDER), per_reference)
    if max_order <= MAX_ORDER:
        return matched
    longer = _longer_matches(numbered, len(hyps), which, max_order, per_reference)
    matches = np.hstack([matched.matches, *longer])
    return Matched(matched.lengths, matched.n_references, matched.reference_lengths, matches)


def _segments(numbered: list[list[int]], n_hyps: int, which: tuple[np.ndarray, np.ndarray]) -> Segments:
    return Segments(TokenBatch.from_lists(numbered[:n_hyps]), TokenBatch.from_lists(numbered[n_hyps:]), *which)


def _longer_matches(
    numbered: list[list[int]], n_hyps: int, which: tuple[np.ndarray, np.ndarray], max_order: int, per_reference: bool
) -> Iterator[np.ndarray]:
    """Matches of the orders that the core does not have.

    The n-grams of its longest order become the tokens of new sequences, whose bigrams are n-grams of the next order.
    """
    done = MAX_ORDER
    while done < max_order:
        names: dict[tuple[int, ...], int] = {}
        numbered = [
            [names.setdefault(tuple(ids[i : i + MAX_ORDER]), len(names)) for i in range(len(ids) - MAX_ORDER + 1)]
            for ids in numbered
        ]
        more = min(max_order - done, MAX_ORDER - 1)
        matches = _segments(numbered, n_hyps, which).match(0, n_hyps, more + 1, per_reference).matches[:, 1:]
        if not names:  # no sequence is as long as that, nor as anything longer
            yield np.zeros((len(matches), max_order - done), np.int64)
            return
        yield matches
        done += more
