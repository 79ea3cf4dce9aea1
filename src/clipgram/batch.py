"""TokenBatch: many sequences of token IDs in one array."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from clipgram._arrays import IDS, as_array, as_list, id_array, ids_from_list
from clipgram._arrow import NotLists, is_arrow, read_lists
from clipgram._backend import lists as core
from clipgram._cut import Cut, cut_of, cut_ragged
from clipgram._padded import Layout, read_padded


class TokenBatch:
    """Sequences of token IDs, one after the other in one array.

    Made by ``from_lists``, ``from_padded``, ``from_ragged`` or ``from_arrow``. A batch does not change, and its arrays
    are read-only. Where they are the caller's own arrays, not copies, the caller must not change them either.

    All four take the same three options. ``eos_id`` (an int or several) ends a sequence at the first such token;
    ``eos="drop"`` (the default) leaves that token out, ``eos="keep"`` leaves it in. ``ignore_ids`` (an int or several)
    are dropped wherever they are, as -100 for labels that do not count, or an unknown token that must not match.

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

    __slots__ = ("_layout", "offsets", "values")
    values: np.ndarray
    offsets: np.ndarray
    _layout: Layout | None

    def __init__(self, *things: Any, **options: Any) -> None:
        raise TypeError("a TokenBatch is made by TokenBatch.from_lists, from_padded, from_ragged or from_arrow")

    @classmethod
    def _trusted(cls, values: np.ndarray, offsets: np.ndarray, layout: Layout | None = None) -> TokenBatch:
        batch = object.__new__(cls)
        # Views, so that an array of the user's stays writeable.
        batch.values, batch.offsets = values.view(), offsets.view()
        batch.values.flags.writeable = batch.offsets.flags.writeable = False
        batch._layout = layout
        return batch

    @classmethod
    def from_lists(
        cls, lists: Iterable[Any], *, eos_id: Any = None, eos: str = "drop", ignore_ids: Any = ()
    ) -> TokenBatch:
        """Join sequences of token IDs: lists or tuples of ints, integer arrays, CPU tensors.

        Parameters
        ----------
        lists : iterable of sequences
            One sequence of IDs a segment, of any length, 0 included. A 2-D integer array gives one sequence a row,
            all of it; an Arrow column is read as by ``from_arrow``.
        eos_id, eos, ignore_ids
            Where a sequence ends, and what does not count, see ``TokenBatch``.

        Returns
        -------
        TokenBatch

        Raises
        ------
        TypeError
            If something is not a sequence of integers; the message names its place.
        OverflowError
            If an ID does not fit in an int64.

        Examples
        --------
        >>> [ids.tolist() for ids in TokenBatch.from_lists([[5, 8, 2], [9, 2, 2, 7], [4]], eos_id=2)]
        [[5, 8], [9], [4]]
        """
        cut = cut_of(eos_id, eos, ignore_ids)
        batch = as_batch(lists, "lists", cut)
        if batch is not None:
            return batch
        batch = join_ids(as_list(lists, "lists", "a list of sequences of token IDs"), "lists[{}]".format)
        return cls._trusted(*cut_ragged(batch.values, batch.offsets, cut))

    @classmethod
    def from_ragged(
        cls, values: Any, offsets: Any, *, eos_id: Any = None, eos: str = "drop", ignore_ids: Any = ()
    ) -> TokenBatch:
        """Take IDs that lie in one array already. Contiguous int32 and int64 values are not copied.

        Parameters
        ----------
        values : integer array [tokens]
            All IDs, one sequence after the other.
        offsets : integer array [B + 1]
            Where each sequence begins, and at last where the last one ends: from 0 to ``len(values)``, never falling.
        eos_id, eos, ignore_ids
            Where a sequence ends, and what does not count, see ``TokenBatch``.

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
        cut = cut_of(eos_id, eos, ignore_ids)
        values = id_array(values, "values")
        # A copy: offsets that change later would lead outside the values.
        offsets = id_array(offsets, "offsets", "offsets are integers").astype(np.int64)
        if not len(offsets):
            raise ValueError("offsets is empty; wanted the beginning of each sequence and the end of the last")
        if offsets[0] != 0 or offsets[-1] != len(values):
            lengths = (offsets >= 0).all() and offsets.sum() == len(values)
            raise ValueError(
                f"offsets go from {offsets[0]} to {offsets[-1]}; wanted 0 to {len(values)}, the number of values"
                + (". These may be lengths, of which np.cumsum([0, *lengths]) makes offsets" if lengths else "")
            )
        falls = np.flatnonzero(offsets[1:] < offsets[:-1])
        if len(falls):
            i = falls[0]
            raise ValueError(f"offsets[{i + 1}] is {offsets[i + 1]}, less than offsets[{i}], which is {offsets[i]}")
        return cls._trusted(*cut_ragged(values, offsets, cut))

    @classmethod
    def from_padded(
        cls,
        ids: Any,
        *,
        lengths: Any = None,
        mask: Any = None,
        pad_id: int | None = None,
        eos_id: Any = None,
        eos: str = "drop",
        ignore_ids: Any = (),
    ) -> TokenBatch:
        """Read a matrix of token IDs with a sequence a row.

        One of ``lengths``, ``mask`` and ``pad_id`` tells tokens from padding, best the first that is at hand; without
        any, every cell is a token. A row that is all padding is an empty sequence. Where nothing is left out, a
        contiguous int32 or int64 matrix is not copied.

        Parameters
        ----------
        ids : integer array [B, T]
            An array or a CPU tensor, or a list of equally long rows.
        lengths : integer array [B], optional
            The tokens of row ``i`` are its first ``lengths[i]``; the padding is to the right.
        mask : bool or 0/1 integer array [B, T], optional
            Which cells are tokens. What it leaves out is dropped wherever it is: padding on either side, or tokens
            between, such as the output of tools. What stays of a row is one sequence.
        pad_id : int, optional
            Padding is what a row begins and ends with of this ID. If it is an end-of-sequence ID too, padding to the
            right begins with the end of the sequence, so that ``eos="keep"`` keeps one of them; whether a row of
            nothing else is all padding, or a sequence that ended at once, it cannot tell, and takes it for empty.
        eos_id, eos, ignore_ids
            Where a sequence ends, and what does not count, see ``TokenBatch``.

        Returns
        -------
        TokenBatch

        Raises
        ------
        TypeError
            If something is not an array of the type above.
        ValueError
            If shapes do not go together, a length is out of range, or more than one thing tells of padding.
        OverflowError
            If an ID does not fit in an int64.

        Examples
        --------
        >>> ids = np.array([[5, 8, 9, 2, 0], [7, 2, 4, 4, 4], [0, 0, 0, 6, 2]])
        >>> [row.tolist() for row in TokenBatch.from_padded(ids, pad_id=0, eos_id=2)]
        [[5, 8, 9], [7], [6]]
        >>> [row.tolist() for row in TokenBatch.from_padded(ids, lengths=[4, 2, 0], eos_id=2, eos="keep")]
        [[5, 8, 9, 2], [7, 2], []]
        """
        return cls._trusted(*read_padded(ids, lengths, mask, pad_id, cut_of(eos_id, eos, ignore_ids)))

    @classmethod
    def from_arrow(
        cls, array: Any, *, eos_id: Any = None, eos: str = "drop", ignore_ids: Any = ()
    ) -> TokenBatch:
        """Read a column of lists of token IDs, from any library that speaks Arrow's PyCapsule protocol.

        A column of one chunk with int32 or int64 items is not copied; the batch keeps it alive.

        Parameters
        ----------
        array : Arrow array or chunked array
            Of type list, large list, list view, large list view or fixed-size list, with items of any integer type:
            an array of pyarrow, nanoarrow or arro3, a Series of polars, ...
        eos_id, eos, ignore_ids
            Where a sequence ends, and what does not count, see ``TokenBatch``.

        Returns
        -------
        TokenBatch

        Raises
        ------
        TypeError
            If it is no Arrow array, or one of another type.
        ValueError
            If a list or an item is null; the message names its place.
        OverflowError
            If an ID does not fit in an int64.

        References
        ----------
        The Arrow C data interface, the Arrow C stream interface and the Arrow PyCapsule interface,
        https://arrow.apache.org/docs/format/CDataInterface.html and the pages beside it.
        """
        cut = cut_of(eos_id, eos, ignore_ids)
        return cls._trusted(*cut_ragged(*read_lists(array, "array"), cut))

    @property
    def lengths(self) -> np.ndarray:
        """The number of tokens of each sequence, int64 array [B]."""
        return np.diff(self.offsets)

    def astype(self, dtype: Any) -> TokenBatch:
        """The same batch with IDs of another dtype; itself if they have it already."""
        if self.values.dtype == dtype:
            return self
        return TokenBatch._trusted(self.values.astype(dtype), self.offsets, self._layout)

    def _align(self, values: np.ndarray, fill: Any = 0.0) -> np.ndarray:
        """One value a token, in the form in which the IDs came.

        For a batch from a padded matrix that is a matrix of the same shape, with ``fill`` where no token is, be it
        padding or what was cut off; for any other batch the values as they are.
        """
        if len(values) != len(self.values):
            raise ValueError(f"{len(values)} values for {len(self.values)} tokens")
        return values if self._layout is None else self._layout.align(values, self.lengths, fill)

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
        return _restore, (np.asarray(self.values), np.asarray(self.offsets), self._layout)


def _restore(values: np.ndarray, offsets: np.ndarray, layout: Layout | None) -> TokenBatch:
    """A batch that was pickled."""
    batch = TokenBatch.from_ragged(values, offsets)
    batch._layout = layout
    return batch


def as_batch(things: Any, name: str, cut: Cut = Cut()) -> TokenBatch | None:  # noqa: B008 (it does not change)
    """A batch of what holds several sequences in a form that leaves no doubt: a batch, a matrix, an Arrow column."""
    if isinstance(things, (list, tuple)):
        return None
    if isinstance(things, TokenBatch):
        return TokenBatch._trusted(*cut_ragged(things.values, things.offsets, cut)) if cut else things
    if is_arrow(things):
        try:
            return TokenBatch._trusted(*cut_ragged(*read_lists(things, name), cut))
        except NotLists:
            pass
    array = as_array(things, name)
    if array is None or array.ndim != 2 or array.dtype.kind not in "iu":
        return None
    return TokenBatch._trusted(*read_padded(array, None, None, None, cut, name))


def join_ids(sequences: Sequence[Any], place: Any, rule: str = IDS) -> TokenBatch:
    """Join sequences of IDs into one batch; ``place(i)`` is what messages call the i-th, ``rule`` what it breaks."""
    joined = core.flatten_ids(sequences) if isinstance(sequences, list) else None
    if joined is not None:
        return TokenBatch._trusted(*joined)
    if all(type(ids) in (list, tuple) for ids in sequences):
        try:
            values = np.frombuffer(array("q", chain.from_iterable(sequences)), np.int64)
            if bool in set(map(type, chain.from_iterable(sequences))):
                raise TypeError("a bool is no token ID")
        except (TypeError, OverflowError):
            for i, ids in enumerate(sequences):
                ids_from_list(ids, place(i), rule)
            raise
        offsets = offsets_of([len(ids) for ids in sequences])
        if offsets[-1] != len(values):
            raise RuntimeError("a list changed its length while it was read")
        return TokenBatch._trusted(values, offsets)
    arrays = [id_array(ids, place(i), rule) for i, ids in enumerate(sequences)]
    return TokenBatch._trusted(np.concatenate(arrays), offsets_of([len(ids) for ids in arrays]))


def offsets_of(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where each of several sequences begins, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
