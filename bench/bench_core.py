"""How fast the core counts, from token IDs, on one thread, beside NLTK and sacreBLEU in the same run.

    python bench/bench_core.py              the figures of the README, with their targets
    python bench/bench_core.py --crossover  the three ways to count, by the reference's length

With CLIPGRAM_WMT22 naming the folder with the WMT22 texts, real text is measured too. The peers get what they take:
NLTK lists of ints, sacreBLEU texts of numbers that only need splitting. They are measured on a part of the data where
the whole would take minutes, and compute scores, not counts alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import data
import numpy as np
from harness import agree, print_table, print_versions, seconds
from nltk.translate.bleu_score import SmoothingFunction
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence_bleu
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram import TokenBatch, tokenize
from clipgram._backend import ngrams

Arrays = list[np.ndarray]


def arguments(hypotheses: Arrays, references: Arrays, group_size: int = 1) -> tuple[Any, ...]:
    """What the core takes, with one reference for each group of neighbours."""
    hyps, refs = TokenBatch.from_lists(hypotheses), TokenBatch.from_lists(references)
    groups = np.repeat(np.arange(len(references)), group_size)
    return hyps.values, hyps.offsets, refs.values, refs.offsets, np.arange(len(references) + 1), groups


def nltk_time(hypotheses: Arrays, references: Arrays, group_size: int, part: int) -> float:
    hyps = [hyp.tolist() for hyp in hypotheses[:part]]
    refs = [references[i // group_size].tolist() for i in range(len(hyps))]
    smooth = SmoothingFunction().method1
    took = seconds(lambda: [nltk_sentence_bleu([r], h, smoothing_function=smooth) for h, r in zip(hyps, refs, strict=True)], 0)
    return took * len(hypotheses) / len(hyps)


def sacrebleu_time(hypotheses: Arrays, references: Arrays, group_size: int, part: int) -> float:
    metric = SacreBLEU(tokenize="none", force=True, effective_order=True)
    hyps = [" ".join(map(str, hyp.tolist())) for hyp in hypotheses[:part]]
    refs = [" ".join(map(str, references[i // group_size].tolist())) for i in range(len(hyps))]
    took = seconds(lambda: [metric.sentence_score(h, [r]) for h, r in zip(hyps, refs, strict=True)], 0)
    return took * len(hypotheses) / len(hyps)


def check(hypotheses: Arrays, references: Arrays, group_size: int) -> None:
    """The counts of the first hypotheses are sacreBLEU's."""
    counts = ngrams.count_matches(*arguments(hypotheses, references, group_size), 4)
    for i, hyp in enumerate(hypotheses[:8]):
        score = SacreBLEU(tokenize="none", effective_order=True).sentence_score(
            " ".join(map(str, hyp.tolist())), [" ".join(map(str, references[i // group_size].tolist()))]
        )
        agree(counts[i], score.counts, "counts")


def rows() -> list[list[str]]:
    table = []

    def add(what: str, hypotheses: Arrays, references: Arrays, group_size: int, unit: str, target: float, part: int) -> None:
        check(hypotheses, references, group_size)
        given = arguments(hypotheses, references, group_size)
        scale = 1e6 / len(hypotheses) if unit == "us a pair" else 1e3
        ours = seconds(lambda: ngrams.count_matches(*given, 4), 1.0) * scale
        nltk = nltk_time(hypotheses, references, group_size, part) * scale
        sacre = sacrebleu_time(hypotheses, references, group_size, part) * scale
        verdict = "met" if ours <= target else "missed"
        ratios = [f"{nltk / ours:.0f}x", f"{sacre / ours:.0f}x"]
        table.append([f"{what}, {unit}", f"{ours:.3g}", f"{target:g}", verdict, f"{nltk:.4g}", f"{sacre:.4g}", *ratios])

    pairs = data.wmt22_pairs()
    if pairs:
        hyps, refs = data.as_ids(map(tokenize, pairs[0]), map(tokenize, pairs[1]))
        add("WMT22 de-en, 17,856 pairs", hyps, refs, 1, "us a pair", 0.13, 2000)
        documents = [np.concatenate(refs[:1984])[i * 512 : (i + 1) * 512] for i in range(64)]
        translated = [np.concatenate(hyps[s * 1984 : (s + 1) * 1984]) for s in range(9)]
        group = [translated[k % 9][g * 512 : (g + 1) * 512] for g in range(64) for k in range(16)]
        add("WMT22 de-en, 1,024 x 512, groups of 16", group, documents, 16, "ms", 12, 64)
    rng = np.random.default_rng(2)
    short = [data.zipf(18, rng).astype(np.int32) for _ in range(17_856)]
    completions = [data.completion(ref, 18, rng).astype(np.int32) for ref in short]
    add("Zipf, 17,856 pairs of 18", completions, short, 1, "us a pair", 0.13, 2000)
    add("Zipf, 1,024 x 512, groups of 16", *data.groups(1024, 512, 16), 16, "ms", 12, 64)
    same = np.full(512, 7)
    add("one token, 1,024 x 512, groups of 16", [same] * 1024, [same] * 64, 16, "ms", 30, 64)
    reference = data.zipf(200_000, rng)
    add("Zipf, one pair of 200,000", [data.completion(reference, 200_000, rng)], [reference], 1, "ms", 45, 1)
    same = np.full(200_000, 7)
    add("one token, one pair of 200,000", [same], [same], 1, "ms", 45, 1)
    return table


def crossover() -> None:
    """Nanoseconds a hypothesis token for each way to count."""
    table = []
    for length in (8, 16, 32, 48, 64, 65, 96, 128, 192, 256, 512, 1024, 4096, 8192, 16384, 32768, 65536, 131072):
        for size in (1, 16):
            n = max(size, 400_000 // length // size * size)
            if n * length > 2_200_000:
                continue
            given = arguments(*data.groups(n, length, size), size)
            ways: dict[str, Callable[[], Any]] = {
                name: lambda given=given, regime=regime: ngrams.count_matches(*given, 4, regime=regime)
                for regime, name in enumerate(("masks", "names", "rounds"), 1)
                if regime > 1 or length <= 256
            }
            times = {name: seconds(way, 0.5) * 1e9 / (n * length) for name, way in ways.items()}
            best = min(times, key=lambda name: times[name])
            row = [f"{times[way]:.1f}" if way in times else "-" for way in ("masks", "names", "rounds")]
            table.append([f"{length}, groups of {size}", *row, best])
    print_table(["tokens a reference", "masks", "names", "rounds", "best"], table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crossover", action="store_true")
    print_versions("nltk", "sacrebleu")
    if parser.parse_args().crossover:
        crossover()
    else:
        print_table(["what", "clipgram", "target", "", "NLTK", "sacreBLEU", "x NLTK", "x sacreBLEU"], rows())


if __name__ == "__main__":
    main()
