"""Bootstrap and paired tests beside sacreBLEU's: the same random numbers, the same sums, the same p-values."""

from __future__ import annotations

import logging
import random
from typing import Any

import numpy as np
import pytest
import sacrebleu as peer
import sacrebleu.significance as peer_significance

from clipgram.compat import sacrebleu as ours
from clipgram.compat.sacrebleu import significance
from clipgram.compat.sacrebleu.resampling import drawn_sums, resampled_scores

HYPOTHESES = ["the cat sat on a mat", "it rained all day", "nothing", "a b c d e f"]
REFERENCES = [["the cat sat on the mat", "it rained the whole day", "", "a b d c e f"], ["a cat sat on a mat", None, "no", ""]]


def messages(package: Any, caplog: pytest.LogCaptureFixture, do: Any) -> list[tuple[str, int, str]]:
    caplog.clear()
    do(package)
    return list(caplog.record_tuples)


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_messages_of_a_paired_test(test_type: str, caplog: pytest.LogCaptureFixture) -> None:
    def do(package: Any) -> None:
        test = (significance if package is ours else peer_significance).PairedTest
        systems = [("A", HYPOTHESES), ("B", HYPOTHESES[::-1]), ("C", HYPOTHESES)]
        test(systems, {"BLEU": package.BLEU()}, REFERENCES, test_type, 20, n_ar_confidence=10, n_jobs=1)()

    caplog.set_level(logging.INFO, "sacrebleu")
    theirs = messages(peer, caplog, do)
    assert len(theirs) > 4 and messages(ours, caplog, do) == theirs


@pytest.mark.parametrize("seed", [None, "0", "7", "none", "NONE"])
@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_seeds(test_type: str, seed: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed is None:
        monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    else:
        monkeypatch.setenv("SACREBLEU_SEED", seed)
    systems = [("A", HYPOTHESES), ("B", ["the cat sat", "rain all day", "no", "a b c d"])]
    made = []
    for _ in range(2):
        for test, bleu in ((significance.PairedTest, ours.BLEU), (peer_significance.PairedTest, peer.BLEU)):
            metric = bleu()
            run = test(systems, {"BLEU": metric}, REFERENCES, test_type, 200)
            made.append((str(run()[0]), repr(run()[1]), metric.corpus_score(HYPOTHESES, REFERENCES, 200)._mean, metric.seed))
    assert len({one[0] for one in made}) == 1 and len({one[3] for one in made}) == 1
    if seed in (None, "7"):
        assert len({one[1] for one in made}) == 1
    elif test_type == "bs":  # 0 seeds only what concerns one system; p-values alone may agree by chance
        assert len({one[1] for one in made}) > 1
    assert (len({one[2] for one in made}) == 1) == (seed in (None, "7", "0"))


def test_a_seed_that_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "x")
    with pytest.raises(ValueError):
        ours.BLEU().corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=2)
    with pytest.raises(ValueError):
        ours.PairedTest([("A", HYPOTHESES)], {}, REFERENCES)


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_other_metrics_and_the_other_test(test_type: str) -> None:
    """sacreBLEU's metrics in the test here, and the metric here in sacreBLEU's test."""
    rng = random.Random(3)
    lines = [" ".join(rng.choices("the a cat dog sat on mat".split(), k=8)) for _ in range(30)]
    systems = [("A", lines), ("B", lines[::-1]), ("C", [line[:-2] for line in lines])]
    references = [[line[2:] for line in lines]]

    def run(test: Any, bleu: Any) -> str:
        every = {"BLEU": bleu, "CHRF": peer.CHRF(), "TER": peer.TER()}
        return repr(test(systems, every, references, test_type, 40, n_ar_confidence=20)())

    wanted = run(peer_significance.PairedTest, peer.BLEU())
    assert run(significance.PairedTest, peer.BLEU()) == wanted
    assert run(peer_significance.PairedTest, ours.BLEU()) == wanted
    assert run(significance.PairedTest, ours.BLEU()) == wanted


@pytest.mark.parametrize("n_jobs", [0, 1, 2, -1])
@pytest.mark.parametrize("n_systems", [1, 3])
def test_jobs(n_jobs: int, n_systems: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.cpu_count", lambda: 4)
    made = []
    for test, bleu in ((peer_significance.PairedTest, peer.BLEU), (significance.PairedTest, ours.BLEU)):
        systems = [("A", HYPOTHESES), ("B", HYPOTHESES[::-1]), ("C", HYPOTHESES[:1] * 4)][:n_systems]
        prepared = test(systems, {"BLEU": bleu()}, REFERENCES, "bs", 20, n_jobs=n_jobs)
        try:
            made.append((prepared.n_jobs, repr(prepared())))
        except ValueError:
            made.append((prepared.n_jobs, "ValueError"))
    assert made[0] == made[1]


def test_unequal_systems() -> None:
    for test_type, error in (("ar", ValueError), ("bs", IndexError)):
        for test, bleu in ((peer_significance.PairedTest, peer.BLEU), (significance.PairedTest, ours.BLEU)):
            with pytest.raises(error):
                test([("A", HYPOTHESES[:2]), ("B", HYPOTHESES)], {"BLEU": bleu()}, REFERENCES, test_type, 50)()
        with pytest.raises(AssertionError):
            test([("A", HYPOTHESES)], {}, REFERENCES, "t")


def large_rows(rng: np.random.Generator, n: int, most: int) -> list[list[int]]:
    lengths = rng.integers(most // 2, most, n)
    totals = [np.maximum(lengths - i, 0) for i in range(4)]
    matches = [rng.integers(0, total + 1) for total in totals]
    return np.column_stack([lengths, rng.integers(most // 2, most, n), *matches, *totals]).tolist()


@pytest.mark.parametrize("method", ["exp", "floor", "none", "add-k"])
@pytest.mark.parametrize("n, most", [(1, 10), (7, 30), (40, 2), (300, 60), (50, 400_000), (50, 340_000), (30, 2**25), (9, 2**34)])
def test_bootstrap_where_float32_is_not_exact(n: int, most: int, method: str) -> None:
    """Sums about 2 ** 24 and far beyond, where sacreBLEU's order of additions decides about the last bits."""
    rows = large_rows(np.random.default_rng(n), n, most)
    metric, other = ours.BLEU(smooth_method=method), peer.BLEU(smooth_method=method)
    wanted = peer_significance._bootstrap_resample(rows, other, 300)
    assert resampled_scores(metric, rows, 300) == (wanted[0], [one.score for one in wanted[1]])


def test_random_numbers_come_in_parts() -> None:
    rows = np.array(large_rows(np.random.default_rng(1), 3001, 40))
    (sums,) = drawn_sums(np.random.default_rng(9), len(rows), 70, [rows])
    drawn = np.random.default_rng(9).choice(len(rows), size=(70, len(rows)), replace=True)
    np.testing.assert_array_equal(sums, rows.astype(np.float32)[drawn].sum(1))
