"""The demo: a small sample that comes with clipgram, scored by ``python -m clipgram demo``."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from clipgram.bleu import BLEU
from clipgram.gleu import GLEU


def main() -> int:
    """Print the scores of two systems, corpus and segments; return 0."""
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
