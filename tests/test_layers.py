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
    {"assembly", "_describe", "signature", "smoothing", "_categories", "_characters", "_index", "_index_py", "_ngrams_py", "_ngrams"},
    {"_lists", "_lists_py"},
    {"_text_py", "_text"},
    {"_backend", "_arrays", "_external"},
    {"_arrow", "_cut"},
    {"_padded"},
    {"batch", "tokenizers"},
    {"references"},
    {"matrix", "segments"},
    {"counts", "prefix"},
    {"metric"},
    {"bleu", "gleu"},
    {"decoding", "selftest"},
    {"cli"},
    {"__main__"},
    {"__init__"},
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
COMPILED = {"_index", "_lists", "_ngrams", "_text"}
ROOMS = sorted(path.stem for path in FOLDER.glob("*.py"))


def imported(room: str) -> set[str]:
    """The rooms that a room imports."""
    found = set()
    for node in ast.walk(ast.parse((FOLDER / f"{room}.py").read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{room} imports relatively"
            module = node.module or ""
            names = [f"clipgram.{alias.name}" for alias in node.names] if module == "clipgram" else [module]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("clipgram.")}
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
    if room != "_backend" and not room.endswith("_py"):
        assert not imported(room) & {*COMPILED, "_ngrams_py", "_text_py"}


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "__main__"])
def test_each_room_opens_alone(room: str) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", f"import clipgram.{room}"], check=True)


def test_no_room_is_too_large() -> None:
    for path in FOLDER.rglob("*.py"):
        assert len(path.read_text("utf-8").splitlines()) <= 500, path


# The rewards stand on the metrics. From the ground up, and which of each other's rooms they use.
REWARDS: dict[str, set[str]] = {
    "reading": set(),
    "scoring": {"reading"},
    "trl": {"reading", "scoring"},
    "verl": {"scoring"},
    "openrlhf": {"scoring"},
    "nemo_rl": {"scoring"},
    "verifiers": {"reading", "scoring"},
    "slime": {"scoring"},
    "easyr1": {"scoring"},
    "areal": {"scoring"},
}


def test_every_room_of_the_rewards_is_known() -> None:
    assert {path.stem for path in (FOLDER / "rewards").glob("*.py")} == {"__init__", *REWARDS}


@pytest.mark.parametrize("room", REWARDS)
def test_rewards_stand_on_the_metrics(room: str) -> None:
    used = {
        node.module.removeprefix("clipgram.rewards.")
        for node in ast.walk(ast.parse((FOLDER / "rewards" / f"{room}.py").read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clipgram.rewards")
    }
    assert used == REWARDS[room]
    for other in imported(f"rewards/{room}") - {"rewards"}:
        assert FLOOR[other] <= FLOOR["bleu"] and other not in COMPILED, f"{room} imports {other}"
