"""Run what evaluate tests its metric scripts with, their examples, against the drop-in.

    python tests/peers/run_evaluate.py [--evaluate REPOSITORY] [--nmt REPOSITORY] [--keep FOLDER]

The scripts are not in the package, so they are fetched from their repositories into a temporary folder. Their examples
run with the drop-in's ``load``, with the scripts that the drop-in ships, and with evaluate's own scripts, as a control.
``--keep`` puts the scripts into a folder, where tests/test_evaluate_peer.py and the benchmark find them by
``CLIPGRAM_EVALUATE_SCRIPTS``.

evaluate's other tests that name bleu (tests/test_evaluator.py, tests/test_load.py) load models or scripts from a hub;
they are left out. Needs the extra test-dropins and git.
"""

from __future__ import annotations

import argparse
import doctest
import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")

import evaluate as peer

from clipgram.compat import evaluate as ours

NAMES = ("bleu", "google_bleu", "sacrebleu")
EVALUATE = "https://github.com/huggingface/evaluate"
EVALUATE_COMMIT = "a7dd338386a4fae9a1767e05eb9ef9479513d9e8"
# What the script of bleu downloads when it is loaded.
NMT = "https://github.com/tensorflow/nmt"
NMT_COMMIT = "0be864257a76c151eef20ea689755f08bc1faf4e"


def clone(source: str, folder: Path) -> Callable[[str, str], str]:
    """Get a repository, and return a function that reads a file of it at a commit."""
    subprocess.run(["git", "clone", "-q", "--no-checkout", source, str(folder)], check=True)

    def file_of(commit: str, path: str) -> str:
        command = ["git", "-C", str(folder), "show", f"{commit}:{path}"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return file_of


def put_scripts(folder: Path, evaluate: str, nmt: str) -> None:
    with tempfile.TemporaryDirectory() as work:
        of_evaluate, of_nmt = clone(evaluate, Path(work, "evaluate")), clone(nmt, Path(work, "nmt"))
        for name in NAMES:
            (folder / name).mkdir(parents=True, exist_ok=True)
            script = of_evaluate(EVALUATE_COMMIT, f"metrics/{name}/{name}.py")
            if name == "bleu":
                # The file lies beside the script; nothing is downloaded.
                line = next(line for line in script.splitlines() if line.startswith("from .nmt_bleu import"))
                script = script.replace(line, line.split("#")[0].rstrip())
                (folder / name / "nmt_bleu.py").write_text(of_nmt(NMT_COMMIT, "nmt/scripts/bleu.py"), encoding="utf-8")
            (folder / name / f"{name}.py").write_text(script, encoding="utf-8")
            if name != "sacrebleu":
                tokenizer = of_evaluate(EVALUATE_COMMIT, f"metrics/{name}/tokenizer_13a.py")
                (folder / name / "tokenizer_13a.py").write_text(tokenizer, encoding="utf-8")


def run_examples(name: str, text: str, how: str, load: Callable[[str], Any]) -> bool:
    test = doctest.DocTestParser().get_doctest(
        text, {"evaluate": SimpleNamespace(load=load)}, f"{name}, {how}", None, 0
    )
    found = doctest.DocTestRunner(verbose=False).run(test)
    print(f"{name}, {how}: {found.attempted - found.failed} examples passed, {found.failed} failed")
    return not found.failed and found.attempted > 1


def check(folder: Path) -> bool:
    passed = True
    for name in NAMES:
        metric = peer.load(str(folder / name))
        loads = {
            "evaluate's scripts": lambda which: peer.load(str(folder / which)),
            "the drop-in's load": ours.load,
            "the drop-in's scripts": lambda which: peer.load(ours.path(which)),
        }
        for how, load in loads.items():
            passed &= run_examples(name, metric.inputs_description, how, load)
        # evaluate's tests want that of every script.
        kinds = [p.kind.name for p in inspect.signature(peer.load(ours.path(name))._compute).parameters.values()]
        passed &= "VAR_KEYWORD" not in kinds
    return passed


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--evaluate", default=EVALUATE, help="where evaluate's repository is, a URL or a folder")
    arguments.add_argument("--nmt", default=NMT, help="where the repository of nmt is")
    arguments.add_argument("--keep", type=Path, help="a folder for the scripts")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as work:
        folder = (given.keep or Path(work)).resolve()
        put_scripts(folder, given.evaluate, given.nmt)
        peer.config.HF_MODULES_CACHE = os.path.join(work, "modules")
        peer.config.HF_METRICS_CACHE = os.path.join(work, "data")
        return 0 if check(folder) else 1


if __name__ == "__main__":
    sys.exit(main())
