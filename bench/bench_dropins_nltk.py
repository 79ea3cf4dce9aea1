"""How fast the drop-in for NLTK is, beside NLTK in the same run, on one thread.

    python bench/bench_dropins_nltk.py

The same calls on the same token lists: those of WMT22 where CLIPGRAM_WMT22 names the folder with the texts, else
synthetic ones of the same length. The two are measured in turn, a piece of the data at a time, and the best run of each
counts, in CPU time, so that what else the machine does counts less. Every score is compared, bit by bit. Warnings are
given by both, and ignored.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import data
import nltk.translate.bleu_score as nltk_bleu
import nltk.translate.gleu_score as nltk_gleu
import numpy as np
from harness import print_table, print_versions

import clipgram.compat.nltk as dropin

HEAD = ["us a pair", "drop-in", "NLTK", "ratio", "target", ""]
PIECE = 500  # pairs
ROUNDS = 10

Tokens = list[Any]


def pairs(n: int) -> tuple[list[Tokens], list[list[Tokens]], list[list[Tokens]]]:
    """Hypotheses, one reference of each, and two of each."""
    texts = data.wmt22_pairs()
    if texts is not None:
        step = len(texts[0]) // n
        hyps, first, second = ([line.split() for line in text[::step][:n]] for text in texts)
    else:
        rng = np.random.default_rng(3)
        first = [[f"w{i}" for i in data.zipf(16, rng)] for _ in range(n)]
        hyps = [[f"w{i}" for i in data.completion(np.array([int(t[1:]) for t in ref]), 16, rng)] for ref in first]
        second = [ref[:8] + hyp[8:] for ref, hyp in zip(first, hyps, strict=True)]
    return hyps, [[ref] for ref in first], [list(refs) for refs in zip(first, second, strict=True)]


@dataclass
class Case:
    """A call as a user writes it, once a pair or once a corpus."""

    what: str
    target: float
    name: str
    hypotheses: Tokens
    references: Tokens
    options: dict[str, Any] = field(default_factory=dict)
    smoothing: str | None = None

    def call(self, module: Any, piece: slice) -> Callable[[], Any]:
        """The same with either module, on some of the pairs."""
        hyps, refs, options = self.hypotheses[piece], self.references[piece], dict(self.options)
        function = getattr(module, self.name)
        if self.smoothing:
            options["smoothing_function"] = getattr(module.SmoothingFunction(), self.smoothing)
        if self.name.startswith("corpus"):
            return lambda: function(refs, hyps, **options)
        if options:
            return lambda: [function(r, h, **options) for h, r in zip(hyps, refs, strict=True)]
        return lambda: [function(r, h) for h, r in zip(hyps, refs, strict=True)]


def measure(case: Case) -> tuple[float, float]:
    """Microseconds a pair of both: the sum, over pieces of the data, of the best of several runs in turn."""
    n = len(case.hypotheses)
    size = n if case.name.startswith("corpus") else PIECE
    total = [0.0, 0.0]
    peer = nltk_gleu if "gleu" in case.name else nltk_bleu
    for start in range(0, n, size):
        calls = [case.call(module, slice(start, start + size)) for module in (dropin, peer)]
        if calls[0]() != calls[1]():
            raise SystemExit(f"{case.what}: the scores are not NLTK's")
        best = [float("inf"), float("inf")]
        for _ in range(ROUNDS):
            for i, call in enumerate(calls):
                began = time.thread_time()
                call()
                best[i] = min(best[i], time.thread_time() - began)
        total = [total[0] + best[0], total[1] + best[1]]
    return total[0] / n * 1e6, total[1] / n * 1e6


def rows(n: int = 1000) -> list[list[str]]:
    hyps, one, two = pairs(n)
    ids: dict[str, int] = {}
    numbers = [[ids.setdefault(t, len(ids)) for t in hyp] for hyp in hyps]
    number_refs = [[[ids.setdefault(t, len(ids)) for t in ref] for ref in refs] for refs in one]
    several = [(1 / k,) * k for k in (1, 2, 3, 4)]
    cases = [
        Case("sentence_bleu", 30, "sentence_bleu", hyps, one),
        Case("sentence_gleu", 30, "sentence_gleu", hyps, one),
        Case("corpus_bleu", 40, "corpus_bleu", hyps, one),
        Case("corpus_gleu", 40, "corpus_gleu", hyps, one),
        Case("sentence_bleu, method1", 0, "sentence_bleu", hyps, one, {}, "method1"),
        Case("sentence_bleu, method4", 0, "sentence_bleu", hyps, one, {}, "method4"),
        Case("sentence_bleu, method7", 0, "sentence_bleu", hyps, one, {}, "method7"),
        Case("sentence_bleu, two orders", 0, "sentence_bleu", hyps, one, {"weights": (0.5, 0.5)}),
        Case("sentence_bleu, four scores", 0, "sentence_bleu", hyps, one, {"weights": several}),
        Case("sentence_bleu, ints", 0, "sentence_bleu", numbers, number_refs),
        Case("sentence_gleu, ints", 0, "sentence_gleu", numbers, number_refs),
        Case("sentence_bleu, two references", 0, "sentence_bleu", hyps, two),
        Case("sentence_gleu, two references", 0, "sentence_gleu", hyps, two),
        Case("corpus_bleu, two references", 0, "corpus_bleu", hyps, two),
        Case("corpus_gleu, two references", 0, "corpus_gleu", hyps, two),
        Case("modified_precision, order 2", 0, "modified_precision", hyps, one, {"n": 2}),
    ]
    table = []
    for case in cases:
        ours, theirs = measure(case)
        ratio = theirs / ours
        verdict = [f"{case.target:g}x", "met" if ratio >= case.target else "missed"] if case.target else ["", ""]
        table.append([case.what, f"{ours:.2f}", f"{theirs:.1f}", f"{ratio:.1f}x", *verdict])
    return table


def main() -> None:
    warnings.simplefilter("ignore")
    print_versions("nltk")
    print_table(HEAD, rows())


if __name__ == "__main__":
    main()
