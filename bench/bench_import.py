"""How long importing clipgram takes, beside importing NumPy alone.

    python bench/bench_import.py

Each in a process of its own, by turns; the least of many, in which the system disturbed least.
"""

from __future__ import annotations

import os
import subprocess
import sys

from harness import print_table, print_versions

TIMES = 40
CODE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds(module: str) -> float:
    command = [sys.executable, "-c", CODE.format(module)]
    # As where it is installed: compiled once, not at every import.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def main() -> None:
    print_versions()
    names = ("numpy", "clipgram")
    rounds = [[seconds(name) for name in names] for _ in range(TIMES)]
    alone, ours = (min(times) for times in zip(*rounds, strict=True))
    verdict = "met" if ours <= 1.3 * alone else "missed"
    row = [f"{alone * 1e3:.1f} ms", f"{ours * 1e3:.1f} ms", f"{ours / alone:.2f}x", "<= 1.3x", verdict]
    print_table(["NumPy", "clipgram", "ratio", "target", ""], [row])


if __name__ == "__main__":
    main()
