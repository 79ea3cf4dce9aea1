"""Check what is in an sdist or a wheel: everything that belongs there, and nothing else."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path


def check_sdist(path: Path) -> None:
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "pyproject.toml",
        "setup.py",
        "LICENSE",
        "README.md",
        "ext/clipgram/__init__.pxd",
        "ext/clipgram/_ngrams.pyx",
        "ext/clipgram/masks.h",
        "src/clipgram/demo.tsv",
        "src/clipgram/py.typed",
        "src/clipgram/_ngrams.pyi",
        "src/clipgram/compat/evaluate_scripts/bleu/bleu.py",
        "tests/conftest.py",
        "tests/typing/public_names.py",
        "bench/bench_core.py",
    }
    assert wanted <= names, f"{path.name} lacks {wanted - names}"
    generated = {name for name in names if name.endswith((".c", ".so", ".pyd", ".pyc", ".html"))}
    assert not generated, f"{path.name} has {generated}"


def check_wheel(path: Path) -> None:
    names = set(zipfile.ZipFile(path).namelist())
    pure = path.name.endswith("-py3-none-any.whl")
    binaries = {name for name in names if name.endswith((".so", ".pyd"))}
    assert bool(binaries) != pure, f"{path.name} has {binaries or 'no binary'}"
    sources = {name for name in names if name.endswith((".pyx", ".pxd", ".c", ".h"))}
    strange = {name for name in names if not name.startswith(("clipgram/", "clipgram-"))}
    assert not sources and not strange, f"{path.name} has {sources | strange}"
    assert {"clipgram/__init__.py", "clipgram/_ngrams.pyi", "clipgram/demo.tsv", "clipgram/py.typed"} <= names
    assert "clipgram/compat/sacrebleu/metrics/__init__.py" in names
    scripts = {f"clipgram/compat/evaluate_scripts/{name}/{name}.py" for name in ("bleu", "google_bleu", "sacrebleu")}
    assert scripts <= names, f"{path.name} lacks {scripts - names}"
    assert path.stat().st_size < 1_000_000, f"{path.name} has {path.stat().st_size} bytes"


for argument in sys.argv[1:]:
    given = Path(argument)
    (check_wheel if given.suffix == ".whl" else check_sdist)(given)
    print(f"{given.name}: {given.stat().st_size / 1000:.0f} kB, as it should be")
