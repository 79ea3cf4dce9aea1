"""Runs sacreBLEU's own tests of BLEU against ``clipgram.compat.sacrebleu``.

    python tests/peers/run_sacrebleu.py [options for pytest]

Downloads the source package of sacreBLEU 2.6.0 with pip into a temporary folder, replaces the imports of sacrebleu in
its tests, and runs them there; sacrebleu itself cannot be imported meanwhile. Nothing of it is kept.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "2.6.0"

TESTS = {"test_bleu.py": 27, "test_sentence_bleu.py": 30, "test_significance.py": 30}  # files, and tests in each

LEFT_OUT = {
    "test_api.py": "lists of test sets, and downloads of them",
    "test_dataset.py": "downloads test sets",
    "test_chrf.py": "another metric",
    "test_ter.py": "another metric",
    "test_tokenizer_ter.py": "another metric's tokenizer",
    "../test.sh": "scores downloaded test sets; tests/test_compat_sacrebleu_cli.py compares the commands",
}

NO_SACREBLEU = 'import sys\n\nsys.modules["sacrebleu"] = None\n'


def download(folder: Path) -> Path:
    """Unpack the source package."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "sacrebleu", "-d", str(folder)]
    subprocess.run([*command, f"sacrebleu=={VERSION}"], check=True)
    with tarfile.open(folder / f"sacrebleu-{VERSION}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / f"sacrebleu-{VERSION}"


def with_our_imports(code: str) -> str:
    """A test's code with clipgram's drop-in in the place of sacreBLEU."""
    code = re.sub(r"^import sacrebleu$", "import clipgram.compat.sacrebleu as sacrebleu", code, flags=re.MULTILINE)
    return re.sub(r"^from sacrebleu\b", "from clipgram.compat.sacrebleu", code, flags=re.MULTILINE)


def main(options: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        package = download(Path(name))
        files = {path.name for path in (package / "test").glob("test_*.py")}
        strange = files - TESTS.keys() - LEFT_OUT.keys()
        if strange or TESTS.keys() - files:
            raise SystemExit(f"other tests than expected: {sorted(files)}")
        for file in TESTS:
            path = package / "test" / file
            path.write_text(with_our_imports(path.read_text("utf-8")), "utf-8")
        (package / "conftest.py").write_text(NO_SACREBLEU)
        for file, reason in LEFT_OUT.items():
            print(f"left out: {file} ({reason})")
        chosen = [f"test/{file}" for file in TESTS]
        command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider"]
        done = subprocess.run([*command, *options, *chosen], cwd=package, capture_output=True, text=True)
        print(done.stdout + done.stderr)
        if done.returncode == 0 and not options and f"{sum(TESTS.values())} passed" not in done.stdout:
            raise SystemExit(f"wanted {sum(TESTS.values())} tests")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
