"""Padded matrices of token IDs: which cells are tokens, and back from tokens to cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clipgram._arrays import IDS, MASK, as_array, check_integers, id_array, id_dtype
from clipgram._cut import Cut, is_any, one_id
from clipgram._describe import describe

WIDE = 512  # columns, from which on it is faster to copy rows one by one than to select by a mask


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the tokens of a batch were in the matrix that it was read from.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    starts : int64 array [B]
        The column of each row's first token.
    cells : uint8 array or None
        If the tokens of some row do not stand side by side, a bit for each cell, as ``np.packbits`` writes them.
    """

    shape: tuple[int, int]
    starts: np.ndarray
    cells: np.ndarray | None = None

    def align(self, values: np.ndarray, lengths: np.ndarray, fill: Any) -> np.ndarray:
        """Values of tokens in the cells of the tokens, and ``fill`` in all others."""
        rows, columns = self.shape
        if not columns or (self.cells is None and (lengths == columns).all()):
            return values.reshape(self.shape).copy()
        out = np.full(self.shape, fill, values.dtype)
        if self.cells is not None:
            out[np.unpackbits(self.cells, count=rows * columns).view(bool).reshape(self.shape)] = values
        elif columns < WIDE:
            out[between(self.starts, self.starts + lengths, columns)] = values
        else:
            at = 0
            for row, start, n in zip(out, self.starts.tolist(), lengths.tolist(), strict=True):
                row[start : start + n] = values[at : at + n]
                at += n
        return out


def between(starts: np.ndarray, stops: np.ndarray, columns: int) -> np.ndarray:
    """The cells of each row from one column to before another, as a mask."""
    numbers = np.arange(columns, dtype=np.int32)  # half as wide as the others, and so twice as fast to compare
    mask = numbers < stops.astype(np.int32)[:, None]
    if starts.any():
        mask &= numbers >= starts.astype(np.int32)[:, None]
    return mask


def matrix(thing: Any, name: str, wanted: str, rule: str = IDS) -> np.ndarray:
    """A 2-D array, without a copy where that goes. Rows may also come as a list of equally long sequences of ints."""
    array = as_array(thing, name)
    if array is None:
        if isinstance(thing, (str, bytes, bytearray, dict, set, frozenset)) or not hasattr(thing, "__iter__"):
            raise TypeError(f"{name} is {describe(thing)}; wanted {wanted}")
        rows = [id_array(row, f"{name}[{i}]", rule) for i, row in enumerate(thing)]
        for i, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ValueError(
                    f"{name}[{i}] has {len(row)} columns and {name}[0] {len(rows[0])}; wanted {wanted}, "
                    "all of one length"
                )
        array = np.stack(rows) if rows else np.zeros((0, 0), np.int64)
    if array.ndim != 2:
        raise ValueError(f"{name} is {describe(array)}; wanted {wanted}")
    return array


def read_padded(
    ids: Any, lengths: Any, mask: Any, pad_id: Any, cut: Cut, name: str = "ids"
) -> tuple[np.ndarray, np.ndarray, Layout]:
    """The tokens of a padded matrix, one sequence after the other: values, offsets and layout.

    Where no cell is left out, and the matrix is of a type that the core takes, the values are the matrix itself.
    """
    ids = matrix(ids, name, "two dimensions, a sequence a row")
    if not ids.size and ids.dtype == np.float64:
        ids = ids.astype(np.int64)  # np.array([[]]) is float64
    check_integers(ids, name)
    given = [name for name, value in (("lengths", lengths), ("mask", mask), ("pad_id", pad_id)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} are given; wanted one of them to tell tokens from padding")
    rows, columns = ids.shape
    starts, stops = np.zeros(rows, np.int64), np.full(rows, columns, np.int64)
    cells = None
    if lengths is not None:
        stops = _check_lengths(lengths, ids.shape)
    elif mask is not None:
        starts, stops, cells = _read_mask(mask, ids.shape)
    elif pad_id is not None:
        pad_id = one_id(pad_id, "pad_id")
        starts, stops = _spans(~is_any(ids, [pad_id]))
    if cut.eos_ids and columns:
        hits = is_any(ids, cut.eos_ids)
        if cells is not None:
            hits &= cells
        elif starts.any():
            hits &= between(starts, np.full(rows, columns), columns)
        first = hits.argmax(axis=1)
        # Where padding looks like the end of a sequence, the first cell of it is that end.
        last = stops if cut.keep_eos and pad_id in cut.eos_ids else stops - 1
        ends = hits[np.arange(rows), first] & (first <= last) & (starts < stops)
        stops = np.where(ends, first + cut.keep_eos, stops)
        if cells is not None:
            cells &= between(starts, stops, columns)
    if cut.ignore_ids:
        ignored = is_any(ids, cut.ignore_ids)
        if ignored.any():
            np.logical_not(ignored, out=ignored)
            ignored &= between(starts, stops, columns) if cells is None else cells
            cells = ignored
    return _select(ids, starts, stops, cells)


def _check_lengths(lengths: Any, shape: tuple[int, int]) -> np.ndarray:
    array = id_array(lengths, "lengths", "lengths are integers").astype(np.int64)
    rows, columns = shape
    if len(array) != rows:
        raise ValueError(f"lengths has {len(array)} entries for {rows} rows")
    wrong = np.flatnonzero((array < 0) | (array > columns))
    if len(wrong):
        raise ValueError(f"lengths[{wrong[0]}] is {array[wrong[0]]}; the rows have {columns} columns")
    return array


def _read_mask(mask: Any, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Where the tokens of each row begin and end, and, if there is padding between them, which cells are tokens."""
    array = matrix(mask, "mask", f"a bool or 0/1 array of shape {shape}", MASK)
    if array.shape != shape:
        raise ValueError(f"mask is {describe(array)} and ids has the shape {shape}; wanted the same")
    check_integers(array, "mask", MASK if array.dtype.kind != "f" else f"{MASK}, such as mask == 1")
    if array.dtype.kind != "b" and array.size and (array.min() < 0 or array.max() > 1):
        row, column = np.argwhere((array != 0) & (array != 1))[0]
        raise ValueError(f"mask[{row}, {column}] is {array[row, column]}; wanted 0 for padding or 1 for a token")
    cells = array.astype(bool)
    starts, stops = _spans(cells)
    together = np.count_nonzero(cells) == (stops - starts).sum()
    return starts, stops, None if together else cells


def _spans(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first column of each row that is set, and the one behind the last; 0 and 0 where none is."""
    rows, columns = cells.shape
    if not columns:
        return np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    starts = cells.argmax(axis=1)
    stops = columns - cells[:, ::-1].argmax(axis=1)
    some = cells[np.arange(rows), starts]
    return np.where(some, starts, 0), np.where(some, stops, 0)


def _select(
    ids: np.ndarray, starts: np.ndarray, stops: np.ndarray, cells: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, Layout]:
    rows, columns = shape = ids.shape
    dtype = id_dtype(ids.dtype)
    lengths = stops - starts if cells is None else np.count_nonzero(cells, axis=1)
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if cells is not None:
        return ids[cells].astype(dtype, copy=False), offsets, Layout(shape, starts, np.packbits(cells))
    layout = Layout(shape, starts)
    if offsets[-1] == ids.size:
        values = np.ascontiguousarray(ids, dtype).reshape(-1)
        return values if values.flags.aligned else values.copy(), offsets, layout
    if columns < WIDE:
        return ids[between(starts, stops, columns)].astype(dtype, copy=False), offsets, layout
    spans = zip(ids, starts.tolist(), stops.tolist(), strict=True)
    return np.concatenate([row[start:stop] for row, start, stop in spans], dtype=dtype), offsets, layout
