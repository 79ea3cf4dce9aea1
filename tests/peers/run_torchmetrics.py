"""Run torchmetrics' own tests of BLEU and SacreBLEU against the drop-in.

    python tests/peers/run_torchmetrics.py [--source REPOSITORY] [pytest's options]
    python tests/peers/run_torchmetrics.py --examples

The tests are in no package, so they are fetched from the repository into a temporary folder, at the release that
the drop-in equals; nothing of them stays. Only the lines that import what is tested are changed. The examples in the
docstrings of the installed torchmetrics run too, or alone, which takes no network. Needs the extras test-dropins and
ja, and git.
"""

from __future__ import annotations

import argparse
import doctest
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torchmetrics

import clipgram.compat.torchmetrics as ours

SOURCE = "https://github.com/Lightning-AI/torchmetrics"
RELEASE = "v1.9.0"
HELPERS = ["__init__.py", "conftest.py", "_helpers/__init__.py", "_helpers/testers.py", "_helpers/wrappers.py"]
HELPERS += ["text/__init__.py", "text/_helpers.py", "text/_inputs.py"]
OURS = "from clipgram.compat.torchmetrics import"
THEIRS = "from torchmetrics.functional.text.sacre_bleu import AVAILABLE_TOKENIZERS, _TokenizersLiteral"
# The lines of each file that import what is tested, and what stands there instead.
TESTS = {
    "text/test_bleu.py": {
        "from torchmetrics.functional.text.bleu import bleu_score": f"{OURS} bleu_score",
        "from torchmetrics.text.bleu import BLEUScore": f"{OURS} BLEUScore",
    },
    "text/test_sacre_bleu.py": {
        f"{THEIRS}, sacre_bleu_score": f"{THEIRS}\n{OURS} sacre_bleu_score",
        "from torchmetrics.text.sacre_bleu import SacreBLEUScore": f"{OURS} SacreBLEUScore",
    },
}
# Their models are downloaded.
NEED_NETWORK = "not flores101 and not flores200"
DOCUMENTED = ["text/bleu.py", "text/sacre_bleu.py", "functional/text/bleu.py", "functional/text/sacre_bleu.py"]


# Keeps reference results on disk between runs, and processes waiting for each other. Here nothing is kept.
CACHIER = "def cachier(**settings):\n    return lambda function: function\n"


def file_of(repository: Path, path: str) -> str:
    command = ["git", "-C", str(repository), "show", f"{RELEASE}:{path}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def put_tests(repository: Path, folder: Path) -> None:
    folder.mkdir()
    (folder / "cachier.py").write_text(CACHIER)
    for name in [*HELPERS, *TESTS]:
        text = file_of(repository, f"tests/unittests/{name}")
        for old, new in TESTS.get(name, {}).items():
            if text.count(f"{old}\n") != 1:
                sys.exit(f"{name} has no line {old!r}")
            text = text.replace(f"{old}\n", f"{new}\n")
        path = folder / "unittests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run_examples() -> int:
    """Run the examples in docstrings with names of the drop-in, except those that draw."""
    package = Path(torchmetrics.__file__).parent
    failed = attempted = 0
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for name in DOCUMENTED:
        text = (package / name).read_text("utf-8")
        for part in ("functional.text", "text"):
            text = text.replace(f">>> from torchmetrics.{part} import", f">>> {OURS}")
        text = text.split("    def plot(")[0]
        found = runner.run(parser.get_doctest(text, {}, name, name, 0))
        failed, attempted = failed + found.failed, attempted + found.attempted
    print(f"examples in docstrings: {attempted - failed} passed, {failed} failed")
    return 1 if failed or not attempted else 0


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--source", default=SOURCE, help="where the repository is, a URL or a folder")
    arguments.add_argument("--examples", action="store_true", help="only the examples in docstrings")
    given, options = arguments.parse_known_args()
    print(f"torchmetrics {torchmetrics.__version__} against {ours.__file__}")
    if given.examples:
        return run_examples()
    with tempfile.TemporaryDirectory() as work:
        repository, folder = Path(work, "repository"), Path(work, "tests")
        command = ["git", "clone", "-q", "--no-checkout", "--branch", RELEASE, "-c", "advice.detachedHead=false"]
        subprocess.run([*command, given.source, str(repository)], check=True)
        put_tests(repository, folder)
        path = os.pathsep.join([str(folder), *sys.path])
        environment = {**os.environ, "PYTHONPATH": path, "USE_PYTEST_POOL": "1", "GLOO_SOCKET_IFNAME": "lo"}
        names = [f"unittests/{name}" for name in TESTS]
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
        settings = ["-o", "markers=DDP", "-k", NEED_NETWORK]
        tests = subprocess.run([*pytest, *settings, *names, *options], cwd=folder, env=environment)
        return tests.returncode or run_examples()


if __name__ == "__main__":
    sys.exit(main())
