"""Runs many command lines of one program, each in a forked copy of this process, which takes a hundredth of a new one.

    python run_commands.py sacrebleu < cases.json > outputs.json
    python run_commands.py clipgram  < cases.json > outputs.json

A case is {"arguments": [...], "environment": {...}, "stdin": "text", "terminal": bool}; an output is [exit status,
standard output, standard error]. Files are named relative to the working directory.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any

Main = Callable[[list[str]], int]


def sacrebleu() -> Main:
    import sacrebleu.sacrebleu as command
    import sacrebleu.significance

    def main(arguments: list[str]) -> int:
        sys.argv = ["sacrebleu", *arguments]
        command.main()
        return 0

    return main


def clipgram() -> Main:
    from clipgram.cli import main

    return lambda arguments: main(["sacrebleu", *arguments])


def in_child(main: Main, case: dict[str, Any]) -> int:
    os.environ.update(case.get("environment", {}))
    try:
        status = main(case["arguments"])
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()  # sacreBLEU's colours end there
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def run(main: Main, case: dict[str, Any]) -> list[Any]:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(case.get("stdin", "").encode("utf-8", "surrogateescape"))
        given.seek(0)
        outer, inner = os.openpty() if case.get("terminal") else (-1, -1)
        child = os.fork()
        if child == 0:
            os.dup2(given.fileno(), 0)
            os.dup2(out.fileno() if outer < 0 else inner, 1)
            os.dup2(err.fileno(), 2)
            os._exit(in_child(main, case))
        printed = b""
        if outer >= 0:
            os.close(inner)
            try:
                while part := os.read(outer, 65536):
                    printed += part
            except OSError:  # that is how the end of a terminal looks
                pass
            os.close(outer)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        printed = printed or out.read()
        return [status, printed.decode("utf-8", "backslashreplace"), err.read().decode("utf-8", "backslashreplace")]


if __name__ == "__main__":
    chosen = {"sacrebleu": sacrebleu, "clipgram": clipgram}[sys.argv[1]]()
    json.dump([run(chosen, case) for case in json.load(sys.stdin)], sys.stdout)
