"""The command line as a process: terminals, closed and full outputs, encodings, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clipgram.cli import main

CLIPGRAM = [sys.executable, "-W", "error", "-m", "clipgram"]


def environment(**more: str) -> dict[str, str]:
    """Buffered, as users have it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"} | more


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("a b c d\n")
    Path("long").write_text("a b c\n" * 20_000)
    Path("chinese").write_text("\u4e2d\u6587 x\n", encoding="utf-8")
    return tmp_path


posix = pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals and /dev/full are POSIX's")


@posix
@pytest.mark.parametrize(
    "arguments, said, wanted",
    [
        (["score", "ref", "--score-only"], "a system's output (files of systems come after -i)", b"100.00\n"),
        (["score", "-", "-i", "ref", "--score-only"], "references", b"100.00\n"),
        (["tokenize"], "text", b"a b c d\n"),
    ],
)
def test_a_terminal_is_told_what_is_waited_for(folder: Path, arguments: list[str], said: str, wanted: bytes) -> None:
    ours, theirs = os.openpty()
    try:
        with subprocess.Popen(
            [*CLIPGRAM, *arguments], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        ) as process:
            assert process.stderr is not None and process.stdout is not None
            notice = process.stderr.readline().decode()  # before anything is typed
            assert notice == f"clipgram: reading {said} from the terminal, one segment a line; Ctrl-D on a new line ends it\n"
            os.write(ours, b"a b c d\n\x04")
            assert process.stdout.read() == wanted and process.stderr.read() == b""
        assert process.returncode == 0
    finally:
        os.close(ours)
        os.close(theirs)


@posix
def test_ctrl_c(folder: Path) -> None:
    ours, theirs = os.openpty()
    try:
        # What is started in the background ignores SIGINT, and hands that on.
        with subprocess.Popen(
            [*CLIPGRAM, "score", "ref"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:  # fmt: skip
            assert process.stderr is not None
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == b""
        assert process.returncode == 130
    finally:
        os.close(ours)
        os.close(theirs)


class Interrupted:
    """Standard input at which Ctrl-C is pressed."""

    buffer = property(lambda self: self)

    def isatty(self) -> bool:
        return False

    def read(self) -> bytes:
        raise KeyboardInterrupt


@pytest.mark.parametrize("arguments", [["score", "ref"], ["tokenize"], ["sacrebleu", "ref"]])
def test_ctrl_c_in_every_command_that_reads(
    arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Interrupted())
    assert main(arguments) == 130
    assert capsys.readouterr() == ("", "")


def test_no_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["score", "ref"]) == 1
    assert capsys.readouterr() == ("", "clipgram: standard input is closed\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["score", "long", "-i", "long", "--sentence-level"], ["tokenize", "long"]])
def test_a_reader_that_stops_early(folder: Path, arguments: list[str], unbuffered: str) -> None:
    with subprocess.Popen(
        [*CLIPGRAM, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(PYTHONUNBUFFERED=unbuffered),
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith((b"long:1\tBLEU = 100.00", b"a b c"))
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 1 and (said == b"" or os.name != "posix")


@posix
@pytest.mark.parametrize("arguments", ["score ref -i ref", "sacrebleu ref -i ref", "--help"])
def test_output_that_nobody_reads(folder: Path, arguments: str) -> None:
    """All of it is still in the buffer when the command ends."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([*CLIPGRAM, *arguments.split()], stdout=writing, stderr=subprocess.PIPE, env=environment())
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", ["score ref -i ref", "sacrebleu ref -i ref", "tokenize long", "demo", "score --help"])
def test_output_that_cannot_be_written(folder: Path, arguments: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*CLIPGRAM, *arguments.split()], stdout=full, stderr=subprocess.PIPE, env=environment())
        assert (done.returncode, done.stderr) == (1, b"clipgram: standard output: No space left on device\n")
        # Then nobody can be told, but the status.
        done = subprocess.run([*CLIPGRAM, *arguments.split()], stdout=full, stderr=full, env=environment())
        assert done.returncode != 0


def test_output_is_utf8_whatever_the_locale_says(folder: Path) -> None:
    odd = environment(PYTHONIOENCODING="cp1252", PYTHONUTF8="0", LC_ALL="C")

    def run(*arguments: str) -> bytes:
        done = subprocess.run([*CLIPGRAM, *arguments], capture_output=True, env=odd)
        assert done.returncode == 0 and done.stderr == b""
        return done.stdout.replace(b"\r\n", b"\n")

    assert run("tokenize", "--tokenize", "zh", "chinese").decode() == "\u4e2d \u6587 x\n"
    assert run("tokenize", "--json", "chinese").decode() == '["\u4e2d\u6587", "x"]\n'
    if os.name == "posix":  # there names are bytes, of which any are allowed
        for name in ("\u4e2d", os.fsdecode(b"caf\xe9")):
            try:
                Path(name).write_text("a b c d\n")
            except OSError:
                pytest.skip("this file system has no such names")
            assert run("score", "ref", "-i", name).decode().endswith("version:0.1.0\n")
            assert json.loads(run("score", "ref", "-i", name, "--json"))[0]["percent"] == 100
    assert "Zug" in run("demo").decode()


def test_messages_never_die(folder: Path) -> None:
    done = subprocess.run(
        [*CLIPGRAM, "score", "ref", "-i", "\u4e2d"], capture_output=True, env=environment(PYTHONIOENCODING="cp1252")
    )
    assert done.returncode == 1 and done.stderr.startswith(b"clipgram: \\u4e2d cannot be read: ")


def test_output_has_its_encoding_back_afterwards(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout.encoding, sys.stdout.errors
    assert main(["score", "ref", "-i", "ref"]) == 0
    assert (sys.stdout.encoding, sys.stdout.errors) == before
