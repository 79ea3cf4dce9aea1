"""Walks over lists in pure Python: the twin of the compiled ``clipgram._lists``."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np


def flatten(lists: list[Any]) -> tuple[list[str], list[int]] | None:
    """Join lists or tuples of str.

    Parameters
    ----------
    lists : list

    Returns
    -------
    list of str, list of int
        All str, and how many came from each list; or None if one is no list or tuple, is empty, or holds anything else.
    """
    if not all(type(one) in (list, tuple) and one for one in lists):
        return None
    flat = [thing for one in lists for thing in one]
    return (flat, [len(one) for one in lists]) if all_str(flat) else None


def flatten_tokens(entries: list[Any]) -> tuple[list[Any], list[int]] | None:
    """Join references that are lists of tokens.

    Parameters
    ----------
    entries : list
        Each a list of tokens, or a list or tuple of such lists.

    Returns
    -------
    list of list, list of int
        All lists of tokens, and how many came from each entry, as far as a look at the first element of each can tell;
        or None if an entry is anything else, or is or has an empty list.
    """
    flat: list[Any] = []
    sizes = []
    for entry in entries:
        if type(entry) not in (list, tuple) or not entry:
            return None
        found = [entry] if isinstance(entry[0], (str, int)) else entry
        if not all(type(tokens) in (list, tuple) and tokens for tokens in found):
            return None
        flat.extend(found)
        sizes.append(len(found))
    return flat, sizes


def flatten_ids(lists: list[Any]) -> tuple[np.ndarray, np.ndarray] | None:
    """Join lists or tuples of token IDs.

    Parameters
    ----------
    lists : list

    Returns
    -------
    values, offsets : int64 array [tokens], int64 array [B + 1]
        List ``i`` is ``values[offsets[i]:offsets[i + 1]]``.
        Or None if one is no list or tuple, or holds anything but int that fit in an int64.
    """
    if not all(type(one) in (list, tuple) for one in lists):
        return None
    flat = list(chain.from_iterable(lists))
    if not all(type(token) is int for token in flat):
        return None
    try:
        values = np.array(array("q", flat))
    except OverflowError:
        return None
    return values, np.cumsum([0, *map(len, lists)], dtype=np.int64)


def all_str(things: Sequence[object]) -> bool:
    """Whether all elements of a list are str."""
    return all(isinstance(thing, str) for thing in things)
