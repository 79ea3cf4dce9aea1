"""Very long references: one order after the other, on both sides, with nothing kept but what can still match.

In each round the n-grams of one order get names, from the exact key (name of the first n-1 tokens, last token). Only
the reference names; a hypothesis n-gram without a name is dropped, and so is a reference n-gram that the hypothesis
does not have. What is left goes into the next round. Space is a few numbers a token and one table, and memory is gone
through in order, so this overtakes names.pxd where that no longer fits in the cache. Linear whatever the text.
"""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from clipgram.names cimport token_t
from clipgram.table cimport Slot, Table, add, find, is_filled, make_room, name_of, set_size

cdef struct Count:
    uint32_t available  # in the reference
    uint32_t used  # by the hypothesis

cdef struct Side:
    uint32_t *tokens  # names of single tokens, and a 0 behind the last
    uint32_t *names  # of the n-grams that are left
    uint32_t *next  # the position behind each of them
    size_t left
    size_t allocated

cdef struct Rounds:
    Table table
    Count *counts  # by name, from 1
    Side reference
    Side hypothesis


cdef inline void init_rounds(Rounds *self, uint64_t multiplier) noexcept nogil:
    memset(self, 0, sizeof(Rounds))
    self.table.multiplier = multiplier


cdef inline void free_rounds(Rounds *self) noexcept nogil:
    free(self.table.slots)
    free(self.counts)
    free(self.reference.tokens)
    free(self.hypothesis.tokens)


cdef inline int reserve_side(Side *side, size_t n) noexcept nogil:
    cdef size_t needed = 3 * (n + 1)
    if needed > side.allocated:
        free(side.tokens)
        side.allocated = 0
        side.tokens = <uint32_t *>realloc(NULL, needed * sizeof(uint32_t))
        if side.tokens == NULL:
            return -1
        side.allocated = needed
    side.names = side.tokens + (n + 1)
    side.next = side.names + (n + 1)
    return 0


cdef inline uint32_t give_name(Rounds *self, uint64_t key) noexcept nogil:
    """The name of one more n-gram of the reference, 0 if memory ran out."""
    cdef Slot *slot
    if make_room(&self.table, 1) < 0:
        return 0
    slot = find(&self.table, key)
    if is_filled(&self.table, slot):
        self.counts[slot.name].available += 1
    else:
        add(&self.table, slot, key, <uint32_t>(self.table.filled + 1))
        self.counts[slot.name].available = 1
        self.counts[slot.name].used = 0
    return slot.name


cdef inline bint use(Rounds *self, uint32_t name) noexcept nogil:
    """Use a name once more; True while the reference has it that often."""
    self.counts[name].used += 1
    return self.counts[name].used <= self.counts[name].available


cdef inline void keep_tokens(Side *side, size_t n) noexcept nogil:
    """Go into the second round with the tokens that have a name and are followed by one that has."""
    cdef size_t p
    side.tokens[n] = 0
    side.left = 0
    for p in range(n):
        side.names[side.left] = side.tokens[p]
        side.next[side.left] = <uint32_t>(p + 1)
        side.left += (side.tokens[p] != 0) & (side.tokens[p + 1] != 0)


cdef inline uint64_t longer_key(const Side *side, size_t j) noexcept nogil:
    """The key of n-gram ``j`` with the token behind it."""
    return <uint64_t>side.names[j] << 32 | side.tokens[side.next[j]]


cdef inline int match_rounds(
    Rounds *self,
    const token_t *reference,
    size_t n_ref,
    const token_t *hypothesis,
    size_t n,
    int max_order,
    int64_t *counts,
    uint16_t *flags,
    bint merge,
) noexcept nogil:
    """Match a hypothesis against a reference: add to the counts, and set the flags unless they are NULL.

    ``merge`` keeps the flags that are there already. Returns -1 if memory ran out.
    """
    cdef Side *ref = &self.reference
    cdef Side *hyp = &self.hypothesis
    cdef size_t j, kept
    cdef uint32_t name, end
    cdef int order, hit
    cdef void *moved = realloc(self.counts, (n_ref + 1) * sizeof(Count))
    if moved == NULL:
        return -1
    self.counts = <Count *>moved
    if reserve_side(ref, n_ref) < 0 or reserve_side(hyp, n) < 0 or set_size(&self.table, min(n_ref, 4096)) < 0:
        return -1
    for j in range(n_ref):
        ref.tokens[j] = give_name(self, <uint64_t><int64_t>reference[j])
        if ref.tokens[j] == 0:
            return -1
    for j in range(n):
        name = name_of(&self.table, <uint64_t><int64_t>hypothesis[j])
        hit = use(self, name) if name != 0 else 0
        counts[0] += hit
        hyp.tokens[j] = name
        if flags != NULL:
            flags[j] = <uint16_t>(hit | flags[j] if merge else hit)
    for j in range(n_ref):
        if self.counts[ref.tokens[j]].used == 0:
            ref.tokens[j] = 0
    keep_tokens(ref, n_ref)
    keep_tokens(hyp, n)
    for order in range(1, max_order):
        if ref.left == 0 or hyp.left == 0:
            return 0
        if set_size(&self.table, min(ref.left, 4096)) < 0:
            return -1
        for j in range(ref.left):
            ref.names[j] = give_name(self, longer_key(ref, j))
            if ref.names[j] == 0:
                return -1
        kept = 0
        for j in range(hyp.left):
            name = name_of(&self.table, longer_key(hyp, j))
            if name != 0:
                end = hyp.next[j]
                hit = use(self, name)
                counts[order] += hit
                if flags != NULL:
                    flags[end] |= <uint16_t>(hit << order)
                hyp.names[kept] = name
                hyp.next[kept] = end + 1
                kept += hyp.tokens[end + 1] != 0
        hyp.left = kept
        kept = 0
        for j in range(ref.left):
            end = ref.next[j]
            ref.names[kept] = ref.names[j]
            ref.next[kept] = end + 1
            kept += (self.counts[ref.names[j]].used != 0) & (ref.tokens[end + 1] != 0)
        ref.left = kept
    return 0
