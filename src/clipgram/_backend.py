"""Chooses the implementation of the core, once, when clipgram is imported. The only file that imports it.

``CLIPGRAM_IMPLEMENTATION=ext`` demands the compiled core, ``=python`` the pure-Python twin. Unset, the compiled core is
used where it is installed. One that is installed but broken raises: only a missing one is replaced.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Literal

_wanted = os.environ.get("CLIPGRAM_IMPLEMENTATION") or None
if _wanted not in (None, "ext", "python"):
    raise ValueError(f"CLIPGRAM_IMPLEMENTATION is {_wanted!r}; it must be 'ext' or 'python', or not set")

_compiled = find_spec("clipgram._ngrams") is not None
if _wanted == "ext" and not _compiled:
    raise ImportError(
        "CLIPGRAM_IMPLEMENTATION is 'ext', but this installation of clipgram has no compiled core; "
        "reinstall it with a C compiler at hand, or unset the variable"
    )

IMPLEMENTATION: Literal["ext", "python"]
if _compiled and _wanted != "python":
    import clipgram._index as index
    import clipgram._lists as lists
    import clipgram._ngrams as ngrams
    import clipgram._objects as objects
    import clipgram._text as text

    IMPLEMENTATION = "ext"
else:
    import clipgram._index_py as index
    import clipgram._lists_py as lists
    import clipgram._ngrams_py as ngrams
    import clipgram._objects_py as objects
    import clipgram._text_py as text

    IMPLEMENTATION = "python"

__all__ = ["IMPLEMENTATION", "index", "lists", "ngrams", "objects", "text"]
