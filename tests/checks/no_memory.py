"""Each request for memory fails once: the call raises MemoryError, and the next one is right: python no_memory.py.

Run by ``.ci/check memory``, which preloads no_memory.c.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import clipgram
from clipgram._backend import index, lists, ngrams, text
from clipgram.batch import offsets_of

RNG = np.random.default_rng(5)
WORDS = ["the", "cat", "caf\u00e9", "3.5", "&amp;", "don't", "\u4eca\u5929", "antidisestablishmentarianism"]


def words(n: int) -> str:
    """A text with many different words, so that tables grow."""
    return " ".join([*RNG.choice(WORDS, min(n, 40)), *(f"w{i}" for i in range(n))])


def pair(n: int, dtype: Any, groups: int = 1) -> tuple[Any, ...]:
    """Two hypotheses with ``groups`` references each, long enough for one of the ways to count."""
    hyps, refs = RNG.integers(0, n, 2 * n).astype(dtype), RNG.integers(0, n, groups * n).astype(dtype)
    return hyps, np.array([0, n, 2 * n]), refs, offsets_of([n] * groups), np.array([0, groups]), np.array([0, 0])


def plain(thing: Any) -> Any:
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    return tuple(map(plain, thing)) if isinstance(thing, tuple) else thing


def works() -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    for n in (10, 100, 250, 400, 6000):
        for regime in range(4):
            for groups in (1, 2):
                given = pair(n, np.int64 if groups == 2 else np.int32, groups)
                what = f"{n} IDs, {groups} references, way {regime}"
                found[f"count_matches, {what}"] = lambda g=given, r=regime: ngrams.count_matches(*g, 4, False, r)
                found[f"match_flags, {what}"] = lambda g=given, r=regime: ngrams.match_flags(*g, 4, False, r)
        given = pair(n, np.int32)
        found[f"dense IDs, {n}"] = lambda g=given, n=n: ngrams.count_matches(*g, 4, False, 0, n)
    tokens = RNG.integers(0, 3000, 20_000)
    found["number_ngrams"] = lambda: index.number_ngrams(tokens, offsets_of([5000] * 4), 4)
    ids = RNG.integers(0, 50, 100).tolist()
    found["count_lists"] = lambda: lists.count_lists(ids, [ids[::-1], ids[5:]], 4, False)
    for n in (5, 300, 3000):
        texts = [words(n), words(n // 2)]
        others = [words(n), words(n), words(n)[::-1], texts[0]]
        which = np.array([0, 2, 4]), np.array([0, 1])
        for rules in ("13a", "none", "char", "intl", "edge", "zh"):
            found[f"count, {n} words, {rules}"] = lambda t=texts, o=others, w=which, r=rules: text.count(t, o, *w, r, 4, False)
            found[f"encode, {n} words, {rules}"] = lambda t=texts, o=others, w=which, r=rules: text.encode(t, o, *w, r)
            found[f"tokenize, {n} words, {rules}"] = lambda t=texts, r=rules: text.tokenize(t[0], r)
            found[f"count_text, {n} words, {rules}"] = lambda t=texts, o=others, r=rules: text.count_text(t[0], o, r, 4, False)
        some, more = [one.split() for one in texts], [one.split() for one in others]
        found[f"count, {n} tokens"] = lambda s=some, m=more, w=which: text.count(s, m, *w, None, 4, True)
        found[f"encode, {n} tokens"] = lambda s=some, m=more, w=which: text.encode(s, m, *w, None)
        found[f"count_words, {n} tokens"] = lambda s=some, m=more: text.count_words(s[0], m, 4, False)
    return found


def main() -> int:
    preloaded = ctypes.CDLL(None)
    if clipgram.IMPLEMENTATION != "ext" or not hasattr(preloaded, "no_memory_arm"):
        sys.exit("no_memory.c is not preloaded, or there is no compiled core")
    preloaded.no_memory_arm.argtypes = [ctypes.c_long]
    preloaded.no_memory_left.restype = ctypes.c_long
    failed = 0
    for name, work in works().items():
        wanted = plain(work())
        n = 1
        while True:
            preloaded.no_memory_arm(n)
            try:
                got = plain(work())
            except MemoryError:
                failed += 1
                preloaded.no_memory_arm(0)
                assert plain(work()) == wanted, f"{name}: another result after request {n} failed"
            else:
                left = preloaded.no_memory_left()
                preloaded.no_memory_arm(0)
                assert left > 0, f"{name}: request {n} failed, and nothing was said"
                assert got == wanted, f"{name}: another result"
                break
            n += 1
    print(f"{failed} requests failed, one at a time, in {len(works())} kinds of calls: each raised MemoryError")
    return 0 if failed else 1


if __name__ == "__main__":
    sys.exit(main())
