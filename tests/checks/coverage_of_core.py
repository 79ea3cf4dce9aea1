"""Which lines of the compiled core were run: python coverage_of_core.py BUILD [LEAST].

BUILD is the folder with the object files of a build with CLIPGRAM_COVERAGE=1, beside which the tests left what they
counted. A line counts as run if it was in any module that has it. Ends with 1 if less than LEAST percent were run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

Counts = dict[str, dict[int, int]]
UTILITY = ("__Pyx", "__pyx_tp_", "__pyx_memory", "__pyx_array", "__pyx_FusedFunction")


def counted(data: Path) -> dict[str, Any]:
    """What gcov makes of one file of counts."""
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", data.name], cwd=data.parent, capture_output=True, check=True, text=True
    )
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def lines_of_sources(build: Path) -> set[tuple[str, int]]:
    """The lines that became C: what Cython puts behind the last of them bears their numbers counted on."""
    found = set()
    for path in build.rglob("*.c"):
        for number, name in re.findall(r'^#line (\d+) "([^"]+)"', path.read_text("utf-8"), re.MULTILINE):
            found.add((Path(name).name, int(number)))
    return found


def collect(build: Path) -> Counts:
    sources = lines_of_sources(build)
    lines: Counts = defaultdict(lambda: defaultdict(int))
    found = sorted(build.rglob("*.gcda"))
    if not found:
        sys.exit(f"no counts (*.gcda) under {build}: was it built with CLIPGRAM_COVERAGE=1, and were the tests run?")
    for data in found:
        for file in counted(data)["files"]:
            path = Path(file["file"])
            if path.suffix not in (".pyx", ".pxd", ".h") or "clipgram" not in path.parts:
                continue
            for line in file["lines"]:
                number = line["line_number"]
                if line.get("function_name", "").startswith(UTILITY):
                    continue
                if path.suffix == ".h" or (path.name, number) in sources:
                    lines[path.name][number] += line["count"]
    return lines


def ranges(numbers: list[int]) -> str:
    """12, 13, 14, 20 as 12-14, 20."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in parts)


def main() -> int:
    lines = collect(Path(sys.argv[1]).resolve())
    least = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    run = total = 0
    for name, counts in sorted(lines.items()):
        missed = sorted(number for number, count in counts.items() if not count)
        run += len(counts) - len(missed)
        total += len(counts)
        print(f"{name:16}{len(counts):5} lines{100 - 100 * len(missed) / len(counts):7.1f} %   {ranges(missed)}")
    percent = 100 * run / total
    print(f"{'together':16}{total:5} lines{percent:7.1f} %")
    return 0 if percent >= least else 1


if __name__ == "__main__":
    sys.exit(main())
