"""TokenBatch: many sequences of token IDs in one array."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from clipgram._arrays import as_list, id_array, ids_from_list


class TokenBatch:
    """Sequences of token IDs, one after the other in one array.

    Made by ``from_lists`` or ``from_ragged``. A batch does not change, and its arrays are read-only.

    Attributes
    ----------
    values : int32 or int64 array [tokens]
        All IDs.
    offsets : int64 array [B + 1]
        Sequence ``i`` is ``values[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> batch = TokenBatch.from_lists([[5, 8, 9], [], [2]])
    >>> batch
    TokenBatch(3 sequences, 4 int64 tokens)
    >>> batch[0].tolist(), batch.lengths.tolist()
    ([5, 8, 9], [3, 0, 1])
    """

    __slots__ = ("offsets", "values")
    values: np.ndarray
    offsets: np.ndarray

    def __init__(self) -> None:
        raise TypeError("a TokenBatch is made by TokenBatch.from_lists or TokenBatch.from_ragged")

    @classmethod
    def _trusted(cls, values: np.ndarray, offsets: np.ndarray) -> TokenBatch:
        batch = object.__new__(cls)
        # Views, so that an array of the user's stays writeable.
        batch.values, batch.offsets = values.view(), offsets.view()
        batch.values.flags.writeable = batch.offsets.flags.writeable = False
        return batch

    @classmethod
    def from_lists(cls, lists: Iterable[Any]) -> TokenBatch:
        """Join sequences of token IDs: lists or tuples of ints, integer arrays, CPU tensors.

        Parameters
        ----------
        lists : iterable of sequences
            One sequence of IDs a segment, of any length, 0 included. A 2-D integer array gives one sequence a row.

        Returns
        -------
        TokenBatch

        Raises
        ------
        TypeError
            If something is not a sequence of integers; the message names its place.
        OverflowError
            If an ID does not fit in an int64.
        """
        return join_ids(as_list(lists, "lists", "a list of sequences of token IDs"), "lists[{}]".format)

    @classmethod
    def from_ragged(cls, values: Any, offsets: Any) -> TokenBatch:
        """Take IDs that lie in one array already. Contiguous int32 and int64 values are not copied.

        Parameters
        ----------
        values : integer array [tokens]
            All IDs, one sequence after the other.
        offsets : integer array [B + 1]
            Where each sequence begins, and at last where the last one ends: from 0 to ``len(values)``, never falling.

        Returns
        -------
        TokenBatch

        Raises
        ------
        TypeError
            If one of them is not an array of integers.
        ValueError
            If the offsets do not cut ``values`` into sequences.

        Examples
        --------
        >>> TokenBatch.from_ragged(np.array([5, 8, 9, 2], np.int32), [0, 3, 4])
        TokenBatch(2 sequences, 4 int32 tokens)
        """
        values = id_array(values, "values")
        # A copy: offsets that change later would lead outside the values.
        offsets = id_array(offsets, "offsets").astype(np.int64)
        if not len(offsets):
            raise ValueError("offsets is empty; wanted the beginning of each sequence and the end of the last")
        if offsets[0] != 0 or offsets[-1] != len(values):
            raise ValueError(
                f"offsets go from {offsets[0]} to {offsets[-1]}; wanted 0 to {len(values)}, the number of values"
            )
        falls = np.flatnonzero(offsets[1:] < offsets[:-1])
        if len(falls):
            i = falls[0]
            raise ValueError(f"offsets[{i + 1}] is {offsets[i + 1]}, less than offsets[{i}], which is {offsets[i]}")
        return cls._trusted(values, offsets)

    @property
    def lengths(self) -> np.ndarray:
        """The number of tokens of each sequence, int64 array [B]."""
        return np.diff(self.offsets)

    def astype(self, dtype: Any) -> TokenBatch:
        """The same batch with IDs of another dtype; itself if they have it already."""
        if self.values.dtype == dtype:
            return self
        return TokenBatch._trusted(self.values.astype(dtype), self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> np.ndarray:
        if not -len(self) <= i < len(self):
            raise IndexError(f"sequence {i} of a batch of {len(self)}")
        i %= len(self)
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"TokenBatch({len(self)} sequences, {len(self.values)} {self.values.dtype} tokens)"

    def __reduce__(self) -> tuple[Any, ...]:
        return TokenBatch.from_ragged, (np.asarray(self.values), np.asarray(self.offsets))


def join_ids(sequences: Sequence[Any], place: Any) -> TokenBatch:
    """Join sequences of IDs into one batch; ``place(i)`` is what messages call the i-th."""
    if all(type(ids) in (list, tuple) for ids in sequences):
        try:
            values = np.frombuffer(array("q", chain.from_iterable(sequences)), np.int64)
        except (TypeError, OverflowError):
            for i, ids in enumerate(sequences):
                ids_from_list(ids, place(i))
            raise
        offsets = offsets_of([len(ids) for ids in sequences])
        if offsets[-1] != len(values):
            raise RuntimeError("a list changed its length while it was read")
        return TokenBatch._trusted(values, offsets)
    arrays = [id_array(ids, place(i)) for i, ids in enumerate(sequences)]
    return TokenBatch._trusted(np.concatenate(arrays), offsets_of([len(ids) for ids in arrays]))


def offsets_of(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where each of several sequences begins, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
