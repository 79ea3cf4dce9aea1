"""Writes src/clipgram/_categories.py: the code points of three Unicode general categories, as ``regex`` knows them.

    python tests/make_categories.py > src/clipgram/_categories.py

sacreBLEU's tokenizer ``intl`` takes its categories from the package ``regex``, whose tables are newer than those of
Python's ``unicodedata``. A test holds the file against the installed ``regex``; when that moves to a newer Unicode,
run this again.
"""

from __future__ import annotations

import textwrap

import regex

HEAD = '''"""Unicode general categories N, P and S as ranges of code points in hexadecimal.

Written by tests/make_categories.py from the tables of the package regex {version}; not to be edited.
"""
'''


def ranges(category: str) -> list[str]:
    """The code points of a category, neighbours joined."""
    inside = [bool(regex.match(rf"\p{{{category}}}", chr(code))) for code in range(0x110000)]
    edges = [code for code in range(0x110001) if (code < 0x110000 and inside[code]) != (code > 0 and inside[code - 1])]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return [f"{first:x}" if first == stop - 1 else f"{first:x}-{stop - 1:x}" for first, stop in pairs]


def module() -> str:
    """The text of the module."""
    parts = [HEAD.format(version=regex.__version__)]
    for name, category in (("NUMBER", "N"), ("PUNCTUATION", "P"), ("SYMBOL", "S")):
        lines = textwrap.wrap(" ".join(ranges(category)), 110)
        parts.append(f"{name} = (\n" + "".join(f'    "{line}{" " * (line != lines[-1])}"\n' for line in lines) + ")\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(module(), end="")
