"""``clipgram sacrebleu`` beside the live command ``sacrebleu``: same standard output, exit status and messages."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from random_corpora import CASES

from clipgram import GLEU
from clipgram.cli import main

COMMANDS = Path(__file__).parent / "peers" / "run_commands.py"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the commands run in forked processes")

WORDS = "the a cat dog sat lay on under mat table today, yesterday. don't 3.5% well-known Caf\u00e9".split()


def texts(seed: int, n: int = 40) -> tuple[list[str], list[str]]:
    """References and a system's output."""
    rng = random.Random(seed)
    references = [" ".join(rng.choices(WORDS, k=rng.randint(0, 12))) for _ in range(n)]
    return references, [" ".join(word if rng.random() < 0.7 else rng.choice(WORDS) for word in line.split()) for line in references]


def write(name: str, lines: list[str], encoding: str = "utf-8", end: str = "\n") -> None:
    Path(name).write_bytes(end.join([*lines, ""]).encode(encoding))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts")
    before = os.getcwd()
    os.chdir(path)
    try:
        references, first = texts(1)
        rng = random.Random(2)
        second = [line if rng.random() < 0.6 else " ".join(reversed(line.split())) for line in first]
        write("ref", references)
        write("other_ref", [" ".join(line.split()[1:]) for line in references])
        write("one", first)
        write("two", second)
        write("2.5", second)
        write("3", references)
        write("a_b&{~}$.txt", second[::-1])
        pairs = ["\t".join([reference, line or "nothing"]) for reference, line in zip(references, second, strict=True)]
        write("tabbed", pairs)
        write("odd", [line + "\t \x0b" if i % 3 else line + "\r\u2028" for i, line in enumerate(first)])
        write("untabbed", [references[0], *pairs[1:]])
        write("short", first[:-1])
        write("empty", [])
        write("latin", first, "latin-1")
        write("wide", first, "utf-16")
        write("dots_ref", [f"word {i} ." for i in range(120)])
        write("dots", [f"word {i // 2} ." for i in range(120)])
        Path("open_end").write_text("\n".join(first), "utf-8")
        Path("packed.gz").write_bytes(gzip.compress(Path("one").read_bytes()))
    finally:
        os.chdir(before)
    return path


def run(program: str, cases: list[dict[str, Any]], folder: Path) -> list[list[Any]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SACREBLEU", "NO_COLOR"))}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # the processes are too short for more
    done = subprocess.run(
        [sys.executable, str(COMMANDS), program], input=json.dumps(cases), cwd=folder, env=environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def case(arguments: str, stdin: str = "", terminal: bool = False, **environment: str) -> dict[str, Any]:
    return {"arguments": arguments.split(), "stdin": stdin, "terminal": terminal, "environment": environment}


def columns(*names: str, end: str = "\n") -> str:
    """Several systems on standard input."""
    rows = zip(*([line or "x" for line in texts(seed)[1]] for seed in range(1, 1 + len(names))), strict=True)
    return end.join(["\t".join(row) for row in rows] + [""])


PLAIN = [
    case("ref -i one"),
    case("ref other_ref -i one"),
    case("ref -i open_end"),
    case("ref -i packed.gz"),
    case("ref -i odd -sl"),
    case("odd -i one -w 3"),
    case("tabbed -nr 2 -i one"),
    case("tabbed -nr 2 -i one -sl -f text"),
    case("latin -i one -e latin-1"),
    case("wide -i wide -e utf-16"),
    case("ref -i one -l en-zh"),
    case("ref -i one -l en-zh -tok 13a"),
    case("ref -i one -l en-de"),
    case("ref -i one -d"),
    case("ref -i one -d -f text -ci -cin 20"),
    case("ref -i one two -d"),
    case("dots_ref -i dots"),
    case("dots_ref -i dots -q"),
    case("dots_ref -i dots --force"),
    case("ref -i one --chrf-word-order 2 --ter-no-punct"),
    case("ref -i one -ci", SACREBLEU_SEED="7"),
    case("ref -i one two -par -parn 50", SACREBLEU_SEED="7"),
    case("ref -i one", SACREBLEU_FORMAT="TEXT"),
    case("ref -i one -f json", SACREBLEU_FORMAT="text"),
    case("ref -i one -f text", SACREBLEU_FORMAT="yaml"),
    case("ref -i one two -pbs -pbsn 30 -j 2"),
    case("ref -i one two one -pbs -pbsn 30"),
    case("ref -i one two a_b&{~}$.txt -f latex -pbs -pbsn 30"),
    case("ref -i one two a_b&{~}$.txt -f text -pbs -pbsn 0"),
    case("ref -i 2.5 3 -f text"),
    case("ref -i 2.5 3 -f latex -w 4"),
    case("ref -i 2.5 3 -f text -w 15"),
    case("ref -i"),
    case("-V"),
    case("ref", columns("1")),
    case("ref", columns("1").removesuffix("\n")),
    case("ref -f text", columns("1", end="\r\n")),
    case("ref -sl -b", columns("1", end="\r")),
    case("ref", columns("1", "2")),
    case("ref -f text", columns("1", "2", "3")),
    case("ref -pbs -pbsn 30 -f text", columns("1", "2", "3")),
    case("ref -par -parn 30", columns("1", "2")),
    case("ref -par -parn 30 -f latex -sh", columns("1", "2")),
]  # fmt: skip

COLORED = [
    case(arguments, terminal=True, **environment)
    for environment in ({}, {"NO_COLOR": "1"}, {"NO_COLOR": ""})
    for arguments in (
        "ref -i one -f text",
        "ref -i one -f text -ci -cin 30",
        "ref -i one -f text -ci -cin 30 -nc",
        "ref -i one two 3 -f text",
        "ref -i one two 3 -f text -pbs -pbsn 30",
        "ref -i one two 2.5 -f latex -par -parn 30 -w 0",
        "ref -i one -ci -cin 30",
    )
]

# sacreBLEU ends with other messages here, some of them tracebacks.
WRONG = [
    case("short -i one"),
    case("ref -i one short"),
    case("ref other_ref short -i one"),
    case("untabbed -nr 2 -i one"),
    case("tabbed -nr 3 -i one"),
    case("ref", "a\tb\nc\n"),
    case("ref", ""),
    case("empty -i empty"),
    case("ref -i absent"),
    case("absent -i one"),
    case("latin -i one"),
    case("ref -i one -e klingon"),
    case("ref -i one one"),
    case("ref -i one two one"),
    case("ref -i one -pbs"),
    case("ref -i 3 3 -par -parn 20"),
    case("ref -i one two -ci"),
    case("ref -i one two -sl"),
    case("ref -i one -sl -ci"),
    case("ref other_ref -nr 2 -i one"),
    case("-i one"),
    case("ref -i -f text"),
    case("ref -i -pbs"),
    case("ref -i one -ci", SACREBLEU_SEED="x"),
    case("ref -i one -tok 13b"),
    case("ref -i one two -pbs -par"),
    case("ref -i one -w x"),
    case("ref -i one -nr 0"),
]  # fmt: skip


def random_cases(n: int) -> list[dict[str, Any]]:
    rng = random.Random(5)

    def maybe(share: float, *options: str) -> list[str]:
        return rng.choice(options).split() if rng.random() < share else []

    cases = []
    for _ in range(n):
        references = rng.choice(["ref", "ref", "ref other_ref", "tabbed -nr 2"])
        systems = rng.choice(["one", "odd", "one two", "one two 3", "one 3 two"])
        arguments = [*references.split(), "-i", *systems.split(), *maybe(0.5, "-f json", "-f text", "-f latex")]
        arguments += maybe(0.6, "-s none", "-s floor", "-s add-k", "-s exp", "-s floor -sv 0.3", "-s add-k -sv 2", "-s exp -sv 1")
        arguments += maybe(0.5, "-tok 13a", "-tok none", "-tok intl", "-tok zh", "-tok char")
        arguments += maybe(0.3, "-lc") + maybe(0.2, "--force") + maybe(0.3, "-b") + maybe(0.3, "-sh") + maybe(0.3, "-q")
        arguments += maybe(0.4, "-w 0", "-w 2", "-w 4", "-w 12") + maybe(0.2, "-nc")
        if " " in systems:
            arguments += maybe(0.6, "-par -parn 20", "-pbs -pbsn 20", "-pbs -pbsn 45")
        else:
            arguments += maybe(0.6, "-ci -cin 20", "-ci -cin 50", "-sl")
        cases.append({"arguments": arguments})
    return cases


@pytest.mark.parametrize("cases", [PLAIN, COLORED, random_cases(max(100, CASES // 20))], ids=["plain", "colored", "random"])
def test_same_bytes(cases: list[dict[str, Any]], folder: Path) -> None:
    theirs, ours = run("sacrebleu", cases, folder), run("clipgram", cases, folder)
    for given, wanted, found in zip(cases, theirs, ours, strict=True):
        assert wanted[0] == 0 and wanted[1], given
        assert found == wanted, given


def test_same_exit_status(folder: Path) -> None:
    theirs, ours = run("sacrebleu", WRONG, folder), run("clipgram", WRONG, folder)
    for given, wanted, found in zip(WRONG, theirs, ours, strict=True):
        assert wanted[0] != 0 and found[:2] == wanted[:2], given
        assert found[2] and "Traceback" not in found[2], given
        if wanted[0] == 17:
            assert found[2] == wanted[2]


@pytest.mark.parametrize(
    "arguments, said",
    [
        ("ref -i one -m chrf", "clipgram has no chrf"),
        ("ref -i one -m bleu ter", "clipgram has no ter"),
        ("-t wmt22 -l de-en -i one", "-t needs sacreBLEU's test sets"),
        ("--list", "--list needs sacreBLEU's test sets"),
        ("-t wmt22 --echo src", "-t needs"),
        ("--cite -t wmt22", "-t needs"),
        ("--download wmt22", "--download needs"),
        ("ref -i one --subset x", "--subset needs"),
        ("ref -i one -l en", "wanted two languages"),
        ("ref -i one -tok flores200", "clipgram downloads nothing"),
    ],
)
def test_what_is_not_here(
    arguments: str, said: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SACREBLEU", "nowhere")
    assert main(["sacrebleu", *arguments.split()]) in (1, 2)
    out, err = capsys.readouterr()
    assert out == "" and said in err and "Traceback" not in err


def test_gleu(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    references, hypotheses = (Path(name).read_text("utf-8").removesuffix("\n").split("\n") for name in ("ref", "one"))
    wanted = GLEU().corpus_score(hypotheses, references)

    def printed(arguments: str) -> str:
        assert main(["sacrebleu", *arguments.split()]) == 0
        return capsys.readouterr().out

    found = json.loads(printed("ref -i one -m gleu -w 9"))
    assert found["name"] == "GLEU" and found["score"] == round(100 * wanted.score, 9)
    assert found["nrefs"] == "1" and found["tok"] == "13a" and found["version"].startswith("clipgram-")
    assert found["verbose_score"] == str(wanted)[str(wanted).index("(") :]
    first, second = json.loads(printed("ref -i one -m gleu bleu"))
    assert (first["name"], second["name"]) == ("BLEU", "GLEU")
    lines = printed("ref -i one -m gleu -sl -b -w 2").split()
    assert lines == [f"{100 * score:.2f}" for score in GLEU().sentence_scores(hypotheses, references)]
    text = printed("ref -i one -m gleu bleu -f text -ci -cin 50")
    assert [line.split("|")[0].strip() for line in text.splitlines()] == ["BLEU", "GLEU"] and text.count("\u03bc") == 2
    for test in ("-pbs -pbsn 50", "-par -parn 50"):
        baseline, other = json.loads(printed(f"ref -i one 3 -m gleu bleu {test}"))
        assert other["GLEU"]["score"] == other["BLEU"]["score"] - 4.263256414560601e-14 == 100
        assert baseline["GLEU"]["p_value"] is None and other["GLEU"]["p_value"] < 0.1
    assert "GLEU (\u03bc \u00b1 95% CI)" in printed("ref -i one two -m gleu bleu -pbs -pbsn 20 -f text")


def test_output_is_utf8_whatever_the_locale_says(folder: Path) -> None:
    command = [sys.executable, "-m", "clipgram", "sacrebleu", "ref", "-i", "one", "-ci", "-f", "text"]
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
    assert done.returncode == 0 and b"\xce\xbc = " in done.stdout
