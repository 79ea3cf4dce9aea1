"""Clipped n-gram matches of token-ID sequences in pure Python: the twin of the compiled ``clipgram._ngrams``.

Same functions, same results, another algorithm: Counters of tuples, so that the two can check each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np


def count_matches(
    hypotheses: np.ndarray,
    hypothesis_offsets: np.ndarray,
    references: np.ndarray,
    reference_offsets: np.ndarray,
    group_offsets: np.ndarray,
    groups: np.ndarray,
    max_order: int,
    per_reference: bool = False,
    regime: int = 0,
    n_ids: int = 0,
) -> np.ndarray:
    """Count the clipped matches of each hypothesis.

    Parameters
    ----------
    hypotheses : int32 or int64 array [tokens]
        The hypotheses' tokens, one hypothesis after the other.
    hypothesis_offsets : int64 array [B + 1]
        Hypothesis ``i`` is ``hypotheses[hypothesis_offsets[i]:hypothesis_offsets[i + 1]]``.
    references : array [tokens]
        The references' tokens, of the same dtype.
    reference_offsets : int64 array [R + 1]
        Where each reference begins and ends.
    group_offsets : int64 array [G + 1]
        Group ``g`` is the references ``group_offsets[g]`` to ``group_offsets[g + 1] - 1``; it may be empty.
    groups : int64 array [B]
        The group that each hypothesis is compared with. Neighbours with the same group share the work on it.
    max_order : int
        The longest n-gram, 1 to 16.
    per_reference : bool
        Compare with each reference of the group alone, instead of with all of them together.
    regime : int
        0 chooses by the reference's length; 1 to 3 prefer one way to count, for tests and the benchmark.
    n_ids : int
        If it is not 0, all IDs are from 0 to ``n_ids - 1``, and 0 is in no reference, which makes short ones faster.

    Returns
    -------
    int64 array [rows, max_order]
        One row a hypothesis, or one a hypothesis and reference of its group, hypothesis by hypothesis.
    """
    rows = [
        [
            sum(min(count, limit.get(gram, 0)) for gram, count in Counter(_ngrams(tokens, order)).items())
            for order, limit in enumerate(limits, 1)
        ]
        for tokens, limits in _comparisons(
            hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups, max_order, per_reference
        )
    ]
    return np.array(rows, np.int64).reshape(-1, max_order)


def match_flags(
    hypotheses: np.ndarray,
    hypothesis_offsets: np.ndarray,
    references: np.ndarray,
    reference_offsets: np.ndarray,
    group_offsets: np.ndarray,
    groups: np.ndarray,
    max_order: int,
    per_reference: bool = False,
    regime: int = 0,
    n_ids: int = 0,
) -> np.ndarray:
    """Flag the clipped matches of each hypothesis token by token.

    The parameters are those of ``count_matches``.

    Returns
    -------
    uint16 array [flags]
        One flag a hypothesis token, or one a hypothesis token and reference of its group: for each hypothesis, all
        its tokens for the first reference, then all for the second. Bit n-1: the n-gram that ends here is a match.
    """
    flags: list[int] = []
    for tokens, limits in _comparisons(
        hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups, max_order, per_reference
    ):
        start = len(flags)
        flags.extend([0] * len(tokens))
        for order, limit in enumerate(limits, 1):
            seen: Counter[tuple[int, ...]] = Counter()
            for end, gram in enumerate(_ngrams(tokens, order), start + order - 1):
                seen[gram] += 1
                if seen[gram] <= limit.get(gram, 0):
                    flags[end] |= 1 << (order - 1)
    return np.array(flags, np.uint16)


def match_prefixes(
    hypotheses: np.ndarray,
    hypothesis_offsets: np.ndarray,
    references: np.ndarray,
    reference_offsets: np.ndarray,
    group_offsets: np.ndarray,
    groups: np.ndarray,
    max_order: int,
    per_reference: bool = False,
    regime: int = 0,
    n_ids: int = 0,
) -> np.ndarray:
    """Count the clipped matches of each prefix of each hypothesis.

    The parameters are those of ``count_matches``.

    Returns
    -------
    int32 array [max_order, prefixes]
        In the order of the flags of ``match_flags``: the matches of the prefix that ends at that token.
    """
    flags = match_flags(
        hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups, max_order, per_reference
    )
    lengths = np.diff(hypothesis_offsets)
    if per_reference:
        lengths = np.repeat(lengths, np.diff(group_offsets)[groups])
    bits = flags >> np.arange(max_order, dtype=np.uint16)[:, None] & 1
    rows = np.split(bits, np.cumsum(lengths)[:-1], axis=1) if len(lengths) else [bits]
    return np.concatenate([np.cumsum(row, axis=1, dtype=np.int32) for row in rows], axis=1)


def _ngrams(tokens: list[int], order: int) -> Iterator[tuple[int, ...]]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def _comparisons(
    hypotheses: np.ndarray,
    hypothesis_offsets: np.ndarray,
    references: np.ndarray,
    reference_offsets: np.ndarray,
    group_offsets: np.ndarray,
    groups: np.ndarray,
    max_order: int,
    per_reference: bool,
) -> Iterator[tuple[list[int], list[Counter[tuple[int, ...]]]]]:
    """Each hypothesis with how often an n-gram of each order may match, once or once a reference."""
    hyp_offsets, ref_offsets = hypothesis_offsets.tolist(), reference_offsets.tolist()
    group_starts = group_offsets.tolist()
    last, limits = None, []
    for i, group in enumerate(groups.tolist()):
        if group != last:
            limits = [
                [Counter(_ngrams(references[ref_offsets[r] : ref_offsets[r + 1]].tolist(), n + 1)) for n in range(max_order)]
                for r in range(group_starts[group], group_starts[group + 1])
            ]
            if not per_reference:
                merged: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(max_order)]
                for one in limits:
                    for order, counts in enumerate(one):
                        merged[order] |= counts
                limits = [merged]
            last = group
        tokens = hypotheses[hyp_offsets[i] : hyp_offsets[i + 1]].tolist()
        for limit in limits:
            yield tokens, limit
