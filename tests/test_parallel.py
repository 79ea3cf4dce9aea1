"""The same results from one thread, from several, and from processes; and no thread is left behind."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from clipgram import BLEU, GLEU, TokenBatch

METRICS = {"bleu": BLEU, "gleu": GLEU}


def data(n: int) -> tuple[list[list[int]], list[list[list[int]]], list[str], list[list[str]]]:
    rng = np.random.default_rng(n)
    hyps = [rng.integers(0, 30, k).tolist() for k in rng.integers(0, 90, n)]
    refs = [[rng.integers(0, 30, k).tolist() for k in rng.integers(0, 90, 1 + i % 3)] for i in range(n)]
    return hyps, refs, [as_text(hyp) for hyp in hyps], [[as_text(ref) for ref in some] for some in refs]


def as_text(ids: list[int]) -> str:
    return " ".join(f"w{token}" for token in ids)


def everything(name: str, threads: int, n: int = 120) -> list[Any]:
    """All that is counted in parts, as plain lists."""
    metric = METRICS[name](threads=threads)
    hyps, refs, texts, ref_texts = data(n)
    return [
        metric.sentence_scores(hyps, refs).tolist(),
        metric.sentence_scores(texts, ref_texts).tolist(),
        metric.sentence_scores([text.split() for text in texts], [[ref.split() for ref in some] for some in ref_texts]).tolist(),
        metric.corpus_score(texts, ref_texts).score,
        metric.counts(hyps, refs).values.tolist(),
        metric.prefix_scores(TokenBatch.from_lists(hyps), refs).tolist(),
        metric.pairwise_scores(texts[:40], texts[40:]).tolist(),
    ]


@pytest.mark.parametrize("name", METRICS)
def test_threads(name: str) -> None:
    before = threading.active_count()
    one = everything(name, 1)
    for threads in (2, 8):
        assert everything(name, threads) == one
    assert threading.active_count() == before


@pytest.mark.parametrize("method", [m for m in ("spawn", "fork") if m in multiprocessing.get_all_start_methods()])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_processes(method: str) -> None:
    wanted = [everything(name, 1, 20) for name in METRICS]
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(everything, METRICS, (1, 2), (20, 20))) == wanted


def test_beside_an_event_loop() -> None:
    async def run() -> list[Any]:
        return await asyncio.gather(*(asyncio.to_thread(everything, name, 2, 20) for name in METRICS))

    assert asyncio.run(run()) == [everything(name, 1, 20) for name in METRICS]
