"""One hypothesis against one reference, in the best of three ways, and what that needs of memory."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from clipgram.masks cimport (
    MOST_WORDS,
    WORD,
    Tokens64,
    all_positions,
    masks_i32,
    masks_i64,
    set_tokens_i32,
    set_tokens_i64,
    walk_joined,
    walk_masks,
    walk_wide,
)
from clipgram.names cimport Names, find_names, free_names, init_names, set_names, token_t, walk_names
from clipgram.rounds cimport Rounds, free_rounds, init_rounds, match_rounds

cdef enum:
    TOO_LONG = -2  # beside -1, out of memory

cdef enum Regime:
    AUTO, MASKS, NAMES, ROUNDS

# The longest reference for each way to count (bench/bench_core.py --crossover). Masks are found by comparing with
# every reference token, or by looking up a dense ID, which is worth more words; the last bound is where the names of one
# reference outgrow the cache.
cdef enum:
    MASKS_UP_TO = WORD * (MOST_WORDS - 1)
    DENSE_MASKS_UP_TO = WORD * MOST_WORDS
    NAMES_UP_TO = 1 << 16
    MOST_IDS = 1 << 14  # with more, their positions outgrow the cache

cdef enum:
    FEW_IDS = 32

cdef struct Work:  # everything one call allocates
    Tokens64 tokens[MOST_WORDS]  # of a short reference
    # Where dense IDs stand in a short reference: as many words for each ID below ``n_ids``. Zero between references.
    uint64_t *positions
    int64_t positions_allocated
    int64_t n_ids
    Names names
    Rounds rounds
    void *room  # for the hypothesis as masks or as names
    size_t room_allocated
    uint16_t *flags
    size_t flags_allocated


cdef inline void init_work(Work *self, uint64_t multiplier) noexcept nogil:
    # All but the tokens, which are written before they are read: they are most of it.
    self.positions = NULL
    self.positions_allocated = self.n_ids = 0
    init_names(&self.names, multiplier)
    init_rounds(&self.rounds, multiplier)
    self.room = self.flags = NULL
    self.room_allocated = self.flags_allocated = 0


cdef inline int use_dense_ids(Work *self, int64_t n_ids) noexcept nogil:
    """Rely on all IDs being below ``n_ids`` and 0 in no reference, unless it is 0. Returns -1 if memory ran out."""
    self.n_ids = n_ids if n_ids <= MOST_IDS else 0
    if self.n_ids > self.positions_allocated:
        free(self.positions)
        self.positions_allocated = max(self.n_ids, 2 * self.positions_allocated)
        if self.positions_allocated <= FEW_IDS:  # a small piece comes faster from malloc, which keeps some at hand
            self.positions = <uint64_t *>malloc(FEW_IDS * MOST_WORDS * sizeof(uint64_t))
            if self.positions != NULL:
                memset(self.positions, 0, FEW_IDS * MOST_WORDS * sizeof(uint64_t))
        else:
            self.positions = <uint64_t *>calloc(self.positions_allocated, MOST_WORDS * sizeof(uint64_t))
        if self.positions == NULL:
            self.positions_allocated = 0
            return -1
    return 0


cdef inline void free_work(Work *self) noexcept nogil:
    free(self.positions)
    free_names(&self.names)
    free_rounds(&self.rounds)
    free(self.room)
    free(self.flags)


cdef inline int reserve_flags(Work *self, size_t n) noexcept nogil:
    cdef void *moved
    if n > self.flags_allocated:
        moved = realloc(self.flags, n * sizeof(uint16_t))
        if moved == NULL:
            return -1
        self.flags = <uint16_t *>moved
        self.flags_allocated = n
    return 0


cdef inline int reserve_room(Work *self, size_t n) noexcept nogil:
    cdef void *moved
    if n > self.room_allocated:
        moved = realloc(self.room, n)
        if moved == NULL:
            return -1
        self.room = moved
        self.room_allocated = n
    return 0


cdef inline Regime regime_of(const Work *self, int64_t n_ref, Regime forced) noexcept nogil:
    if forced == NAMES or forced == ROUNDS:
        return forced
    if n_ref <= (DENSE_MASKS_UP_TO if self.n_ids or forced == MASKS else MASKS_UP_TO):
        return MASKS
    return NAMES if n_ref <= NAMES_UP_TO else ROUNDS


# Masks.

cdef inline int words_of(int64_t n_ref) noexcept nogil:
    return 1 if n_ref <= WORD else <int>((n_ref + WORD - 1) // WORD)


cdef inline void put_reference(Work *self, const token_t *reference, int n_ref, int at) noexcept nogil:
    """Put a short reference at a position, which is 0 if it does not fit in the first word; that begins anew."""
    cdef int p, w
    if self.n_ids:
        for p in range(n_ref):
            self.positions[MOST_WORDS * reference[p] + (at + p) // WORD] |= (<uint64_t>1) << (at + p) % WORD
        return
    for w in range(words_of(n_ref)):
        p = w * WORD
        if token_t is int32_t:
            set_tokens_i32(&self.tokens[w], at, reference + p, min(n_ref - p, WORD))
        else:
            set_tokens_i64(&self.tokens[w], at, reference + p, min(n_ref - p, WORD))


cdef inline void take_reference_away(Work *self, const token_t *reference, int64_t n_ref, int n_words) noexcept nogil:
    cdef int64_t p
    cdef int w
    if self.n_ids:
        for p in range(n_ref):
            for w in range(n_words):
                self.positions[MOST_WORDS * reference[p] + w] = 0


cdef inline int find_masks(Work *self, const token_t *hypothesis, int64_t n, int n_words) noexcept nogil:
    """Fill the room with the masks of the hypothesis: all first words, then all second ones."""
    cdef uint64_t *masks
    cdef int64_t i
    cdef int w
    if reserve_room(self, n_words * n * sizeof(uint64_t)) < 0:
        return -1
    for w in range(n_words):
        masks = <uint64_t *>self.room + w * n
        if self.n_ids:
            for i in range(n):
                masks[i] = self.positions[MOST_WORDS * hypothesis[i] + w]
        elif token_t is int32_t:
            masks_i32(&self.tokens[w], hypothesis, n, masks)
        else:
            masks_i64(&self.tokens[w], hypothesis, n, masks)
    return 0


# Any reference.

cdef inline int use_reference(
    Work *self, Regime regime, const token_t *reference, int64_t n_ref, int max_order
) noexcept nogil:
    """Prepare a reference for any number of hypotheses, after which ``drop_reference`` must be called."""
    if (n_ref + 1) * max_order >= <int64_t>1 << 31:
        return TOO_LONG  # names are 31 bits wide
    if regime == NAMES:
        return set_names(&self.names, reference, n_ref, max_order)
    if regime == MASKS:
        put_reference(self, reference, <int>n_ref, 0)
    return 0


cdef inline void drop_reference(Work *self, Regime regime, const token_t *reference, int64_t n_ref) noexcept nogil:
    if regime == MASKS:
        take_reference_away(self, reference, n_ref, words_of(n_ref))


cdef inline int match(
    Work *self,
    Regime regime,
    const token_t *reference,
    int64_t n_ref,
    const token_t *hypothesis,
    int64_t n,
    int max_order,
    int64_t *counts,
    uint16_t *flags,
    bint merge,
) noexcept nogil:
    """Match a hypothesis against the reference in use: add to the counts, set the flags unless they are NULL."""
    cdef uint64_t *masks
    if n >= <int64_t>1 << 31:
        return TOO_LONG
    if regime == ROUNDS:
        return match_rounds(&self.rounds, reference, n_ref, hypothesis, n, max_order, counts, flags, merge)
    if regime == NAMES:
        if reserve_room(self, n * sizeof(uint32_t)) < 0:
            return -1
        find_names(&self.names, hypothesis, n, <uint32_t *>self.room)
        return walk_names(&self.names, <uint32_t *>self.room, n, max_order, counts, flags, merge)
    if find_masks(self, hypothesis, n, words_of(n_ref)) < 0:
        return -1
    masks = <uint64_t *>self.room
    if n_ref <= WORD:
        walk_masks(masks, n, <int>n_ref, max_order, counts, flags, merge)
    else:
        walk_wide(masks, words_of(n_ref), n, <int>n_ref, max_order, counts, flags, merge)
    return 0


# Several short references at once.

cdef inline bint can_join(const int64_t *offsets, int64_t n_refs, int max_order, Regime forced) noexcept nogil:
    """Whether references that begin at these offsets fit side by side in one word."""
    if n_refs < 2 or max_order > 4 or (forced != AUTO and forced != MASKS):
        return False
    return offsets[n_refs] - offsets[0] + n_refs - 1 <= WORD


cdef inline void join_references(
    Work *self, const token_t *references, const int64_t *offsets, int64_t n_refs, uint64_t *parts
) noexcept nogil:
    """Put references side by side; ``parts`` gets the positions of each."""
    cdef int64_t r
    cdef int at = 0, n
    for r in range(n_refs):
        n = <int>(offsets[r + 1] - offsets[r])
        put_reference(self, references + offsets[r], n, at)
        parts[r] = all_positions(n) << at if n else 0
        at += n + 1


cdef inline int match_joined(
    Work *self,
    const uint64_t *parts,
    int n_refs,
    const token_t *hypothesis,
    int64_t n,
    int max_order,
    bint per_reference,
    int64_t *counts,
) noexcept nogil:
    """Match a hypothesis against references side by side: add to the counts of all, or to those of each in turn."""
    if n >= <int64_t>1 << 31:
        return TOO_LONG
    if find_masks(self, hypothesis, n, 1) < 0:
        return -1
    walk_joined(<uint64_t *>self.room, n, parts, n_refs, max_order, per_reference, counts)
    return 0
