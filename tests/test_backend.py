"""Which implementation is used, and what is said if that does not work. Each case in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

needs_extension = pytest.mark.skipif(find_spec("clipgram._ngrams") is None, reason="this installation has no compiled core")


def run(code: str, implementation: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key != "CLIPGRAM_IMPLEMENTATION"}
    if implementation is not None:
        kept["CLIPGRAM_IMPLEMENTATION"] = implementation
    return subprocess.run([sys.executable, "-c", code], env={**kept, **environment}, capture_output=True, text=True)


SCORE = "import clipgram; print(clipgram.IMPLEMENTATION, clipgram.sentence_bleu('a b c d x', 'a b c d y').score)"


@needs_extension
@pytest.mark.parametrize("wanted, found", [(None, "ext"), ("ext", "ext"), ("python", "python"), ("", "ext")])
def test_choice(wanted: str | None, found: str) -> None:
    done = run(SCORE, wanted)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [found, "0.668740304976422"]


@pytest.mark.parametrize("wanted", ["c", "0", "EXT", "pure"])
def test_any_other_word(wanted: str) -> None:
    done = run("import clipgram", wanted)
    assert done.returncode == 1
    assert f"ValueError: CLIPGRAM_IMPLEMENTATION is {wanted!r}; it must be 'ext' or 'python', or not set" in done.stderr


HIDE = """
import importlib.machinery
real = importlib.machinery.PathFinder.find_spec
def hide(name, path=None, target=None):
    return None if name == "clipgram._ngrams" else real(name, path, target)
importlib.machinery.PathFinder.find_spec = hide
"""


def test_a_missing_extension_falls_back() -> None:
    done = run(HIDE + SCORE)
    assert done.stdout.split() == ["python", "0.668740304976422"], done.stderr


def test_a_missing_extension_that_is_demanded() -> None:
    done = run(HIDE + SCORE, "ext")
    assert done.returncode == 1
    assert "ImportError: CLIPGRAM_IMPLEMENTATION is 'ext', but this installation of clipgram has no compiled core" in done.stderr


def test_a_broken_extension_raises(tmp_path: Path) -> None:
    broken = tmp_path / "_ngrams.py"
    broken.write_text("raise RuntimeError('this core is broken')")
    code = f"""
import importlib.util, sys
real = importlib.util.find_spec
class Break:
    def find_spec(self, name, path=None, target=None):
        if name in ("clipgram._index", "clipgram._ngrams"):
            return importlib.util.spec_from_file_location(name, {str(broken)!r})
sys.meta_path.insert(0, Break())
import clipgram
"""
    done = run(code)
    assert done.returncode == 1 and "RuntimeError: this core is broken" in done.stderr


def test_importing_takes_nothing_but_numpy() -> None:
    """Nothing outside of the standard library, and of that nothing slow that only some calls need."""
    code = "import sys, numpy; before = set(sys.modules); import clipgram; print(*set(sys.modules) - before)"
    for implementation in ["python"] + ["ext"] * (find_spec("clipgram._ngrams") is not None):
        loaded = set(run(code, implementation).stdout.split())
        assert {"clipgram", "clipgram.bleu"} <= loaded
        # Cython makes these two up, to share what its modules share.
        packages = {name.partition(".")[0] for name in loaded if not name.startswith(("_cython_", "cython_runtime"))}
        assert packages - sys.stdlib_module_names == {"clipgram"}
        assert not loaded & {"concurrent.futures", "logging", "pathlib", "urllib.parse", "argparse", "json", "random"}


def test_importing_is_silent() -> None:
    done = run("import clipgram; clipgram.corpus_bleu([''], ['a'])", PYTHONWARNINGS="error", PYTHONDEVMODE="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
