"""Run NLTK's own tests of BLEU and GLEU against the drop-in, with the imports replaced.

    python tests/peers/run_nltk.py

Fetches the sources of NLTK with pip into a temporary folder, which is removed afterwards. Run are its test file of BLEU,
its doctest of BLEU, and the examples in the docstrings of both modules. NLTK itself need not be installed. Ends with 1 if
a test fails.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "3.10.4"
TEST_FILE = "nltk/test/unit/translate/test_bleu.py"
DOCTEST = "nltk/test/bleu.doctest"
MODULES = ["nltk/translate/bleu_score.py", "nltk/translate/gleu_score.py"]
# Left out, and why.
LEFT_OUT = {"TestBLEUvsMteval13a": "needs the texts and scores of WMT15, which are a download of their own"}


def fetch(folder: Path) -> dict[str, str]:
    """The wanted files of the source package."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-binary", "nltk", "--dest", str(folder), f"nltk=={VERSION}"]
    subprocess.run(command, check=True)
    with tarfile.open(folder / f"nltk-{VERSION}.tar.gz") as archive:
        files = {}
        for name in (TEST_FILE, DOCTEST, *MODULES):
            member = archive.extractfile(f"nltk-{VERSION}/{name}")
            assert member is not None
            files[name] = member.read().decode("utf-8")
    return files


def replaced(text: str) -> str:
    """With the drop-in in the place of NLTK."""
    text = re.sub(r"^from nltk\.data import .*\n", "", text, flags=re.MULTILINE)  # only what is left out needs it
    text, n = re.subn(r"\bfrom nltk\.translate\b", "from clipgram.compat.nltk.translate", text)
    assert n and not re.search(r"^(?:>>> )?(?:import|from) nltk", text, re.MULTILINE), "an import is left"
    return text


def run_test_file(text: str, folder: Path) -> bool:
    path = folder / Path(TEST_FILE).name
    path.write_text(replaced(text), "utf-8")
    for name, reason in LEFT_OUT.items():
        assert f"class {name}" in text, name
        print(f"left out: {name}, which {reason}")
    deselect = [f"--deselect={path.name}::{name}" for name in LEFT_OUT]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *deselect, path.name]
    return subprocess.run(command, cwd=folder).returncode == 0


def run_examples(text: str, names: dict[str, object], what: str, at_least: int) -> bool:
    """The examples of a text, as doctests."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(doctest.DocTestParser().get_doctest(text, dict(names), what, what, 0))
    print(f"{what}: {runner.tries} examples, {runner.failures} failed")
    return runner.failures == 0 and runner.tries >= at_least


def docstrings(source: str) -> dict[str, str]:
    """The docstrings with examples, by the name of what they belong to."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    texts = {getattr(node, "name", "module"): ast.get_docstring(node) or "" for node in nodes}
    return {name: text for name, text in texts.items() if ">>>" in text}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = fetch(folder)
        good = [
            run_test_file(files[TEST_FILE], folder),
            run_examples(replaced(files[DOCTEST]), {}, DOCTEST, 4),
        ]
    for path in MODULES:
        module = importlib.import_module(f"clipgram.compat.{path.removesuffix('.py').replace('/', '.')}")
        for owner, text in docstrings(files[path]).items():
            good.append(run_examples(text, vars(module), f"{path}, {owner}", 1))
    print("all pass" if all(good) else "some fail")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
