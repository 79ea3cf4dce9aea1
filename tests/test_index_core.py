"""The index of n-grams over many texts: compiled, its twin, and the definition."""

from __future__ import annotations

from typing import Any

import definition
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_text_core import implementations

from clipgram.batch import offsets_of

TEXTS = st.lists(st.lists(st.sampled_from([0, 1, 2, -1, -(2**63), 2**63 - 1, 5, 5 + 2**32]), max_size=9), max_size=5)


@given(TEXTS, TEXTS, st.integers(1, 5) | st.just(16), st.booleans())
def test_everybody_agrees(some: list[list[int]], others: list[list[int]], max_order: int, together: bool) -> None:
    tokens = np.array([token for text in (*some, *others) for token in text], np.int64)
    offsets = offsets_of([len(text) for text in (*some, *others)])
    wanted = [[[definition.matches(s, [o], n + 1) for o in others] for s in some] for n in range(max_order)]
    results: list[list[Any]] = []
    for index in implementations("_index"):
        numbers, n, repeats = index.number_ngrams(tokens, offsets, max_order)
        assert numbers.dtype == np.int32 and numbers.shape == (len(tokens), max_order)
        assert n == numbers.max(initial=-1) + 1 and repeats.dtype == np.int64
        distinct = [[len({*zip(*(text[i:] for i in range(n + 1)), strict=False)}) for n in range(max_order)] for text in (*some, *others)]
        totals = [[max(len(text) - n, 0) for n in range(max_order)] for text in (*some, *others)]
        assert (np.array(totals, int).reshape(-1, max_order) - repeats).tolist() == distinct
        starts, texts = index.postings(numbers, offsets[len(some) :], n)
        assert starts.dtype == np.int64 and texts.dtype == np.int32 and starts[-1] == len(texts)
        shared = index.count_shared(numbers, offsets[: len(some) + 1], starts, texts, len(others))
        assert shared.dtype == np.int32 and shared.tolist() == wanted
        fewer = index.count_shared(numbers, offsets[: len(some) + 1], starts, texts, len(others) // 2)
        np.testing.assert_array_equal(fewer, shared[:, :, : len(others) // 2])
        flat = numbers.reshape(-1, 1)
        starts, texts = index.postings(flat, max_order * offsets[len(some) :], n)
        of_all = index.count_shared(flat, max_order * offsets[: len(some) + 1], starts, texts, len(others))
        assert of_all[0].tolist() == np.sum(wanted, axis=0, dtype=int).tolist() or not some
        results.append([numbers, n, repeats, starts, texts, shared])
    for one, other in zip(*results, strict=True) if len(results) == 2 else ():
        np.testing.assert_array_equal(one, other, strict=isinstance(one, np.ndarray))


def test_narrow_and_wide_tokens_are_numbered_alike() -> None:
    rng = np.random.default_rng(1)
    tokens, offsets = rng.integers(-50, 50, 20_000), np.arange(0, 20_001, 50)
    made = [index.number_ngrams(tokens.astype(dtype), offsets, 4) for index in implementations("_index") for dtype in (np.int32, np.int64)]
    for numbers, n, repeats in made[1:]:
        np.testing.assert_array_equal(numbers, made[0][0])
        np.testing.assert_array_equal(repeats, made[0][2])
        assert n == made[0][1]
