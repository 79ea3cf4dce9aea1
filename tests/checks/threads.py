"""The kernels that run without the GIL, in several threads at once over the same arrays: for ThreadSanitizer.

Run by ``.ci/check threads`` on a build for it, which reports what two threads touch without an order between them, and
by ``.ci/check valgrind``: python threads.py [THREADS ROUNDS]. Here it is only checked that every thread gets what one
alone gets.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import clipgram
from clipgram import BLEU, GLEU
from clipgram._backend import index, ngrams, objects, text
from clipgram.batch import offsets_of

THREADS, ROUNDS = (4, 6) if len(sys.argv) < 2 else tuple(map(int, sys.argv[1:3]))


def arrays(dtype: Any, n: int, length: int, words: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(n)
    lengths = rng.integers(0, length, n)
    values = rng.integers(-words, words, lengths.sum()).astype(dtype)
    return values, offsets_of(lengths), values[::-1].copy(), offsets_of(lengths), offsets_of(np.full(n // 2, 2)), np.arange(n) % (n // 2)


WORDS = ["the", "cat", "caf\u00e9", "3.5", "&amp;", "don't", "\u4eca\u5929", "antidisestablishmentarianism"]
RNG = np.random.default_rng(1)
TEXTS = [" ".join(RNG.choice(WORDS, RNG.integers(0, 40))) for _ in range(60)]
GROUPS = (offsets_of(np.ones(60, np.int64)), np.arange(60))


def works() -> list[Callable[[], Any]]:
    found: list[Callable[[], Any]] = []
    for dtype in (np.int32, np.int64):
        for n, length, words in ((40, 20, 5), (20, 80, 9), (8, 300, 40), (4, 1500, 100)):
            given = arrays(dtype, n, length, words)
            for regime in range(4):
                for per_reference in (False, True):
                    found.append(lambda g=given, r=regime, p=per_reference: ngrams.count_matches(*g, 4, p, r).tolist())
                    found.append(lambda g=given, r=regime, p=per_reference: ngrams.match_flags(*g, 4, p, r).tolist())
            found.append(lambda g=given: ngrams.match_prefixes(*g, 4).tolist())
            found.append(lambda g=given: [np.asarray(part).tolist() for part in index.number_ngrams(g[0], g[1], 4)])
    for rules in ("none", "13a", "13a-raw", "zh", "char", "intl", "edge"):
        found.append(lambda r=rules: [part.tolist() for part in text.count(TEXTS, TEXTS[::-1], *GROUPS, r, 4, False)])
        found.append(lambda r=rules: [text.tokenize(one, r) for one in TEXTS])
    tokens = [one.split() for one in TEXTS]
    found.append(lambda: [objects.count_objects(one, [tokens[0], TEXTS[0]], 4, False) for one in tokens])
    found.append(lambda: BLEU().pairwise_scores(TEXTS).tolist())
    found.append(lambda: BLEU(threads=3).counts(TEXTS, TEXTS[::-1]).values.tolist())
    found.append(lambda: GLEU().sentence_scores(tokens, tokens[::-1]).tolist())
    return found


def main() -> int:
    if clipgram.IMPLEMENTATION != "ext":
        sys.exit("there is no compiled core to look at")
    jobs = works()
    alone = [job() for job in jobs]
    wrong: list[int] = []
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        for turn in range(ROUNDS):
            barrier.wait()
            # All the same job at once in even turns, different ones in odd turns.
            for i in range(len(jobs)):
                which = (i + number * (turn % 2) * 7) % len(jobs)
                if jobs[which]() != alone[which]:
                    wrong.append(which)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{THREADS} threads, {ROUNDS} rounds of {len(jobs)} jobs: {len(wrong)} results differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
