"""What the tests share: both implementations of the core, and the WMT22 texts where they are at hand."""

from __future__ import annotations

import csv
import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

# No deadline: the first call of a test may import or compile something, and the machine may be busy.
hypothesis.settings.register_profile("clipgram", deadline=None, print_blob=True)
hypothesis.settings.load_profile("clipgram")


@pytest.fixture(params=["ext", "python"])
def core(request: pytest.FixtureRequest) -> ModuleType:
    """The functions of ``_ngrams``, compiled and in Python."""
    if request.param == "python":
        return importlib.import_module("clipgram._ngrams_py")
    if find_spec("clipgram._ngrams") is None:
        pytest.skip("this installation has no compiled core")
    return importlib.import_module("clipgram._ngrams")


@pytest.fixture(params=["ext", "python"])
def nltk_core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drop-in for NLTK on either implementation of the core, whichever the package runs on."""
    if request.param == "ext" and find_spec("clipgram._objects") is None:
        pytest.skip("this installation has no compiled core")
    from clipgram import segments
    from clipgram.compat.nltk.translate import _corpus, _precision, _segment, bleu_score, gleu_score

    suffix = "" if request.param == "ext" else "_py"
    objects = importlib.import_module(f"clipgram._objects{suffix}")
    for room in (bleu_score, gleu_score, _segment):
        monkeypatch.setattr(room, "count_objects", objects.count_objects)
    monkeypatch.setattr(segments, "objects", objects)
    monkeypatch.setattr(_corpus, "FEW", 24)
    monkeypatch.setattr(_precision, "COMPILED", True)
    monkeypatch.setattr(segments, "ngrams", importlib.import_module(f"clipgram._ngrams{suffix}"))


@dataclass(frozen=True)
class Wmt22:
    """The general test set of WMT22: lines of text, and recorded scores."""

    folder: Path

    @cache  # noqa: B019 (there is one such object, and it lives as long as the tests run)
    def lines(self, name: str) -> list[str]:
        text = (self.folder / f"generaltest2022.{name}").read_text("utf-8", errors="strict")
        return text.removesuffix("\n").split("\n")

    def rows(self) -> Iterator[dict[str, str]]:
        with open(self.folder / "scores.tsv", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)

    def pair(self, row: dict[str, str]) -> tuple[list[str], list[list[str]]]:
        """Hypotheses and references of a row of the scores."""
        language = row["langpair"].split("-")[1]
        hypotheses = self.lines(f"{row['langpair']}.hyp.{row['system']}.{language}")
        every = sorted(path.name for path in self.folder.glob(f"generaltest2022.{row['langpair']}.ref.*"))
        names = every if row["ref"] == "all" else [f"generaltest2022.{row['langpair']}.ref.{row['ref']}.{language}"]
        references = [self.lines(name.removeprefix("generaltest2022.")) for name in names]
        return hypotheses, [list(segment) for segment in zip(*references, strict=True)]

    def all_lines(self) -> list[str]:
        names = sorted(path.name.removeprefix("generaltest2022.") for path in self.folder.glob("generaltest2022.*"))
        return [line for name in names for line in self.lines(name)]


@pytest.fixture(scope="session")
def wmt22() -> Wmt22:
    folder = os.environ.get("CLIPGRAM_WMT22")
    if not folder:
        pytest.skip("CLIPGRAM_WMT22 does not name the folder with the WMT22 texts")
    return Wmt22(Path(folder))
