"""How fast the drop-ins of evaluate and torchmetrics are, beside the peers in the same run.

    CLIPGRAM_EVALUATE_SCRIPTS=FOLDER python bench/bench_dropins_hf.py

FOLDER holds evaluate's metric scripts; tests/peers/run_evaluate.py --keep FOLDER puts them there. What is not installed
is left out. Runs alternate between the two, and the answers are compared. evaluate is called as users call it, on one
metric object that was loaded before; times are the best of several runs.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import data
from harness import print_table, print_versions, seconds

# Nothing is asked of a hub, and nothing is left behind.
os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")

HYP = "the model trained on forty hours read speech and it was then tested on another ten hours ."
REF = "the model was trained on forty hours of read speech , then tested on ten more hours ."
HEAD = ["", "pairs", "clipgram, us", "peer, us", "ratio", "target", ""]


def corpora() -> dict[str, tuple[list[str], list[list[str]]]]:
    """One pair, and the corpus of a test set: WMT22 de-en where it is at hand, otherwise text that is made up."""
    pairs = data.wmt22_pairs()
    if pairs is not None:
        hyps, refs = pairs[0][:1984], pairs[1][:1984]
    else:
        made = data.groups(2000, 25, 1)
        hyps, refs = ([" ".join(f"w{i}" for i in ids) for ids in some] for some in made)
    return {"one pair": ([HYP], [[REF]]), "a test set": (hyps, [[ref] for ref in refs])}


def compare(
    name: str, ours: Callable[[], Any], theirs: Callable[[], Any], pairs: int, target: float | None
) -> list[str]:
    """A row of the table: the best times of both, in turn, so that they meet the same machine."""
    if repr(ours()) != repr(theirs()):
        raise SystemExit(f"{name}: {ours()} is not {theirs()}")
    rounds = 1000 if pairs == 1 else 1
    times = [
        (
            seconds(lambda: [ours() for _ in range(rounds)], 0.1) / rounds,
            seconds(theirs, 0.3 if pairs == 1 else 0.0, 60),
        )
        for _ in range(5)
    ]
    mine, other = (min(some) for some in zip(*times, strict=True))
    wanted = f"{target:.0f}x" if target else ""
    verdict = "" if target is None else "met" if other / mine >= target else "missed"
    return [name, str(pairs), f"{1e6 * mine:.1f}", f"{1e6 * other:.1f}", f"{other / mine:.0f}x", wanted, verdict]


def evaluate_rows() -> list[list[str]]:
    """``compute`` of each metric."""
    folder = os.environ.get("CLIPGRAM_EVALUATE_SCRIPTS")
    if not folder or find_spec("evaluate") is None:
        print("evaluate is left out: it is not installed, or CLIPGRAM_EVALUATE_SCRIPTS does not name its scripts\n")
        return []
    import evaluate as peer

    from clipgram.compat import evaluate

    table = []
    with tempfile.TemporaryDirectory() as work:
        peer.config.HF_MODULES_CACHE = peer.config.HF_METRICS_CACHE = work
        for name in ("bleu", "google_bleu", "sacrebleu"):
            theirs, ours = peer.load(str(Path(folder, name))), evaluate.load(name)
            for what, (hyps, refs) in corpora().items():
                given = {"predictions": hyps, "references": refs}
                target = 500 if len(hyps) == 1 else None
                row = compare(
                    f"{name}, {what}",
                    lambda m=ours, g=given: m.compute(**g),
                    lambda m=theirs, g=given: m.compute(**g),
                    len(hyps),
                    target,
                )
                table.append(row)
    return table


def torchmetrics_rows() -> list[list[str]]:
    """The functions, and a call of a metric."""
    if find_spec("torchmetrics") is None:
        print("torchmetrics is not installed\n")
        return []
    import torch
    from torchmetrics.functional.text import bleu_score, sacre_bleu_score
    from torchmetrics.text import SacreBLEUScore

    from clipgram.compat import torchmetrics as ours

    torch.set_num_threads(1)
    names = {
        "bleu_score": (ours.bleu_score, bleu_score),
        "sacre_bleu_score": (ours.sacre_bleu_score, sacre_bleu_score),
        "SacreBLEUScore()": (ours.SacreBLEUScore(), SacreBLEUScore()),
    }
    table = []
    for what, (hyps, refs) in corpora().items():
        for name, (mine, other) in names.items():
            given = hyps, refs
            table.append(
                compare(
                    f"{name}, {what}", lambda f=mine, g=given: f(*g), lambda f=other, g=given: f(*g), len(hyps), None
                )
            )
    return table


def main() -> None:
    print_versions("evaluate", "datasets", "sacrebleu", "nltk", "torch", "torchmetrics")
    for rows in (evaluate_rows(), torchmetrics_rows()):
        if rows:
            print_table(HEAD, rows)


if __name__ == "__main__":
    main()
