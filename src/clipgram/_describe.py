"""How an error message calls an object that was not wanted."""

from __future__ import annotations

import numpy as np


def describe(thing: object) -> str:
    """Say what something is, short enough for an error message.

    Examples
    --------
    >>> describe(1.5), describe(None), describe("the cat sat on the mat and stayed there")
    ('the float 1.5', 'None', "the str 'the cat sat on the mat and stay...'")
    >>> describe([1, 2]), describe(np.zeros((2, 3)))
    ('a list of 2', 'a float64 array of shape (2, 3)')
    >>> describe(np.array(3, np.int32))
    'an int32 array of shape ()'
    """
    if thing is None:
        return "None"
    if isinstance(thing, str):
        return f"the str {thing if len(thing) <= 34 else thing[:31] + '...'!r}"
    if isinstance(thing, (bool, int, float, complex, np.generic)):
        return f"the {type(thing).__name__} {thing}"
    if isinstance(thing, np.ndarray):
        return f"{'an' if thing.dtype.name[0] in 'io' else 'a'} {thing.dtype} array of shape {thing.shape}"
    name = type(thing).__name__
    if isinstance(thing, (list, tuple, dict, set, frozenset, bytes)):
        return f"a {name} of {len(thing)}"
    return f"an object of type {type(thing).__module__}.{name}"
