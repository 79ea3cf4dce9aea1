"""``clipgram sacrebleu``: sacreBLEU's command line for BLEU, with the same options and the same output.

``-m gleu`` is clipgram's own. What needs a download or another metric is refused.
"""

from __future__ import annotations

import argparse
import gzip
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from clipgram.compat.sacrebleu.gleu import GLEU
from clipgram.compat.sacrebleu.metrics import BLEU
from clipgram.compat.sacrebleu.report import Report
from clipgram.compat.sacrebleu.signature import VERSION
from clipgram.compat.sacrebleu.significance import PairedTest

LOGGER = logging.getLogger("sacrebleu")

FORMATS = ("json", "text", "latex")
METRICS: dict[str, Any] = {"bleu": BLEU, "gleu": GLEU}
ABSENT = ("chrf", "ter")

Named = tuple[str, Sequence[str]]  # a system's name and its lines


class Stop(Exception):
    """The command ends here, with this exit status."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser sacreBLEU's options, and ``run`` as what is to be run.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    """
    parser.set_defaults(run=run)
    parser.usage = "%(prog)s REF [REF ...] [-i SYS [SYS ...]] [option ...]"
    add = parser.add_argument
    add("refs", nargs="*", default=[], metavar="REF", help="reference files; several are several references of each line")
    add(
        "-i", "--input", nargs="*", metavar="SYS",
        help="files with the systems' outputs; without -i, standard input is read, with a tab between systems",
    )  # fmt: skip
    add("-nr", "--num-refs", type=int, default=1, metavar="N", help="REF is one file, with N references a line, a tab between")
    add("-e", "--encoding", default="utf-8", help="the encoding of all files; default: utf-8")
    add(
        "-m", "--metrics", nargs="+", choices=(*METRICS, *ABSENT), default=["bleu"], metavar="METRIC",
        help="bleu (the default), gleu (clipgram's own), or both; chrf and ter are refused, use sacrebleu for them",
    )  # fmt: skip
    add("-sl", "--sentence-level", action="store_true", help="score each line, not the corpus")
    add("-l", "--language-pair", dest="langpair", metavar="L1-L2", help="L2 chooses the tokenizer if -tok is not given")
    add(
        "-V", "--version", action="version", version=f"sacrebleu {VERSION}",
        help="print the version of sacreBLEU that this command equals",
    )  # fmt: skip

    bleu = parser.add_argument_group("BLEU").add_argument
    bleu(
        "-s", "--smooth-method", dest="bleu_smooth_method", choices=tuple(BLEU.SMOOTH_DEFAULTS), default="exp",
        help="what counts where no n-gram of an order matches; default: exp",
    )  # fmt: skip
    bleu(
        "-sv", "--smooth-value", dest="bleu_smooth_value", type=float, metavar="X",
        help="for floor (default: 0.1) and add-k (default: 1)",
    )  # fmt: skip
    bleu("-tok", "--tokenize", dest="bleu_tokenize", choices=tuple(BLEU.TOKENIZERS), help="default: 13a")
    bleu("-lc", "--lowercase", dest="bleu_lowercase", action="store_true", help="lowercase the text first")
    bleu("--force", dest="bleu_force", action="store_true", help="do not warn of text that looks tokenized")

    significance = parser.add_argument_group("significance")
    tests = significance.add_argument
    tests("-ci", "--confidence", action="store_true", help="confidence interval of one system, by bootstrap")
    tests("-cin", "--confidence-n", type=int, default=1000, metavar="N", help="resamples for -ci; default: 1000")
    paired = significance.add_mutually_exclusive_group().add_argument
    paired("-par", "--paired-ar", action="store_true", help="compare systems with the first by approximate randomization")
    paired("-pbs", "--paired-bs", action="store_true", help="compare systems with the first by paired bootstrap")
    tests("-parn", "--paired-ar-n", type=int, default=10_000, metavar="N", help="trials for -par; default: 10000")
    tests("-pbsn", "--paired-bs-n", type=int, default=1000, metavar="N", help="resamples for -pbs; default: 1000")
    tests("-j", "--paired-jobs", type=int, default=1, metavar="N", help="accepted without effect: one process is faster")

    report = parser.add_argument_group("output").add_argument
    report("-q", "--quiet", action="store_true", help="no messages but warnings")
    report("-sh", "--short", action="store_true", help="print short signatures")
    report("-b", "--score-only", action="store_true", help="print nothing but the score")
    report("-w", "--width", type=int, default=1, metavar="N", help="decimal digits of scores; default: 1")
    report("-d", "--detail", action="store_true", help="accepted; says nothing more without a test set")
    report("-nc", "--no-color", action="store_true", help="no colours on a terminal")
    report(
        "-f", "--format", choices=FORMATS, default="json",
        help="default: json; the environment variable SACREBLEU_FORMAT is stronger",
    )  # fmt: skip

    absent = parser.add_argument_group("refused, as they need sacreBLEU's test sets").add_argument
    absent("-t", "--test-set")
    absent("-ol", "--origlang")
    absent("--subset")
    absent("--download")
    absent("--echo", nargs="+")
    absent("--list", action="store_true")
    absent("--citation", "--cite", action="store_true")
    ignored = parser.add_argument_group("accepted, for metrics that are not here").add_argument
    for option in ("-cc/--chrf-char-order", "-cw/--chrf-word-order", "--chrf-beta"):
        ignored(*option.split("/"), type=int)
    for name in ("chrf-whitespace", "chrf-lowercase", "chrf-eps-smoothing"):
        ignored(f"--{name}", action="store_true")
    for name in ("case-sensitive", "asian-support", "no-punct", "normalized"):
        ignored(f"--ter-{name}", action="store_true")


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Parameters
    ----------
    options : argparse.Namespace
        What a parser with ``add_arguments`` has made.

    Returns
    -------
    int
        The exit status, 0 or what sacreBLEU's would be; 2 for what is not here.
    """
    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    format = wanted if wanted in FORMATS else options.format
    color = not (os.environ.get("NO_COLOR") or options.no_color) and sys.stdout.isatty()
    report = Report(color, options.width, format)
    with _messages(options.quiet):
        try:
            _refuse(options)
            _score(options, report)
        except Stop as stop:
            return stop.args[0]
        except (OSError, UnicodeError, LookupError, ValueError, RuntimeError) as error:
            LOGGER.error(f"{type(error).__name__}: {error}")
            return 1
        finally:
            report.write()
    return 0


@contextmanager
def _messages(quiet: bool) -> Iterator[None]:
    """Messages on standard error, as sacreBLEU has them there."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s" if quiet else "sacreBLEU: %(message)s"))
    level, propagate = LOGGER.level, LOGGER.propagate
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.WARNING if quiet else logging.INFO)
    LOGGER.propagate = False
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
        LOGGER.propagate = propagate


def _stop(status: int, *messages: str) -> NoReturn:
    for message in messages:
        LOGGER.error(message)
    raise Stop(status)


def _refuse(options: argparse.Namespace) -> None:
    """Refuse what is not here, and then what sacreBLEU refuses before it reads a file."""
    absent = {
        "-t": options.test_set,
        "--origlang": options.origlang,
        "--subset": options.subset,
        "--download": options.download,
        "--echo": options.echo,
        "--list": options.list,
        "--cite": options.citation,
    }
    for option, value in absent.items():
        if value:
            _stop(2, f"{option} needs sacreBLEU's test sets, which are not here; use sacrebleu for it, or give files.")
    for name in options.metrics:
        if name in ABSENT:
            _stop(2, f"clipgram has no {name}; use sacrebleu for it. There are {' and '.join(METRICS)}.")
    if options.sentence_level and len(options.metrics) > 1:
        _stop(1, "Only one metric can be used in sentence-level mode.")
    if options.num_refs != 1 and len(options.refs) > 1:
        _stop(1, "--num-refs is for references between the tabs of one file; there are several files.")
    if not options.refs:
        _stop(1, "There are no references; they stand before -i/--input.")
    if options.langpair and "-" not in options.langpair:
        _stop(1, f"The language pair is {options.langpair!r}; wanted two languages with - between them.")


def _score(options: argparse.Namespace, report: Report) -> None:
    paired = options.paired_bs or options.paired_ar
    references = _read_references(options)
    named = _read_systems(options, paired)
    if options.sentence_level and len(named) > 1:
        _stop(1, "Only one system can be evaluated in sentence-level mode.")
    if options.sentence_level and (options.confidence or paired):
        _stop(1, "Statistical tests are unavailable in sentence-level mode.")
    if paired and len(named) == 1:
        _stop(1, "Paired tests require multiple input systems given to --input (-i).")
    if len(named) > 1 and options.confidence:
        _stop(1, "Use paired tests (--paired) for multiple systems.")
    for _, lines in named:
        if not lines:
            _stop(1, "A system has no line.")
        if any(len(stream) != len(lines) for stream in references):
            _stop(1, "System and reference streams have different lengths.")
    metrics = _metrics(options, references)
    if options.sentence_level:
        _score_sentences(options, report, next(iter(metrics.values())), named[0][1], references)
        return
    if options.detail and report.format == "json":
        report.format = "text"
    if len(named) == 1:
        _score_one(options, report, metrics, named[0][1])
    elif paired:
        _compare(options, report, metrics, named)
    else:
        _score_several(options, report, metrics, named)


def _score_sentences(
    options: argparse.Namespace, report: Report, metric: Any, lines: Sequence[str], references: list[list[str]]
) -> None:
    for hypothesis, *segment in zip(lines, *references, strict=True):
        score = metric.sentence_score(hypothesis, segment)
        signature = metric.get_signature().format(options.short)
        report.print(score.format(options.width, options.score_only, signature))


def _score_one(options: argparse.Namespace, report: Report, metrics: dict[str, Any], lines: Sequence[str]) -> None:
    as_json = report.format == "json"
    texts = []
    for name in sorted(metrics):
        score = metrics[name].corpus_score(lines, None, n_bootstrap=options.confidence_n if options.confidence else 1)
        signature = metrics[name].get_signature().format(options.short and not as_json)
        texts.append(score.format(options.width, options.score_only, signature, as_json))
    report.one_system(texts)
    if options.detail:
        report.print("No subset information found. Consider using --origlang argument.")


def _score_several(
    options: argparse.Namespace, report: Report, metrics: dict[str, Any], named: list[Named]
) -> None:
    LOGGER.info(f"Found {len(named)} systems.")
    scores: dict[str, list[str]] = {"System": [name for name, _ in named]}
    signatures = {}
    for _, lines in named:
        for name in sorted(metrics):
            score = metrics[name].corpus_score(lines, None)
            signatures[name] = metrics[name].get_signature().format(options.short)
            scores.setdefault(name, []).append(score.format(options.width, True))
    report.several_systems(scores, signatures, None)


def _compare(
    options: argparse.Namespace, report: Report, metrics: dict[str, Any], named: list[Named]
) -> None:
    LOGGER.info(f"Found {len(named)} systems.")
    test_type, number = ("bs", options.paired_bs_n) if options.paired_bs else ("ar", options.paired_ar_n)
    test = PairedTest(named, metrics, None, test_type=test_type, n_samples=number, n_jobs=options.paired_jobs)
    signatures, scores = test()
    short = {name: signature.format(options.short) for name, signature in signatures.items()}
    report.several_systems(scores, short, (test_type, number))


def _metrics(options: argparse.Namespace, references: list[list[str]]) -> dict[str, Any]:
    common = {"lowercase": options.bleu_lowercase, "tokenize": options.bleu_tokenize, "references": references}
    made: dict[str, Any] = {}
    for name in options.metrics:
        if name == "gleu":
            made["GLEU"] = GLEU(**common)
            continue
        made["BLEU"] = BLEU(
            force=options.bleu_force,
            smooth_method=options.bleu_smooth_method,
            smooth_value=options.bleu_smooth_value,
            effective_order=options.sentence_level,
            trg_lang=options.langpair.split("-")[1] if options.langpair else "",
            **common,
        )
    return made


def _read_references(options: argparse.Namespace) -> list[list[str]]:
    number = options.num_refs
    if number == 1:
        return [_lines_of_file(name, options.encoding) for name in options.refs]
    streams: list[list[str]] = [[] for _ in range(max(1, number))]
    for i, line in enumerate(_lines_of_file(options.refs[0], options.encoding), 1):
        fields = line.split("\t", number - 1)
        if len(fields) != number:
            _stop(17, f"FATAL: line {i}: expected {number} fields, but found {len(fields)}.")
        for stream, field in zip(streams, fields, strict=True):
            stream.append(field)
    return streams


def _read_systems(options: argparse.Namespace, paired: bool) -> list[Named]:
    """Names and lines."""
    if options.input is None:
        streams = _systems_of_standard_input(options.encoding)
        names = [f"System {i}" for i in range(1, len(streams) + 1)]
        if paired:
            names = ["Baseline", *names[:-1]]
        return list(zip(names, streams, strict=True))
    named: list[Named] = []
    for name in options.input:
        if name in [other for other, _ in named]:
            if not paired or name != named[0][0]:
                _stop(
                    1,
                    f"{name!r} already used to name a system.",
                    "Make sure to have a different basename for each system.",
                )
            LOGGER.info(f"Ignoring {name!r} as it was also given as the baseline.")
            continue
        named.append((name, _lines_of_file(name, options.encoding)))
    if paired and named:
        named[0] = f"Baseline: {named[0][0]}", named[0][1]
    return named


def _lines_of_file(name: str, encoding: str) -> list[str]:
    """The lines of a file, without whitespace at their ends. Only LF ends a line."""
    with gzip.open(name) if name.endswith(".gz") else open(name, "rb") as file:
        return [line.rstrip() for line in _lines(file.read().decode(encoding))]


def _systems_of_standard_input(encoding: str) -> list[list[str]]:
    """One system a tab. Here every newline that Python knows ends a line."""
    text = sys.stdin.buffer.read().decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    first, *others = _lines(text) or [""]
    streams = [[field] for field in first.rstrip().split("\t")]
    for line in others:
        fields = line.rstrip().split("\t")
        if len(fields) != len(streams):
            _stop(17, "FATAL: the number of tab-delimited fields in the input stream differ across lines.")
        for stream, field in zip(streams, fields, strict=True):
            stream.append(field.rstrip())
    return streams


def _lines(text: str) -> Sequence[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
