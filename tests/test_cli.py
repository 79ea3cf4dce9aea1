from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

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


def test_json_lines_of_segments(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "score", "ref", "other", "-i", "hyp", "-m", "bleu", "gleu", "--json", "--sentence-level")
    pairs = list(zip(HYPS, zip(REFS, OTHERS, strict=True), strict=True))
    for metric, printed in ((BLEU(), lines[:3]), (GLEU(), lines[3:])):
        for i, (line, pair) in enumerate(zip(printed, pairs, strict=True), 1):
            score = metric.sentence_score(pair[0], list(pair[1]))
            wanted = {"system": "hyp", "segment": i, "metric": metric.name, **asdict(score), "percent": score.percent}
            assert json.loads(line) == json.loads(json.dumps(wanted))


def test_the_help_names_all_keys_of_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "score", "ref", "-i", "hyp", "-m", "bleu", "gleu", "--json", "--sentence-level")
    with pytest.raises(SystemExit, match="0"):
        main(["score", "--help"])
    about = capsys.readouterr().out.partition("With --json")[2]
    assert {key for line in lines for key in json.loads(line)} <= set(about.replace(",", " ").split())


def test_the_help_has_examples_that_run(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ref.txt", "ref1.txt", "ref2.txt", "system.txt", "a.txt", "b.txt"):
        Path(name).write_bytes(Path("ref").read_bytes())
    standard_input = io.TextIOWrapper(io.BytesIO(Path("ref").read_bytes()))
    for command, n in (("score", 3), ("tokenize", 2)):
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        examples = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  clipgram ")]
        assert len(examples) == n
        for words in examples:
            if "<" in words:
                standard_input.seek(0)
                monkeypatch.setattr("sys.stdin", standard_input)
                words = words[:-2]
            assert run(capsys, *words[1:])


def test_options_that_come_twice_add_up(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = run(capsys, "score", "ref", "-i", "hyp", "other", "-m", "gleu", "bleu")
    assert run(capsys, "score", "ref", "-i", "hyp", "-m", "gleu", "-i", "other", "--metrics", "bleu") == wanted
    assert len(wanted) == 4
    for _ in range(2):  # what was given once is no default of the next time
        assert len(run(capsys, "score", "ref", "-i", "hyp")) == 1


def test_score_only(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    systems, metrics = (HYPS, OTHERS), (BLEU(), GLEU())
    arguments = ["score", "ref", "-i", "hyp", "other", "-m", "bleu", "gleu", "--score-only"]
    percents = [metric.corpus_score(system, REFS).percent for system in systems for metric in metrics]
    assert run(capsys, *arguments) == ["\t".join(f"{percent:.2f}" for percent in percents)]
    rows = [
        [metric.sentence_score(system[i], REFS[i]).percent for system in systems for metric in metrics] for i in range(3)
    ]
    assert run(capsys, *arguments, "--sentence-level") == ["\t".join(f"{p:.2f}" for p in row) for row in rows]
    assert run(capsys, "score", "ref", "-i", "hyp", "--score-only") == [f"{BLEU().corpus_score(HYPS, REFS).percent:.2f}"]


def test_effective_order(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("one").write_text("a b\n")
    for option, effective in (([], None), (["--effective-order"], True), (["--no-effective-order"], False)):
        metric = BLEU(effective_order=effective, smooth_method="none")
        common = ["score", "one", "-i", "one", "--smooth-method", "none", *option]
        for level, score in (
            ([], metric.corpus_score(["a b"], ["a b"])),
            (["--sentence-level"], metric.sentence_score("a b", "a b")),
        ):
            (line,) = run(capsys, *common, *level)
            assert line.split("\t")[1:] == [str(score), score.signature]
            assert f"{score.percent:.2f}" == ("100.00" if effective or (effective is None and level) else "0.00")


def test_the_other_options(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("apart").write_text("cafe\u0301 \ufb01n\n" * 3, encoding="utf-8")
    Path("whole").write_text("caf\xe9 fin\n" * 3, encoding="utf-8")
    for form, percent in (("NFC", "50.00"), ("NFKC", "100.00")):
        options = ["--normalize", form, "--max-order", "1"]
        assert run(capsys, "score", "whole", "-i", "apart", *options, "--score-only") == [percent]
        assert f"norm:{form}" in run(capsys, "score", "whole", "-i", "apart", *options)[0]
    assert run(capsys, "tokenize", "apart", "--normalize", "NFKC") == ["caf\xe9 fin"] * 3
    for rule in ("closest", "shortest"):
        score = BLEU(ref_length=rule).corpus_score(HYPS, list(zip(REFS, OTHERS, strict=True)))
        assert run(capsys, "score", "ref", "other", "-i", "hyp", "--ref-length", rule) == [
            f"hyp\t{score}\t{score.signature}"
        ]
    for level in ([], ["--sentence-level"]):
        arguments = ["score", "ref", "-i", "hyp", "-m", "bleu", "gleu", *level]
        assert run(capsys, *arguments, "--threads", "2") == run(capsys, *arguments)


def test_threads_are_passed_on(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    counts = BLEU._count
    monkeypatch.setattr(BLEU, "_count", lambda self, source: seen.append(self.threads) or counts(self, source))
    run(capsys, "score", "ref", "-i", "hyp", "--threads", "3", "--sentence-level")
    run(capsys, "score", "ref", "-i", "hyp")
    assert seen == [3, 1]


def test_options_that_apply_to_one_of_the_metrics(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "score", "ref", "-i", "hyp", "-m", "bleu", "gleu", "--smooth-method", "floor")
    assert "smooth:floor[0.10]" in lines[0] and "smooth" not in lines[1]


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
        (["score", "ref", "-i", "short"], "short has 1 line and ref has 3 lines; line i of every file belongs to segment i"),
        (["score", "ref", "short", "-i", "hyp"], "short has 1 line and ref has 3 lines"),
        (["score", "short", "-i", "empty"], "empty has 0 lines and short has 1 line;"),
        (["score", "ref", "-i", "old"], "old has 1 line and ref has 3 lines; line i of every file belongs to segment i. The lines of old end in CR"),
        (["score", "old", "-i", "ref"], "ref has 3 lines and old has 1 line; line i of every file belongs to segment i. The lines of old end in CR"),
        (["score", "ref", "-i", "absent"], "absent cannot be read: No such file or directory"),
        (["score", "ref", "-i", "latin"], "latin is not UTF-8: line 2 has the byte 0xe9; convert it, from Latin-1 for example: iconv -f LATIN1 -t UTF-8 latin"),
        (["score", "ref", "-i", "wi de"], "wi de is not UTF-8, it looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8 'wi de'"),
        (["score", "empty", "-i", "empty"], "empty is empty"),
        (["score", "-", "-i", "-"], "standard input (-) can be read only once"),
        (["score", "-"], "standard input (-) can be read only once"),
        (["score", "ref", "-i", "hyp", "--tokenize", "spm:absent"], "there is no file 'absent'"),
        (["tokenize", "absent"], "absent cannot be read"),
    ],
)  # fmt: skip
def test_what_the_user_can_mend(files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    Path("short").write_bytes(b"one line\n")
    Path("old").write_bytes(b"one\rtwo\rthree\r")
    Path("latin").write_bytes(b"fine\ncaf\xe9\n\n")
    Path("wi de").write_text("fine\n", encoding="utf-16")
    Path("empty").write_bytes(b"")
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("clipgram: ") and said in err and err.count("\n") == 1


def test_a_line_that_ends_in_cr_and_lf_is_no_old_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("one").write_bytes(b"one line\r\n")
    assert main(["score", "ref", "-i", "one"]) == 1
    assert "CR" not in capsys.readouterr().err


REF_FIRST = "REF comes before the options: clipgram score REF ... -i HYP ..."


@pytest.mark.parametrize(
    "arguments, said",
    [
        ("", "clipgram: error: the following arguments are required: COMMAND"),
        ("scores", "clipgram: error: argument COMMAND: invalid choice: 'scores'"),
        ("--foo score ref", "clipgram: error: unrecognized arguments: --foo"),
        ("score", f"clipgram score: error: the following arguments are required: REF; {REF_FIRST}"),
        ("score -i hyp ref", f"clipgram score: error: the following arguments are required: REF; {REF_FIRST}"),
        ("score -m bleu ref -i hyp", "clipgram score: error: argument -m/--metrics: invalid choice: 'ref'"),
        ("score -m bleu ref -i hyp", f"; if that is a file, {REF_FIRST}"),
        ("score ref -i hyp --json other", f"clipgram score: error: unrecognized arguments: other; {REF_FIRST}"),
        ("score ref -i hyp --foo", "clipgram score: error: unrecognized arguments: --foo\n"),
        ("score ref -i hyp --json --score-only", "not allowed with argument"),
        ("tokenize ref --max-order 3", "clipgram tokenize: error: unrecognized arguments: --max-order 3\n"),
        ("sacrebleu ref -i hyp --foo", "clipgram sacrebleu: error: unrecognized arguments: --foo\n"),
        ("demo --json", "clipgram demo: error: unrecognized arguments: --json\n"),
        ("score ref -i hyp --max-order 17", "clipgram score: error: --max-order is 17; wanted an int from 1 to 16\n"),
        ("score ref -i hyp --threads 0", "clipgram score: error: --threads is 0; wanted an int from 1 to 1024\n"),
        ("score ref -i hyp --smooth-value 1", "error: --smooth-value is for floor and add-k, not for exp\n"),
        ("score ref -i hyp --smooth-method floor --smooth-value -1", "error: --smooth-value is the float -1.0; wanted"),
        ("score ref -i hyp --tokenize 13b", "error: no tokenizer is called '13b'; there are 13a, 13a-raw, none"),
        ("score ref -i hyp --tokenize 13b", "ja-mecab, ko-mecab, spm:PATH\n"),
        ("tokenize ref --tokenize 13b", "clipgram tokenize: error: no tokenizer is called '13b'"),
        ("score ref -i hyp -m gleu --smooth-method exp", "error: --smooth-method is for bleu, and only gleu is asked for\n"),
        ("score ref -i hyp -m gleu --smooth-value 0.0", "error: --smooth-value is for bleu"),
        ("score ref -i hyp -m gleu --no-effective-order", "error: --effective-order is for bleu"),
        ("score ref -i hyp -m gleu --ref-length closest", "error: --ref-length is for bleu"),
    ],
)
def test_wrong_usage(files: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments.split())
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"usage: {said.partition(':')[0]}" if said.startswith("clipgram") else "usage: ")
    assert said in err


def test_usage_shows_an_order_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("score", "sacrebleu"):
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        assert capsys.readouterr().out.startswith(f"usage: clipgram {command} REF [REF ...] [-i ")


def test_the_help_says_what_every_option_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("NO_COLOR", "1")
    texts = {}
    for command in ("", "score", "tokenize", "sacrebleu"):
        with pytest.raises(SystemExit, match="0"):
            main([*command.split(), "--help"])
        texts[command] = capsys.readouterr().out
        explained = texts[command].partition("refused, as they need")[0]
        options = explained.replace("\n" + " " * 24, "  ").splitlines()  # a long option's text is on the next line
        assert all("  " in line.strip() for line in options if line.startswith("  -")), command
    assert "faster: the same options and output for BLEU (no test sets, chrF, TER)" in texts[""]
    assert "leaves out orders for which a segment is too short, unless --no-effective-order" in texts["score"]
    assert "with a tab between systems" in texts["sacrebleu"] and "{bleu,gleu,chrf,ter}" not in texts["sacrebleu"]


def test_tokenize(files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("text").write_text("It isn't 3.5%, &quot;okay&quot;.\n\nEnd\u2028.", encoding="utf-8")
    assert run(capsys, "tokenize", "text") == ["It isn't 3.5 % , \" okay \" .", "", "End ."]
    assert run(capsys, "tokenize", "text", "--tokenize", "char", "--lowercase")[2] == "e n d ."
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a.\n")))
    assert run(capsys, "tokenize") == ["a ."]


def test_tokens_as_json(files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("text").write_text('He said "\u4e2d\u6587".\n\n', encoding="utf-8")
    lines = run(capsys, "tokenize", "text", "--json")
    assert lines == ['["He", "said", "\\"", "\u4e2d\u6587", "\\"", "."]', "[]"]
    wide = SimpleNamespace(tokens_of=lambda texts: [("New York", 7) for _ in texts])
    monkeypatch.setattr("clipgram.tokenizers.get_tokenizer", lambda *options: wide)
    assert run(capsys, "tokenize", "text") == ["New York 7"] * 2
    assert [json.loads(line) for line in run(capsys, "tokenize", "text", "--json")] == [["New York", 7]] * 2


def test_a_byte_order_mark_is_no_text(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = b"\xef\xbb\xbf" + Path("ref").read_bytes()
    Path("marked").write_bytes(marked)
    for reference, system in (("ref", "marked"), ("marked", "ref"), ("marked", "marked"), ("ref", "-")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(marked)))
        assert run(capsys, "score", reference, "-i", system, "--score-only") == ["100.00"]
    assert run(capsys, "tokenize", "marked") == run(capsys, "tokenize", "ref")
    Path("later").write_bytes(marked + b"\xef\xbb\xbfa\n")  # only the first is a mark
    assert run(capsys, "tokenize", "later")[3] == "\ufeffa"
    assert main(["sacrebleu", "ref", "-i", "marked", "-b"]) == 0  # as sacreBLEU does
    assert capsys.readouterr().out.strip() != "100.0"


def test_a_model_that_is_none(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sentencepiece")
    assert main(["tokenize", "ref", "--tokenize", "spm:ref"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("clipgram: ") and "ref" in err and err.count("\n") == 1


def test_demo(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "demo")
    assert lines[2].split() == ["corpus", "BLEU", "GLEU"]
    assert [line.split()[:2] for line in lines[3:5]] == [["system", "A"], ["system", "B"]]
    assert sum(line.startswith("  A  BLEU") for line in lines) == 8


@pytest.mark.parametrize("command", [["selftest"], ["demo"], ["--version"], ["score", "--help"]])
def test_as_a_module(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-m", "clipgram", *command], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout and not done.stderr
