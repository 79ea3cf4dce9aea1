"""Run a program with the drop-ins inside the libraries that it uses: ``python -m clipgram.compat SCRIPT ...``."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from clipgram.compat import patch


def main(arguments: list[str] | None = None) -> None:
    """Patch, and run the program."""
    parser = argparse.ArgumentParser(
        prog="python -m clipgram.compat",
        description="Run a Python program, unchanged, with clipgram's drop-ins inside the libraries that it uses.",
        usage="%(prog)s [--library NAME]... (SCRIPT | -m MODULE) [ARGUMENT ...]",
    )
    parser.add_argument(
        "--library",
        action="append",
        default=[],
        metavar="NAME",
        help="nltk, sacrebleu, evaluate or torchmetrics, once or several times; default: nltk and sacrebleu",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="run a module instead of a file")
    parser.add_argument("program", metavar="SCRIPT", help="the file, or with -m the module, to run")
    rest = parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="what the program gets")
    rest.required = False  # else argparse says that it is, where there is no SCRIPT
    options = parser.parse_args(arguments)
    try:
        patch(*options.library)
    except (ValueError, ImportError) as error:
        parser.error(str(error))
    sys.argv = [options.program, *options.rest]
    if options.module:
        sys.path.insert(0, "")
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        return
    if not Path(options.program).is_file():
        parser.error(f"there is no file {options.program}")
    sys.path.insert(0, str(Path(options.program).resolve().parent))
    runpy.run_path(options.program, run_name="__main__")


if __name__ == "__main__":
    main()
