"""Arrow columns of integer lists through the PyCapsule protocol, without an Arrow library.

A producer hands over C structs in capsules. A capsule owns its struct and releases it when it dies, so a column that
came as one array is read where it is, and its capsule is kept as long as anything looks at the memory. Structs that a
stream fills belong to the caller: ``_Owned`` releases each of them, once.

The structs, the formats and the rules of ownership are those of
https://arrow.apache.org/docs/format/CDataInterface.html and of the pages on the C stream interface and on the
PyCapsule interface beside it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clipgram._arrays import id_dtype
from clipgram._describe import describe

WANTED = "an Arrow array of lists of integers"
INTEGERS = {
    "c": np.int8,
    "C": np.uint8,
    "s": np.int16,
    "S": np.uint16,
    "i": np.int32,
    "I": np.uint32,
    "l": np.int64,
    "L": np.uint64,
}
OTHERS = {"n": "null", "b": "bool", "e": "float16", "f": "float32", "g": "float64", "u": "string", "U": "large string"}
LISTS = {
    "+l": ("list", np.int32),
    "+L": ("list", np.int64),
    "+vl": ("view", np.int32),
    "+vL": ("view", np.int64),
    "+w": ("fixed", None),
}
BUFFERS = {"list": 2, "view": 3, "fixed": 1}  # validity included


class NotLists(TypeError):
    """A column, but not of lists; of text, say, which is somebody else's to read."""


class Schema(ctypes.Structure):
    """``struct ArrowSchema``: the type of a column."""


class Array(ctypes.Structure):
    """``struct ArrowArray``: its data."""


class Stream(ctypes.Structure):
    """``struct ArrowArrayStream``: chunks of data, one after the other."""


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p),
]

# A prototype of its own: to change the types of ctypes.pythonapi's would change them for everyone.
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Owned:
    """A struct that a stream fills for us, released when nothing needs it any more."""

    def __init__(self, kind: Any) -> None:
        self.struct: Any = kind()  # zeros: released, as long as nobody fills it

    def __del__(self) -> None:
        if self.struct.release:
            self.struct.release(self.struct)


class _Memory:
    """A piece of Arrow's memory as NumPy sees it, with what keeps it alive."""

    def __init__(self, address: int, dtype: Any, n: int, owner: object) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "typestr": np.dtype(dtype).str,
            "shape": (n,),
        }


@dataclass(frozen=True, slots=True)
class _ListType:
    """What the format of a column says of it."""

    kind: str  # "list", "view" or "fixed"
    offset_dtype: Any
    size: int  # of each list, if they are of a fixed size
    item_dtype: Any


def is_arrow(thing: object) -> bool:
    """Whether an object speaks the protocol."""
    return hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "__arrow_c_array__")


def read_lists(thing: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The items of all lists, int32 or int64 [tokens], and where each list begins and the last one ends.

    Raises
    ------
    TypeError
        If it is no Arrow array, or of another type.
    ValueError
        If a list or an item is null, or the data contradict themselves.
    OverflowError
        If an item does not fit in an int64.
    """
    # A stream first: what has both may have more than one chunk.
    if hasattr(thing, "__arrow_c_stream__"):
        kind, chunks = _read_stream(thing, name)
    elif hasattr(thing, "__arrow_c_array__"):
        capsules = thing.__arrow_c_array__()
        if not isinstance(capsules, tuple) or len(capsules) != 2:
            raise TypeError(f"{name}.__arrow_c_array__() made {describe(capsules)}; wanted two capsules")
        kind = _type_of(_struct(capsules[0], b"arrow_schema", Schema, name), name)
        chunks = [_read(_struct(capsules[1], b"arrow_array", Array, name), kind, capsules[1], name, 0)]
    else:
        raise TypeError(
            f"{name} is {describe(thing)}; wanted {WANTED}, which has __arrow_c_array__ or __arrow_c_stream__"
        )
    dtype = id_dtype(np.dtype(kind.item_dtype))
    if len(chunks) == 1:
        values, offsets = chunks[0]
    else:
        values = np.concatenate([np.empty(0, dtype), *(values for values, _ in chunks)], dtype=dtype)
        lengths = [np.diff(offsets) for _, offsets in chunks]
        offsets = np.concatenate([[0], *lengths]).astype(np.int64).cumsum()
    values = np.ascontiguousarray(values, dtype)
    return values if values.flags.aligned else values.copy(), offsets


def _struct(capsule: object, name: bytes, kind: Any, of: str) -> Any:
    """The struct in a capsule, which must be kept as long as the struct is used."""
    try:
        struct = kind.from_address(_pointer_of(capsule, name))
    except ValueError:
        raise TypeError(f"{of} handed over {describe(capsule)}; wanted a capsule with an {name.decode()}") from None
    if not struct.release:
        raise ValueError(f"{of} handed over an {name.decode()} that is released already")
    return struct


def _read_stream(thing: Any, name: str) -> tuple[_ListType, list[tuple[np.ndarray, np.ndarray]]]:
    capsule = thing.__arrow_c_stream__()
    stream = _struct(capsule, b"arrow_array_stream", Stream, name)

    def ask(function: Callable[[Any, Any], int], kind: Any) -> _Owned:
        owned = _Owned(kind)
        status = function(stream, owned.struct)
        if status:
            message = stream.get_last_error(stream) or os.strerror(status).encode()
            raise OSError(status, f"{name} could not be read: {message.decode(errors='replace')}")
        return owned

    schema = ask(stream.get_schema, Schema)
    kind = _type_of(schema.struct, name)
    chunks: list[tuple[np.ndarray, np.ndarray]] = []
    rows = 0
    while (chunk := ask(stream.get_next, Array)).struct.release:
        chunks.append(_read(chunk.struct, kind, chunk, name, rows))
        rows += chunk.struct.length
    return kind, chunks


def _type_of(schema: Schema, name: str) -> _ListType:
    text = _format(schema)
    head, _, size = text.partition(":")
    if head == "+s":
        raise TypeError(f"{name} is an Arrow struct, or a table, of {schema.n_children} columns; wanted {WANTED}")
    if head not in LISTS or schema.dictionary:
        raise NotLists(f"{name} is {_named(schema)}; wanted {WANTED}")
    if schema.n_children != 1:
        raise ValueError(f"{name} is {_named(schema)} with {schema.n_children} children; wanted one")
    item = schema.children[0].contents
    item_dtype = INTEGERS.get(_format(item))
    if item_dtype is None or item.dictionary:
        raise TypeError(f"the items of {name} are {_named(item)}; wanted {WANTED}")
    kind, offset_dtype = LISTS[head]
    return _ListType(kind, offset_dtype, int(size) if kind == "fixed" else 0, item_dtype)


def _format(schema: Schema) -> str:
    return (schema.format or b"").decode(errors="replace")


def _named(schema: Schema) -> str:
    text = _format(schema)
    if schema.dictionary:
        return "an Arrow dictionary"
    if text.partition(":")[0] in LISTS:
        return "an Arrow list"
    if text in INTEGERS:
        return f"Arrow {np.dtype(INTEGERS[text]).name}"
    return f"Arrow {OTHERS[text]}" if text in OTHERS else f"of the Arrow format {text!r}"


def _read(array: Array, kind: _ListType, owner: object, name: str, row: int) -> tuple[np.ndarray, np.ndarray]:
    """The items and offsets of one chunk, whose first list is the column's ``row``-th."""
    items = _child(array, kind, name)
    valid = _validity(array, 0, array.length, owner)
    if valid is not None and not valid.all():
        raise ValueError(f"{name}[{row + int(valid.argmin())}] is null; wanted a list of integers")
    starts, sizes = _spans(array, kind, owner)
    # Written so that nothing overflows, whatever the numbers are.
    wrong = np.flatnonzero((starts < 0) | (sizes < 0) | (sizes > items.length - starts))
    if len(wrong):
        i = int(wrong[0])
        start, size = int(starts[i]), int(sizes[i])
        raise ValueError(f"{name}[{row + i}] is items {start} to {start + size} of {items.length}")
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])

    def item(i: int) -> str:
        r = int(np.searchsorted(offsets, i, side="right")) - 1
        return f"{name}[{row + r}][{i - offsets[r]}]"

    if (starts[1:] != starts[:-1] + sizes[:-1]).any():  # views that are out of order, overlap or leave gaps
        where = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
        values = _buffer(items, 1, kind.item_dtype, items.length, owner)[where]
        valid = _validity(items, 0, items.length, owner)
        valid = None if valid is None else valid[where]
    else:
        first = int(starts[0]) if len(starts) else 0
        last = first + int(offsets[-1])
        values = _buffer(items, 1, kind.item_dtype, last, owner)[first:]
        valid = _validity(items, first, last, owner)
    if valid is not None and not valid.all():
        raise ValueError(f"{item(int(valid.argmin()))} is null; token IDs are integers")
    if values.dtype == np.uint64 and len(values) and values.max() > np.iinfo(np.int64).max:
        i = int(values.argmax())
        raise OverflowError(f"{item(i)} is {values[i]}; token IDs must fit in an int64")
    return values, offsets


def _child(array: Array, kind: _ListType, name: str) -> Array:
    """The items of a chunk of lists, of which all is looked at that can be checked."""
    n_buffers = BUFFERS[kind.kind]
    if array.length < 0 or array.offset < 0 or array.n_buffers != n_buffers or array.n_children != 1:
        raise ValueError(
            f"{name} has an arrow_array of length {array.length}, offset {array.offset}, with {array.n_buffers} "
            f"buffers and {array.n_children} children; wanted {n_buffers} buffers and one child"
        )
    items = array.children[0].contents
    if items.length < 0 or items.offset < 0 or items.n_buffers != 2:
        raise ValueError(
            f"the items of {name} have length {items.length}, offset {items.offset} and {items.n_buffers} buffers; "
            "wanted 2 buffers"
        )
    return items


def _spans(array: Array, kind: _ListType, owner: object) -> tuple[np.ndarray, np.ndarray]:
    """Where the items of each list begin, and how many there are."""
    n = array.length
    if kind.kind == "fixed":
        return np.arange(array.offset, array.offset + n, dtype=np.int64) * kind.size, np.full(n, kind.size, np.int64)
    if kind.kind == "view":
        starts, sizes = (_buffer(array, i, kind.offset_dtype, n, owner) for i in (1, 2))
        return starts.astype(np.int64), sizes.astype(np.int64)
    # An array without lists need not have the one offset that there would be.
    bounds = _buffer(array, 1, kind.offset_dtype, n + 1 if n else 0, owner).astype(np.int64)
    return bounds[:n], np.diff(bounds)


def _buffer(array: Array, index: int, dtype: Any, n: int, owner: object) -> np.ndarray:
    """``n`` elements of a buffer, from the array's offset on."""
    if not n:
        return np.empty(0, dtype)
    address = array.buffers[index]
    if not address:
        raise ValueError(f"an arrow_array of length {array.length} has no buffer {index}")
    return np.asarray(_Memory(address + array.offset * np.dtype(dtype).itemsize, dtype, n, owner))


def _validity(array: Array, start: int, stop: int, owner: object) -> np.ndarray | None:
    """Which elements of a slice are not null, one bool each; None if it is known without a look that none is."""
    if not array.null_count or stop <= start or not array.buffers[0]:
        return None
    first, last = array.offset + start, array.offset + stop
    low = first // 8
    bytes_ = np.asarray(_Memory(array.buffers[0] + low, np.uint8, -(-last // 8) - low, owner))
    return np.unpackbits(bytes_, bitorder="little")[first - 8 * low : last - 8 * low].view(bool)
