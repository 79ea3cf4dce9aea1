"""How fast the drop-ins are, each beside its library in the same run.

    python bench/bench_dropins.py [nltk] [sacrebleu] [hf]

Each part is a program of its own, ``bench_dropins_NAME.py``, whose head says what it needs; all are run by default.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PARTS = ("nltk", "sacrebleu", "hf")


def main() -> None:
    chosen = sys.argv[1:] or PARTS
    for part in chosen:
        if part not in PARTS:
            sys.exit(f"there is no part {part}; there are {', '.join(PARTS)}")
    for part in chosen:
        print(f"== {part}\n", flush=True)
        subprocess.run([sys.executable, str(Path(__file__).parent / f"bench_dropins_{part}.py")], check=True)


if __name__ == "__main__":
    main()
