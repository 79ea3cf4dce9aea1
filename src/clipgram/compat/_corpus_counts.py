"""Counts of a corpus for the drop-ins of evaluate and torchmetrics.

Nothing is refused here that a peer takes: tokens are whatever hashes, orders go beyond those of the core, and which of
several references' lengths counts is each peer's own rule.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from clipgram.batch import TokenBatch, offsets_of
from clipgram.counts import PART, Counted, count_matches, count_one
from clipgram.metric import MAX_ORDER
from clipgram.segments import Segments, Strings
from clipgram.tokenizers import Tokenizer, get_tokenizer

Tokens = list[Hashable]

_WORDS = get_tokenizer("none")  # where there is nothing to tokenize


@dataclass(frozen=True, slots=True)
class Part:
    """Counts of some segments, each with one reference at least.

    Attributes
    ----------
    lengths : int64 array [B]
        Tokens of each hypothesis.
    reference_lengths : int64 array [R]
        Tokens of each reference, segment by segment, in the order they came.
    starts : int64 array [B]
        Where the references of each segment begin.
    matches : int64 array [B, max_order] or [R, max_order]
        Clipped matches with all references together, or with each alone.
    """

    lengths: np.ndarray
    reference_lengths: np.ndarray
    starts: np.ndarray
    matches: np.ndarray

    @property
    def segments(self) -> np.ndarray:
        """The segment of each reference, int64 array [R]."""
        n_references = np.diff(np.append(self.starts, len(self.reference_lengths)))
        return np.repeat(np.arange(len(self.starts)), n_references)


class Sums(NamedTuple):
    """What BLEU of a corpus is made of; matches and totals are those of each order."""

    length: int
    reference_length: int
    matches: list[int]
    totals: list[int]


# Which reference's length counts: for one segment, and for all segments of a part.


def _shortest(part: Part) -> np.ndarray:
    return np.minimum.reduceat(part.reference_lengths, part.starts)


def _closest(part: Part) -> np.ndarray:
    own = part.lengths[part.segments]
    # Twice the distance, odd for the longer of two equally close ones.
    keys = 2 * np.abs(part.reference_lengths - own) + (part.reference_lengths > own)
    least = np.minimum.reduceat(keys, part.starts)
    return np.where(least & 1, part.lengths + (least >> 1), part.lengths - (least >> 1))


def _closest_first(part: Part) -> np.ndarray:
    segments = part.segments
    place = np.arange(len(segments)) - part.starts[segments]
    most = int(place.max()) + 1
    keys = np.abs(part.reference_lengths - part.lengths[segments]) * most + place
    return part.reference_lengths[part.starts + np.minimum.reduceat(keys, part.starts) % most]


_Rule = tuple[Callable[[int, tuple[int, ...]], int], Callable[[Part], np.ndarray]]
RULES: dict[str, _Rule] = {
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
        return _of_one(one, max_order, rule)
    return _of_parts(count_texts(hypotheses, references, tokenizer, max_order), max_order, rule)


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
        return _of_one(one, max_order, rule)
    return _of_parts(count_tokens(hypotheses, references, max_order), max_order, rule)


def _of_one(counted: Counted, max_order: int, rule: str) -> Sums:
    length, reference_lengths, matches = counted
    reference_length = reference_lengths[0]
    if len(reference_lengths) > 1:
        reference_length = RULES[rule][0](length, reference_lengths)
    totals = list(range(length, length - max_order, -1))
    if length < max_order:
        totals = [max(total, 0) for total in totals]
    return Sums(length, reference_length, list(matches), totals)


def _of_parts(parts: Iterator[Part], max_order: int, rule: str) -> Sums:
    sums = np.zeros((2, max_order), np.int64)
    length = reference_length = 0
    for part in parts:
        length += int(part.lengths.sum())
        reference_length += int(RULES[rule][1](part).sum())
        sums[0] += part.matches.sum(axis=0)
        sums[1] += [np.maximum(part.lengths - n, 0).sum() for n in range(max_order)]
    return Sums(length, reference_length, sums[0].tolist(), sums[1].tolist())


def count_segment(
    hypotheses: list[Any], references: list[Any], tokenizer: Tokenizer, max_order: int, per_reference: bool = False
) -> Counted | None:
    """Count a corpus of one segment in the usual forms without arrays; None for any other."""
    if len(hypotheses) != 1 or max_order > MAX_ORDER:
        return None
    return count_one(hypotheses[0], references[0], tokenizer, max_order, per_reference)


def count_texts(
    hypotheses: list[str], references: list[list[str]], tokenizer: Tokenizer, max_order: int, per_reference: bool = False
) -> Iterator[Part]:
    """Count texts, some segments at a time. The parameters are those of ``sum_texts``."""
    if tokenizer.rules is None:
        made = iter(tokenizer.tokens_of([*hypotheses, *chain.from_iterable(references)]))
        hyps = [list(next(made)) for _ in hypotheses]
        refs = [[list(next(made)) for _ in row] for row in references]
        yield from count_tokens(hyps, refs, max_order, per_reference)
        return
    source = Strings(hypotheses, *_flat(references), tokenizer.rules, _nothing)
    for start in range(0, len(hypotheses), PART):
        yield _count(source.part(start, min(start + PART, len(hypotheses))), max_order, per_reference)


def count_tokens(
    hypotheses: list[Tokens], references: list[list[Tokens]], max_order: int, per_reference: bool = False
) -> Iterator[Part]:
    """Count lists of tokens, some segments at a time. The parameters are those of ``sum_tokens``."""
    for start in range(0, len(hypotheses), PART):
        hyps = hypotheses[start : start + PART]
        flat, offsets, groups = _flat(references[start : start + PART])
        try:
            segments = Strings(hyps, flat, offsets, groups, None, _nothing).part(0, len(hyps))
        except TypeError:  # not all of them are str
            ids: dict[Hashable, int] = {}
            numbered = [[ids.setdefault(token, len(ids)) for token in tokens] for tokens in chain(hyps, flat)]
            batches = TokenBatch.from_lists(numbered[: len(hyps)]), TokenBatch.from_lists(numbered[len(hyps) :])
            segments = Segments(*batches, offsets, groups)
        yield _count(segments, max_order, per_reference)


def _nothing() -> None:
    """There is no need to name the place of what is no str."""


def _flat(rows: list[list[Any]]) -> tuple[list[Any], np.ndarray, np.ndarray]:
    return list(chain.from_iterable(rows)), offsets_of(list(map(len, rows))), np.arange(len(rows))


def _count(segments: Segments, max_order: int, per_reference: bool) -> Part:
    segment, reference = segments.pairs()
    starts = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]])
    matches = count_matches(segments, min(max_order, MAX_ORDER), per_reference)
    if max_order > MAX_ORDER:
        matches = np.hstack([matches, *_longer_matches(segments, max_order, per_reference)])
    return Part(segments.hypotheses.lengths, segments.references.lengths[reference], starts, matches)


def _longer_matches(segments: Segments, max_order: int, per_reference: bool) -> Iterator[np.ndarray]:
    """Matches of the orders that the core does not have.

    The n-grams of its longest order become the tokens of new sequences, whose bigrams are n-grams of the next order.
    """
    done = MAX_ORDER
    while done < max_order:
        names: dict[tuple[int, ...], int] = {}
        renamed = [
            TokenBatch.from_lists(
                [
                    [names.setdefault(tuple(ids[i : i + MAX_ORDER]), len(names)) for i in range(len(ids) - MAX_ORDER + 1)]
                    for ids in map(np.ndarray.tolist, batch)
                ]
            )
            for batch in (segments.hypotheses, segments.references)
        ]
        segments = Segments(*renamed, segments.group_offsets, segments.groups)
        more = min(max_order - done, MAX_ORDER - 1)
        matches = count_matches(segments, more + 1, per_reference)[:, 1:]
        if not names:  # no sequence is as long as that, nor as anything longer
            yield np.zeros((len(matches), max_order - done), np.int64)
            return
        yield matches
        done += more
