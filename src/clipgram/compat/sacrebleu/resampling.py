"""Scores of resampled corpora, with sacreBLEU's random numbers and to its last digit.

sacreBLEU adds the rows of a resampled corpus one after the other in float32. Sums of integers below 2 ** 24 are exact
there in any order, so they are made by counting how often each row was drawn and one matrix product. A corpus with a
larger sum is added up as sacreBLEU does it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

EXACT = 2**24  # from here on a float32 skips integers
# Multiplications in one matrix product. So few stay in the cache, and BLAS starts no threads for them.
AT_ONCE = 250_000


def seed_from_environment() -> tuple[str, int | None]:
    """What SACREBLEU_SEED says, as sacreBLEU writes it, and as NumPy takes it; 12345 by default."""
    seed = os.environ.get("SACREBLEU_SEED", "12345")
    return seed.lower(), None if seed.lower() == "none" else int(seed)


def resampled_scores(metric: Any, rows: Any, n_samples: int) -> tuple[str, list[float]]:
    """Scores of corpora drawn from the rows of one, and the seed.

    Parameters
    ----------
    metric : Metric
        This package's or sacreBLEU's.
    rows : list of lists, or array [n, columns]
        Statistics of each segment.
    n_samples : int

    Returns
    -------
    seed : str
    scores : list of float
    """
    name, seed = seed_from_environment()
    (sums,) = drawn_sums(np.random.default_rng(seed), len(rows), n_samples, [np.asarray(rows)])
    return name, scores_of(metric, sums)


def drawn_sums(
    rng: np.random.Generator, n: int, n_samples: int, tables: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Sums over rows drawn with replacement, as float32 arrays [n_samples, columns].

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
        Draw from so many rows, as many times.
    n_samples : int
        How often.
    tables : sequence of arrays [rows, columns]
        The same rows are drawn from each.

    Raises
    ------
    IndexError
        If a row was drawn that a table has not got.
    """
    floats = [table.astype(np.float32) for table in tables]
    sums = [np.empty((n_samples, table.shape[1]), np.float32) for table in floats]
    size = _samples_at_once(n, max(table.shape[1] for table in tables))
    for start in range(0, n_samples, size):
        # The same numbers as of one rng.choice(n, (n_samples, n)).
        drawn = rng.integers(0, n, size=(min(size, n_samples - start), n))
        counts = np.empty((len(drawn), n), np.float32)
        for i, row in enumerate(drawn):
            counts[i] = np.bincount(row, minlength=n)
        for table, made, out in zip(tables, floats, sums, strict=True):
            part = out[start : start + len(drawn)]
            if len(table) < n and counts[:, len(table) :].any():
                raise IndexError(f"segment {drawn.max()} was drawn, and a system has {len(table)}")
            if table.dtype.kind in "iu" and not (table < 0).any():
                np.matmul(counts[:, : len(table)], made[:n], out=part)
                inexact: Any = np.flatnonzero((part >= EXACT).any(axis=1))
            else:
                inexact = range(len(part))
            for i in inexact:
                part[i] = made[drawn[i]].sum(0)
    return sums


def swapped_sums(chosen: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of two systems after segments have changed sides.

    Parameters
    ----------
    chosen : bool array [n_samples, n]
        Whether a segment stays on its side.
    first, second : arrays [n, columns]
        Statistics of each segment.

    Returns
    -------
    first, second : arrays [n_samples, columns]
    """
    n = chosen.shape[1]
    if first.dtype.kind not in "iu" or second.dtype.kind not in "iu" or len(first) != n or len(second) != n:
        # Floats in sacreBLEU's own order; and what it raises where the systems do not have n segments.
        return chosen @ first + ~chosen @ second, ~chosen @ first + chosen @ second
    # Whole numbers below 2 ** 53 are exact in any order.
    difference = (first - second).astype(np.float64)
    whole = second.sum(axis=0)
    size = _samples_at_once(n, first.shape[1])
    swapped = np.empty((len(chosen), first.shape[1]), np.int64)
    for start in range(0, len(chosen), size):
        swapped[start : start + size] = chosen[start : start + size].astype(np.float64) @ difference
    swapped += whole
    return swapped, first.sum(axis=0) + whole - swapped


def _samples_at_once(n: int, columns: int) -> int:
    return max(1, AT_ONCE // max(n * columns, 1))


def scores_of(metric: Any, sums: np.ndarray, score: str = "_compute_score_from_stats") -> list[float]:
    """The score of each row of sums, by the method that sacreBLEU calls for it."""
    at_once = getattr(metric, "_scores_of_sums", None)
    if at_once is not None:
        found = at_once(sums)
        if found is not None:
            return found
    if score == "_aggregate_and_compute":
        sums = sums[:, None]
    return [getattr(metric, score)(row).score for row in sums]
