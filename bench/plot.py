"""Draw time against corpus size and against length, clipgram's and its peers', as an SVG.

    python bench/plot.py [OUTPUT.svg]

Needs matplotlib, sacrebleu and nltk. Synthetic text with the frequencies of words, the same for all; one thread; the
best of several runs. Peers stop where a run takes more than a few seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
from data import completion, zipf
from harness import print_table, print_versions, seconds
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
from nltk.translate.gleu_score import sentence_gleu
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram import BLEU, GLEU

mpl.use("svg")
from matplotlib import pyplot

LONGEST = 4.0  # seconds
Scorer = Callable[[list[str], list[str]], Any]


def sacrebleu(hyps: list[str], refs: list[str]) -> None:
    metric = SacreBLEU(tokenize="13a")
    metric.tokenizer.__call__.cache_clear()  # so that distinct texts are what is measured
    metric.corpus_score(hyps, [refs])


def nltk_bleu(hyps: list[str], refs: list[str]) -> None:
    smooth = SmoothingFunction().method1
    corpus_bleu([[ref.split()] for ref in refs], [hyp.split() for hyp in hyps], smoothing_function=smooth)


def nltk_gleu(hyps: list[str], refs: list[str]) -> None:
    for hyp, ref in zip(hyps, refs, strict=True):
        sentence_gleu([ref.split()], hyp.split())


SCORERS: dict[str, Scorer] = {
    "clipgram BLEU": lambda hyps, refs: BLEU().corpus_score(hyps, refs),
    "clipgram GLEU": lambda hyps, refs: GLEU().sentence_scores(hyps, refs),
    "sacreBLEU": sacrebleu,
    "NLTK BLEU": nltk_bleu,
    "NLTK GLEU": nltk_gleu,
}


def texts(n: int, length: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(n + length)
    ref = zipf(n * length, rng)
    # Cut into texts, so that one drawing of random words does for all.
    refs, hyps = ref.reshape(n, length), completion(ref, n * length, rng).reshape(n, length)
    return as_texts(hyps), as_texts(refs)


def as_texts(rows: np.ndarray) -> list[str]:
    return [" ".join(f"w{token}" for token in row) for row in rows.tolist()]


def measure(sizes: list[int], make: Callable[[int], tuple[list[str], list[str]]]) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {name: [] for name in SCORERS}
    for size in sizes:
        hyps, refs = make(size)
        for name, score in SCORERS.items():
            if not found[name] or found[name][-1][1] < LONGEST / 4:
                found[name].append((size, seconds(lambda s=score, h=hyps, r=refs: s(h, r), 0.1, 10)))
    return found


def main() -> None:
    print_versions("sacrebleu", "nltk", "matplotlib")
    by_size = measure([10, 100, 1000, 10_000], lambda n: texts(n, 18))
    by_length = measure([10, 100, 1000, 10_000, 100_000], lambda length: texts(1, length))
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clipgram"})  # small, and the same for the same times
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for axis, found, label in ((axes[0], by_size, "pairs of 18 words"), (axes[1], by_length, "words in one pair")):
        for name, points in found.items():
            x, y = zip(*points, strict=True)
            axis.plot(x, y, marker="o", label=name, linestyle="-" if name.startswith("clipgram") else "--")
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel="seconds")
        axis.grid(alpha=0.3)
        sizes = sorted({size for points in found.values() for size, _ in points})
        cells = {name: dict(points) for name, points in found.items()}
        print_table(
            ["seconds", *(f"{size:,} {label.split()[0]}" for size in sizes)],
            [[name, *(f"{of[size]:.3g}" if size in of else "" for size in sizes)] for name, of in cells.items()],
        )
    axes[0].legend()
    output = sys.argv[1] if len(sys.argv) > 1 else "time.svg"
    figure.savefig(output)
    print(f"drawn into {output}")


if __name__ == "__main__":
    main()
