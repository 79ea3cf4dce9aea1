"""The worked examples: small cases with known answers, run on demand by ``python -m clipgram selftest``.

Where the answer is another program's, its name and version stand beside it; the others are worked out by hand from
the papers' formulas.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from clipgram._backend import IMPLEMENTATION
from clipgram.bleu import BLEU
from clipgram.gleu import GLEU


class Example(NamedTuple):
    """One answer to check: what it is, what came out, what should, and to how many digits it is known."""

    what: str
    got: Any
    wanted: Any
    digits: int | None = None

    @property
    def agrees(self) -> bool:
        """Whether the answer is the known one, exactly or to its digits."""
        if self.digits is None:
            return bool(self.got == self.wanted)
        return bool(round(self.got, self.digits) == self.wanted)


def examples() -> Iterator[Example]:
    """Work out all examples."""
    yield from _cat_on_the_mat()
    yield from _forty_hours()
    yield from _clipping_and_lengths()
    yield from _gleu()
    yield from _papineni()


def _cat_on_the_mat() -> Iterator[Example]:
    metric = BLEU(smooth_method="none", tokenize="none")
    score = metric.sentence_score("the cat is on a mat today", "the cat is on the mat today")
    yield Example("BLEU, a cat on a mat: matches", score.matches, (6, 4, 2, 1))
    yield Example("BLEU, a cat on a mat: totals", score.totals, (7, 6, 5, 4))
    yield Example("BLEU, a cat on a mat: brevity penalty", score.brevity_penalty, 1.0)
    yield Example("BLEU, a cat on a mat: percent", score.percent, 48.892, 3)


def _forty_hours() -> Iterator[Example]:
    reference = "the model was trained on forty hours of read speech"
    strict = BLEU(smooth_method="none", tokenize="none")
    yield Example("BLEU, the reference itself", strict.sentence_score(reference, reference).score, 1.0)

    gaps = strict.sentence_score("the model trained on forty hours read speech", reference)
    yield Example("BLEU, words left out", gaps.score, 0.3638, 4)
    yield Example("BLEU, words left out: brevity penalty", gaps.brevity_penalty, 0.779, 3)
    yield Example("BLEU, words left out: four-grams", (gaps.matches[3], gaps.totals[3]), (1, 5))

    shuffled = "trained speech forty hours model the on read was of"
    score = strict.sentence_score(shuffled, reference)
    yield Example("BLEU, words shuffled", score.score, 0.0)
    yield Example("BLEU, words shuffled: unigram precision", score.precisions[0], 1.0)
    yield Example("BLEU, words shuffled: bigrams", (score.matches[1], score.totals[1]), (1, 9))
    for max_order, wanted in ((1, 1.0), (2, 0.3333), (3, 0.0), (5, 0.0)):
        metric = BLEU(max_order=max_order, smooth_method="none", tokenize="none")
        yield Example(
            f"BLEU, words shuffled: orders up to {max_order}", metric.sentence_score(shuffled, reference).score, wanted, 4
        )

    cut = strict.sentence_score("the model was trained on forty hours", reference)
    yield Example("BLEU, cut short", cut.score, 0.6514, 4)
    yield Example("BLEU, cut short: precisions", cut.precisions, (1.0, 1.0, 1.0, 1.0))


def _clipping_and_lengths() -> Iterator[Example]:
    metric = BLEU()
    score = metric.sentence_score("the the the the the", "The cat sat on the mat.")
    yield Example("BLEU, one word repeated: unigrams are clipped", (score.matches[0], score.totals[0]), (1, 5))

    score = metric.sentence_score(
        "The cat sat on mat", ["The cat sat on the mat", "The cat was sitting on the mat"]
    )
    yield Example("BLEU, two references: matches", score.matches, (5, 3, 2, 1))
    yield Example("BLEU, two references: totals", score.totals, (5, 4, 3, 2))
    yield Example("BLEU, two references: the closest length", score.reference_length, 6)
    yield Example("BLEU, two references: brevity penalty", score.brevity_penalty, math.exp(1 - 6 / 5))


def _gleu() -> Iterator[Example]:
    metric = GLEU(tokenize="none")
    long, short = "the cat sat on the mat today", "the cat sat"
    there, back = metric.sentence_score(short, long), metric.sentence_score(long, short)
    yield Example("GLEU: precision", there.precision, 1.0)
    yield Example("GLEU: recall", there.recall, 6 / 22)
    yield Example("GLEU: the smaller of the two, without a brevity penalty", there.score, 6 / 22)
    yield Example("GLEU: the same with the two exchanged", back.score, there.score)
    yield Example("GLEU: precision and recall exchanged", (back.precision, back.recall), (there.recall, there.precision))
    repeated, other = "a a a b a b", "a b a b b a"
    yield Example(
        "GLEU: shared n-grams counted from either side",
        metric.sentence_score(repeated, other).matches,
        metric.sentence_score(other, repeated).matches,
    )
    yield Example("GLEU: shared n-grams, counted by hand", metric.sentence_score(repeated, other).matches, 11)
    yield Example("GLEU, an exact match of two tokens", metric.sentence_score("thank you", "thank you").score, 1.0)
    for name in ("13a", "edge"):
        score = GLEU(tokenize=name).sentence_score("end.", "end .")
        yield Example(f"GLEU, tokenizer {name}: a full stop is a token", (score.score, score.hypothesis_ngrams), (1.0, 3))


def _papineni() -> Iterator[Example]:
    """The example of Papineni et al. 2002, section 2, as NLTK's documentation has it; values from nltk 3.10.4."""
    good = "It is a guide to action which ensures that the military always obeys the commands of the party".split()
    bad = "It is to insure the troops forever hearing the activity guidebook that party direct".split()
    references = [
        "It is a guide to action that ensures that the military will forever heed Party commands".split(),
        "It is the guiding principle which guarantees the military forces always being under the command of the Party".split(),
        "It is the practical guide for the army always to heed the directions of the party".split(),
    ]
    cat = "the cat the cat on the mat".split()
    cats = ["the cat is on the mat".split(), "there is a cat on the mat".split()]
    metric = GLEU()
    yield Example("GLEU, Papineni's candidate 1", metric.sentence_score(good, references).score, 0.4393939393939394)
    yield Example("GLEU, Papineni's candidate 2", metric.sentence_score(bad, references).score, 0.1206896551724138)
    yield Example("GLEU, the cat twice", metric.sentence_score(cat, cats).score, 0.45454545454545453)
    corpus = metric.corpus_score(
        [good, bad, ["the", "cat"], cat], [references, references, "the cat sat on the mat".split(), cats]
    )
    yield Example("GLEU, a corpus of four", corpus.score, 0.29878048780487804)
    for (low, high), wanted in {(1, 2): 0.5428571428571428, (2, 4): 0.375, (1, 6): 0.34408602150537637}.items():
        score = GLEU(min_order=low, max_order=high).sentence_score(good, references).score
        yield Example(f"GLEU, orders {low} to {high}", score, wanted)
    bleu = BLEU(smooth_method="none").sentence_score(good, references)
    yield Example("BLEU, Papineni's candidate 1: matches", bleu.matches, (17, 10, 7, 4))
    yield Example("BLEU, Papineni's candidate 1", bleu.score, 0.5045666840058485)


def main() -> int:
    """Print every example; return 1 if one differs."""
    all_of_them = list(examples())
    different = 0
    for example in all_of_them:
        print(f"{'ok       ' if example.agrees else 'DIFFERENT'}  {example.what}: {example.got}")
        if not example.agrees:
            print(f"           wanted {example.wanted}")
            different += 1
    verdict = f"{different} of {len(all_of_them)} different" if different else f"all {len(all_of_them)} agree"
    print(f"{verdict} ({IMPLEMENTATION})")
    return 1 if different else 0
