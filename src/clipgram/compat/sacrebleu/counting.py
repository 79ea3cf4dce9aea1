"""From hypotheses and streams of references to the integers that BLEU is made of.

Texts are counted by clipgram's core. What it cannot take (a tokenized line that is no str, an order over 16, n-grams of
the user's own) goes the way that sacreBLEU goes, n-gram by n-gram, and raises what it raises there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from clipgram.counts import ngrams_of
from clipgram.segments import Matched, Strings

MOST = 16  # the longest n-grams that the core counts

Info = dict[str, Any]


def ngrams_of_line(line: str, max_order: int) -> tuple[Counter[tuple[str, ...]], int]:
    """All n-grams of a tokenized line with how often they occur, and its length in tokens."""
    tokens = line.split()
    ngrams: Counter[tuple[str, ...]] = Counter()
    for order in range(1, max_order + 1):
        ngrams.update(zip(*(tokens[i:] for i in range(order)), strict=False))
    return ngrams, len(tokens)


def reference_info(lines: Iterable[str], max_order: int) -> Info:
    """Of a segment's tokenized references: the most that each n-gram occurs in one of them, and their lengths.

    Examples
    --------
    >>> info = reference_info(["a b a", "a"], 2)
    >>> dict(info["ref_ngrams"]), info["ref_lens"]
    ({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1}, [3, 1])
    """
    most, lengths = None, []
    for line in lines:
        ngrams, length = ngrams_of_line(line, max_order)
        lengths.append(length)
        most = ngrams if most is None else most | ngrams
    return {"ref_ngrams": most, "ref_lens": lengths}


def closest_length(length: int, candidates: Iterable[int]) -> int:
    """The candidate closest to a length, of two equally close ones the smaller; -1 if there is none.

    Examples
    --------
    >>> closest_length(6, [8, 5, 7]), closest_length(6, [])
    (5, -1)
    """
    return min(candidates, key=lambda candidate: (abs(length - candidate), candidate), default=-1)


def segment_statistics(
    line: str, info: Info, max_order: int, closest: Callable[[int, Iterable[int]], int]
) -> list[Any]:
    """Lengths of a tokenized hypothesis and its reference, then matches and totals of each order."""
    reference_ngrams, reference_lengths = info["ref_ngrams"], info["ref_lens"]
    ngrams, length = ngrams_of_line(line, max_order)
    reference_length = closest(length, reference_lengths)
    matches = [0] * max_order
    totals = [0] * max_order
    for ngram, count in ngrams.items():
        order = len(ngram) - 1
        totals[order] += count
        if ngram in reference_ngrams:
            matches[order] += min(count, reference_ngrams[ngram])
    return [length, reference_length, *matches, *totals]


@dataclass(frozen=True, slots=True)
class Streams:
    """References, segment by segment.

    Attributes
    ----------
    lines : list
        All that are there, segment by segment.
    sizes : list of int, or int
        How many each segment has; one int if all have as many.
    n : int
        Segments.
    plain : bool
        Whether all lines are str.
    """

    lines: list[Any]
    sizes: list[int] | int
    n: int
    plain: bool

    @classmethod
    def of(cls, references: Any) -> Streams:
        """Cut streams to the shortest one, and leave out what is None.

        Examples
        --------
        >>> Streams.of([["a", "b", "c"], [None, "d"]])
        Streams(lines=['a', 'b', 'd'], sizes=[1, 2], n=2, plain=True)
        """
        if all(isinstance(stream, list) for stream in references):
            k = len(references)
            n = min(map(len, references), default=0)
            lines: list[Any] = [None] * (n * k)
            for i, stream in enumerate(references):
                lines[i::k] = stream[:n]
        else:
            segments = list(zip(*references, strict=False))
            n, k = len(segments), len(segments[0]) if segments else 0
            lines = [line for segment in segments for line in segment]
        kinds = set(map(type, lines))
        if type(None) not in kinds:
            return cls(lines, k, n, _are_plain(kinds))
        sizes = [sum(line is not None for line in lines[i : i + k]) for i in range(0, n * k, k)]
        lines = [line for line in lines if line is not None]
        return cls(lines, sizes[0] if len(set(sizes)) == 1 else sizes, n, _are_plain(kinds - {type(None)}))

    def prepared(self, lines: list[str]) -> Streams:
        """The same with other lines."""
        return Streams(lines, self.sizes, self.n, True)

    @property
    def number(self) -> int:
        """How many references a segment has, -1 where that varies or there is no segment."""
        return self.sizes if isinstance(self.sizes, int) and self.n else -1

    def offsets(self, n: int) -> np.ndarray:
        """Where the references of each of the first n segments begin in ``lines``, and where the last ones end."""
        if isinstance(self.sizes, int):
            return np.arange(0, n * self.sizes + 1, self.sizes)
        offsets = np.zeros(n + 1, np.int64)
        np.cumsum(self.sizes[:n], out=offsets[1:])
        return offsets

    def segments(self) -> list[list[Any]]:
        """The references of each segment."""
        offsets = self.offsets(self.n).tolist() if self.sizes else [0] * (self.n + 1)
        return [self.lines[start:stop] for start, stop in pairwise(offsets)]

    @property
    def countable(self) -> bool:
        """Whether the core can count with them: all are str, and every segment has one."""
        least = self.sizes if isinstance(self.sizes, int) else min(self.sizes)
        return least > 0 and self.plain


def all_plain(lines: Sequence[Any]) -> bool:
    """Whether all are str, or of a class that lowercases and strips as str does."""
    return _are_plain(set(map(type, lines)))


def _are_plain(kinds: set[type]) -> bool:
    return all(
        kind is str or (issubclass(kind, str) and kind.lower is str.lower and kind.rstrip is str.rstrip)
        for kind in kinds
    )


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceCache(Sequence[Info]):
    """References, ready to be scored against; as a sequence, what sacreBLEU keeps of each segment.

    Attributes
    ----------
    streams : Streams
        Texts that need no more than tokenizing, or tokenized lines.
    tokenizer : RuleTokenizer or None
        For texts; None if they are tokenized.
    lowercase : bool
        Whether texts were lowercased.
    max_order : int
        Of the n-grams.
    """

    streams: Streams
    tokenizer: Any
    lowercase: bool
    max_order: int

    def __len__(self) -> int:
        return self.streams.n

    def __getitem__(self, i: Any) -> Any:
        segments = self.streams.segments()[i]
        if isinstance(i, slice):
            return list(map(self._info, segments))
        return self._info(segments)

    def __iter__(self) -> Any:
        return map(self._info, self.streams.segments())

    def _info(self, lines: Sequence[str]) -> Info:
        if self.tokenizer is not None:
            lines = [self.tokenizer(line.rstrip()) for line in lines]
        return reference_info(lines, self.max_order)

    def rows(self, hypotheses: list[str]) -> np.ndarray:
        """Lengths, matches and totals of each hypothesis, int64 array [B, 2 + 2 * max_order].

        Parameters
        ----------
        hypotheses : list of str
            Texts or tokenized lines, as the references are.
        """
        n = min(len(hypotheses), len(self))
        offsets = self.streams.offsets(n)
        hypotheses, references = hypotheses[:n], self.streams.lines[: offsets[-1]]
        rules: str | None = None
        segments: tuple[list[Any], list[Any]] = hypotheses, references
        if self.tokenizer is not None:
            rules = self.tokenizer.rules
        else:
            segments = [line.split() for line in hypotheses], [line.split() for line in references]
        strings = Strings(*segments, offsets, np.arange(n), rules, lambda: None)
        return rows_of(strings.match(0, n, self.max_order, False), self.max_order)


def rows_of(matched: Matched, max_order: int) -> np.ndarray:
    """One row a segment: lengths of hypothesis and reference, matches of each order, totals of each order."""
    lengths = matched.lengths
    rows = np.empty((len(lengths), 2 + 2 * max_order), np.int64)
    rows[:, 0] = lengths
    rows[:, 1] = _closest_lengths(matched)
    rows[:, 2 : 2 + max_order] = matched.matches
    for order in range(1, max_order + 1):
        rows[:, 1 + max_order + order] = ngrams_of(lengths, order)
    return rows


def _closest_lengths(matched: Matched) -> np.ndarray:
    """``closest_length`` of each segment: an empty reference is one like any other, which it is not elsewhere."""
    candidates, own = matched.reference_lengths, matched.lengths
    if len(candidates) == len(own):
        return candidates
    away = candidates - matched.spread(own)
    # Twice the distance, odd for the longer of two equally close ones, so that the least key is the answer.
    least = np.minimum.reduceat(2 * np.abs(away) + (away > 0), matched.starts)
    return own + np.where(least & 1, least >> 1, -(least >> 1))
