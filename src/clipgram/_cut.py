"""What of a sequence of token IDs counts: up to its end-of-sequence token, and without some IDs."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clipgram._arrays import as_array
from clipgram._describe import describe

FEW = 8  # IDs that are looked for one by one
BLOCK = 1 << 16  # tokens in which many IDs are looked for at a time
LONG = 128  # tokens a slice, from which on it is faster to copy slices one by one


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a sequence ends, and what is left out of it.

    Attributes
    ----------
    eos_ids : tuple of int
        A sequence ends at the first of them.
    keep_eos : bool
        With it, or before it.
    ignore_ids : tuple of int
        IDs that are dropped wherever they are.
    """

    eos_ids: tuple[int, ...] = ()
    keep_eos: bool = False
    ignore_ids: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.eos_ids or self.ignore_ids)


def cut_of(eos_id: Any, eos: Any, ignore_ids: Any) -> Cut:
    """Take the arguments as a user passes them.

    Raises
    ------
    TypeError, ValueError
        If ``eos`` is no word that is known, an ID is no int, or one is to be kept and to be ignored.
    """
    if not isinstance(eos, str) or eos not in ("drop", "keep"):
        raise ValueError(f"eos is {describe(eos)}; wanted 'drop' or 'keep'")
    cut = Cut(_ids(eos_id, "eos_id"), eos == "keep", _ids(ignore_ids, "ignore_ids"))
    both = set(cut.eos_ids) & set(cut.ignore_ids)
    if cut.keep_eos and both:
        raise ValueError(f"{min(both)} is in eos_id, to be kept, and in ignore_ids; it can only be one of them")
    return cut


def one_id(thing: Any, name: str) -> int:
    """A token ID that stands alone, as an int."""
    try:
        if not isinstance(thing, (bool, np.bool_)):
            return operator.index(thing)
    except TypeError:
        pass
    raise TypeError(f"{name} is {describe(thing)}; wanted an int")


def _ids(thing: Any, name: str) -> tuple[int, ...]:
    """An ID, several or None as a tuple."""
    if thing is None:
        return ()
    array = as_array(thing, name)
    if array is not None:
        thing = array.tolist()
    if isinstance(thing, (str, bytes)) or not isinstance(thing, Iterable):
        if not hasattr(thing, "__index__"):
            raise TypeError(f"{name} is {describe(thing)}; wanted an int or several")
        return (one_id(thing, name),)
    # Sets have no order to speak of, and none is needed.
    return tuple(sorted({one_id(one, f"{name}[{i}]") for i, one in enumerate(thing)}))


def is_any(ids: np.ndarray, wanted: Sequence[int]) -> np.ndarray:
    """Where an array of integers holds one of some IDs, a bool array of the same shape."""
    bounds = np.iinfo(ids.dtype)
    wanted = [one for one in wanted if bounds.min <= one <= bounds.max]
    if len(wanted) > FEW:
        table = np.array(wanted, ids.dtype)
        found = np.empty(ids.shape, bool)
        step = max(1, BLOCK // max(1, ids[0].size)) if len(ids) else 1
        for i in range(0, len(ids), step):  # what np.isin needs beside its result is several times as large
            found[i : i + step] = np.isin(ids[i : i + step], table)
        return found
    found = np.equal(ids, wanted[0]) if wanted else np.zeros(ids.shape, bool)
    for one in wanted[1:]:
        found |= ids == one
    return found


def cut_ragged(values: np.ndarray, offsets: np.ndarray, cut: Cut) -> tuple[np.ndarray, np.ndarray]:
    """Cut sequences that lie one after the other. Where nothing is to be cut the arrays come back as they are."""
    if cut.eos_ids:
        starts, ends = offsets[:-1], offsets[1:]
        found = np.flatnonzero(is_any(values, cut.eos_ids))
        found = np.append(found, len(values))  # so that there is one behind every sequence
        stops = np.minimum(found[np.searchsorted(found, starts)] + cut.keep_eos, ends)
        if not np.array_equal(stops, ends):
            values, offsets = join_slices(values, starts, stops - starts)
    if cut.ignore_ids:
        ignored = is_any(values, cut.ignore_ids)
        if ignored.any():
            offsets = offsets - np.searchsorted(np.flatnonzero(ignored), offsets)
            values = values[~ignored]
    return values, offsets


def join_slices(values: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Copy slices of a 1-D array one after the other: the copy, and where each begins in it and the last one ends.

    The slices do not overlap, and they are in order.
    """
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if offsets[-1] > LONG * len(starts):
        slices = [values[start : start + n] for start, n in zip(starts.tolist(), lengths.tolist(), strict=True)]
        return np.concatenate(slices), offsets
    some = lengths > 0
    change = np.zeros(len(values) + 1, np.int8)
    change[starts[some]] = 1
    change[(starts + lengths)[some]] -= 1
    return values[np.cumsum(change[:-1], dtype=np.int8).view(bool)], offsets
