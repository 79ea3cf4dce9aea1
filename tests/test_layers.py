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
    {"_describe", "assembly", "signature", "smoothing", "_categories", "_characters"},
    {"_index", "_index_py", "_ngrams", "_ngrams_py"},
    {"_lists", "_lists_py"},
    {"_objects", "_objects_py", "_text", "_text_py"},
    {"_backend", "_external"},
    {"_arrays"},
    {"_arrow", "_cut"},
    {"_padded"},
    {"batch", "tokenizers"},
    {"references"},
    {"_forms", "matrix", "segments"},
    {"counts", "prefix"},
    {"metric"},
    {"bleu", "gleu"},
    {"decoding", "demo", "selftest"},
    # Rewards: what they share, then a room for each framework.
    {"rewards.reading"},
    {"rewards.scoring"},
    {f"rewards.{framework}" for framework in ("areal", "easyr1", "nemo_rl", "openrlhf", "slime", "trl", "verifiers", "verl")},
    {"rewards"},
    # The drop-ins. None knows another one, see below.
    {"compat._patching"},
    {"compat", "compat._corpus_counts", "compat._evaluate_rows"},
    {"compat._evaluate_scores", "compat._torchmetrics_lines"},
    {"compat.evaluate", "compat.torchmetrics"},
    {"compat._loading", "compat.__main__"},
    {"compat.nltk.translate._segment"},
    {"compat.nltk.translate._corpus", "compat.nltk.translate._precision"},
    {"compat.nltk.translate._smoothing"},
    {"compat.nltk.translate.bleu_score", "compat.nltk.translate.gleu_score"},
    {"compat.nltk.translate"},
    {"compat.nltk"},
    {"compat.sacrebleu.signature", "compat.sacrebleu.tokenizers", "compat.sacrebleu.counting"},
    {"compat.sacrebleu.score", "compat.sacrebleu.resampling", "compat.sacrebleu.table"},
    {"compat.sacrebleu.metrics.base"},
    {"compat.sacrebleu.metrics.bleu"},
    {"compat.sacrebleu.metrics"},
    {"compat.sacrebleu.compat", "compat.sacrebleu.gleu", "compat.sacrebleu.significance"},
    {"compat.sacrebleu.report"},
    {"compat.sacrebleu.cli"},
    {"compat.sacrebleu"},
    {"_streams"},
    {"cli"},
    {"__main__"},
    {"__init__"},
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
COMPILED = {"_index", "_lists", "_ngrams", "_objects", "_text"}


NEEDY = ("__main__", "compat.__main__", "compat._loading", "compat.torchmetrics")  # those need more than an import


def room_of(path: Path) -> str:
    """A module by its dotted name inside clipgram; a package by that of its folder."""
    inner = path.relative_to(FOLDER).with_suffix("")
    return ".".join(inner.parts if inner.name != "__init__" else inner.parts[:-1]) or "__init__"


# Scripts that another library reads as files are no modules.
PATHS = {room_of(path): path for path in FOLDER.rglob("*.py") if "evaluate_scripts" not in path.parts}
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


def drop_in(room: str) -> str | None:
    """The drop-in that a room belongs to; one with an underscore belongs to all."""
    parts = room.split(".")
    return parts[1] if parts[0] == "compat" and len(parts) > 1 and not parts[1].startswith("_") else None


def test_every_room_has_a_floor() -> None:
    assert set(ROOMS) == set(FLOOR) - COMPILED


@pytest.mark.parametrize("room", ROOMS)
def test_no_arrow_runs_up_or_to_another_drop_in(room: str) -> None:
    for other in imported(room):
        assert FLOOR[other] < FLOOR[room], f"{room} imports {other}"
        if drop_in(room):
            assert drop_in(other) in (None, drop_in(room)), f"{room} imports {other}"


@pytest.mark.parametrize("room", ROOMS)
def test_only_the_backend_knows_the_core(room: str) -> None:
    if room != "_backend" and not room.endswith("_py"):
        assert not imported(room) & (COMPILED | {f"{name}_py" for name in COMPILED})


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in NEEDY])
def test_each_room_opens_alone(room: str) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", f"import clipgram.{room}"], check=True)


def test_no_room_is_too_large() -> None:
    for path in FOLDER.rglob("*.py"):
        assert len(path.read_text("utf-8").splitlines()) <= 500, path
