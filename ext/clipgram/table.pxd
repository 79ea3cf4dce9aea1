"""A hash table from 64-bit keys to 32-bit names: open addressing, linear probing, at most half full, exact keys."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

cdef struct Slot:
    uint64_t key
    uint32_t name
    uint32_t epoch  # filled if it is the table's: a table is emptied by counting up

cdef struct Table:
    Slot *slots
    size_t allocated
    size_t mask
    int shift
    uint32_t epoch
    size_t filled
    uint64_t multiplier  # odd, and drawn at random: nobody can prepare keys that all fall into one place


cdef inline Slot *find(const Table *self, uint64_t key) noexcept nogil:
    """The slot that holds the key, or the empty one where it would go."""
    # Two rounds: with one, keys in arithmetic progression crowd together under an unlucky multiplier, 100 probes
    # instead of 0.3 in one of 1,000; and without the first shift multiples of 2**32 do.
    cdef uint64_t mixed = (key ^ key >> 32) * self.multiplier
    cdef size_t i = <size_t>(((mixed ^ mixed >> 32) * self.multiplier) >> self.shift)
    while self.slots[i].epoch == self.epoch and self.slots[i].key != key:
        i = (i + 1) & self.mask
    return &self.slots[i]


cdef inline bint is_filled(const Table *self, const Slot *slot) noexcept nogil:
    return slot.epoch == self.epoch


cdef inline uint32_t name_of(const Table *self, uint64_t key) noexcept nogil:
    """The key's name, 0 if it has none."""
    cdef Slot *slot = find(self, key)
    return slot.name if is_filled(self, slot) else 0


cdef inline void add(Table *self, Slot *slot, uint64_t key, uint32_t name) noexcept nogil:
    slot.key = key
    slot.name = name
    slot.epoch = self.epoch
    self.filled += 1


cdef inline int set_size(Table *self, size_t entries) noexcept nogil:
    """Empty a table and give it room for that many entries. Returns -1 if memory ran out."""
    cdef size_t size = 16
    cdef Slot *slots
    self.shift = 60
    while size < 2 * entries:
        size *= 2
        self.shift -= 1
    self.mask = size - 1
    self.filled = 0
    self.epoch += 1
    if size > self.allocated or self.epoch == 0:
        slots = <Slot *>calloc(max(size, self.allocated), sizeof(Slot))
        if slots == NULL:
            return -1
        free(self.slots)
        self.slots = slots
        self.allocated = max(size, self.allocated)
        self.epoch = 1
    return 0


cdef inline int make_room(Table *self, size_t entries) noexcept nogil:
    """See to it that a table in use can take that many entries more. Returns -1 if memory ran out."""
    if 2 * (self.filled + entries) <= self.mask + 1:
        return 0
    return grow(self, entries)


cdef inline int grow(Table *self, size_t entries) noexcept nogil:
    cdef Table grown
    cdef size_t i
    memset(&grown, 0, sizeof(grown))
    grown.multiplier = self.multiplier
    if set_size(&grown, max(self.filled + entries, 2 * self.filled)) < 0:
        return -1
    for i in range(self.mask + 1):
        if is_filled(self, &self.slots[i]):
            add(&grown, find(&grown, self.slots[i].key), self.slots[i].key, self.slots[i].name)
    free(self.slots)
    self[0] = grown
    return 0
