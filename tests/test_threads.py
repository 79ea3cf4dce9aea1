"""Many threads at once over the same metrics, texts and arrays: each gets what one thread alone gets."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from clipgram import BLEU, GLEU, IMPLEMENTATION, NgramCounts, TokenBatch, tokenize

THREADS = 8 if IMPLEMENTATION == "ext" else 2
RNG = np.random.default_rng(7)

WORDS = ["the", "cat", "sat", "on", "a", "mat", "caf\u00e9", "na\u00efve", "\u4eca\u5929", "3.5", "don't", "well-known", "&amp;", "antidisestablishment"]
TEXTS = [" ".join(RNG.choice(WORDS, RNG.integers(0, 30))) for _ in range(60)]
OTHERS = [[" ".join(RNG.choice(WORDS, RNG.integers(1, 30))) for _ in range(RNG.integers(1, 4))] for _ in TEXTS]
LISTS = [RNG.integers(0, 30, n).tolist() for n in RNG.integers(0, 300, 40)]
REFERENCES = [RNG.integers(0, 30, n).tolist() for n in RNG.integers(1, 300, 40)]
BATCH = TokenBatch.from_lists(LISTS)
LONG = RNG.integers(0, 50, 3000).astype(np.int32)
METRICS: list[Any] = [BLEU(), GLEU(), BLEU(tokenize="char", lowercase=True, threads=2)]


def by_one(metric: Any) -> list[Any]:
    """All a metric does, as things that can be compared."""
    tokens = [text.split() for text in TEXTS]
    references = [[other.split() for other in others] for others in OTHERS]
    counts = metric.counts(TEXTS, OTHERS)
    return [
        metric.corpus_score(TEXTS, OTHERS),
        metric.corpus_score(tokens, references),
        metric.sentence_scores(BATCH, REFERENCES).tolist(),
        metric.sentence_scores(LISTS, REFERENCES[:2], ref_index=[i % 2 for i in range(len(LISTS))]).tolist(),
        [metric.sentence_score(text, others) for text, others in zip(TEXTS[:20], OTHERS, strict=False)],
        [metric.sentence_score(ids, other) for ids, other in zip(LISTS[:20], REFERENCES, strict=False)],
        metric.sentence_score(LONG, [LONG[::-1], LONG[1000:]]),
        counts.to_vector().tolist(),
        metric.score_counts(NgramCounts.concatenate([counts[:7], counts[7:]])),
        [tokenize(text, "intl") for text in TEXTS[:20]],
        metric.signature(),
    ]


@contextmanager
def switching_often() -> Iterator[None]:
    """So that threads meet in the middle of things where a GIL lets only one run."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def at_once(work: Callable[[int], Any]) -> list[Any]:
    barrier = threading.Barrier(THREADS)

    def run(i: int) -> Any:
        barrier.wait()
        return work(i)

    with switching_often(), ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


@pytest.mark.parametrize("metric", METRICS)
def test_a_shared_metric(metric: Any) -> None:
    alone = by_one(metric)
    for made in at_once(lambda i: by_one(metric)):
        assert made == alone


def test_different_metrics_over_the_same_input() -> None:
    alone = [by_one(metric) for metric in METRICS]
    made = at_once(lambda i: by_one(METRICS[i % len(METRICS)]))
    for i, one in enumerate(made):
        assert one == alone[i % len(METRICS)]


def test_scores_into_parts_of_one_array() -> None:
    metric = GLEU()
    out = np.zeros((THREADS, len(LISTS)))
    at_once(lambda i: metric.sentence_scores(BATCH, REFERENCES, out=out[i]))
    assert (out == metric.sentence_scores(BATCH, REFERENCES)).all()


@pytest.mark.skipif(sys.version_info < (3, 13), reason="a Python without the GIL begins with 3.13")
def test_the_gil_stays_away() -> None:
    """Where there is none, importing clipgram does not bring it back."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python has a GIL")
    code = "import sys, clipgram; print(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("False", "")
