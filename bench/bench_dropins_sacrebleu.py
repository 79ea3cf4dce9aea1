"""How fast the drop-in for sacreBLEU is, beside sacreBLEU in the same run.

    python bench/bench_dropins_sacrebleu.py           calls that programs make, with their targets
    python bench/bench_dropins_sacrebleu.py --parts   where the drop-in's own time goes

Needs the WMT22 texts (CLIPGRAM_WMT22 names their folder) and sacrebleu. Everything runs on one thread. sacreBLEU keeps
up to 65,536 tokenized lines for the life of the process: "cold" empties that memory before each run, "warm" is the best
it can do, with every line in it. clipgram keeps nothing. The two take turns, so that both meet the same machine; times
are the best of several, and the results are equal to the last bit.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from typing import Any

import data
import numpy as np
import sacrebleu as peer
from harness import print_table, print_versions, seconds
from sacrebleu.significance import PairedTest as PeerPairedTest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from clipgram.compat import sacrebleu as ours
from clipgram.compat.sacrebleu.resampling import drawn_sums
from clipgram.counts import count_one

HEAD = ["sacreBLEU's calls", "clipgram", "sacreBLEU", "ratio", "target", ""]
TURNS = 5


def forget() -> None:
    """Empty sacreBLEU's memory of tokenized lines."""
    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()


def cold(call: Callable[[], Any]) -> Callable[[], Any]:
    def emptied() -> Any:
        forget()
        return call()

    return emptied


def in_turns(mine: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of both, the best of several turns."""
    turns = [(seconds(mine, 0.2), seconds(theirs, 0, 1)) for _ in range(TURNS)]
    return min(turn[0] for turn in turns), min(turn[1] for turn in turns)


def everything(result: Any) -> str:
    """All that a result holds, to the last digit."""
    if isinstance(result, list):
        return repr([vars(one) for one in result])
    return repr(vars(result)) if hasattr(result, "bp") else repr(result)


def rows() -> list[list[str]]:
    """The lines of the table, under ``HEAD``."""
    pairs = data.wmt22_pairs()
    assert pairs is not None
    hyps, first, second = pairs
    table = []

    def add(what: str, unit: str, n: int, target: float, mine: Callable[[], Any], theirs: Callable[[], Any]) -> None:
        if everything(mine()) != everything(theirs()):
            raise SystemExit(f"{what}: not the same")
        scale = {"us": 1e6, "ms": 1e3}[unit] / n
        times = in_turns(mine, theirs)
        ratio = times[1] / times[0]
        verdict = "" if not target else "met" if ratio >= target else "missed"
        numbers = [f"{time * scale:.4g} {unit}" for time in times]
        table.append([what, *numbers, f"{ratio:.1f}x", f"{target:g}x" if target else "", verdict])

    every = len(hyps)
    add("corpus_bleu, a pair, cold", "us", every, 120, *both(lambda p: p.corpus_bleu(hyps, [first]), cold))
    add("corpus_bleu, two references, cold", "us", every, 120, *both(lambda p: p.corpus_bleu(hyps, [first, second]), cold))

    part = list(zip(hyps[:4000], first[:4000], strict=True))
    metrics = {package: package.BLEU(effective_order=True) for package in (ours, peer)}
    add(
        "BLEU.sentence_score in a loop, warm", "us", len(part), 10,
        *both(lambda p: [metrics[p].sentence_score(h, [r]) for h, r in part]),
    )  # fmt: skip
    add(
        "sentence_bleu in a loop", "us", len(part), 10,
        *both(lambda p: [p.sentence_bleu(h, [r]) for h, r in part]),
    )  # fmt: skip

    segments, stream = hyps[:2000], [first[:2000]]
    bootstrap = both(lambda p: metrics[p].corpus_score(segments, stream, n_bootstrap=1000))
    add("corpus_score, 2,000 segments, n_bootstrap=1000, cold", "ms", 1, 20, bootstrap[0], cold(bootstrap[1]))
    add("the same, warm", "ms", 1, 0, *bootstrap)
    systems = [("A", segments), ("B", hyps[1984:3984])]
    tests = {ours: ours.PairedTest, peer: PeerPairedTest}
    for test_type, what in (("bs", "bootstrap"), ("ar", "randomization")):
        times = both(lambda p, t=test_type: tests[p](systems, {"BLEU": metrics[p]}, stream, t)())
        add(f"PairedTest, {what}, 2 systems, warm", "ms", 1, 0, *times)
    return table


def both(call: Callable[[Any], Any], theirs: Callable[[Any], Any] = lambda call: call) -> tuple[Any, Any]:
    """The same call of either package."""
    return lambda: call(ours), theirs(lambda: call(peer))


def parts() -> list[list[str]]:
    """What the drop-in spends its time on."""
    pairs = data.wmt22_pairs()
    assert pairs is not None
    hyps, first, _ = pairs
    table = []

    def add(what: str, scale: float, unit: str, call: Callable[[], Any]) -> None:
        table.append([what, f"{seconds(call, 1) * scale:.4g} {unit}"])

    metric = ours.BLEU(effective_order=True)
    scale = 1e6 / len(hyps)
    cache = metric._cache_references([first])
    add("corpus, a pair: all", scale, "us", lambda: metric.corpus_score(hyps, [first]))
    add("  checks", scale, "us", lambda: metric._check_corpus_score_args(hyps, [first]))
    add("  references: cut, sorted, copied", scale, "us", lambda: metric._cache_references([first]))
    add("  tokenizing and counting in the core", scale, "us", lambda: cache.rows(hyps))
    add("  looking for tokenized lines", scale, "us", lambda: sum([line.endswith(" .") for line in hyps]))
    part = list(zip(hyps[:4000], ([ref] for ref in first[:4000]), strict=True))
    scale = 1e6 / len(part)
    add("sentence: all", scale, "us", lambda: [metric.sentence_score(h, r) for h, r in part])
    native = metric.tokenizer.native
    add("  tokenizing and counting in the core", scale, "us", lambda: [count_one(h, r, native, 4, False) for h, r in part])
    numbers = [5, 3, 2, 1], [18, 17, 16, 15], 18, 19, "exp", None, True, 4
    add("  compute_bleu", scale, "us", lambda: [metric.compute_bleu(*numbers) for _ in part])
    segments, stream = hyps[:2000], [first[:2000]]
    counts = metric._rows(segments, stream)
    (sums,) = drawn_sums(np.random.default_rng(12345), 2000, 1000, [counts])
    scores = metric._scores_of_sums(sums)
    assert scores is not None
    add("bootstrap: all", 1e3, "ms", lambda: metric.corpus_score(segments, stream, 1000))
    add("  counting", 1e3, "ms", lambda: metric._rows(segments, stream))
    add("  random numbers", 1e3, "ms", lambda: np.random.default_rng(12345).integers(0, 2000, size=(1000, 2000)))
    add(
        "  random numbers, how often each row, sums", 1e3, "ms",
        lambda: drawn_sums(np.random.default_rng(12345), 2000, 1000, [counts]),
    )  # fmt: skip
    add("  scores of the sums", 1e3, "ms", lambda: metric._scores_of_sums(sums))
    add("  statistics.mean", 1e3, "ms", lambda: statistics.mean(scores))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", action="store_true")
    only_parts = parser.parse_args().parts
    if data.wmt22_pairs() is None:
        sys.exit("CLIPGRAM_WMT22 does not name the folder with the WMT22 texts")
    print_versions("sacrebleu")
    if only_parts:
        print_table(["what", "time"], parts())
    else:
        print_table(HEAD, rows())


if __name__ == "__main__":
    main()
