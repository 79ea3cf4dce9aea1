from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from clipgram import BLEU, GLEU
from clipgram.cli import main

HYPS = ["the cat sat on a mat", "", "Caf\u00e9\u2028au lait\x0b!"]
REFS = ["the cat sat on the mat", "nothing", "Caf\u00e9 au lait !"]
OTHERS = ["a cat sat on a mat", "", "coffee with milk"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"hyp": HYPS, "ref": REFS, "other": OTHERS}.items():
        Path(name).write_bytes("".join(line + "\n" for line in lines).encode())
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def test_a_line_a_system_and_metric(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "score", "ref", "-i", "hyp", "other", "-m", "bleu", "gleu")
    wanted = [
        f"{name}\t{score}\t{score.signature}"
        for name, hypotheses in (("hyp", HYPS), ("other", OTHERS))
        for score in (BLEU().corpus_score(hypotheses, REFS), GLEU().corpus_score(hypotheses, REFS))
    ]
    assert lines == wanted


def test_several_references(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = BLEU().corpus_score(HYPS, list(zip(REFS, OTHERS, strict=True)))
    assert run(capsys, "score", "ref", "other", "-i", "hyp") == [f"hyp\t{score}\t{score.signature}"]
    assert "nrefs:2" in score.signature


def test_options(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--tokenize", "edge", "--lowercase", "--smooth-method", "add-k", "--smooth-value", "0.5", "--max-order", "2"]
    metric = BLEU(max_order=2, tokenize="edge", lowercase=True, smooth_method="add-k", smooth_value=0.5)
    score = metric.corpus_score(HYPS, REFS)
    assert run(capsys, "score", "ref", "-i", "hyp", *options) == [f"hyp\t{score}\t{score.signature}"]


def test_sentence_level(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "score", "ref", "-i", "hyp", "--sentence-level")
    scores = [BLEU().sentence_score(*pair) for pair in zip(HYPS, REFS, strict=True)]
    assert lines == [f"hyp:{i}\t{score}\t{score.signature}" for i, score in enumerate(scores, 1)]
    assert scores[2].score == 1.0  # only LF ends a line


def test_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads("\n".join(run(capsys, "score", "ref", "-i", "hyp", "-m", "gleu", "bleu", "--json")))
    gleu, bleu = GLEU().corpus_score(HYPS, REFS), BLEU().corpus_score(HYPS, REFS)
    assert [(entry["system"], entry["metric"], entry["score"]) for entry in found] == [
        ("hyp", "gleu", gleu.score),
        ("hyp", "bleu", bleu.score),
    ]
    assert found[1]["precisions"] == list(bleu.precisions) and found[1]["signature"] == bleu.signature
    assert found[1]["percent"] == bleu.percent and found[0]["matches"] == gleu.matches
    found = json.loads("\n".join(run(capsys, "score", "ref", "-i", "hyp", "--json", "--sentence-level")))
    assert [(entry["segment"], entry["score"]) for entry in found] == [
        (i, BLEU().sentence_score(*pair).score) for i, pair in enumerate(zip(HYPS, REFS, strict=True), 1)
    ]


@pytest.mark.parametrize("last", ["", "\n"])
def test_standard_input(files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    data = ("\n".join(HYPS) + last).encode()
    score = BLEU().corpus_score(HYPS, REFS)
    for arguments in (["score", "ref"], ["score", "ref", "-i", "-"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert run(capsys, *arguments) == [f"standard input\t{score}\t{score.signature}"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["score", "ref", "-i", "short"], "short has 1 lines and ref has 3; line i of every file belongs to segment i"),
        (["score", "ref", "short", "-i", "hyp"], "short has 1 lines and ref has 3"),
        (["score", "ref", "-i", "absent"], "absent cannot be read: No such file or directory"),
        (["score", "ref", "-i", "latin"], "latin is not UTF-8: line 2 has the byte 0xe9"),
        (["score", "empty", "-i", "empty"], "empty is empty"),
        (["score", "-", "-i", "-"], "standard input (-) can be read only once"),
        (["score", "-"], "standard input (-) can be read only once"),
        (["score", "ref", "-i", "hyp", "--max-order", "17"], "max_order is 17; wanted an int from 1 to 16"),
        (["score", "ref", "-i", "hyp", "--tokenize", "13b"], "no tokenizer is called '13b'; there are 13a, 13a-raw, none"),
        (["score", "ref", "-i", "hyp", "--tokenize", "spm:absent"], "there is no file 'absent'"),
        (["tokenize", "absent"], "absent cannot be read"),
        (["tokenize", "ref", "--tokenize", "13b"], "no tokenizer is called '13b'"),
        (["score", "ref", "-i", "hyp", "--smooth-value", "1"], "smooth_value is for floor and add-k, not for exp"),
    ],
)
def test_what_the_user_can_mend(files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    Path("short").write_bytes(b"one line\n")
    Path("latin").write_bytes(b"fine\ncaf\xe9\n\n")
    Path("empty").write_bytes(b"")
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("clipgram: ") and said in err and err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["score"], ["score", "ref", "--metrics", "chrf"], ["scores"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "usage: clipgram" in capsys.readouterr().err


def test_tokenize(files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("text").write_text("It isn't 3.5%, &quot;okay&quot;.\n\nEnd\u2028.", encoding="utf-8")
    assert run(capsys, "tokenize", "text") == ["It isn't 3.5 % , \" okay \" .", "", "End ."]
    assert run(capsys, "tokenize", "text", "--tokenize", "char", "--lowercase")[2] == "e n d ."
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a.\n")))
    assert run(capsys, "tokenize") == ["a ."]


def test_demo(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "demo")
    assert lines[2].split() == ["corpus", "BLEU", "GLEU"]
    assert [line.split()[:2] for line in lines[3:5]] == [["system", "A"], ["system", "B"]]
    assert sum(line.startswith("  A  BLEU") for line in lines) == 8


@pytest.mark.parametrize("command", [["selftest"], ["demo"], ["--version"], ["score", "--help"]])
def test_as_a_module(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-m", "clipgram", *command], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout and not done.stderr


def test_a_reader_that_stops_early(files: Path) -> None:
    Path("long").write_text("a b c\n" * 20_000)
    command = f"{sys.executable} -m clipgram score long -i long --sentence-level | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout.startswith("long:1\tBLEU = 100.00") and done.stderr == ""
