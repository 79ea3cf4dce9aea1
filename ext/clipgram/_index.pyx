# cython: language_level=3, freethreading_compatible=True
"""An index of n-grams over many texts, compiled. The twin in pure Python is ``clipgram._index_py``.

Clipped matches of two texts are min(count here, count there), summed over n-grams: as many as there are numbers k for
which both have a k-th occurrence. So when every occurrence is told apart by its n-gram and its k, a text is a plain
set, matches are sizes of intersections, and many texts are compared by going through lists: which texts have it?

Inputs are trusted here. Nothing in this file holds the GIL while it counts.
"""

import os

import numpy

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from clipgram.names cimport token_t
from clipgram.table cimport Slot, Table, add, find, is_filled, make_room, set_size

cdef uint64_t MULTIPLIER = int.from_bytes(os.urandom(8), "little") | 1

cdef enum:
    # In the lower half of a key: a later occurrence of an n-gram, and not a longer n-gram. To MSVC it is a negative int.
    AGAIN = 0x80000000
    MOST = 0x7fffffff

cdef struct Seen:  # of an n-gram
    uint32_t times  # in the text that is read
    uint32_t text

cdef struct Index:
    Table tokens
    Table longer  # from (n-gram, token behind it), and from (n-gram, AGAIN + occurrence)
    Seen *seen  # by number
    size_t seen_allocated
    uint32_t n


cdef inline int reserve_seen(Index *self, size_t n) noexcept nogil:
    cdef void *moved
    if n > self.seen_allocated:
        n = max(n, 2 * self.seen_allocated)
        moved = realloc(self.seen, n * sizeof(Seen))
        if moved == NULL:
            return -1
        self.seen = <Seen *>moved
        self.seen_allocated = n
    return 0


cdef inline uint32_t number_of(Index *self, Table *table, uint64_t key) noexcept nogil:
    """The key's number, a new one if it has none. There must be room for it."""
    cdef Slot *slot = find(table, key)
    if not is_filled(table, slot):
        add(table, slot, key, self.n)
        self.seen[self.n].text = 0
        self.n += 1
    return slot.name


cdef int number_all(
    Index *self,
    const token_t *tokens,
    const int64_t *offsets,
    int64_t n_texts,
    int max_order,
    int32_t *numbers,
    int64_t *repeats,
) noexcept nogil:
    cdef uint32_t before[17]  # the n-grams of each order that end at the token before
    cdef uint32_t ngram, token, parent
    cdef int64_t t, i
    cdef int k, longest
    cdef Seen *seen
    # Room for texts that differ, up to what a cache holds; tables grow when they have to.
    cdef int64_t n_tokens = offsets[n_texts] - offsets[0]
    if set_size(&self.tokens, min(n_tokens, 1 << 12)) < 0 or set_size(&self.longer, min(n_tokens * max_order, 1 << 17)) < 0:
        return -1
    for t in range(n_texts):
        longest = 0
        for i in range(offsets[t], offsets[t + 1]):
            # One new number an order at most, since an n-gram that occurs again is not new.
            if (
                make_room(&self.tokens, 1) < 0
                or make_room(&self.longer, max_order) < 0
                or reserve_seen(self, <size_t>self.n + max_order) < 0
            ):
                return -1
            longest = min(longest + 1, max_order)
            token = number_of(self, &self.tokens, <uint64_t><int64_t>tokens[i])
            ngram = token
            for k in range(max_order):
                if k >= longest:
                    numbers[k] = -1
                    continue
                if k > 0:
                    ngram = number_of(self, &self.longer, <uint64_t>parent << 32 | token)
                parent = before[k]
                before[k] = ngram
                seen = &self.seen[ngram]
                if seen.text != t + 1:
                    seen.text = <uint32_t>(t + 1)
                    seen.times = 0
                seen.times += 1
                numbers[k] = ngram
                if seen.times > 1:
                    repeats[k] += 1
                    numbers[k] = number_of(self, &self.longer, <uint64_t>ngram << 32 | <uint32_t>AGAIN | seen.times)
            numbers += max_order
        repeats += max_order
    return 0


cdef fill_numbers(
    const token_t[::1] tokens, const int64_t[::1] offsets, int32_t[:, ::1] numbers, int64_t[:, ::1] repeats
):
    cdef Index index
    cdef int status = 0
    cdef int64_t n_texts = offsets.shape[0] - 1
    cdef int max_order = numbers.shape[1]
    memset(&index, 0, sizeof(Index))
    index.tokens.multiplier = index.longer.multiplier = MULTIPLIER
    if numbers.shape[0]:
        with nogil:
            status = number_all(&index, &tokens[0], &offsets[0], n_texts, max_order, &numbers[0, 0], &repeats[0, 0])
            free(index.tokens.slots)
            free(index.longer.slots)
            free(index.seen)
    if status < 0:
        raise MemoryError("not enough memory to number n-grams")
    return index.n


def number_ngrams(const token_t[::1] tokens, const int64_t[::1] offsets, int max_order):
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
    if tokens.shape[0] * max_order > MOST or offsets.shape[0] > MOST:
        raise OverflowError(f"too many n-grams to compare at once: tokens times max_order must stay below {1 << 31}")
    made = (
        numpy.empty((tokens.shape[0], max_order), numpy.int32),
        numpy.zeros((offsets.shape[0] - 1, max_order), numpy.int64),
    )
    cdef int32_t[:, ::1] numbers = made[0]
    cdef int64_t[:, ::1] repeats = made[1]
    return made[0], fill_numbers(tokens, offsets, numbers, repeats), made[1]


def postings(const int32_t[:, ::1] numbers, const int64_t[::1] offsets, int64_t n):
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
    cdef int64_t t, i, first, stop, columns = numbers.shape[1]
    cdef int64_t n_texts = offsets.shape[0] - 1
    cdef const int32_t *all_numbers = &numbers[0, 0] if numbers.shape[0] else NULL
    starts_array = numpy.zeros(n + 2, numpy.int64)
    cdef int64_t[::1] starts = starts_array
    cdef int32_t[::1] texts
    first, stop = offsets[0] * columns, offsets[n_texts] * columns
    with nogil:
        for i in range(first, stop):
            if all_numbers[i] >= 0:
                starts[all_numbers[i] + 2] += 1
        for i in range(1, n + 2):
            starts[i] += starts[i - 1]
    texts_array = numpy.empty(starts[n + 1], numpy.int32)
    texts = texts_array
    with nogil:
        for t in range(n_texts):
            for i in range(offsets[t] * columns, offsets[t + 1] * columns):
                if all_numbers[i] >= 0:
                    texts[starts[all_numbers[i] + 1]] = <int32_t>t
                    starts[all_numbers[i] + 1] += 1
    return starts_array[: n + 1], texts_array


def count_shared(
    const int32_t[:, ::1] numbers,
    const int64_t[::1] offsets,
    const int64_t[::1] starts,
    const int32_t[::1] texts,
    int64_t n_texts,
):
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
    cdef int64_t t, i, p, number, columns = numbers.shape[1], n_rows = offsets.shape[0] - 1
    cdef int c
    cdef int32_t *row
    cdef const int32_t *listed = &texts[0] if texts.shape[0] else NULL
    out = numpy.zeros((columns, n_rows, n_texts), numpy.int32)
    cdef int32_t[:, :, ::1] counts = out
    if n_rows and n_texts:
        with nogil:
            for c in range(columns):
                for t in range(n_rows):
                    row = &counts[c, t, 0]
                    for i in range(offsets[t], offsets[t + 1]):
                        number = numbers[i, c]
                        if number >= 0:
                            for p in range(starts[number], starts[number + 1]):
                                if listed[p] >= n_texts:
                                    break
                                row[listed[p]] += 1
    return out
