"""References of up to 256 tokens: no hash, a word of positions a token for every 64 of them.

G_n, the positions at which the n-gram that ends here ends in the reference, is mask(token) & (previous G_{n-1} << 1).
Equal n-grams have equal G_n, so clipping is consumption: each order has a word of positions still free, an n-gram
that finds one free is a clipped match and takes the lowest.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

cdef extern from "masks.h" nogil:
    ctypedef struct Tokens64 "clipgram_tokens64":
        pass
    void set_tokens_i32 "clipgram_set_tokens_i32"(Tokens64 *to, int at, const int32_t *tokens, int n)
    void set_tokens_i64 "clipgram_set_tokens_i64"(Tokens64 *to, int at, const int64_t *tokens, int n)
    void masks_i32 "clipgram_masks_i32"(const Tokens64 *ref, const int32_t *tokens, int64_t n, uint64_t *masks)
    int count_bits "clipgram_count_bits"(uint64_t word)
    void masks_i64 "clipgram_masks_i64"(const Tokens64 *ref, const int64_t *tokens, int64_t n, uint64_t *masks)

cdef enum:
    WORD = 64
    MOST_WORDS = 4


cdef inline uint64_t lowest_bit(uint64_t word) noexcept nogil:
    return word & (0 - word)


cdef inline uint64_t all_positions(int n_ref) noexcept nogil:
    return ~(<uint64_t>0) if n_ref == WORD else ((<uint64_t>1) << n_ref) - 1


cdef inline int taken(uint64_t still_free, int n_ref) noexcept nogil:
    """The number of positions that were taken: each is one clipped match."""
    return count_bits(all_positions(n_ref) & ~still_free)


cdef inline void add_counts(
    int max_order, int64_t *counts, int64_t n_1, int64_t n_2, int64_t n_3, int64_t n_4
) noexcept nogil:
    counts[0] += n_1
    if max_order >= 2:
        counts[1] += n_2
    if max_order >= 3:
        counts[2] += n_3
    if max_order >= 4:
        counts[3] += n_4


cdef inline void walk_masks(
    const uint64_t *masks, int64_t n, int n_ref, int max_order, int64_t *counts, uint16_t *flags, bint merge
) noexcept nogil:
    """Match ``n`` hypothesis tokens, given their masks: add to the counts, and set the flags unless they are NULL.

    ``merge`` keeps the flags that are there already.
    """
    if max_order <= 4:
        walk_masks_4(masks, n, n_ref, max_order, counts, flags, merge)
    else:
        walk_masks_any(masks, n, n_ref, max_order, counts, flags, merge)


cdef inline void walk_masks_4(
    const uint64_t *masks, int64_t n, int n_ref, int max_order, int64_t *counts, uint16_t *flags, bint merge
) noexcept nogil:
    # Spelled out for the four usual orders: everything stays in registers and nothing branches. An order that is not
    # wanted has no free position.
    cdef uint64_t free_1 = all_positions(n_ref)
    cdef uint64_t free_2 = free_1 if max_order >= 2 else 0
    cdef uint64_t free_3 = free_1 if max_order >= 3 else 0
    cdef uint64_t free_4 = free_1 if max_order >= 4 else 0
    cdef uint64_t at_1 = 0, at_2 = 0, at_3 = 0, at_4, hit_1, hit_2, hit_3, hit_4
    cdef int64_t i
    cdef int found
    for i in range(n):
        at_4 = masks[i] & (at_3 << 1)
        at_3 = masks[i] & (at_2 << 1)
        at_2 = masks[i] & (at_1 << 1)
        at_1 = masks[i]
        hit_1 = at_1 & free_1
        hit_2 = at_2 & free_2
        hit_3 = at_3 & free_3
        hit_4 = at_4 & free_4
        free_1 ^= lowest_bit(hit_1)
        free_2 ^= lowest_bit(hit_2)
        free_3 ^= lowest_bit(hit_3)
        free_4 ^= lowest_bit(hit_4)
        if flags != NULL:
            found = (hit_1 != 0) | (hit_2 != 0) << 1 | (hit_3 != 0) << 2 | (hit_4 != 0) << 3
            flags[i] = <uint16_t>(found | flags[i] if merge else found)
    add_counts(
        max_order, counts, taken(free_1, n_ref), taken(free_2, n_ref), taken(free_3, n_ref), taken(free_4, n_ref)
    )


cdef inline void walk_masks_any(
    const uint64_t *masks, int64_t n, int n_ref, int max_order, int64_t *counts, uint16_t *flags, bint merge
) noexcept nogil:
    cdef uint64_t free[16]
    cdef uint64_t at[16]
    cdef uint64_t hit
    cdef int k, found
    cdef int64_t i
    for k in range(max_order):
        free[k] = all_positions(n_ref)
        at[k] = 0
    for i in range(n):
        found = 0
        for k in range(max_order - 1, -1, -1):
            at[k] = masks[i] & (at[k - 1] << 1) if k > 0 else masks[i]
            hit = at[k] & free[k]
            free[k] ^= lowest_bit(hit)
            found |= (hit != 0) << k
        if flags != NULL:
            flags[i] = <uint16_t>(found | flags[i] if merge else found)
    for k in range(max_order):
        counts[k] += taken(free[k], n_ref)


# References of 65 tokens and more: several words a token. All of the first ones come first in ``masks``, then all of the
# second ones.

cdef inline void walk_wide(
    const uint64_t *masks,
    int n_words,
    int64_t n,
    int n_ref,
    int max_order,
    int64_t *counts,
    uint16_t *flags,
    bint merge,
) noexcept nogil:
    """As ``walk_masks``."""
    # With constants, so that the loops over words and orders are unrolled.
    if max_order == 4 and n_words == 2:
        walk_wide_any(masks, 2, n, n_ref, 4, counts, flags, merge)
    elif max_order == 4 and n_words == 3:
        walk_wide_any(masks, 3, n, n_ref, 4, counts, flags, merge)
    elif max_order == 4 and n_words == 4:
        walk_wide_any(masks, 4, n, n_ref, 4, counts, flags, merge)
    else:
        walk_wide_any(masks, n_words, n, n_ref, max_order, counts, flags, merge)


cdef inline void walk_wide_any(
    const uint64_t *masks,
    int n_words,
    int64_t n,
    int n_ref,
    int max_order,
    int64_t *counts,
    uint16_t *flags,
    bint merge,
) noexcept nogil:
    cdef uint64_t free[16][MOST_WORDS]
    cdef uint64_t at[16][MOST_WORDS]
    cdef uint64_t mask, hit, hits
    cdef int k, w, found
    cdef int64_t i
    for k in range(max_order):
        for w in range(n_words):
            free[k][w] = all_positions(min(n_ref - WORD * w, WORD))
            at[k][w] = 0
    for i in range(n):
        found = 0
        for k in range(max_order - 1, -1, -1):
            hits = 0
            for w in range(n_words - 1, -1, -1):
                mask = masks[w * n + i]
                if k > 0:
                    mask &= at[k - 1][w] << 1 | (at[k - 1][w - 1] >> (WORD - 1) if w > 0 else 0)
                at[k][w] = mask
            for w in range(n_words):
                hit = at[k][w] & free[k][w] & -<uint64_t>(hits == 0)
                free[k][w] ^= lowest_bit(hit)
                hits |= hit
            found |= (hits != 0) << k
        if flags != NULL:
            flags[i] = <uint16_t>(found | flags[i] if merge else found)
    for k in range(max_order):
        for w in range(n_words):
            counts[k] += taken(free[k][w], min(n_ref - WORD * w, WORD))


# Several short references side by side in one word, with a free position between them over which no n-gram reaches:
# an n-gram is looked up once, and takes a position in each reference that has one left.

cdef inline uint64_t lowest_of_each(uint64_t hits, const uint64_t *parts, int n_parts) noexcept nogil:
    cdef uint64_t lowest = lowest_bit(hits & parts[0])
    cdef int p
    for p in range(1, n_parts):
        lowest |= lowest_bit(hits & parts[p])
    return lowest


cdef inline void walk_joined(
    const uint64_t *masks,
    int64_t n,
    const uint64_t *parts,
    int n_parts,
    int max_order,
    bint per_reference,
    int64_t *counts,
) noexcept nogil:
    """Match ``n`` hypothesis tokens, given their masks: add to the counts, of all references or of one after the other.

    ``parts`` are the positions of each reference. For up to four orders.
    """
    cdef uint64_t all_parts = 0, mask
    cdef uint64_t free_1, free_2, free_3, free_4
    cdef uint64_t at_1 = 0, at_2 = 0, at_3 = 0, at_4, hit_1, hit_2, hit_3, hit_4
    cdef int64_t n_1 = 0, n_2 = 0, n_3 = 0, n_4 = 0, i
    cdef int p
    for p in range(n_parts):
        all_parts |= parts[p]
    free_1 = all_parts
    free_2 = all_parts if max_order >= 2 else 0
    free_3 = all_parts if max_order >= 3 else 0
    free_4 = all_parts if max_order >= 4 else 0
    for i in range(n):
        mask = masks[i] & all_parts
        at_4 = mask & (at_3 << 1)
        at_3 = mask & (at_2 << 1)
        at_2 = mask & (at_1 << 1)
        at_1 = mask
        hit_1 = at_1 & free_1
        hit_2 = at_2 & free_2
        hit_3 = at_3 & free_3
        hit_4 = at_4 & free_4
        free_1 ^= lowest_of_each(hit_1, parts, n_parts)
        free_2 ^= lowest_of_each(hit_2, parts, n_parts)
        free_3 ^= lowest_of_each(hit_3, parts, n_parts)
        free_4 ^= lowest_of_each(hit_4, parts, n_parts)
        n_1 += hit_1 != 0
        n_2 += hit_2 != 0
        n_3 += hit_3 != 0
        n_4 += hit_4 != 0
    if per_reference:
        for p in range(n_parts):
            add_counts(
                max_order,
                counts + p * max_order,
                count_bits(parts[p] & ~free_1),
                count_bits(parts[p] & ~free_2),
                count_bits(parts[p] & ~free_3),
                count_bits(parts[p] & ~free_4),
            )
    else:
        add_counts(max_order, counts, n_1, n_2, n_3, n_4)
