"""The command line: ``clipgram score``, ``tokenize``, ``sacrebleu``, ``demo`` and ``selftest``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any, NoReturn, TypeVar

from clipgram import demo, selftest, smoothing, tokenizers
from clipgram._backend import IMPLEMENTATION
from clipgram._streams import (
    UserError,
    abandon_output,
    called,
    check_lengths,
    flush_output,
    read_lines,
    say,
    utf8_output,
)
from clipgram.bleu import BLEU, BLEUScore
from clipgram.compat.sacrebleu import cli as sacrebleu
from clipgram.gleu import GLEU, GLEUScore
from clipgram.signature import VERSION

Score = BLEUScore | GLEUScore
Result = tuple[str, str, Sequence[Score]]  # a system's name, a metric's name, one score or one a segment
Made = TypeVar("Made")

BLEU_ONLY = ("smooth_method", "smooth_value", "effective_order", "ref_length")

_TOKENIZERS = f"default: 13a; there are {', '.join(tokenizers.RULES)}, ja-mecab, ko-mecab and spm:PATH"
_ORDER = "REF comes before the options: clipgram score REF ... -i HYP ..."
_ABOUT_SCORE = """\
examples:
  clipgram score ref.txt -i system.txt
  clipgram score ref1.txt ref2.txt -i a.txt b.txt -m bleu gleu --score-only
  clipgram score ref.txt --sentence-level --json < system.txt

Files are UTF-8. Line i of every file belongs to segment i; only LF ends a line.

With --json each score has these keys:
  system, metric, and with --sentence-level segment (from 1)
  score (from 0 to 1), percent (the same from 0 to 100)
  signature (how the score was made)
  bleu: precisions (of each order, smoothed, from 0 to 1), brevity_penalty,
        matches, totals (of each order), hypothesis_length, reference_length
  gleu: precision, recall (from 0 to 1), matches, hypothesis_ngrams,
        reference_ngrams
"""
_ABOUT_TOKENIZE = """\
examples:
  clipgram tokenize system.txt
  clipgram tokenize --tokenize zh --json < system.txt
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands behind the program's name; by default what this process was started with.

    Returns
    -------
    int
        The exit status: 0; 1 if input could not be used or output not written; 130 if the user broke off.

    Raises
    ------
    SystemExit
        With 2 for a wrong option, from argparse, and with 0 after ``--help`` and ``--version``.
    """
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else list(arguments))
        finally:
            flush_output()
    except UserError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        abandon_output()
        return 1
    except OSError as error:
        abandon_output()
        say(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return 1


def _run(arguments: list[str]) -> int:
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:  # argparse alone would show the usage of the whole program, whatever the command
        at_fault = parser if arguments[0] in unknown else options.parser
        hint = f"; {_ORDER}" if options.run is _score and any(not one.startswith("-") for one in unknown) else ""
        at_fault.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    with nullcontext() if options.run is sacrebleu.run else utf8_output():
        return options.run(options)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say where REF stands if an option before it may have taken it."""
        if message.endswith(": REF"):
            message += f"; {_ORDER}"
        elif message.startswith("argument -m/--metrics: invalid choice"):
            message += f"; if that is a file, {_ORDER}"
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clipgram", description="BLEU and GLEU of files, one segment a line.")
    parser.add_argument("-V", "--version", action="version", version=f"clipgram {VERSION} ({IMPLEMENTATION})")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, help: str, epilog: str | None = None) -> argparse.ArgumentParser:
        about = f"{help[0].upper()}{help[1:]}."
        raw = argparse.RawDescriptionHelpFormatter
        made = commands.add_parser(name, help=help, description=about, epilog=epilog, formatter_class=raw)
        made.set_defaults(parser=made)
        return made

    score = command("score", "score system outputs against references", _ABOUT_SCORE)
    _add_score(score)

    split = command("tokenize", "print the tokens of each line of a file", _ABOUT_TOKENIZE)
    split.set_defaults(run=_tokenize)
    split.add_argument("input", nargs="?", default="-", metavar="FILE", help="- is standard input, the default")
    _add_text(split)
    split.add_argument(
        "--json", action="store_true", help="print a JSON array of tokens a line: tells tokens with blanks inside apart"
    )

    sacrebleu.add_arguments(
        command(
            "sacrebleu",
            "the command sacrebleu, faster: the same options and output for BLEU (no test sets, chrF, TER)",
        )
    )
    command("demo", "score a small sample that comes with clipgram").set_defaults(run=lambda options: demo.main())
    command("selftest", "work out examples with known answers").set_defaults(run=lambda options: selftest.main())
    return parser


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s REF [REF ...] [-i HYP [HYP ...]] [option ...]"
    parser.set_defaults(run=_score)
    add = parser.add_argument
    add("references", nargs="+", metavar="REF", help="reference files; several are several references of each segment")
    # Without a default here, as "extend" would extend it.
    add("-i", "--input", nargs="+", action="extend", metavar="HYP", help="system outputs; - is standard input, the default")
    add("-m", "--metrics", nargs="+", action="extend", choices=("bleu", "gleu"), help="default: bleu")
    _add_text(parser)
    add("--max-order", type=int, default=4, metavar="N", help="the longest n-gram; default: 4")
    add("--threads", type=int, default=1, metavar="N", help="threads that tokenize and count at once; default: 1")
    add(
        "--sentence-level", action="store_true",
        help="score each segment, not the corpus; BLEU then leaves out orders for which a segment is too short, "
        "unless --no-effective-order is given",
    )  # fmt: skip
    bleu = parser.add_argument_group("BLEU only").add_argument
    bleu("--smooth-method", choices=tuple(smoothing.METHODS), help="what an order without a match counts; default: exp")
    bleu("--smooth-value", type=float, metavar="X", help="for floor (default 0.1) and add-k (default 1)")
    bleu(
        "--effective-order", action=argparse.BooleanOptionalAction,
        help="leave out orders of which the hypothesis has no n-gram; default: only with --sentence-level",
    )  # fmt: skip
    bleu("--ref-length", choices=("closest", "shortest"), help="which of several references' lengths; default: closest")
    output = parser.add_argument_group("output").add_mutually_exclusive_group().add_argument
    output(
        "--score-only", action="store_true",
        help="print nothing but scores: percent with two digits, between tabs first a system's metrics, then the next "
        "system's; with --sentence-level a line a segment",
    )  # fmt: skip
    output("--json", action="store_true", help="print a JSON array; with --sentence-level one JSON object a line")


def _add_text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tokenize", default="13a", metavar="NAME", help=_TOKENIZERS)
    parser.add_argument("--lowercase", action="store_true", help="lowercase the text first")
    parser.add_argument("--normalize", choices=tokenizers.FORMS, help="bring the text to a Unicode normal form first")


def _score(options: argparse.Namespace) -> int:
    names = options.metrics or ["bleu"]
    for_bleu = {name: getattr(options, name) for name in BLEU_ONLY if getattr(options, name) is not None}
    if for_bleu and "bleu" not in names:
        option = _as_option(next(iter(for_bleu)))
        _option_error(options, f"{option} is for bleu, and only {names[0]} is asked for")
    common = {name: getattr(options, name) for name in ("max_order", "tokenize", "lowercase", "normalize", "threads")}
    make: dict[str, Callable[[], BLEU | GLEU]] = {
        "bleu": lambda: BLEU(**for_bleu, **common),
        "gleu": lambda: GLEU(**common),
    }
    metrics = [_made(options, make[name]) for name in names]
    inputs = options.input or ["-"]
    if [*options.references, *inputs].count("-") > 1:
        raise UserError("standard input (-) can be read only once; it is the default for -i")
    references = [(name, read_lines(name, "references")) for name in options.references]
    notice = "a system's output (files of systems come after -i)"
    systems = [(name, read_lines(name, notice)) for name in inputs]
    check_lengths([*references, *systems])
    segments = [list(segment) for segment in zip(*(lines for _, lines in references), strict=True)]
    results: list[Result] = []
    for name, lines in systems:
        for metric in metrics:
            results.append((called(name), metric.name, _scores(metric, lines, segments, options.sentence_level)))
    if options.score_only:
        for row in zip(*(scores for _, _, scores in results), strict=True):
            print("\t".join(f"{score.percent:.2f}" for score in row))
    elif options.json:
        _print_json(results, options.sentence_level)
    else:
        _print_lines(results, options.sentence_level)
    return 0


def _scores(metric: BLEU | GLEU, lines: list[str], segments: list[list[str]], one_by_one: bool) -> Sequence[Score]:
    if not one_by_one:
        return [metric.corpus_score(lines, segments)]
    # What sentence_score does for one: here all are tokenized and counted together, by several threads if asked for.
    counts = metric.counts(lines, segments)
    return [metric._score_row(row, counts.n_references, of_sentence=True) for row in counts.values.tolist()]


def _tokenize(options: argparse.Namespace) -> int:
    tokenizer = _made(
        options, lambda: tokenizers.get_tokenizer(options.tokenize, options.lowercase, options.normalize)
    )
    for tokens in tokenizer.tokens_of(read_lines(options.input, "text")):
        print(json.dumps(list(tokens), ensure_ascii=False) if options.json else " ".join(map(str, tokens)))
    return 0


def _made(options: argparse.Namespace, make: Callable[[], Made]) -> Made:
    """What the options make, or an error in their terms."""
    try:
        return make()
    except ValueError as error:
        _option_error(options, _in_options(options, error))
    except (ImportError, OSError, RuntimeError) as error:  # a tokenizer's library, model or dictionary
        raise UserError(_in_options(options, error)) from None


def _in_options(options: argparse.Namespace, error: Exception) -> str:
    """An error of the library as one of the command line, which has options and no callables."""
    name, _, rest = str(error).partition(" ")
    message = f"{_as_option(name)} {rest}" if hasattr(options, name) else str(error)
    return message.removesuffix(", or pass a callable")


def _option_error(options: argparse.Namespace, message: str) -> NoReturn:
    parser: argparse.ArgumentParser = options.parser
    parser.error(message)


def _as_option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _print_lines(results: list[Result], numbered: bool) -> None:
    for name, _, scores in results:
        for i, score in enumerate(scores, 1):
            place = f"{name}:{i}" if numbered else name
            print(f"{place}\t{score}\t{score.signature}")


def _print_json(results: list[Result], numbered: bool) -> None:
    entries: list[dict[str, Any]] = [
        {
            "system": name,
            **({"segment": i} if numbered else {}),
            "metric": metric,
            **asdict(score),
            "percent": score.percent,
        }
        for name, metric, scores in results
        for i, score in enumerate(scores, 1)
    ]
    if not numbered:
        print(json.dumps(entries, indent=1, ensure_ascii=False))
        return
    for entry in entries:
        print(json.dumps(entry, ensure_ascii=False))
