"""Every text with every other: the matrix of matches, a block at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clipgram._backend import index
from clipgram.batch import TokenBatch, offsets_of

BLOCK = 1 << 15  # pairs: the columns of that many stay in the cache

# Scores of pairs: from the lengths of hypotheses [H] and references [R], and matches [columns, H, R], to scores [H, R].
ScorePairs = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def score_pairs(
    texts: TokenBatch,
    n_hypotheses: int,
    among: bool,
    orders: tuple[int, int],
    together: bool,
    threads: int,
    score: ScorePairs,
) -> np.ndarray:
    """Score hypotheses with references.

    Parameters
    ----------
    texts : TokenBatch
        The hypotheses, and behind them the references.
    n_hypotheses : int
    among : bool
        There are no references; the hypotheses are compared with each other, and each pair is counted once for both
        directions.
    orders : int, int
        The shortest and the longest n-gram.
    together : bool
        Whether the matches of all orders are one column, or one column an order.
    threads : int
    score : callable

    Returns
    -------
    float64 array [H, R]
    """
    low, high = orders
    numbers, n, _ = index.number_ngrams(texts.values, texts.offsets, high)
    offsets = texts.offsets
    if together:
        numbers = np.ascontiguousarray(numbers[:, low - 1 :]).reshape(-1, 1)
        offsets = offsets * (high - low + 1)
    first_reference = 0 if among else n_hypotheses
    n_references = len(texts) - first_reference
    starts, having = index.postings(numbers, offsets[first_reference:], n)
    lengths, reference_lengths = texts.lengths[:n_hypotheses], texts.lengths[first_reference:]
    scores = np.empty((n_hypotheses, n_references))

    def fill(start: int) -> None:
        stop = min(start + step, n_hypotheses)
        up_to = stop if among else n_references
        shared = index.count_shared(numbers, offsets[start : stop + 1], starts, having, up_to)
        scores[start:stop, :up_to] = score(lengths[start:stop], reference_lengths[:up_to], shared)
        if among and start:
            scores[:start, start:stop] = score(lengths[:start], lengths[start:stop], shared[:, :, :start].transpose(0, 2, 1))

    step = max(1, BLOCK // max(n_references, 1))
    blocks = range(0, n_hypotheses, step)
    if threads == 1 or len(blocks) < 2:
        for start in blocks:
            fill(start)
    else:
        from concurrent.futures import ThreadPoolExecutor  # as in counts.in_parts

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, blocks))
    return scores


def group_sizes(groups: object, n: int) -> np.ndarray:
    """How many texts each group has, from one number for all groups or one a group."""
    sizes = np.asarray(groups)
    if sizes.dtype.kind not in "iu" or sizes.ndim > 1 or (sizes < 0).any() or (sizes.ndim == 0 and sizes == 0):
        raise ValueError(f"groups is {groups!r}; wanted the size of all groups, or one size a group")
    if sizes.ndim == 0:
        if n % sizes:
            raise ValueError(f"groups is {groups}, and {n} hypotheses are no whole number of such groups")
        return np.full(n // int(sizes), int(sizes))
    if sizes.sum() != n:
        raise ValueError(f"groups add up to {sizes.sum()}, and there are {n} hypotheses")
    return sizes.astype(np.int64)


def some_of(texts: TokenBatch, parts: list[slice]) -> TokenBatch:
    """Runs of neighbours, one after the other."""
    offsets = texts.offsets
    values = np.concatenate([texts.values[offsets[part.start] : offsets[part.stop]] for part in parts])
    return TokenBatch._trusted(values, offsets_of(np.concatenate([texts.lengths[part] for part in parts])))


def matches_among(texts: TokenBatch, max_order: int) -> np.ndarray:
    """Clipped matches of each text with all others together, int64 array [B, max_order]."""
    numbers, n, _ = index.number_ngrams(texts.values, texts.offsets, max_order)
    # A number is in a text once, so that it is in another text too if it is there more than once.
    shared = np.bincount(numbers[numbers >= 0], minlength=n) > 1
    found = np.zeros((len(numbers) + 1, max_order), np.int64)
    np.cumsum((numbers >= 0) & np.append(shared, False)[numbers], axis=0, out=found[1:])
    return found[texts.offsets[1:]] - found[texts.offsets[:-1]]


def other_lengths(lengths: np.ndarray, closest: bool) -> np.ndarray:
    """For each text the length of one of the others: the closest, of two the shorter, or the shortest of all.

    An empty text is taken only where there is no other.
    """
    distinct, which, times = np.unique(lengths, return_inverse=True, return_counts=True)
    found = np.zeros(len(distinct), np.int64)
    for i, length in enumerate(distinct.tolist()):
        others = distinct[(distinct > 0) & ((distinct != length) | (times > 1))]
        if not closest:
            others = others[:1]
        if len(others):
            found[i] = others[np.argmin(2 * np.abs(others - length) + (others > length))]
    return found[which]
