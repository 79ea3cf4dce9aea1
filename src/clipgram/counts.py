"""NgramCounts: what scores are made of, as integers that add up; and the counting itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from clipgram._arrays import as_array
from clipgram._backend import IMPLEMENTATION, lists, objects, text
from clipgram._describe import describe
from clipgram.references import References
from clipgram.segments import Segments, Strings
from clipgram.tokenizers import Tokenizer

# One segment of tokens of any kind, which only drop-ins take.
count_objects = objects.count_objects

# Whether counting takes so little that it pays to count too much.
COMPILED = IMPLEMENTATION == "ext"

# The length of a hypothesis, the lengths of its references, and the matches, reference by reference or of all together.
Counted = tuple[int, tuple[int, ...], tuple[int, ...]]

# What comes before the matches of each order in a row. BLEU has the totals of each order behind the matches.
_HEADS = {
    "bleu": ("hypothesis_length", "reference_length"),
    "gleu": ("hypothesis_ngrams", "reference_ngrams", "larger_ngrams"),
}


@dataclass(frozen=True, slots=True, eq=False)
class NgramCounts:
    """Integer statistics of segments, one row each, from which scores are made.

    Counts add up: those of a corpus are the sum of its segments', wherever they were counted. ``metric.counts`` makes
    them and ``metric.score_counts`` and ``metric.scores_from_counts`` take them.

    Parameters
    ----------
    values : int64 array [B, columns]
        BLEU: hypothesis length, reference length, clipped matches of each order, totals of each order.
        GLEU: n-grams of the hypothesis, of its best reference, and the larger of the two, then the matches of each
        order with that reference.
    metric : {"bleu", "gleu"}
        What the columns mean.
    max_order : int
        The longest n-gram that was counted.
    min_order : int
        The shortest n-gram that the first columns of GLEU count.
    n_references : int or None
        How many references each segment had, None where that varies.

    Examples
    --------
    >>> from clipgram import BLEU
    >>> metric = BLEU()
    >>> monday = metric.counts(["the cat sat", "it rains"], ["the cat sat down", "it rained"])
    >>> tuesday = metric.counts(["the dog ran off"], ["the dog ran home"])
    >>> len(monday), monday.matches.tolist()
    (2, [[3, 2, 1, 0], [1, 0, 0, 0]])
    >>> week = monday.sum() + tuesday.sum()
    >>> week.matches.tolist(), week.hypothesis_length.tolist()
    ([[7, 4, 2, 0]], [9])
    >>> metric.score_counts(NgramCounts.from_vector(week.to_vector())).matches
    (7, 4, 2, 0)
    """

    values: np.ndarray
    metric: str = "bleu"
    max_order: int = 4
    min_order: int = 1
    n_references: int | None = None

    __array_ufunc__ = None  # so that NumPy does not take counts for a sequence of numbers

    def __post_init__(self) -> None:
        if self.metric not in _HEADS:
            raise ValueError(f"metric is {self.metric!r}; wanted 'bleu' or 'gleu'")
        values = np.asarray(self.values)
        wanted = columns(self.metric, self.max_order)
        if values.ndim != 2 or values.shape[1] != wanted or values.dtype != np.int64:
            raise ValueError(
                f"values is {describe(values)}; wanted an int64 array of shape (rows, {wanted}) "
                f"for {self.metric} up to order {self.max_order}"
            )
        object.__setattr__(self, "values", values)

    @classmethod
    def from_vector(
        cls,
        vector: Any,
        *,
        metric: str = "bleu",
        max_order: int = 4,
        min_order: int = 1,
        n_references: int | None = None,
    ) -> NgramCounts:
        """Read what ``to_vector`` wrote, for example after an all-reduce.

        Parameters
        ----------
        vector : int64 array [rows * columns]
        metric, max_order, min_order, n_references
            As in the counts that were written.
        """
        vector = np.asarray(vector)
        wanted = columns(metric, max_order)
        if vector.ndim != 1 or vector.dtype != np.int64 or vector.size % wanted:
            raise ValueError(
                f"vector is {describe(vector)}; wanted an int64 vector of whole rows of {wanted}, "
                f"for {metric} up to order {max_order}"
            )
        return cls(vector.reshape(-1, wanted), metric, max_order, min_order, n_references)

    def to_vector(self) -> np.ndarray:
        """All rows, one after the other, as a new int64 vector. Vectors of equal counts add up as the counts do."""
        return self.values.flatten()

    def sum(self) -> NgramCounts:
        """One row: the sum of all."""
        return self._with(self.values.sum(axis=0, keepdims=True))

    @classmethod
    def concatenate(cls, parts: Iterable[NgramCounts]) -> NgramCounts:
        """The rows of several counts, one after the other."""
        parts = list(parts)
        if not parts:
            raise ValueError("there is nothing to concatenate")
        for part in parts[1:]:
            parts[0]._check_same_kind(part)
        n_references = {part.n_references for part in parts if len(part)}
        one = n_references.pop() if len(n_references) == 1 else None
        return parts[0]._with(np.concatenate([part.values for part in parts]), one)

    def __add__(self, other: object) -> NgramCounts:
        """Row by row; both need the same number of rows."""
        if not isinstance(other, NgramCounts):
            return NotImplemented
        self._check_same_kind(other)
        if len(self) != len(other):
            raise ValueError(
                f"cannot add counts of {len(self)} and of {len(other)} rows; add their sums, or use concatenate"
            )
        same = self.n_references if self.n_references == other.n_references else None
        return self._with(self.values + other.values, same)

    def __radd__(self, other: object) -> NgramCounts:
        # sum([a, b]) starts with 0
        if isinstance(other, int) and other == 0:
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NgramCounts):
            return NotImplemented
        return self._kind == other._kind and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]  # holds an array

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> NgramCounts:
        """Some of the rows: by a slice, a list of indices or a mask. An int gives one row."""
        which: Any = [rows] if isinstance(rows, (int, np.integer)) else rows
        return self._with(self.values[which])

    def __repr__(self) -> str:
        rows = f"{len(self)} row{'s' if len(self) != 1 else ''}"
        return f"NgramCounts({rows} of {self.metric}, orders {self.min_order} to {self.max_order})"

    @property
    def matches(self) -> np.ndarray:
        """Clipped matches of each order, int64 array [B, max_order]."""
        start = len(_HEADS[self.metric])
        return self.values[:, start : start + self.max_order]

    @property
    def totals(self) -> np.ndarray:
        """BLEU: n-grams of the hypothesis, of each order, int64 array [B, max_order]."""
        if self.metric != "bleu":
            raise AttributeError(f"counts of {self.metric} have no totals; there are {', '.join(_HEADS[self.metric])}")
        return self.values[:, 2 + self.max_order :]

    @property
    def hypothesis_length(self) -> np.ndarray:
        """BLEU: tokens of the hypothesis, int64 array [B]."""
        return self._column("hypothesis_length")

    @property
    def reference_length(self) -> np.ndarray:
        """BLEU: tokens of the reference whose length counts, int64 array [B]."""
        return self._column("reference_length")

    @property
    def hypothesis_ngrams(self) -> np.ndarray:
        """GLEU: n-grams of the hypothesis, all orders together, int64 array [B]."""
        return self._column("hypothesis_ngrams")

    @property
    def reference_ngrams(self) -> np.ndarray:
        """GLEU: n-grams of the best reference, all orders together, int64 array [B]."""
        return self._column("reference_ngrams")

    @property
    def larger_ngrams(self) -> np.ndarray:
        """GLEU: the larger of the two in each segment, by which the matches are divided, int64 array [B]."""
        return self._column("larger_ngrams")

    def _column(self, name: str) -> np.ndarray:
        head = _HEADS[self.metric]
        if name not in head:
            raise AttributeError(f"counts of {self.metric} have no {name}; there are matches, {', '.join(head)}")
        return self.values[:, head.index(name)]

    @property
    def _kind(self) -> tuple[str, int, int]:
        return self.metric, self.min_order, self.max_order

    def _check_same_kind(self, other: NgramCounts) -> None:
        if self._kind != other._kind:
            raise ValueError(f"{self!r} and {other!r} do not add up")

    def _with(self, values: np.ndarray, n_references: Any = ...) -> NgramCounts:
        if n_references is ...:
            n_references = self.n_references
        return NgramCounts(values, self.metric, self.max_order, self.min_order, n_references)


def columns(metric: str, max_order: int) -> int:
    """The number of columns of a row."""
    return 2 + 2 * max_order if metric == "bleu" else 3 + max_order


def one_number_of(n_references: np.ndarray) -> int | None:
    """How many references each segment has, None if that varies."""
    return int(n_references[0]) if len(n_references) and (n_references == n_references[0]).all() else None


def ngrams_of(lengths: np.ndarray, order: int) -> np.ndarray:
    """How many n-grams of that order sequences of these lengths have."""
    return np.maximum(lengths - (order - 1), 0)


def count_one(
    hypothesis: Any, references: Any, tokenizer: Tokenizer, max_order: int, per_reference: bool
) -> Counted | None:
    """Count one segment in the usual forms without arrays; None if it is in another form, or not right."""
    prepared = isinstance(references, References)
    if prepared:
        references = references._in_lists(type(hypothesis) is str, tokenizer)
    if type(hypothesis) is str:
        if tokenizer.rules is None:
            return None
        if not tokenizer.takes_text_as_it_is:
            hypothesis = tokenizer.prepare(hypothesis)
            references = references if prepared else _prepared(references, tokenizer)
        return text.count_text(hypothesis, references, tokenizer.rules, max_order, per_reference)
    hypothesis = _ids_in_list(hypothesis)
    if type(hypothesis) is list and hypothesis:
        if type(hypothesis[0]) is int:
            if type(references) is not list:
                references = _ids_in_list(references)
            elif references and type(references[0]) is not int:
                references = [_ids_in_list(one) for one in references]
            return lists.count_lists(hypothesis, references, max_order, per_reference)
        if type(hypothesis[0]) is str:
            return text.count_words(hypothesis, references, max_order, per_reference)
    return None


def _ids_in_list(segment: Any) -> Any:
    """A short array or tensor of IDs as a list, which is quicker to count; anything else as it came."""
    if type(segment) is list:
        return segment
    if type(segment) is tuple:
        return list(segment)
    ids = segment
    if type(ids) is not np.ndarray and hasattr(ids, "__dlpack_device__"):
        with suppress(TypeError):  # which is raised again, with the name of the segment, where arrays are taken
            ids = as_array(ids, "")
    if type(ids) is np.ndarray and ids.ndim == 1 and ids.dtype.kind in "iu" and ids.size <= 1024:
        return ids.tolist()
    return segment


def _prepared(references: Any, tokenizer: Tokenizer) -> Any:
    """The texts among references, lowercased or normalized; what is no text stays, to be refused later."""
    if type(references) is str:
        return tokenizer.prepare(references)
    if type(references) is not list and type(references) is not tuple:
        return None
    return [tokenizer.prepare(one) if type(one) is str else one for one in references]


def in_parts(
    source: Segments | Strings, threads: int, count: Callable[[int, int], NgramCounts]
) -> list[NgramCounts]:
    """Count all segments, from one to before another: with several threads a few parts for each.

    So one that is done early takes another.
    """
    n = len(source)
    if threads == 1 or n < 2:
        return [count(0, n)]
    from concurrent.futures import ThreadPoolExecutor  # and with it logging: a twentieth of importing NumPy

    size = -(-n // (4 * threads))
    starts = range(0, n, size)
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda start: count(start, min(start + size, n)), starts))
