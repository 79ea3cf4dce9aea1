"""One sequence of token IDs, in whatever form it comes, as a plain array."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sized
from typing import Any

import numpy as np

from clipgram._describe import describe

# DLPack device types that the CPU can read: main memory, pinned and managed CUDA memory.
_READABLE_DEVICES = (1, 3, 13)
_NOT_SEQUENCES = (str, bytes, bytearray, dict, set, frozenset)


def as_list(things: Any, name: str, wanted: str) -> list[Any]:
    """The elements of an iterable as a list. It is read once, so a generator will do.

    Raises
    ------
    TypeError
        If it is no iterable, or one that means something else: a str, bytes, a dict, a set.
    ValueError
        If it gives more or fewer elements than its length says.
    """
    if type(things) is list:
        return things
    if isinstance(things, _NOT_SEQUENCES) or not isinstance(things, Iterable):
        raise TypeError(f"{name} is {describe(things)}; wanted {wanted}")
    made = [thing for thing in things]  # noqa: C416 (list() would believe the length, and take memory for it)
    if isinstance(things, Sized) and len(things) != len(made):
        raise ValueError(f"{name} says that it has {len(things)} elements, and gives {len(made)}")
    return made


def as_array(thing: Any, name: str) -> np.ndarray | None:
    """A NumPy array of what is an array or a tensor, without a copy where that goes; None for anything else."""
    if isinstance(thing, np.ndarray):
        return np.asarray(thing)  # of a subclass only the memory, not what it says of itself
    if isinstance(thing, (list, tuple, *_NOT_SEQUENCES)):
        return None
    if hasattr(thing, "__dlpack_device__"):
        device = thing.__dlpack_device__()
        if device[0] not in _READABLE_DEVICES:
            raise TypeError(f"{name} is {describe(thing)} on another device; pass {name}.cpu()")
        return np.from_dlpack(thing)
    if isinstance(thing, (array, memoryview)) or hasattr(thing, "__array__"):
        return np.asarray(thing)
    return None


def id_array(thing: Any, name: str) -> np.ndarray:
    """One sequence of token IDs as a contiguous int32 or int64 array, without a copy if it is one already.

    Raises
    ------
    TypeError
        If it is not a sequence of integers.
    ValueError
        If it is an array of another number of dimensions than one.
    OverflowError
        If an ID does not fit in an int64.
    """
    ids = as_array(thing, name)
    if ids is None:
        ids = ids_from_list(as_list(thing, name, "a sequence of token IDs"), name)
    if ids.ndim != 1:
        raise ValueError(f"{name} is {describe(ids)}; wanted one dimension")
    if ids.dtype.kind not in "iu":
        if not ids.size and isinstance(thing, np.ndarray) and ids.dtype == np.float64:
            return np.empty(0, np.int64)  # np.array([]) is float64
        raise TypeError(f"{name} is {describe(ids)}; token IDs are integers")
    if ids.dtype.kind == "u" and ids.dtype.itemsize == 8 and ids.size and ids.max() > np.iinfo(np.int64).max:
        raise OverflowError(f"{name} holds {ids.max()}; token IDs must fit in an int64")
    small = ids.dtype.itemsize < 4 or (ids.dtype.kind == "i" and ids.dtype.itemsize == 4)
    return np.ascontiguousarray(ids, np.int32 if small else np.int64)


def ids_from_list(tokens: Iterable[Any], name: str) -> np.ndarray:
    """Python ints as an int64 array; anything that is not exactly an integer is refused."""
    tokens = list(tokens)
    try:
        return np.frombuffer(array("q", tokens), np.int64)
    except (TypeError, OverflowError):
        for i, token in enumerate(tokens):
            try:
                array("q", [token])
            except TypeError:
                raise TypeError(f"{name}[{i}] is {describe(token)}; tokens are all ints or all str") from None
            except OverflowError:
                raise OverflowError(f"{name}[{i}] is {describe(token)}; token IDs must fit in an int64") from None
        raise
