"""Training loops and decoding: batches of token IDs, padded matrices, single calls, prefixes, matrices of scores.

    python bench/bench_rl.py

Peers are what people use for it today: sacreBLEU and NLTK one by one, fast-bleu for self-BLEU where it is installed.
They are run on a part, as the table says, and their times scaled up.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
from data import completion, groups, zipf
from harness import agree, print_table, print_versions, seconds
from nltk.translate.gleu_score import sentence_gleu as nltk_sentence_gleu
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram import BLEU, GLEU, TokenBatch
from clipgram.rewards import VerlReward, verl_compute_score

MB = 1 << 20


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def row(what: str, ours: float, target: float | None, unit: str, peer: str, theirs: float) -> list[str]:
    wanted = "" if target is None else f"<= {target:g} {unit}"
    met = "" if target is None else verdict(ours <= target)
    return [what, f"{ours:.4g} {unit}", f"{peer} {theirs:.4g} {unit}", f"{theirs / ours:.0f}x", wanted, met]


def as_text(ids: Any) -> str:
    return " ".join(f"w{token}" for token in np.asarray(ids).tolist())


def group_scores() -> list[list[str]]:
    """1,024 completions of 512 tokens, in groups of 16 with a reference each."""
    hyps, refs = groups(1024, 512, 16)
    index = np.repeat(np.arange(64), 16)
    hyp_batch, ref_batch = TokenBatch.from_lists(hyps), TokenBatch.from_lists(refs)
    hyp_lists, ref_lists = [hyp.tolist() for hyp in hyps], [refs[i].tolist() for i in index]
    part = 32
    texts = [(as_text(hyps[i]), as_text(refs[i // 16])) for i in range(part)]
    sacre = SacreBLEU(tokenize="none", effective_order=True)
    theirs = [sacre.sentence_score(h, [r]).score / 100 for h, r in texts]
    agree(BLEU().sentence_scores(hyp_lists[:part], ref_lists[:part]), theirs, "sacreBLEU")
    by_sacre = seconds(lambda: [sacre.sentence_score(h, [r]) for h, r in texts], 0.5) * 1e3 * 1024 / part
    by_nltk = seconds(lambda: [nltk_sentence_gleu([ref_lists[i]], hyp_lists[i]) for i in range(part)], 0.5) * 1e3 * 1024 / part
    table = []
    for metric, peer, theirs in ((BLEU(), "sacreBLEU", by_sacre), (GLEU(), "NLTK", by_nltk)):
        batch = seconds(lambda m=metric: m.sentence_scores(hyp_batch, ref_batch, ref_index=index), 1) * 1e3
        lists = seconds(lambda m=metric: m.sentence_scores(hyp_lists, ref_lists), 1) * 1e3
        table.append(row(f"{metric.name.upper()}, TokenBatch", batch, 12, "ms", peer, theirs))
        table.append(row(f"{metric.name.upper()}, lists of int, a reference each", lists, 40, "ms", peer, theirs))
    return table


PADDED = """
import resource, sys, time
import numpy as np
from clipgram import BLEU, TokenBatch
rows, width = int(sys.argv[1]), 2048
rng = np.random.default_rng(0)
ids = rng.integers(0, 50_000, (rows, width))
lengths = rng.integers(width // 2, width + 1, rows)
ids[np.arange(width) >= lengths[:, None]] = 0
references = ids[::8, : width // 2].copy()
index = np.arange(rows) // 8
BLEU().sentence_scores(TokenBatch.from_padded(ids[:8], lengths=lengths[:8]), references[:1], ref_index=index[:8])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
batch = TokenBatch.from_padded(ids, lengths=lengths)
took = time.perf_counter() - start
BLEU().sentence_scores(batch, references, ref_index=index)
more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(time.perf_counter() - start, took, more * 1024 / ids.nbytes, lengths.sum())
"""


def padded() -> list[list[str]]:
    """Padded int64 matrices, 2,048 wide: memory over the matrix itself, in a process of its own."""
    table = []
    for rows in (1024, 2048, 4096, 8192):
        command = [sys.executable, "-c", PADDED, str(rows)]
        runs = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(2)]
        took, reading, more, tokens = min(tuple(map(float, run.stdout.split())) for run in runs)
        times = [f"{took * 1e3:.0f} ms", f"{reading * 1e3:.0f} ms", f"{took / tokens * 1e9:.1f}"]
        table.append([f"{rows:,} x 2,048", *times, f"{more:.2f}x its input", verdict(more < 1.5)])
    return table


def single_call() -> list[list[str]]:
    """One call as verl makes it: two texts of 512 tokens."""
    rng = np.random.default_rng(3)
    reference = zipf(512, rng)
    pairs = [(as_text(completion(reference, 512, rng)), as_text(reference)) for _ in range(20)]
    sacre = SacreBLEU(effective_order=True)

    def theirs() -> None:
        sacre.tokenizer.__call__.cache_clear() if hasattr(sacre.tokenizer.__call__, "cache_clear") else None
        for hyp, ref in pairs:
            sacre.sentence_score(hyp, [ref])

    peer = seconds(theirs, 0.5) / len(pairs) * 1e6
    table = []
    for metric in (GLEU(tokenize="13a-raw"), BLEU(tokenize="13a-raw")):
        ours = seconds(lambda m=metric: [m.sentence_score(h, r) for h, r in pairs], 0.5) / len(pairs) * 1e6
        table.append(row(f"{metric.name.upper()} of two texts of 512 tokens", ours, 60, "us", "sacreBLEU", peer))
    for what, reward in (("verl_compute_score", verl_compute_score), ("VerlReward('bleu')", VerlReward(metric="bleu"))):
        ours = seconds(lambda f=reward: [f(data_source="", solution_str=h, ground_truth=r) for h, r in pairs], 0.5)
        ours *= 1e6 / len(pairs)
        table.append(row(f"{what} of the same", ours, 60, "us", "sacreBLEU", peer))
    return table


def matrices() -> list[list[str]]:
    """1,024 candidates against 1,024 samples of 25 tokens: samples of one source, and texts that share nothing."""
    rng = np.random.default_rng(4)
    source = zipf(25, rng)
    table = []
    for name, texts in (
        ("samples of one source", [completion(source, 25, rng) for _ in range(2048)]),
        ("copies with one word in four changed", [np.where(rng.random(25) < 0.25, zipf(25, rng), source) for _ in range(2048)]),
        ("unrelated texts", [zipf(25, rng) for _ in range(2048)]),
    ):
        hyps, refs = TokenBatch.from_lists(texts[:1024]), TokenBatch.from_lists(texts[1024:])
        sacre = SacreBLEU(tokenize="none", effective_order=True)
        strings = [as_text(text) for text in texts]
        part = [[sacre.sentence_score(h, [r]).score / 100 for r in strings[1024:1056]] for h in strings[:32]]
        agree(BLEU().pairwise_scores(hyps, refs)[:32, :32], part, "sacreBLEU")
        score = sacre.sentence_score
        theirs = seconds(lambda s=strings, f=score: [f(h, [r]) for h in s[:16] for r in s[1024:1040]], 0.5) * 4096
        for metric in (BLEU(), GLEU()):
            ours = seconds(lambda m=metric, h=hyps, r=refs: m.pairwise_scores(h, r), 1)
            table.append(row(f"{metric.name.upper()}, 1,024 x 1,024 {name}", ours, 0.12, "s", "sacreBLEU", theirs))
        ours = seconds(lambda h=hyps: BLEU().pairwise_scores(h), 1)
        table.append(row(f"BLEU, among 1,024 {name}", ours, 0.12, "s", "sacreBLEU", theirs))
    return table


def prefixes() -> list[list[str]]:
    """Every prefix, against the whole hypothesis only."""
    hyps, refs = groups(1024, 512, 16)
    index = np.repeat(np.arange(64), 16)
    hyp_batch, ref_batch = TokenBatch.from_lists(hyps), TokenBatch.from_lists(refs)
    table = []
    for metric in (BLEU(), BLEU(smooth_method="laplace"), GLEU()):
        pairs = []
        for _ in range(5):
            plain = seconds(lambda m=metric: m.sentence_scores(hyp_batch, ref_batch, ref_index=index), 0.3)
            pairs.append((seconds(lambda m=metric: m.prefix_scores(hyp_batch, ref_batch, ref_index=index), 0.3), plain))
        ours, plain = (min(times) * 1e3 for times in zip(*pairs, strict=True))
        ratio = ours / plain
        row = [metric.signature(), f"{plain:.1f} ms", f"{ours:.1f} ms", f"{ratio:.2f}x", "<= 1.5x", verdict(ratio <= 1.5)]
        table.append(row)
    return table


def self_bleu() -> list[list[str]]:
    """500 texts of 20 tokens, each against the same 10,000."""
    rng = np.random.default_rng(5)
    refs, hyps = [zipf(20, rng).tolist() for _ in range(10_000)], [zipf(20, rng).tolist() for _ in range(500)]
    metric = BLEU(smooth_method="floor", smooth_value=1e-9)
    work = partial(metric.sentence_scores, hyps, [refs], ref_index=np.zeros(500, int))
    ours = seconds(work, 2)
    try:
        import fast_bleu
    except ImportError:
        print("fast-bleu is not installed\n")
        return [["500 against 10,000", f"{ours:.3g} s", "", ""]]
    words = [[list(map(str, text)) for text in texts] for texts in (refs, hyps)]

    def theirs() -> Any:
        return fast_bleu.BLEU(words[0], {"4": (0.25,) * 4}, smoothing_func=0).get_score(words[1])["4"]

    compared = np.array(theirs())
    some = compared > 1e-9  # fast-bleu has 0 where an order has no match
    agree(work()[some], compared[some], "fast-bleu")
    took = seconds(theirs, 1)
    return [["500 against 10,000", f"{ours:.3g} s", f"{took:.3g} s, all threads", f"{took / ours:.0f}x"]]


def main() -> None:
    print_versions("sacrebleu", "nltk", "fast-bleu")
    print_table(["1,024 x 512, groups of 16", "clipgram", "peer", "ratio", "target", ""], group_scores())
    print_table(["padded int64", "clipgram", "of that reading", "ns a token", "memory", "< 1.5x"], padded())
    print_table(["one call", "clipgram", "peer", "ratio", "target", ""], single_call())
    print_table(["pairs", "clipgram", "peer", "ratio", "target", ""], matrices())
    print_table(["prefixes", "whole only", "every prefix", "ratio", "target", ""], prefixes())
    print_table(["self-BLEU", "clipgram", "fast-bleu", "ratio"], self_bleu())
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
