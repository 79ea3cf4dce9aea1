"""The examples in docstrings and in the README are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import clipgram

README = Path(__file__).parent.parent / "README.md"
MODULES = sorted(m.name for m in pkgutil.walk_packages(clipgram.__path__, "clipgram.") if not m.name.endswith("__main__"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_readme() -> None:
    result = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 5 and result.failed == 0


@pytest.mark.parametrize("name", clipgram.__all__)
def test_public_names_are_documented(name: str) -> None:
    thing = getattr(clipgram, name)
    if callable(thing):
        assert thing.__doc__ and (">>>" in thing.__doc__ or name.endswith("Score"))
