"""References too long for masks: every n-gram of the reference that a hypothesis asks about gets a name.

A name stands for one n-gram of the reference. It knows how often the n-gram occurs and where it ends last; `links`
lead from each of its ends to the one before. The names of single tokens are made at once, by a hash table over the
token IDs. An n-gram of order n+1 is a child of the name of its first n tokens, and a name's children are made when a
hypothesis first gets there, by one walk over the places where the name ends: the first child is kept in the name
itself (most names have no other), the rest in a second table with the exact key (parent, token).

So the hypothesis is read once, left to right, with one name an order; only what it meets is ever made; each name is
opened once, which bounds all work by max_order times the reference's length, whatever repeats in it; and further
hypotheses against the same reference find the names ready.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from clipgram.table cimport Slot, Table, add, find, is_filled, make_room, name_of, set_size

ctypedef fused token_t:
    int32_t
    int64_t

cdef enum:
    NO_TOKEN = 0x7fffffff  # in Name.token: opened, and nothing follows
    MORE = 0x80000000  # in Name.child: look further than the first child

cdef struct Name:
    uint32_t last  # the position of its last end in the reference
    uint32_t count
    uint32_t token  # of its first child; 0 while it was not opened
    uint32_t child  # the first child, and MORE if it has others or was not opened
    uint64_t used  # how often the hypothesis had it, on top of the walk's own base

cdef struct Names:
    Table tokens
    Table children
    Name *names  # from 1; 0 is "not in the reference"
    size_t names_allocated
    uint32_t n_names
    uint32_t *sequence  # the reference as names of single tokens, with a 0 behind it
    size_t sequence_allocated
    uint32_t *links  # [order - 1][position], rows of `stride`
    size_t links_allocated
    size_t stride
    uint64_t walk
    bint out_of_memory
    # open_name, called through a pointer: inlined into the walk, where it is the rare case, it took the registers
    # from the usual one and cost 15 %.
    int (*open)(Names *self, uint32_t parent, int order) noexcept nogil


cdef inline void init_names(Names *self, uint64_t multiplier) noexcept nogil:
    memset(self, 0, sizeof(Names))
    self.tokens.multiplier = multiplier
    self.children.multiplier = multiplier
    self.open = open_name


cdef inline void free_names(Names *self) noexcept nogil:
    free(self.tokens.slots)
    free(self.children.slots)
    free(self.names)
    free(self.sequence)
    free(self.links)


cdef inline int reserve_names(Names *self, size_t more) noexcept nogil:
    cdef size_t needed = self.n_names + more + 1
    cdef void *moved
    if needed > self.names_allocated:
        needed = max(needed, 2 * self.names_allocated)
        moved = realloc(self.names, needed * sizeof(Name))
        if moved == NULL:
            return -1
        self.names = <Name *>moved
        self.names_allocated = needed
    return 0


cdef inline uint32_t new_name(Names *self, uint32_t end) noexcept nogil:
    cdef Name *name
    self.n_names += 1
    name = &self.names[self.n_names]
    name.last = end
    name.count = 1
    name.token = 0
    name.child = MORE
    name.used = 0
    return self.n_names


cdef inline void occurs_again(Name *name, uint32_t *links, uint32_t end) noexcept nogil:
    links[end] = name.last
    name.last = end
    name.count += 1


cdef inline int reserve_positions(Names *self, size_t n, int max_order) noexcept nogil:
    # What was there is of no use any more, so nothing is copied.
    self.stride = n + 1
    if self.stride > self.sequence_allocated:
        free(self.sequence)
        self.sequence_allocated = 0
        self.sequence = <uint32_t *>realloc(NULL, self.stride * sizeof(uint32_t))
        if self.sequence == NULL:
            return -1
        self.sequence_allocated = self.stride
    if self.stride * max_order > self.links_allocated:
        free(self.links)
        self.links_allocated = 0
        self.links = <uint32_t *>realloc(NULL, self.stride * max_order * sizeof(uint32_t))
        if self.links == NULL:
            return -1
        self.links_allocated = self.stride * max_order
    return 0


cdef inline int set_names(Names *self, const token_t *tokens, size_t n, int max_order) noexcept nogil:
    """Name the single tokens. Each ID is read once, so that an array changed meanwhile cannot break the tables."""
    cdef size_t p
    cdef uint64_t key
    cdef Slot *slot
    self.n_names = 0
    if reserve_positions(self, n, max_order) < 0 or reserve_names(self, n) < 0:
        return -1
    # Room for all tokens of an ordinary reference to differ. Long texts repeat most of theirs, and a small table stays
    # in the cache, so tables grow when they have to.
    if set_size(&self.tokens, min(n, 4096)) < 0 or set_size(&self.children, min(n, max(256, self.children.filled))) < 0:
        return -1
    for p in range(n):
        key = <uint64_t><int64_t>tokens[p]
        if make_room(&self.tokens, 1) < 0:
            return -1
        slot = find(&self.tokens, key)
        if is_filled(&self.tokens, slot):
            occurs_again(&self.names[slot.name], self.links, <uint32_t>p)
        else:
            add(&self.tokens, slot, key, new_name(self, <uint32_t>p))
        self.sequence[p] = slot.name
    self.sequence[n] = 0
    return 0


cdef inline void find_names(const Names *self, const token_t *tokens, int64_t n, uint32_t *names) noexcept nogil:
    """The name of each token of a hypothesis, 0 for one that is not in the reference."""
    cdef int64_t i
    for i in range(n):
        names[i] = name_of(&self.tokens, <uint64_t><int64_t>tokens[i])


cdef inline uint64_t child_key(uint32_t parent, uint32_t token) noexcept nogil:
    return <uint64_t>parent << 32 | token


cdef inline int open_name(Names *self, uint32_t parent, int order) noexcept nogil:
    """Make the children of a name of that order, from the places where it ends."""
    cdef uint32_t count = self.names[parent].count
    cdef uint32_t end = self.names[parent].last
    cdef uint32_t token
    cdef const uint32_t *links = self.links + (order - 1) * self.stride
    cdef uint32_t *child_links = self.links + order * self.stride
    cdef Name *name
    cdef Slot *slot
    if reserve_names(self, count) < 0 or make_room(&self.children, count) < 0:
        return -1
    name = &self.names[parent]
    name.token = NO_TOKEN
    name.child = 0
    while True:
        token = self.sequence[end + 1]
        if token != 0:
            if name.token == NO_TOKEN:
                name.token = token
                name.child = new_name(self, end + 1)
            elif name.token == token:
                occurs_again(&self.names[name.child & ~<uint32_t>MORE], child_links, end + 1)
            else:
                name.child |= MORE
                slot = find(&self.children, child_key(parent, token))
                if is_filled(&self.children, slot):
                    occurs_again(&self.names[slot.name], child_links, end + 1)
                else:
                    add(&self.children, slot, child_key(parent, token), new_name(self, end + 1))
        count -= 1
        if count == 0:
            return 0
        end = links[end]


cdef inline uint32_t child_of(Names *self, uint32_t parent, uint32_t token, int order) noexcept nogil:
    """The name of the n-gram of that order followed by the token, 0 if that is not in the reference."""
    if self.names[parent].token == 0 and self.open(self, parent, order) < 0:
        self.out_of_memory = True
        return 0
    if self.names[parent].token == token:
        return self.names[parent].child & ~<uint32_t>MORE
    if self.names[parent].child & MORE:
        return name_of(&self.children, child_key(parent, token))
    return 0


cdef inline int walk_names(
    Names *self, const uint32_t *tokens, int64_t n, int max_order, int64_t *counts, uint16_t *flags, bint merge
) noexcept nogil:
    """Match ``n`` hypothesis tokens, given their names: add to the counts, and set the flags unless they are NULL.

    ``merge`` keeps the flags that are there already. Returns -1 if memory ran out.
    """
    cdef uint32_t at[17]  # at[k]: the (k+1)-gram that ends at the token before; behind the last there is a 0
    cdef int64_t matches[16]
    cdef uint32_t name, parent
    cdef uint64_t walk, used
    cdef int64_t i
    cdef int k, hit, found
    memset(at, 0, sizeof(at))
    memset(matches, 0, sizeof(matches))
    # A walk counts what it uses from a base of its own, so nothing has to be put back afterwards.
    self.walk += <uint64_t>1 << 32
    walk = self.walk
    for i in range(n):
        name = tokens[i]
        found = 0
        k = 0
        while name != 0:
            used = max(self.names[name].used, walk)
            self.names[name].used = used + 1
            hit = used < walk + self.names[name].count
            matches[k] += hit
            found |= hit << k
            parent = at[k]
            at[k] = name
            k += 1
            if parent == 0 or k == max_order:
                break
            name = child_of(self, parent, tokens[i], k)
        at[k] = 0
        if flags != NULL:
            flags[i] = <uint16_t>(found | flags[i] if merge else found)
    for k in range(max_order):
        counts[k] += matches[k]
    return -1 if self.out_of_memory else 0
