"""Columns as an Arrow library hands them over, made without one: every release is counted, and spoils the memory."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clipgram._arrow import Array, Schema, Stream

_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
# Of a capsule that is dying no reference may be made, so it is an address here.
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_NAMES = {Schema: b"arrow_schema", Array: b"arrow_array", Stream: b"arrow_array_stream"}


def _destructor(kind: Any) -> Any:
    @ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
    def destroy(capsule: int) -> None:
        struct = kind.from_address(_pointer(capsule, _NAMES[kind]))
        if struct.release:
            struct.release(struct)

    return destroy


_DESTRUCTORS = {kind: _destructor(kind) for kind in _NAMES}


@dataclass
class Column:
    """One node of a column: its type and its data."""

    format: str
    length: int = 0
    buffers: Sequence[np.ndarray | None] = ()
    children: Sequence[Column] = ()
    offset: int = 0
    null_count: int = 0
    dictionary: Column | None = None


class Producer:
    """One column, or the chunks of one, behind both methods of the protocol; ``one`` and ``many`` choose."""

    def __init__(self, *chunks: Column, error: tuple[str, int, bytes | None] | None = None) -> None:
        self.chunks = chunks
        self.error = error
        self.released: Counter[str] = Counter()
        self._kept: list[Any] = []

    @property
    def one(self) -> Any:
        return _One(self)

    @property
    def many(self) -> Any:
        return _Many(self)

    def keep(self, thing: Any) -> Any:
        self._kept.append(thing)
        return thing

    def _release(self, kind: Any, struct: Any, column: Column | None = None) -> None:
        def release(pointer: Any) -> None:
            assert pointer.contents.release, "released twice"
            self.released[kind.__name__] += 1
            pointer.contents.release = type(struct.release)()
            if kind is Array and column is not None:
                for one in (column, *column.children):
                    for buffer in one.buffers:
                        if buffer is not None:
                            buffer[...] = 99

        struct.release = self.keep(type(struct.release)(release))

    def schema(self, column: Column) -> Schema:
        struct = self.keep(Schema())
        struct.format = self.keep(column.format.encode())
        struct.n_children = len(column.children)
        pointers = [ctypes.pointer(self.schema(child)) for child in column.children]
        struct.children = self.keep((ctypes.POINTER(Schema) * len(pointers))(*pointers))
        if column.dictionary:
            struct.dictionary = ctypes.pointer(self.schema(column.dictionary))
        self._release(Schema, struct)
        return struct

    def array(self, column: Column) -> Array:
        struct = self.keep(Array())
        struct.length, struct.offset, struct.null_count = column.length, column.offset, column.null_count
        struct.n_buffers, struct.n_children = len(column.buffers), len(column.children)
        self.keep(column.buffers)
        addresses = [None if buffer is None else buffer.ctypes.data for buffer in column.buffers]
        struct.buffers = self.keep((ctypes.c_void_p * len(addresses))(*addresses))
        pointers = [ctypes.pointer(self.array(child)) for child in column.children]
        struct.children = self.keep((ctypes.POINTER(Array) * len(pointers))(*pointers))
        self._release(Array, struct, column)
        return struct

    def stream(self) -> Stream:
        struct = self.keep(Stream())
        left = list(self.chunks)

        def fail(what: str) -> int:
            return self.error[1] if self.error and self.error[0] == what else 0

        def get_schema(_: Any, out: Any) -> int:
            if not fail("get_schema"):
                ctypes.memmove(out, ctypes.byref(self.schema(self.chunks[0])), ctypes.sizeof(Schema))
            return fail("get_schema")

        def get_next(_: Any, out: Any) -> int:
            if not left and fail("get_next"):
                return fail("get_next")
            ctypes.memmove(out, ctypes.byref(self.array(left.pop(0)) if left else Array()), ctypes.sizeof(Array))
            return 0

        def get_last_error(_: Any) -> int | None:
            text = self.error[2] if self.error else None
            return ctypes.addressof(self.keep(ctypes.create_string_buffer(text))) if text else None

        struct.get_schema = self.keep(type(struct.get_schema)(get_schema))
        struct.get_next = self.keep(type(struct.get_next)(get_next))
        # As a result, ctypes cannot make a char pointer; a void pointer is the same.
        error = self.keep(ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))(get_last_error))
        struct.get_last_error = ctypes.cast(error, type(struct.get_last_error))
        self._release(Stream, struct)
        return struct


def capsule(struct: Any) -> Any:
    """A capsule that owns a struct."""
    kind = type(struct)
    return _new(ctypes.addressof(struct), _NAMES[kind], ctypes.cast(_DESTRUCTORS[kind], ctypes.c_void_p))


class _One:
    def __init__(self, producer: Producer) -> None:
        self.producer = producer

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        (column,) = self.producer.chunks
        return capsule(self.producer.schema(column)), capsule(self.producer.array(column))


class _Many:
    def __init__(self, producer: Producer) -> None:
        self.producer = producer

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule(self.producer.stream())
