"""What the command line reads and writes: lines of UTF-8 in, UTF-8 out, and messages on standard error."""

from __future__ import annotations

import codecs
import io
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_END = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"


class UserError(Exception):
    """Something that the user can mend; printed without a traceback."""


def say(message: str) -> None:
    """Print a message on standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError):  # nobody is left who could be told
            print(f"clipgram: {message}", file=sys.stderr, flush=True)


def called(name: str) -> str:
    """How a file is called in messages and output."""
    return "standard input" if name == "-" else name


def read_lines(name: str, notice: str) -> list[str]:
    """The lines of a file. Only LF ends a line, a last one without it counts too, and a leading BOM is no text.

    Parameters
    ----------
    name : str
        ``-`` is standard input.
    notice : str
        What is read, for the user at whose terminal the program waits.
    """
    data = _read(name, notice).removeprefix(codecs.BOM_UTF8)
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        file = "" if name == "-" else f" {shlex.quote(name)}"
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UserError(
                f"{called(name)} is not UTF-8, it looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8{file}"
            ) from None
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{called(name)} is not UTF-8: line {line} has the byte 0x{data[error.start]:02x}; "
            f"convert it, from Latin-1 for example: iconv -f LATIN1 -t UTF-8{file}"
        ) from None
    return lines[:-1] if lines[-1] == "" else lines


def _read(name: str, notice: str) -> bytes:
    if name != "-":
        try:
            return Path(name).read_bytes()
        except OSError as error:
            raise UserError(f"{name} cannot be read: {error.strerror}") from None
    if sys.stdin is None:
        raise UserError("standard input is closed")
    if sys.stdin.isatty():
        say(f"reading {notice} from the terminal, one segment a line; {_END} on a new line ends it")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UserError(f"standard input cannot be read: {error.strerror}") from None


def check_lengths(files: list[tuple[str, list[str]]]) -> None:
    """All files must have as many lines as the first, and that some."""
    (first, segments), *others = files
    if not segments:
        raise UserError(f"{called(first)} is empty")
    for name, lines in others:
        if len(lines) == len(segments):
            continue
        message = (
            f"{called(name)} has {_counted(lines)} and {called(first)} has {_counted(segments)}; "
            "line i of every file belongs to segment i"
        )
        for one, text in ((first, segments), (name, lines)):
            if len(text) == 1 and "\r" in text[0][:-1]:
                message += f". The lines of {called(one)} end in CR alone; wanted LF, which tr '\\r' '\\n' makes of it"
        raise UserError(message)


def _counted(lines: list[str]) -> str:
    return f"{len(lines)} line{'s' * (len(lines) != 1)}"


@contextmanager
def utf8_output() -> Iterator[None]:
    """Standard output in UTF-8, whatever the locale says; what UTF-8 cannot hold (odd file names) is escaped."""
    out = sys.stdout
    if not isinstance(out, io.TextIOWrapper):
        yield
        return
    encoding, errors = out.encoding, out.errors
    out.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        yield
    finally:
        out.reconfigure(encoding=encoding, errors=errors)


def flush_output() -> None:
    """Write what is held back, so that a failure is seen here and not when Python ends."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon_output() -> None:
    """Send what is still held back nowhere: Python would try to write it once more at its end, and complain."""
    with suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
