"""The command line: ``clipgram score``, ``tokenize``, ``sacrebleu``, ``demo`` and ``selftest``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from clipgram import smoothing, tokenizers
from clipgram._backend import IMPLEMENTATION
from clipgram.bleu import BLEU, BLEUScore
from clipgram.compat.sacrebleu import cli as sacrebleu
from clipgram.gleu import GLEU, GLEUScore
from clipgram.selftest import main as selftest
from clipgram.signature import VERSION

Score = BLEUScore | GLEUScore

_TOKENIZERS = f"there are {', '.join(tokenizers.RULES)}, ja-mecab, ko-mecab and spm:PATH"


class UserError(Exception):
    """Something that the user can mend; printed without a traceback."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands behind the program's name; by default what this process was started with.

    Returns
    -------
    int
        The exit status: 0, or 1 if input could not be used (2 for a wrong option, from argparse).
    """
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except UserError as error:
        print(f"clipgram: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clipgram", description="BLEU and GLEU of files, one segment a line.")
    parser.add_argument("-V", "--version", action="version", version=f"clipgram {VERSION} ({IMPLEMENTATION})")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    score = commands.add_parser("score", help="score system outputs against references")
    score.set_defaults(run=_score)
    score.add_argument("references", nargs="+", metavar="REF", help="reference files; several are several references")
    score.add_argument(
        "-i", "--input", nargs="+", default=["-"], metavar="HYP", help="system outputs; - is standard input, the default"
    )
    score.add_argument("-m", "--metrics", nargs="+", choices=("bleu", "gleu"), default=["bleu"], help="default: bleu")
    score.add_argument("--tokenize", default="13a", metavar="NAME", help=f"default: 13a; {_TOKENIZERS}")
    score.add_argument("--lowercase", action="store_true", help="lowercase the text first")
    score.add_argument("--smooth-method", choices=tuple(smoothing.METHODS), default="exp", help="BLEU only; default: exp")
    score.add_argument("--smooth-value", type=float, help="BLEU only; for floor (default 0.1) and add-k (default 1)")
    score.add_argument("--max-order", type=int, default=4, metavar="N", help="the longest n-gram; default: 4")
    score.add_argument("--sentence-level", action="store_true", help="score each segment, not the corpus")
    score.add_argument("--json", action="store_true", help="print JSON")

    split = commands.add_parser("tokenize", help="print the tokens of each line of a file")
    split.set_defaults(run=_tokenize)
    split.add_argument("input", nargs="?", default="-", metavar="FILE", help="- is standard input, the default")
    split.add_argument("--tokenize", default="13a", metavar="NAME", help=f"default: 13a; {_TOKENIZERS}")
    split.add_argument("--lowercase", action="store_true", help="lowercase the text first")

    sacrebleu.add_arguments(
        commands.add_parser("sacrebleu", help="the command sacrebleu, faster: the same options and output for BLEU")
    )

    demo = commands.add_parser("demo", help="score a small sample that comes with clipgram")
    demo.set_defaults(run=_demo)

    test = commands.add_parser("selftest", help="work out examples with known answers")
    test.set_defaults(run=lambda options: selftest())
    return parser


def _score(options: argparse.Namespace) -> int:
    try:
        metrics = [_metric(name, options) for name in options.metrics]
    except (ValueError, ImportError, OSError) as error:
        raise UserError(str(error)) from None
    names = [*options.references, *options.input]
    if names.count("-") > 1:
        raise UserError("standard input (-) can be read only once; it is the default for -i")
    references = [_read_lines(name) for name in options.references]
    systems = [(name, _read_lines(name)) for name in options.input]
    for name, lines in [*zip(options.references, references, strict=True), *systems]:
        if len(lines) != len(references[0]):
            raise UserError(
                f"{_called(name)} has {len(lines)} lines and {_called(options.references[0])} has {len(references[0])}; "
                "line i of every file belongs to segment i"
            )
    if not references[0]:
        raise UserError(f"{_called(options.references[0])} is empty")
    segments = [list(lines) for lines in zip(*references, strict=True)]
    results = []
    for name, lines in systems:
        for metric in metrics:
            if options.sentence_level:
                scores: list[Score] = [
                    metric.sentence_score(hypothesis, refs) for hypothesis, refs in zip(lines, segments, strict=True)
                ]
            else:
                scores = [metric.corpus_score(lines, segments)]
            results.append((name, metric.name, scores))
    (_print_json if options.json else _print_lines)(results, options.sentence_level)
    return 0


def _tokenize(options: argparse.Namespace) -> int:
    try:
        tokenizer = tokenizers.get_tokenizer(options.tokenize, options.lowercase)
    except (ValueError, ImportError, OSError) as error:
        raise UserError(str(error)) from None
    for tokens in tokenizer.tokens_of(_read_lines(options.input)):
        print(" ".join(map(str, tokens)))
    return 0


def _metric(name: str, options: argparse.Namespace) -> BLEU | GLEU:
    text: dict[str, Any] = {"tokenize": options.tokenize, "lowercase": options.lowercase, "max_order": options.max_order}
    if name == "gleu":
        return GLEU(**text)
    return BLEU(smooth_method=options.smooth_method, smooth_value=options.smooth_value, **text)


def _read_lines(name: str) -> list[str]:
    """The lines of a file. Only LF ends a line, and a last one without it counts too."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UserError(f"{name} cannot be read: {error.strerror}") from None
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{_called(name)} is not UTF-8: line {line} has the byte 0x{data[error.start]:02x}") from None
    return lines[:-1] if lines[-1] == "" else lines


def _called(name: str) -> str:
    return "standard input" if name == "-" else name


def _print_lines(results: list[tuple[str, str, list[Score]]], numbered: bool) -> None:
    for name, _, scores in results:
        for i, score in enumerate(scores, 1):
            place = f"{_called(name)}:{i}" if numbered else _called(name)
            print(f"{place}\t{score}\t{score.signature}")


def _print_json(results: list[tuple[str, str, list[Score]]], numbered: bool) -> None:
    entries = [
        {"system": _called(name), **({"segment": i} if numbered else {}), "metric": metric, **_as_json(score)}
        for name, metric, scores in results
        for i, score in enumerate(scores, 1)
    ]
    print(json.dumps(entries, indent=1, ensure_ascii=False))


def _as_json(score: Score) -> dict[str, Any]:
    fields = asdict(score)
    fields["percent"] = score.percent
    return fields


def _demo(options: argparse.Namespace) -> int:
    rows = [line.split("\t") for line in files("clipgram").joinpath("demo.tsv").read_text("utf-8").splitlines()[1:]]
    sources, first, second, *systems = (list(column) for column in zip(*rows, strict=True))
    references = [list(pair) for pair in zip(first, second, strict=True)]
    bleu, gleu = BLEU(), GLEU()
    print(f"{len(sources)} German sentences, two references each, two systems. All scores in percent.\n")
    print(f"{'corpus':10}{'BLEU':>8}{'GLEU':>8}")
    named = dict(zip("AB", systems, strict=True))
    for name, hypotheses in named.items():
        scores = bleu.corpus_score(hypotheses, references), gleu.corpus_score(hypotheses, references)
        print(f"system {name:3}{scores[0].percent:8.2f}{scores[1].percent:8.2f}")
    print("\nsegments")
    for i, source in enumerate(sources):
        print(f"\n  {source}")
        for name, hypotheses in named.items():
            percents = [metric.sentence_score(hypotheses[i], references[i]).percent for metric in (bleu, gleu)]
            print(f"  {name}  BLEU {percents[0]:6.2f}  GLEU {percents[1]:6.2f}   {hypotheses[i]}")
    print()
    for line in _lines_of(bleu, gleu, next(iter(named.values())), references):
        print(line)
    return 0


def _lines_of(bleu: BLEU, gleu: GLEU, hypotheses: list[str], references: list[list[str]]) -> Iterator[str]:
    """System A once more, with all parts of the scores and how they were made."""
    for metric in (bleu, gleu):
        score = metric.corpus_score(hypotheses, references)
        yield f"A: {score}"
        yield f"   {score.signature}"
