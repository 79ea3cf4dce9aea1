"""Walks over lists in pure Python: the twin of the compiled ``clipgram._lists``."""

from __future__ import annotations

from collections.abc import Sequence


def flatten(lists: list[object]) -> tuple[list[str], list[int]] | None:
    """Join lists or tuples of str.

    Parameters
    ----------
    lists : list

    Returns
    -------
    list of str, list of int
        All str, and how many came from each list; or None if one is no list or tuple, is empty, or holds anything else.
    """
    if not all(isinstance(one, (list, tuple)) and len(one) for one in lists):
        return None
    flat = [thing for one in lists for thing in one]  # type: ignore[attr-defined]
    return (flat, [len(one) for one in lists]) if all_str(flat) else None  # type: ignore[arg-type]


def flatten_tokens(entries: list[object]) -> tuple[list[Sequence[object]], list[int]] | None:
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
    flat: list[Sequence[object]] = []
    sizes = []
    for entry in entries:
        if not isinstance(entry, (list, tuple)) or not entry:
            return None
        found = [entry] if isinstance(entry[0], (str, int)) else entry
        if not all(isinstance(tokens, (list, tuple)) and tokens for tokens in found):
            return None
        flat.extend(found)
        sizes.append(len(found))
    return flat, sizes


def all_str(things: Sequence[object]) -> bool:
    """Whether all elements of a list are str."""
    return all(isinstance(thing, str) for thing in things)
