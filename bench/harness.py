"""Timing and printing for all benchmarks."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import clipgram


def seconds(function: Callable[[], Any], at_least: float = 0.3, most: int = 200) -> float:
    """The best of several runs: as many as fit into ``at_least`` seconds, three or more unless one takes longer."""
    best, spent, runs = float("inf"), 0.0, 0
    while runs < most and (runs < 3 or spent < at_least) and not (runs and spent > 20):
        start = time.perf_counter()
        function()
        took = time.perf_counter() - start
        best, spent, runs = min(best, took), spent + took, runs + 1
    return best


def print_versions(*peers: str) -> None:
    """What was measured, and on what."""
    found = [f"clipgram {clipgram.__version__} ({clipgram.IMPLEMENTATION})"]
    for peer in ("numpy", *peers):
        try:
            found.append(f"{peer} {version(peer)}")
        except PackageNotFoundError:
            found.append(f"{peer} missing")
    print(f"Python {platform.python_version()} on {platform.machine()}, {', '.join(found)}\n")


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Columns under their names, the first to the left."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        print("  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]))
    print()


def agree(ours: Any, theirs: Any, what: str) -> None:
    """A fast wrong answer is no answer."""
    if not np.allclose(ours, theirs, rtol=1e-9, atol=0):
        raise SystemExit(f"{what}: {ours} is not {theirs}")
