"""An index of n-grams over many texts in pure Python: the twin of the compiled ``clipgram._index``.

Same functions, same results, another algorithm: dicts of tuples, and intersections of sets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np


def number_ngrams(tokens: np.ndarray, offsets: np.ndarray, max_order: int) -> tuple[np.ndarray, int, np.ndarray]:
    """Number the n-grams of many texts, telling the occurrences within a text apart.

    Parameters
    ----------
    tokens : int32 or int64 array [tokens]
        One text after the other.
    offsets : int64 array [B + 1]
        Text ``i`` is ``tokens[offsets[i]:offsets[i + 1]]``; all of them together are all tokens.
    max_order : int
        The longest n-gram, 1 to 16.

    Returns
    -------
    numbers : int32 array [tokens, max_order]
        Of the n-grams of each order that end at each token, -1 where none does. Two are equal if the n-grams are and
        both are the k-th occurrence in their texts. They count from 0 in the order of their first appearance.
    n : int
        All numbers are below it.
    repeats : int64 array [B, max_order]
        How many n-grams of each text have occurred in it before.
    """
    if len(tokens) * max_order >= 1 << 31 or len(offsets) >= 1 << 31:
        raise OverflowError(f"too many n-grams to compare at once: tokens times max_order must stay below {1 << 31}")
    known: dict[tuple[tuple[int, ...], int], int] = {}
    numbers = []
    repeats: list[int] = []
    for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        text = tokens[start:stop].tolist()
        times: Counter[tuple[int, ...]] = Counter()
        for end in range(1, len(text) + 1):
            for order in range(1, max_order + 1):
                if order > end:
                    numbers.append(-1)
                    continue
                ngram = tuple(text[end - order : end])
                times[ngram] += 1
                numbers.append(known.setdefault((ngram, times[ngram]), len(known)))
        for order in range(1, max_order + 1):
            repeats.append(sum(count - 1 for ngram, count in times.items() if len(ngram) == order))
    return np.array(numbers, np.int32).reshape(-1, max_order), len(known), np.array(repeats, np.int64).reshape(-1, max_order)


def postings(numbers: np.ndarray, offsets: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """List the texts that have each number.

    Parameters
    ----------
    numbers : int32 array [tokens, columns]
        As ``number_ngrams`` makes them: no number twice in one text. -1 is none.
    offsets : int64 array [B + 1]
        Text ``i`` has the rows from ``offsets[i]`` to before ``offsets[i + 1]``.
    n : int
        All numbers are below it.

    Returns
    -------
    starts : int64 array [n + 1]
    texts : int32 array
        Number ``i`` is in ``texts[starts[i]:starts[i + 1]]``, in rising order.
    """
    having: defaultdict[int, list[int]] = defaultdict(list)
    for text, (start, stop) in enumerate(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)):
        for number in numbers[start:stop].ravel().tolist():
            having[number].append(text)
    lists = [having[number] for number in range(n)]
    starts = np.zeros(n + 1, np.int64)
    np.cumsum([len(some) for some in lists], out=starts[1:])
    return starts, np.array([text for some in lists for text in some], np.int32)


def count_shared(
    numbers: np.ndarray, offsets: np.ndarray, starts: np.ndarray, texts: np.ndarray, n_texts: int
) -> np.ndarray:
    """Count the numbers that texts share with listed ones.

    Parameters
    ----------
    numbers : int32 array [tokens, columns]
    offsets : int64 array [B + 1]
        As for ``postings``.
    starts, texts
        From ``postings``.
    n_texts : int
        Listed texts from this one on are left out.

    Returns
    -------
    int32 array [columns, B, n_texts]
    """
    listed: list[set[int]] = [set() for _ in range(n_texts)]
    for number, (start, stop) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        for text in texts[start:stop].tolist():
            if text < n_texts:
                listed[text].add(number)
    rows = [numbers[start:stop].T.tolist() for start, stop in pairwise(offsets.tolist())]
    counts = [
        [[len(other.intersection(row[column])) for other in listed] for row in rows]
        for column in range(numbers.shape[1])
    ]
    return np.array(counts, np.int32).reshape(numbers.shape[1], len(rows), n_texts)
