"""Inputs that are too long are refused, and long ones are counted right, past the range of an int32.

Arrays of zeros take no memory until they are written, only addresses, so some of this needs none. What does need some
runs where CLIPGRAM_LARGE is 1. Not tested, since it takes more than six gigabytes: a single text of 2 GiB and more (the
str, its UTF-8 twice, and its tokens), a single segment of 2**31 IDs against which something else than a refusal could
be held, and tokens of 4 GiB.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from test_text_core import implementations

from clipgram import BLEU, NgramCounts
from clipgram.batch import offsets_of

large = pytest.mark.skipif(os.environ.get("CLIPGRAM_LARGE") != "1", reason="takes gigabytes of addresses: CLIPGRAM_LARGE=1 runs it")


def compiled(module: str) -> Any:
    found = [core for core in implementations(module) if core.__name__ == f"clipgram.{module}"]
    return found[0] if found else pytest.skip("this installation has no compiled core")


def one_pair(n_hypothesis: int, n_reference: int) -> tuple[np.ndarray, ...]:
    hypothesis, reference = np.zeros(n_hypothesis, np.int32), np.zeros(n_reference, np.int32)
    return hypothesis, offsets_of([n_hypothesis]), reference, offsets_of([n_reference]), np.array([0, 1]), np.array([0])


@pytest.mark.parametrize("function", ["count_matches", "match_flags"])
def test_a_reference_whose_names_do_not_fit(function: str) -> None:
    with pytest.raises(OverflowError, match="a segment is too long: its length times max_order must stay below 2147483648"):
        getattr(compiled("_ngrams"), function)(*one_pair(1, 2**27), 16)


@large
def test_a_hypothesis_that_does_not_fit() -> None:
    for n_reference in (3, 100, 300, 70_000):
        with pytest.raises(OverflowError, match="a segment is too long"):
            compiled("_ngrams").count_matches(*one_pair(2**31, n_reference), 4)


def test_n_grams_that_do_not_fit() -> None:
    index = compiled("_index")
    with pytest.raises(OverflowError, match="too many n-grams to compare at once: tokens times max_order must stay below 2147483648"):
        index.number_ngrams(np.zeros(2**27, np.int32), np.array([0, 2**27]), 16)


@large
def test_offsets_past_an_int32() -> None:
    """2**31 tokens before the last segment: its place, as a number of tokens and of bytes, needs an int64."""
    length, n = 2**20, 2**11
    hypotheses = np.zeros(length * n + 4, np.int32)
    hypotheses[-4:] = [1, 2, 3, 4]
    offsets = offsets_of([length] * n + [4])
    references = np.array([0, 0, 1, 2, 3, 9], np.int32)
    counts = compiled("_ngrams").count_matches(
        hypotheses, offsets, references, np.array([0, 2, 6]), np.array([0, 1, 2]), np.array([0] * n + [1]), 4
    )
    assert (counts[:n] == [2, 1, 0, 0]).all() and counts[n].tolist() == [3, 2, 1, 0]


def test_counts_past_an_int32() -> None:
    """One column of sums: 2**31 matches and more."""
    row = BLEU().counts(["a b c d"], ["a b c d"])
    many = NgramCounts(np.repeat(row.values, 2**10, axis=0) * 2**21)
    assert BLEU().score_counts(many).matches == (2**33, 3 * 2**31, 2**32, 2**31)
    assert BLEU().score_counts(many).score == 1.0
