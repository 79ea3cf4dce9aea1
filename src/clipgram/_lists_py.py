"""Walks over lists in pure Python: the twin of the compiled ``clipgram._lists``."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from clipgram import _ngrams_py


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
    lists = list(map(tuple, lists))  # read once: another thread may change them meanwhile
    flat: list[int] = list(chain.from_iterable(lists))
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


def count_lists(
    hypothesis: list[int], references: list[int] | list[list[int] | None], max_order: int, per_reference: bool
) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """Count the matches of one list of token IDs.

    Parameters
    ----------
    hypothesis : list of int
    references : list of int, or list of such lists and None
    max_order : int
    per_reference : bool
        With each reference alone, one after the other, instead of with all of them together.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if the arguments are anything else, or an ID does not fit in an int64.
    """
    if type(references) is not list:
        return None
    flat = bool(references) and type(references[0]) is int
    rows: list[Any] = [references] if flat else [reference for reference in references if reference is not None]
    if not rows or not all(type(tokens) is list for tokens in (hypothesis, *rows)):
        return None
    hypothesis, *rows = map(list, (hypothesis, *rows))  # read once, as above
    for token in chain(hypothesis, *rows):
        if type(token) is not int or not -(2**63) <= token < 2**63:
            return None
    matches = _ngrams_py.count_matches(
        np.array(hypothesis, np.int64),
        np.array([0, len(hypothesis)]),
        np.array(list(chain(*rows)), np.int64),
        np.cumsum([0, *map(len, rows)]),
        np.array([0, len(rows)]),
        np.array([0]),
        max_order,
        per_reference,
    )
    return len(hypothesis), tuple(map(len, rows)), tuple(matches.ravel().tolist())
