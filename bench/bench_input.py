"""What it costs to get token IDs in: lists, matrices with padding, Arrow columns; and what sharing references saves.

    python bench/bench_input.py

Times are the best of several runs in processor time, so that others on the machine disturb them less. Memory is what
NumPy and Python asked for at most beside the input.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from array import array
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from data import completion, groups, wmt22_pairs, zipf
from harness import agree, print_table, print_versions

from clipgram import BLEU, References, TokenBatch


def milliseconds(function: Callable[[], Any], runs: int = 15) -> float:
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        made = function()
        best = min(best, time.process_time() - start)
        del made  # before the next one needs the memory
    return best * 1e3


def peak(function: Callable[[], Any]) -> int:
    gc.collect()
    tracemalloc.start()
    function()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def padded(rows: int, columns: int) -> None:
    """Responses as a generation makes them: to the right there is padding, which is the EOS token, 2."""
    rng = np.random.default_rng(0)
    ids = rng.integers(3, 50_000, (rows, columns))
    lengths = rng.integers(0, columns, rows)
    mask = np.arange(columns) < lengths[:, None]
    ids[~mask] = 2
    holes = mask & (rng.random(ids.shape) < 0.9)
    by_rows = TokenBatch.from_padded(ids, lengths=lengths)
    agree(ids[mask], by_rows.values, "lengths")
    cases: dict[str, dict[str, Any]] = {
        "no padding": {},
        "lengths": {"lengths": lengths},
        "lengths, eos_id": {"lengths": lengths, "eos_id": 7},
        "mask": {"mask": mask},
        "mask, int64": {"mask": mask.astype(np.int64)},
        "mask with holes, eos_id": {"mask": holes, "eos_id": 7},
        "pad_id": {"pad_id": 2},
        "pad_id = eos_id, keep": {"pad_id": 2, "eos_id": 2, "eos": "keep"},
        "ignore_ids": {"ignore_ids": [2, 7]},
        "the worst: all but a hole": {"mask": np.arange(columns) != np.full((rows, 1), 5), "eos_id": 1, "ignore_ids": 1},
    }
    table = []
    for name, arguments in cases.items():
        table.append(
            [
                name,
                f"{milliseconds(lambda: TokenBatch.from_padded(ids, **arguments), 5):.1f}",
                f"{peak(lambda: TokenBatch.from_padded(ids, **arguments)) / ids.nbytes:.2f}",
            ]
        )
    values = np.ones(len(by_rows.values))
    for name, function in {
        "back to the matrix": lambda: by_rows._align(values),
        "(NumPy: ids[mask])": lambda: ids[np.arange(columns) < lengths[:, None]],
        "(NumPy: a copy)": ids.copy,
    }.items():
        table.append([name, f"{milliseconds(function, 5):.1f}", f"{peak(function) / ids.nbytes:.2f}"])
    print_table([f"{rows} x {columns} int64, {ids.nbytes >> 20} MiB", "ms", "memory / input"], table)


def grouped() -> None:
    hyps, refs = groups(1024, 512, 16)
    index = np.repeat(np.arange(64), 16)
    hyp_lists, ref_lists = [ids.tolist() for ids in hyps], [ids.tolist() for ids in refs]
    hyp_batch, ref_batch = TokenBatch.from_lists(hyps), TokenBatch.from_lists(refs)
    same = [ref_lists[i] for i in index]
    equal = [list(ref_lists[i]) for i in index]
    prepared = References(ref_lists)
    metric = BLEU()
    cases: dict[str, Callable[[], np.ndarray]] = {
        "batches, ref_index": lambda: metric.sentence_scores(hyp_batch, ref_batch, ref_index=index),
        "batch, References, ref_index": lambda: metric.sentence_scores(hyp_batch, prepared, ref_index=index),
        "lists, ref_index": lambda: metric.sentence_scores(hyp_lists, ref_lists, ref_index=index),
        "lists, References, ref_index": lambda: metric.sentence_scores(hyp_lists, prepared, ref_index=index),
        "lists, the same reference object 16 times": lambda: metric.sentence_scores(hyp_lists, same),
        "lists, an equal reference 16 times": lambda: metric.sentence_scores(hyp_lists, equal),
        "lists, groups torn apart": lambda: metric.sentence_scores(hyp_lists[::16] * 16, ref_lists * 16),
    }
    wanted = cases["batches, ref_index"]()
    table = []
    for name, function in cases.items():
        if not name.endswith("apart"):
            agree(wanted, function(), name)
        table.append([name, f"{milliseconds(function):.2f}"])
    table.append(["(TokenBatch.from_lists)", f"{milliseconds(lambda: TokenBatch.from_lists(hyp_lists)):.2f}"])
    table.append(["(array('q', chain(...)))", f"{milliseconds(lambda: array('q', chain.from_iterable(hyp_lists))):.2f}"])
    print_table(["1,024 x 512 IDs in groups of 16, all scores", "ms"], table)


def prepared_references() -> None:
    rng = np.random.default_rng(3)
    refs = [zipf(40, rng).tolist() for _ in range(20_000)]
    hyps = TokenBatch.from_lists([completion(np.array(ref), 40, rng) for ref in refs])
    some = np.arange(0, 20_000, 200).repeat(8)
    some_hyps = TokenBatch.from_lists([hyps[i] for i in some])
    four = [[refs[i - k] for k in range(4)] for i in range(len(refs))]
    metric, lower, split = BLEU(), BLEU(lowercase=True), BLEU(tokenize=str.split)
    cases = [
        ("IDs, 20,000 x 40", metric, hyps, refs, None, References(refs)),
        ("IDs, 20,000 x 40, 4 references", metric, hyps, four, None, References(four)),
        ("IDs, 800 against 100 of 20,000", metric, some_hyps, refs, some, References(refs)),
    ]
    pairs = wmt22_pairs()
    if pairs is not None:
        texts, first, second = pairs
        both = list(zip(first, second, strict=True))
        cases += [
            ("WMT22 de-en, text", metric, texts, first, None, References(first)),
            ("WMT22 de-en, text, 2 references", metric, texts, both, None, References(both)),
            ("WMT22 de-en, lowercased", lower, texts, first, None, References(first, lowercase=True)),
            ("WMT22 de-en, tokenize=str.split", split, texts, first, None, References(first, tokenize=str.split)),
        ]
    table = []
    for name, one, hypotheses, references, index, prepared in cases:
        wanted = one.sentence_scores(hypotheses, references, ref_index=index)
        agree(wanted, one.sentence_scores(hypotheses, prepared, ref_index=index), name)
        plain = milliseconds(lambda: one.counts(hypotheses, references, ref_index=index))
        faster = milliseconds(lambda: one.counts(hypotheses, prepared, ref_index=index))
        table.append([name, f"{plain:.2f}", f"{faster:.2f}", f"{plain / faster:.2f}x"])
    print_table(["counts of all segments", "lists, ms", "References, ms", ""], table)


if __name__ == "__main__":
    print_versions()
    padded(8192, 2048)
    padded(4096, 2048)
    grouped()
    prepared_references()
