"""What texts leave behind: resident memory over a million distinct ones, and over a single one of 100 MB.

    python bench/bench_memory.py
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from harness import print_table, print_versions

from clipgram import BLEU, GLEU

MB = 1 << 20


def resident() -> float:
    """Resident memory now, MB."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / MB


def peak() -> float:
    """The most resident memory so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB


def distinct(start: int, n: int) -> list[str]:
    numbers = range(start, start + n)
    return [f"text number {i} says {i * 7919 % 1_000_003} things, all of them once &amp; {i ^ 0x5555}." for i in numbers]


def a_million(work: Callable[[list[str], list[str]], object], step: int = 5000, n: int = 1_000_000) -> list[float]:
    """Resident memory after a tenth of a million distinct texts, and after all of them."""
    sizes = []
    for start in range(0, n, step):
        work(distinct(start, step), distinct(start + 1, step))
        if start + step in (n // 10, n):
            sizes.append(resident())
    return sizes


def flat() -> list[list[str]]:
    bleu, gleu = BLEU(), GLEU()
    works: dict[str, Callable[[list[str], list[str]], object]] = {
        "BLEU, sentence_scores": bleu.sentence_scores,
        "BLEU, corpus_score": bleu.corpus_score,
        "BLEU, two threads": BLEU(threads=2).corpus_score,
        "BLEU, intl, lowercase": BLEU(tokenize="intl", lowercase=True).corpus_score,
        "BLEU, one by one": lambda hyps, refs: [bleu.sentence_score(h, r) for h, r in zip(hyps, refs, strict=True)],
        "GLEU, token lists": lambda hyps, refs: gleu.sentence_scores([h.split() for h in hyps], [r.split() for r in refs]),
    }
    table = []
    for name, work in works.items():
        early, late = a_million(work)
        table.append([name, f"{early:.1f}", f"{late:.1f}", f"{late - early:+.1f}", "met" if late - early < 1 else "missed"])
    return table


def one_long_text() -> list[list[str]]:
    """Memory over what the two texts take themselves, by length."""
    table = []
    for size in (12, 25, 50, 100):
        text = distinct_words(size * MB)
        before = resident()
        start = time.perf_counter()
        score = BLEU().sentence_score(text, text[::-1])
        took = time.perf_counter() - start
        more = peak() - before
        table.append([f"{size} MB", f"{took:.2f}", f"{more:.0f}", f"{more / size:.1f}", f"{score.hypothesis_length:,}"])
    return table


def distinct_words(size: int) -> str:
    words = " ".join(f"w{i * 7919 % 1_000_003}," for i in range(size // 8))
    return (words * (size // len(words) + 1))[:size]


def main() -> None:
    if sys.platform != "linux":
        sys.exit("this reads /proc, which only Linux has")
    print_versions()
    print_table(["a million distinct texts", "MB at a tenth", "MB at the end", "more", ""], flat())
    print_table(["one pair of texts of", "seconds", "MB more", "bytes a byte", "tokens"], one_long_text())


if __name__ == "__main__":
    main()
