"""What valgrind says of clipgram: python valgrind_errors.py LOG. CPython and the C library have a few errors of their own.

An error is clipgram's if one of its innermost frames is in a compiled module: there, or in what it calls by itself, such
as memcmp.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

INNERMOST = 3


def errors(log: str) -> list[str]:
    """The paragraphs of a log that are errors: a line of what it is, and its frames."""
    lines = [re.sub(r"^==\d+== ?", "", line) for line in log.splitlines() if re.match(r"==\d+==", line)]
    return [paragraph for paragraph in "\n".join(lines).split("\n\n") if re.search(r"^   at 0x", paragraph, re.MULTILINE)]


def is_ours(error: str) -> bool:
    frames = re.findall(r"^   (?:at|by) 0x.*", error, re.MULTILINE)[:INNERMOST]
    return any("__pyx_" in frame or "clipgram" in frame for frame in frames)


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text("utf-8", errors="replace")
    if "ERROR SUMMARY" not in text:
        sys.exit("valgrind did not end")
    found = errors(text)
    ours = [error for error in found if is_ours(error)]
    print("\n\n".join(ours))
    print(f"{len(ours)} errors in clipgram, {len(found) - len(ours)} elsewhere")
    sys.exit(1 if ours else 0)
