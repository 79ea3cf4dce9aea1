"""Clipped matches by the letter of the paper, slow and plain: the third opinion beside the two implementations.

Papineni et al. 2002, section 2.1: "Count_clip = min(Count, Max_Ref_Count)".
"""

from __future__ import annotations

from collections.abc import Sequence

Tokens = Sequence[int]


def ngrams(tokens: Tokens, order: int) -> list[tuple[int, ...]]:
    return [tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1)]


def matches(hypothesis: Tokens, references: Sequence[Tokens], order: int) -> int:
    hyp = ngrams(hypothesis, order)
    return sum(min(hyp.count(g), max((ngrams(ref, order).count(g) for ref in references), default=0)) for g in set(hyp))


def flags(hypothesis: Tokens, references: Sequence[Tokens], max_order: int) -> list[int]:
    """A prefix has one clipped match more than the one before exactly where the n-gram at its end is one."""
    return [
        sum(
            1 << order - 1
            for order in range(1, max_order + 1)
            if matches(hypothesis[:end], references, order) > matches(hypothesis[: end - 1], references, order)
        )
        for end in range(1, len(hypothesis) + 1)
    ]
