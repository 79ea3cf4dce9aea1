"""Strings that tokenizers trip over, from every kind of character that their rules name."""

from __future__ import annotations

import random
from collections.abc import Iterator

# The 29 code points that str.split() takes for whitespace.
WHITESPACE = [chr(c) for c in (*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)]
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
DIGITS = [*"0123456789", "\u0663", "\u0967", "\uff15", "\u00b2", "\u2167", "\U0001d7d9"]
WORDS = ["a", "B", "no", "don't", "U.S.A", "\u00e9", "e\u0301", "\u00df", "\u0130", "\u4eca\u5929", "\u3042\u30ab", "\uac00", "\U00020001", "\U0001f600"]
SGML = ["&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&amp;lt;", "&am", "p;", "quot;", "<skipped>", "<skip", "ped>", "-\n", "\n", "&#39;", "<SKIPPED>"]
ODD = ["\u200b", "\ufeff", "\u2014", "\u201c", "\u2026", "\u3002", "\uff0c", "\u20ac", "\u00b0", "\0", "\ud800", "\udfff", "\x7f", "\u2a6d", "\ufa2d"]
PIECES = [WHITESPACE, PUNCTUATION, PUNCTUATION, DIGITS, WORDS, SGML, ODD, [".", ",", "-"], [" "], ["1", "23"]]


def nasty_strings(n: int, seed: int = 1) -> Iterator[str]:
    rng = random.Random(seed)
    for _ in range(n):
        yield "".join(rng.choice(rng.choice(PIECES)) for _ in range(rng.randint(0, 14)))
