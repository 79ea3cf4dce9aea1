"""A little of the fuzzer, tests/checks/fuzz.py, on every run; and all that it ever found."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("clipgram._ngrams") is None, reason="this installation has no compiled core to compare with"
)


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz", Path(__file__).parent / "checks" / "fuzz.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module
    spec.loader.exec_module(module)
    return module


fuzz = load()


@pytest.mark.parametrize("kind, seed", fuzz.failures())
def test_what_failed_once(kind: str, seed: int) -> None:
    fuzz.compare_api(seed, 1) if kind == "api" else fuzz.run(kind, seed)


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_both_agree(kind: str) -> None:
    for seed in range(25):
        fuzz.run(kind, seed)


def test_both_say_the_same_to_users() -> None:
    fuzz.compare_api(0, 200)
