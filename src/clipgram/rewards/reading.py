"""Reading what frameworks hand over: references in their many forms, and the answers in conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clipgram._arrays import NOT_SEQUENCES
from clipgram._describe import describe

# The roles under which a model's own words stand in a conversation.
_OWN_ROLES = ("assistant", "text")


def check_batch(things: Any, name: str) -> None:
    """Refuse what is no batch and would be gone through all the same: a str by its characters, a dict by its keys."""
    if isinstance(things, NOT_SEQUENCES):
        raise TypeError(f"{name} is {describe(things)}; wanted a list with one entry a completion")


def text_reference(entry: Any, name: str) -> str | list[str]:
    """What is to be compared with a text: one reference or several, an empty one where they are missing.

    Examples
    --------
    >>> text_reference("the cat", "reference"), text_reference(["the cat", None], "reference")
    ('the cat', ['the cat'])
    >>> text_reference(None, "reference"), text_reference([], "reference")
    ('', '')
    """
    if isinstance(entry, str):
        return entry
    if _is_missing(entry):
        return ""
    entry = _unpacked(entry)
    if not isinstance(entry, (list, tuple)):
        raise TypeError(f"{name} is {describe(entry)}; wanted a str, a list of str, or None where there is none")
    for i, reference in enumerate(entry):
        if not isinstance(reference, str) and not _is_missing(reference):
            raise TypeError(f"{name}[{i}] is {describe(reference)}; wanted a str, or None where there is none")
    return [reference for reference in entry if isinstance(reference, str)] or ""


def id_references(entry: Any, name: str) -> list[Any]:
    """What is to be compared with token IDs: a list of references, one empty one where they are missing.

    Examples
    --------
    >>> id_references([5, 8], "reference"), id_references([[5, 8], None, [5]], "reference")
    ([[5, 8]], [[5, 8], [5]])
    >>> id_references(None, "reference"), id_references([], "reference")
    ([[]], [[]])
    """
    if _is_missing(entry):
        return [[]]
    entry = _unpacked(entry)
    if not isinstance(entry, (list, tuple)):
        if isinstance(entry, (str, Mapping)) or not np.ndim(entry):
            raise TypeError(f"{name} is {describe(entry)}; wanted token IDs, a list of such, or None")
        return list(entry) if np.ndim(entry) == 2 else [entry]
    there = [reference for reference in entry if not _is_missing(reference)]
    if not there:
        return [[]]
    if isinstance(there[0], str):
        raise TypeError(f"{name} holds {describe(there[0])}; wanted token IDs: tokenize it, or score on='text'")
    one = hasattr(there[0], "__index__") and not np.ndim(there[0])
    return [entry] if one else there


def known_equal(one: Any, other: Any) -> bool:
    """Whether two entries are equal, as far as that can be told quickly."""
    if one is other:
        return True
    if type(one) is str:
        return type(other) is str and one == other
    if type(one) is not list or type(other) is not list or not one or type(one[0]) not in (int, str, list):
        return False
    try:
        return one == other
    except ValueError:  # there are arrays among them
        return False


def answer_of(completion: Any, name: str) -> str:
    """The text of a completion: itself, or in a conversation the last message that is the model's own.

    A message without text, such as the call of a tool, is an empty answer.

    Examples
    --------
    >>> answer_of([{"role": "assistant", "content": "the cat"}], "completion")
    'the cat'
    >>> answer_of([{"role": "assistant", "content": None, "tool_calls": []}], "completion")
    ''
    """
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, (list, tuple)):
        raise TypeError(f"{name} is {describe(completion)}; wanted a str or a list of messages")
    for i in range(len(completion) - 1, -1, -1):
        message = completion[i]
        if not isinstance(message, Mapping) and not hasattr(message, "get"):  # some frameworks have a class for them
            raise TypeError(f"{name}[{i}] is {describe(message)}; wanted a message, a dict with role and content")
        if message.get("role") in _OWN_ROLES:
            return _text_of(message.get("content"), f"{name}[{i}]['content']")
    return ""


def _text_of(content: Any, name: str) -> str:
    """The text of a message's content: itself, or of its parts those that are text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        raise TypeError(f"{name} is {describe(content)}; wanted a str, a list of parts, or None")
    parts = []
    for part in content:
        text = part if isinstance(part, str) else part.get("text")
        if isinstance(text, str):
            parts.append(text)
    return "".join(parts)


def _is_missing(thing: Any) -> bool:
    return thing is None or (isinstance(thing, float) and thing != thing)  # tables have NaN for what they lack


def _unpacked(entry: Any) -> Any:
    """An array of objects or of str as a list; columns of lists come as such."""
    if isinstance(entry, np.ndarray) and entry.ndim and entry.dtype.kind in "OUT":
        return entry.tolist()
    return entry
