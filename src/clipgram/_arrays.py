"""One sequence of token IDs, in whatever form it comes, as a plain array."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sized
from typing import Any

import numpy as np

from clipgram._backend import lists
from clipgram._describe import describe

# DLPack device types that the CPU can read: main memory, pinned and managed CUDA memory.
_READABLE_DEVICES = (1, 3, 13)
NOT_SEQUENCES = (str, bytes, bytearray, dict, set, frozenset)

# What messages say of elements that are wrong; the last takes bool too.
IDS = "token IDs are integers"
TOKENS = "tokens are all ints or all str"
MASK = "wanted bool, or integers 0 and 1"


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
    if isinstance(things, NOT_SEQUENCES) or not isinstance(things, Iterable):
        raise TypeError(f"{name} is {describe(things)}; wanted {wanted}")
    made = [thing for thing in things]  # noqa: C416 (list() would believe the length, and take memory for it)
    if isinstance(things, Sized) and len(things) != len(made):
        raise ValueError(f"{name} says that it has {len(things)} elements, and gives {len(made)}")
    return made


def as_array(thing: Any, name: str) -> np.ndarray | None:
    """A NumPy array of what is an array or a tensor, without a copy where that goes; None for anything else.

    Raises
    ------
    TypeError
        If it is a tensor on a device that the CPU cannot read, or one that NumPy cannot read, or a masked array.
    """
    if type(thing) is np.ndarray:
        return thing
    if isinstance(thing, (list, tuple, *NOT_SEQUENCES)):
        return None
    if isinstance(thing, np.ndarray):
        if hasattr(thing, "mask"):
            raise TypeError(f"{name} is a masked array, of which some elements are none; wanted a plain one")
        return np.asarray(thing)
    if hasattr(thing, "__dlpack_device__"):
        return _from_dlpack(thing, name)
    if isinstance(thing, (array, memoryview)) or hasattr(thing, "__array__"):
        return np.asarray(thing)
    try:
        buffer = memoryview(thing)
    except TypeError:
        return None
    return None if buffer.format in ("B", "c") else np.asarray(buffer)  # plain bytes are no IDs


def _from_dlpack(thing: Any, name: str) -> np.ndarray:
    try:
        device, _ = thing.__dlpack_device__()
    except Exception as error:  # each library has its own for a device that DLPack does not know
        raise TypeError(f"{name} is {describe(thing)} on another device ({error}); pass {name}.cpu()") from error
    if device not in _READABLE_DEVICES:
        raise TypeError(f"{name} is {describe(thing)} on another device; pass {name}.cpu()")
    try:
        return np.from_dlpack(thing)
    except Exception:  # likewise; what NumPy or DLPack does not take, the object may turn into an array itself
        try:
            return np.asarray(thing.__array__())
        except Exception as error:
            dtype = str(getattr(thing, "dtype", ""))
            if getattr(thing, "is_nested", False):
                message = f", nested; pass {name}.unbind()"
            elif "float" in dtype:  # what the error says to do, such as detach(), would not help
                message = f" of dtype {dtype}; wanted integers"
            else:
                message = f", which cannot be read as an array: {error}"
            raise TypeError(f"{name} is {describe(thing)}{message}") from error


def check_integers(ids: np.ndarray, name: str, rule: str = IDS) -> None:
    """See to it that an array holds integers that fit in an int64."""
    if ids.dtype.kind not in "iu" and (ids.dtype.kind != "b" or rule != MASK):
        raise TypeError(f"{name} is {describe(ids)}; {IDS if rule == TOKENS else rule}")
    if ids.dtype.kind == "u" and ids.dtype.itemsize == 8 and ids.size and ids.max() > np.iinfo(np.int64).max:
        place = np.argwhere(ids > np.iinfo(np.int64).max)[0]
        where = ", ".join(map(str, place))
        raise OverflowError(f"{name}[{where}] is {ids[tuple(place)]}; token IDs must fit in an int64")


def id_dtype(dtype: np.dtype) -> type[np.int32 | np.int64]:
    """The narrower of the core's two types that holds every integer of a dtype."""
    return np.int32 if dtype.itemsize < 4 or (dtype.kind == "i" and dtype.itemsize == 4) else np.int64


def id_array(thing: Any, name: str, rule: str = IDS) -> np.ndarray:
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
        wanted = "a sequence of token IDs" if rule in (IDS, TOKENS) else "a sequence of integers"
        ids = ids_from_list(as_list(thing, name, wanted), name, rule)
    if ids.ndim != 1:
        raise ValueError(f"{name} is {describe(ids)}; wanted one dimension")
    if not ids.size and isinstance(thing, np.ndarray) and ids.dtype == np.float64:
        return np.empty(0, np.int64)  # np.array([]) is float64
    check_integers(ids, name, rule)
    ids = np.ascontiguousarray(ids, id_dtype(ids.dtype))
    return ids if ids.flags.aligned else ids.copy()


def ids_from_list(tokens: Iterable[Any], name: str, rule: str = IDS) -> np.ndarray:
    """Python ints as an int64 array; anything that is not exactly an integer is refused."""
    tokens = list(tokens)
    joined = lists.flatten_ids([tokens])
    if joined is not None:
        return joined[0]
    try:
        ids = np.frombuffer(array("q", tokens), np.int64)
        if rule == MASK or bool not in set(map(type, tokens)):
            return ids
    except (TypeError, OverflowError):
        pass
    for i, token in enumerate(tokens):
        try:
            array("q", [token])
        except OverflowError:
            raise OverflowError(f"{name}[{i}] is {describe(token)}; token IDs must fit in an int64") from None
        except TypeError:
            pass
        else:
            if rule == MASK or type(token) is not bool:
                continue
        raise TypeError(f"{name}[{i}] is {describe(token)}; {rule}")
    raise RuntimeError(f"{name} changed while it was read")
