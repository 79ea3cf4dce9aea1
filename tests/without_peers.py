"""Run the tests that import nothing but clipgram, NumPy, pytest and hypothesis: python without_peers.py [OPTIONS].

For Pythons on which one of the other scorers cannot be installed. Which tests these are is found by reading them.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
PEERS = {"evaluate", "nltk", "regex", "sacrebleu", "torch", "torchmetrics"}


def imported(path: Path) -> set[str]:
    """The packages and the files beside it that a file imports when it is imported."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def needs_peers(path: Path) -> bool:
    names = imported(path)
    beside = [FOLDER / f"{name}.py" for name in names]
    return bool(names & PEERS) or any(needs_peers(other) for other in beside if other.is_file())


if __name__ == "__main__":
    files = [str(path) for path in sorted(FOLDER.glob("test_*.py")) if not needs_peers(path)]
    sys.exit(pytest.main([*sys.argv[1:], *files]))
