"""Tokens that are Python objects of any kind, to token IDs, in pure Python: the twin of the compiled ``clipgram._objects``.

Same functions, same results, another algorithm: Counters and dicts, whose keys are equal where tokens are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Grams = list[Counter[tuple[Any, ...]]]  # how often each n-gram occurs, order by order


def count_objects(
    hypothesis: Sequence[Any], references: Sequence[Sequence[Any]], max_order: int, per_reference: bool
) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
    """Count the matches of one sequence of tokens of any kind, which are equal where the keys of a dict are.

    Parameters
    ----------
    hypothesis : list, tuple or str
        The tokens; those of a str are its characters. Not to be changed by another thread meanwhile.
    references : list or tuple of such
    max_order : int
    per_reference : bool
        With each reference alone, one after the other, instead of with all of them together.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if there is no reference, or if the arguments are anything else, subclasses included.

    Raises
    ------
    TypeError
        If a token cannot be hashed. Whatever hashing and comparing raise is passed on.
    """
    if not _is_segment(hypothesis) or not _are_segments(references):
        return None
    # Copies: comparing tokens may run any code, which may change the lists.
    hyp, refs = tuple(hypothesis), list(map(tuple, references))
    orders = range(1, max_order + 1)
    grams = [Counter(_ngrams(hyp, order)) for order in orders]
    limits = [[Counter(_ngrams(tokens, order)) for order in orders] for tokens in refs]
    matches = tuple(
        sum([min(count, most[gram]) for gram, count in counts.items() if gram in most])
        for limit in (limits if per_reference else [_merged(limits)])
        for counts, most in zip(grams, limit, strict=True)
    )
    return len(hyp), tuple(map(len, refs)), matches


def name_objects(
    hypotheses: Sequence[Sequence[Any]], references: Sequence[Sequence[Sequence[Any]]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int] | None:
    """Give tokens of any kind IDs, as ``encode`` of the text core does with words.

    Parameters
    ----------
    hypotheses : list or tuple [B]
        Each a list, a tuple or a str, a sequence of characters. Not to be changed by another thread meanwhile.
    references : list or tuple [B]
        Each a list or tuple of such, not empty.

    Returns
    -------
    hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups : arrays
        What ``count_matches`` takes, IDs as int32. Each hypothesis has a group of its own.
    n_ids : int
        All IDs are below it.
    Or None if the arguments are anything else, subclasses included.

    Raises
    ------
    TypeError
        If a token cannot be hashed. Whatever hashing and comparing raise is passed on.
    """
    if type(hypotheses) not in (list, tuple) or type(references) not in (list, tuple):
        return None
    if len(hypotheses) != len(references) or not all(map(_is_segment, hypotheses)):
        return None
    if not all(map(_are_segments, references)):
        return None
    # Copies, as above.
    hyps, groups = list(map(tuple, hypotheses)), [list(map(tuple, refs)) for refs in references]
    hyp_ids: list[int] = []
    ref_ids: list[int] = []
    hyp_offsets, ref_offsets, group_offsets, most = [0], [0], [0], 1
    for hyp, refs in zip(hyps, groups, strict=True):
        for token in hyp:
            hash(token)  # so that what cannot be hashed there is met first
        ids: dict[Any, int] = {}
        for tokens in refs:
            ref_ids.extend([ids.setdefault(token, len(ids) + 1) for token in tokens])
            ref_offsets.append(len(ref_ids))
        hyp_ids.extend([ids.get(token, 0) for token in hyp])
        hyp_offsets.append(len(hyp_ids))
        group_offsets.append(len(ref_offsets) - 1)
        most = max(most, len(ids) + 1)
    return (
        np.array(hyp_ids, np.int32),
        np.array(hyp_offsets, np.int64),
        np.array(ref_ids, np.int32),
        np.array(ref_offsets, np.int64),
        np.array(group_offsets, np.int64),
        np.arange(len(hyps), dtype=np.int64),
        most,
    )


def _is_segment(tokens: object) -> bool:
    return type(tokens) in (list, tuple, str)


def _are_segments(references: Any) -> bool:
    return type(references) in (list, tuple) and bool(references) and all(map(_is_segment, references))


def _ngrams(tokens: tuple[Any, ...], order: int) -> Iterator[tuple[Any, ...]]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def _merged(limits: list[Grams]) -> Grams:
    """How often each n-gram may match, with all references together."""
    merged = limits[0]
    for limit in limits[1:]:
        merged = [one | other for one, other in zip(merged, limit, strict=True)]
    return merged
