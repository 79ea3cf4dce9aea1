"""Imports run one way: a room uses only the rooms below it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import clipgram

FOLDER = Path(clipgram.__file__).parent

# From the ground up; rooms of one floor do not know each other.
FLOORS = [
    {"_describe", "signature", "smoothing", "_categories", "_characters", "_ngrams_py", "_ngrams"},
    {"_objects_py", "_objects", "_text_py", "_text"},
    {"_backend", "_arrays", "_external"},
    {"batch", "tokenizers"},
    {"segments"},
    {"counts"},
    {"metric"},
    {"bleu", "gleu", "compat", "compat.nltk.translate._segment"},
    {"selftest", "compat.nltk.translate._corpus", "compat.nltk.translate._precision"},
    {"compat.nltk.translate._smoothing"},
    {"compat.nltk.translate.bleu_score", "compat.nltk.translate.gleu_score"},
    {"compat.nltk.translate"},
    {"compat.nltk"},
    {"cli"},
    {"__main__"},
    {"__init__"},
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
COMPILED = {"_ngrams", "_objects", "_text"}


def room_of(path: Path) -> str:
    """A module by its dotted name inside clipgram; a package by that of its folder."""
    inner = path.relative_to(FOLDER).with_suffix("")
    return ".".join(inner.parts if inner.name != "__init__" else inner.parts[:-1]) or "__init__"


PATHS = {room_of(path): path for path in FOLDER.rglob("*.py")}
ROOMS = sorted(PATHS)


def imported(room: str) -> set[str]:
    """The rooms that a room imports."""
    found = set()
    for node in ast.walk(ast.parse(PATHS[room].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{room} imports relatively"
            module = node.module or ""
            below = [f"{module}.{alias.name}" for alias in node.names]
            names = [name if name.removeprefix("clipgram.") in FLOOR else module for name in below]
        else:
            continue
        found |= {name.removeprefix("clipgram.") for name in names if name.startswith("clipgram.")}
        assert "clipgram" not in names, f"{room} imports the whole package"
    return found


def test_every_room_has_a_floor() -> None:
    assert set(ROOMS) == set(FLOOR) - COMPILED


@pytest.mark.parametrize("room", ROOMS)
def test_no_arrow_runs_up(room: str) -> None:
    for other in imported(room):
        assert FLOOR[other] < FLOOR[room], f"{room} imports {other}"


@pytest.mark.parametrize("room", ROOMS)
def test_only_the_backend_knows_the_core(room: str) -> None:
    if room not in ("_backend", "_text_py"):
        assert not imported(room) & {*COMPILED, "_ngrams_py", "_objects_py", "_text_py"}


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "__main__"])
def test_each_room_opens_alone(room: str) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", f"import clipgram.{room}"], check=True)


def test_no_room_is_too_large() -> None:
    for path in FOLDER.rglob("*.py"):
        assert len(path.read_text("utf-8").splitlines()) <= 500, path
