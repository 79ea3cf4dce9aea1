"""The examples in docstrings, in the README and in docs/ are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from operator import attrgetter
from pathlib import Path

import pytest

import clipgram
from clipgram import rewards

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
MODULES = sorted(
    module.name.removeprefix("clipgram.")
    for module in pkgutil.walk_packages(clipgram.__path__, "clipgram.")
    if not module.name.endswith(".__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    peer = {"compat.torchmetrics": "torchmetrics", "compat._loading": "evaluate"}.get(name)
    if peer is not None:
        pytest.importorskip(peer, reason=f"{peer} is not installed (the extra test-dropins brings it)")
    assert doctest.testmod(importlib.import_module(f"clipgram.{name}")).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 5 and result.failed == 0


PROGRAMS = [block for page in PAGES for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL) if ">>>" not in block]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_on_pages(program: str) -> None:
    if "import torch" in program:
        pytest.importorskip("torch", reason="torch is not installed")
    assert "assert" in program
    exec(program, {})


@pytest.mark.parametrize("name", [*clipgram.__all__, *(f"rewards.{name}" for name in rewards.__all__)])
def test_public_names_are_documented(name: str) -> None:
    thing = attrgetter(name)(clipgram)
    if callable(thing):
        assert thing.__doc__ and (">>>" in thing.__doc__ or name.endswith("Score"))
