"""Input made to crowd the hash tables takes no longer than random input: python collisions.py [TIMES].

Each family of tokens is counted against itself, shuffled, and so is random input of the same number and length, in turn;
the ratio of the fastest runs of each must stay below TIMES (10). Families that were made for one multiplier are as
random to a process with another one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import clipgram
from clipgram._backend import index, ngrams, text
from clipgram.batch import offsets_of

N = 20_000
REPEATS = 9
MASK = 2**64 - 1
RNG = np.random.default_rng(3)


def shuffled(things: Any) -> Any:
    return [things[i] for i in np.random.default_rng(9).permutation(len(things))]


def undo(word: int, multiplier: int) -> int:
    """The key that one round of the tables' hash takes to a word: the round is (key ^ key >> 32) * multiplier."""
    mixed = word * pow(multiplier, -1, 2**64) & MASK
    return mixed ^ mixed >> 32


def ids() -> Iterator[tuple[str, np.ndarray]]:
    count = np.arange(N, dtype=np.int64)
    yield "0, 1, 2, ...", count
    for power in (1, 8, 16, 31, 32, 40, 48):
        yield f"multiples of 2**{power}", count << power
    for step in (3, 1000, 65_537, 2**31 - 1, 0x9E3779B1, 2**33 + 1):
        yield f"steps of {step}", count * step
    yield "steps backwards from the end", np.iinfo(np.int64).max - count * 12_345
    yield "two halves alike", count << 32 | count
    yield "halves in opposite order", count << 32 | (N - 1 - count)
    yield "Fibonacci's ratio", (count.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).view(np.int64)
    for multiplier in (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 3):
        # All into the first place of a table of up to 2**40 places, under that multiplier.
        keys = [undo(undo(i, multiplier), multiplier) for i in range(1, N + 1)]
        yield f"equal hashes under {multiplier:#x}", np.array(keys, np.uint64).view(np.int64)


def hash_of(token: bytes, one: int, other: int) -> int:
    """The hash of a token of up to 16 bytes, were these the multipliers."""
    first, second = (int.from_bytes(part.ljust(8, b"\0"), sys.byteorder) for part in (token[:8], token[8:]))
    mixed = first * one + second * other & MASK
    return (mixed ^ mixed >> 32) * one & MASK


def letters(number: int, length: int) -> str:
    made = ""
    for _ in range(length):
        number, digit = divmod(number, 26)
        made += chr(97 + digit)
    return made


def tokens() -> Iterator[tuple[str, list[str]]]:
    for length in (5, 8, 16, 17, 40):
        yield f"counting, {length} characters", [letters(i, length) for i in range(N)]
        yield f"equal beginnings, {length} characters", ["a" * (length - 4) + letters(i, 4) for i in range(N)]
        yield f"equal ends, {length} characters", [letters(i, 4) + "a" * (length - 4) for i in range(N)]
    one_byte = [("x" * i + chr(33 + c) + "x" * (199 - i)) for i in range(200) for c in range(90)]
    yield "one byte of 200 differs", one_byte
    yield "numbers", [str(i) for i in range(N)]
    yield "runs of one character", ["a" * i for i in range(1, 1500)]
    yield "two halves alike", [letters(i, 8) * 2 for i in range(N)]
    # Strings that a polynomial hash modulo 2**64 cannot tell apart, whatever its multiplier.
    thue, morse = "a" * 8, "b" * 8
    for _ in range(10):
        thue, morse = thue + morse, morse + thue
    half = len(thue) // 2
    yield "Thue and Morse", [thue[k * 8 :] + thue[: k * 8] for k in range(half // 8)] + [morse]
    one, other = 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD
    alike: list[str] = []
    for i in range(2_000_000):
        if hash_of(letters(i, 7).encode(), one, other) >> 57 == 0:
            alike.append(letters(i, 7))
    yield "equal hashes under two multipliers", alike


def fastest(calls: list[Callable[[], object]]) -> list[float]:
    """Of each call, the fastest of some runs, taken in turn; of this thread, whatever else the machine is doing."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(REPEATS):
        for call, found in zip(calls, times, strict=True):
            start = time.thread_time()
            call()
            found.append(time.thread_time() - start)
    return [min(found) for found in times]


def counted(values: np.ndarray, regime: int) -> Callable[[], object]:
    other = np.array(shuffled(values))
    ends = np.array([0, len(values)])
    return lambda: ngrams.count_matches(values, ends, other, ends, np.array([0, 1]), np.array([0]), 4, False, regime)


def numbered(values: np.ndarray) -> Callable[[], object]:
    return lambda: index.number_ngrams(values, offsets_of([len(values)]), 4)


def read(words: list[str], rules: str | None) -> Callable[[], object]:
    sides: list[list[Any]] = [[words], [shuffled(words)]] if rules is None else [[" ".join(words)], [" ".join(shuffled(words))]]
    return lambda: text.count(*sides, np.array([0, 1]), np.array([0]), rules, 4, False)


def main() -> int:
    times = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    worst = 0.0
    print(f"clipgram {clipgram.__version__} ({clipgram.IMPLEMENTATION}), {N:,} tokens; times as long as random ones")

    def add(family: str, what: str, made: Callable[[], object], random: Callable[[], object]) -> None:
        nonlocal worst
        ours, theirs = fastest([made, random])
        worst = max(worst, ours / theirs)
        print(f"{family:42}{what:14}{ours * 1e3:9.2f} ms{ours / theirs:8.2f}x", flush=True)

    noise = RNG.integers(-(2**63), 2**63 - 1, N)
    for family, values in ids():
        for regime, what in ((2, "names"), (3, "rounds")):
            add(family, what, counted(values, regime), counted(noise, regime))
        add(family, "index", numbered(values), numbered(noise))
    for family, words in tokens():
        # Of the same lengths: longer tokens take longer, whoever made them.
        random = [os.urandom(len(word)).hex()[: len(word)] for word in words]
        for rules in (None, "none"):
            add(family, "list" if rules is None else "text", read(words, rules), read(random, rules))
    print(f"at worst {worst:.2f}x")
    return 0 if worst < times else 1


if __name__ == "__main__":
    sys.exit(main())
