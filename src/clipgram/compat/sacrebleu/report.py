"""What sacreBLEU's command line prints, to the byte."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from clipgram.compat.sacrebleu.significance import Result
from clipgram.compat.sacrebleu.table import grid, latex

RESET = "\x1b[0m"
COLORS = {"red": "\x1b[31m", "green": "\x1b[32m", "yellow": "\x1b[33m", "cyan": "\x1b[36m"}
_INTERVAL = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")


class Report:
    """Text for standard output, in colour if that is a terminal and nobody has forbidden it.

    Parameters
    ----------
    color : bool
    width : int
        Decimal digits of scores.
    format : {"json", "text", "latex"}
    """

    def __init__(self, color: bool, width: int, format: str) -> None:
        self.color = color
        self.width = width
        self.format = format
        self._lines: list[str] = []

    def paint(self, text: str, color: str) -> str:
        """The text in a colour, if there are colours."""
        return f"{COLORS[color]}{text}{RESET}" if self.color else text

    def print(self, *lines: str) -> None:
        """Add lines."""
        self._lines.extend(lines)

    def write(self) -> None:
        """Put everything on standard output, as UTF-8 whatever the locale says."""
        text = "".join(line + "\n" for line in self._lines) + RESET * self.color
        self._lines.clear()
        bytes_out = getattr(sys.stdout, "buffer", None)
        if bytes_out is None:
            sys.stdout.write(text)
            return
        sys.stdout.flush()
        bytes_out.write(text.replace("\n", os.linesep).encode("utf-8"))
        bytes_out.flush()

    def one_system(self, scores: Sequence[str]) -> None:
        """The formatted scores of one system, one of each metric."""
        if self.format == "json":
            self.print(scores[0] if len(scores) == 1 else "[\n" + ",\n".join(scores) + "\n]")
            return
        if "μ" in scores[0]:
            scores = [_INTERVAL.sub(lambda found: self.paint(found.group(), "cyan"), score) for score in scores]
        if len(scores) == 1 or any("=" not in score for score in scores):
            self.print(*scores)
            return
        ends = [score.index("=") - 1 for score in scores]
        self.print(*(" " * (max(ends) - end) + score for score, end in zip(scores, ends, strict=True)))

    def several_systems(
        self, scores: Mapping[str, Sequence[Any]], signatures: Mapping[str, str], test: tuple[str, int] | None
    ) -> None:
        """Scores and signatures by metric; ``"System"`` names the systems.

        Parameters
        ----------
        scores : dict of lists of str, or of Result
        signatures : dict of str
        test : (str, int), optional
            ``"bs"`` or ``"ar"``, and how many resamples or trials, if the results are those of a paired test.
        """
        if self.format == "json":
            names, *metrics = scores
            entries = [
                {"system": system, **{name: _for_json(scores[name][i]) for name in metrics}}
                for i, system in enumerate(scores[names])
            ]
            self.print(json.dumps(entries, indent=4))
            return
        baseline = scores["System"][0]
        painted = baseline.startswith("Baseline:")
        head, columns = [], []
        between = "\n" if self.format == "text" else " "
        estimated = False
        for name, results in scores.items():
            column = [self._cell(result, between) for result in results]
            estimated |= any(isinstance(result, Result) and result.mean is not None for result in results)
            if painted:
                column[0] = self.paint(column[0], "yellow")
            head.append(self.paint(f"{name} (μ ± 95% CI)" if estimated else name, "cyan"))
            columns.append(column)
        self.print((grid if self.format == "text" else latex)(head, columns, self.width), "")
        if test is not None:
            self._explain(*test, baseline if painted else "")
        self.print("-----------------", "Metric signatures", "-----------------")
        self.print(*(f" - {name:<10} {signature}" for name, signature in signatures.items()))

    def _cell(self, result: Any, between: str) -> str:
        if isinstance(result, str):
            return result
        text = f"{result.score:.{self.width}f}"
        if result.mean is not None:
            text += f" ({result.mean:.{self.width}f} ± {result.ci:.{self.width}f})"
        if result.p_value is not None:
            p_value = f"(p = {result.p_value:.4f})"
            text += between + (self.paint(p_value, "red") if result.p_value > 0.05 else p_value + "*")
        return text

    def _explain(self, test_type: str, number: int, baseline: str) -> None:
        """SacreBLEU's words on what a paired test says."""
        bootstrap = test_type == "bs"
        kind = "bootstrap resampling" if bootstrap else "approximate randomization"
        trials = "resampling trials" if bootstrap else "trials"
        title = f"Paired {kind} test with {number} {trials}"
        named, other = self.paint(baseline, "yellow"), self.paint("baseline", "yellow")
        null = self.paint("Null hypothesis", "green")
        what = "score / bootstrap estimated true mean / 95% CI are" if bootstrap else "score is"
        self.print(
            "-" * len(title),
            title,
            "-" * len(title),
            f" - Each system is pairwise compared to {named}.",
            f"   Actual system {what} provided for each metric.",
            "",
            f" - {null}: the system and the {other} translations are essentially",
            f"   generated by the same underlying process. For a given system and the {other},",
            "   the p-value is roughly the probability of the absolute score difference (delta)",
            f"   or higher occurring due to chance, under the assumption that the {null.lower()} is correct.",
            "",
            f" - Assuming a significance threshold of 0.05, the {null.lower()} can be rejected",
            '   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed',
            f'   to chance, hence the system is significantly "different" than the {other}.',
            f"   Otherwise, the p-values are {self.paint('highlighted in red', 'red')}.",
            "",
            f' - NOTE: Significance does not tell whether a system is "better" than the {other} but rather',
            '   emphasizes the "difference" of the systems in terms of the replicability of the delta.',
            "",
        )


def _for_json(result: Any) -> Any:
    return result if isinstance(result, str) else vars(result)
