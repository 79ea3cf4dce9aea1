"""Strings that tokenizers trip over, from every kind of character that their rules name."""

from __future__ import annotations

import random
from collections.abc import Iterator

# The 29 code points that str.split() takes for whitespace.
WHITESPACE_CODES = [*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]
WHITESPACE = [chr(c) for c in (*WHITESPACE_CODES, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)]
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
UNICODE_PUNCTUATION = ["\u2014", "\u201c", "\u2019", "\u2026", "\u3002", "\uff0c", "\u00bf", "\u055a", "\u2e3a", "\U00010100", "\U0001e95e"]
SYMBOLS = ["\u20ac", "\u00b0", "\u2122", "\u2203", "\u00a9", "\U0001f600", "\u02c7", "\uffe0", "\U0001d6c1"]
DIGITS = [*"0123456789", "\u0663", "\u0967", "\uff15", "\u00b2", "\u00bd", "\u2167", "\u3007", "\U0001d7d9", "\U00011de0"]
WORDS = ["a", "B", "no", "don't", "U.S.A", "\u00e9", "e\u0301", "\u0301", "\u00df", "\u0130", "\u03a3", "\u0416", "\u3042\u30ab", "\uac00", "\U00020001"]
WORDS += ["word", "Strassenbahn", "antidisestablishmentarianism", "x" * 16, "x" * 17, "0" * 15, "unbelievably" * 3]
# Both ends of every range of sacreBLEU's zh, and their neighbours.
CJK_EDGES = [0x2001, 0x2A6D, 0x2E80, 0x2EFF, 0x2F00, 0x2FDF, 0x2FF0, 0x303F, 0x3100, 0x312F, 0x31A0, 0x31BF, 0x31C0, 0x31EF]
CJK_EDGES += [0x3200, 0x33FF, 0x3400, 0x4DB5, 0x4E00, 0x9FBB, 0xF900, 0xFA2D, 0xFA30, 0xFA6A, 0xFA70, 0xFAD9]
CJK_EDGES += [0xFE10, 0xFE1F, 0xFE30, 0xFE4F, 0xFF00, 0xFFEF]
CJK = [chr(code + step) for code in CJK_EDGES for step in (-1, 0, 1)] + ["\u4eca", "\u5929"]
SGML = ["&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&amp;lt;", "&am", "p;", "quot;", "<skipped>", "<skip", "ped>"]
SGML += ["-\n", "\n", "-", "&#39;", "<SKIPPED>", "&", "<", "lt;", "-\r\n"]
ODD = ["\u200b", "\ufeff", "\u00ad", "\0", "\x01", "\x7f", "\x80", "\ud800", "\udfff", "\udc80", "\ue000", "\uffff", "\U0010ffff", "\u0378"]
PIECES = [WHITESPACE, PUNCTUATION, PUNCTUATION, UNICODE_PUNCTUATION, SYMBOLS, DIGITS, WORDS, WORDS, CJK, SGML, ODD]
PIECES += [[".", ",", "-"], [" "], ["1", "23"], ["."], ["-"]]


def nasty_strings(n: int, seed: int = 1) -> Iterator[str]:
    """Short strings of pieces of all kinds; some of few kinds, so that runs get long."""
    rng = random.Random(seed)
    for _ in range(n):
        kinds = PIECES if rng.random() < 0.7 else [rng.choice(PIECES) for _ in range(3)]
        yield "".join(rng.choice(rng.choice(kinds)) for _ in range(rng.randint(0, 14)))
