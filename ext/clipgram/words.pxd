"""Interning: equal tokens, as bytes of UTF-8, get equal names.

The tokens of one hypothesis and its references share one small table, which is emptied for the next ones by counting
up, so that it stays in the cache. A token of up to 16 bytes is compared as two words; a longer one by eight bytes, a
hash of all, and then all its bytes.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

cdef extern from "scan.h" nogil:
    uint64_t load8 "clipgram_load8"(const uint8_t *bytes)

cdef struct Token:
    const uint8_t *start
    size_t length

cdef struct Key:  # of a token of up to 16 bytes, the bytes; of a longer one, a hash and where it is
    uint64_t first
    uint64_t second
    uint64_t hash

cdef struct Word:
    uint64_t first
    uint64_t second  # where a long token is; it must stay there while the table is in use
    uint32_t length
    uint32_t name
    uint32_t epoch  # filled if it is the table's

cdef struct Words:
    Word *slots
    size_t allocated
    size_t mask
    int shift
    uint32_t epoch
    uint32_t filled
    uint32_t names_of_bytes[128]  # of the tokens of one ASCII character, where those are kept apart
    uint64_t multiplier  # odd, and drawn at random, as in table.pxd
    uint64_t other_multiplier
    uint64_t first_mask[17]  # for the first and the second eight bytes of a token, by its length
    uint64_t second_mask[17]


cdef inline void init_words(Words *self, uint64_t multiplier, uint64_t other_multiplier) noexcept nogil:
    cdef uint8_t bytes[8]
    cdef int length
    memset(self, 0, sizeof(Words))
    self.multiplier = multiplier
    self.other_multiplier = other_multiplier
    for length in range(17):
        memset(bytes, 0, sizeof(bytes))
        memset(bytes, 255, min(length, 8))
        self.first_mask[length] = load8(bytes)
        memset(bytes, 0, sizeof(bytes))
        memset(bytes, 255, max(length, 8) - 8)
        self.second_mask[length] = load8(bytes)


cdef inline void free_words(Words *self) noexcept nogil:
    free(self.slots)


cdef inline uint64_t mix(uint64_t word, uint64_t multiplier) noexcept nogil:
    return (word ^ word >> 32) * multiplier


cdef inline void set_key(const Words *self, const Token *token, Key *key) noexcept nogil:
    """Sixteen bytes from the token's start on are read, whatever its length."""
    cdef uint64_t hash
    cdef size_t i
    if token.length <= 16:
        key.first = load8(token.start) & self.first_mask[token.length]
        key.second = load8(token.start + 8) & self.second_mask[token.length]
        hash = key.first * self.multiplier + key.second * self.other_multiplier
    else:
        hash = load8(token.start) ^ token.length
        for i in range(8, token.length - 8, 8):
            hash = mix(hash, self.other_multiplier) ^ load8(token.start + i)
        hash = mix(hash, self.other_multiplier) ^ load8(token.start + token.length - 8)
        hash = mix(hash, self.other_multiplier)
        key.first = hash
        key.second = <uint64_t>token.start
    key.hash = mix(hash, self.multiplier)


cdef inline Word *find_word(const Words *self, const Token *token, const Key *key) noexcept nogil:
    """The slot that holds the token, or the empty one where it would go."""
    cdef size_t i = <size_t>(key.hash >> self.shift)
    cdef uint64_t short = -<uint64_t>(token.length <= 16)
    cdef uint64_t different
    cdef Word *word
    while True:
        word = &self.slots[i]
        different = (
            (word.first ^ key.first) | ((word.second ^ key.second) & short) | (word.length ^ <uint32_t>token.length)
        )
        # One branch, nearly always taken at once: which of the two it is, is for the caller to ask. With xor, because
        # compilers make two branches of two comparisons, and the second one would be anybody's guess (a fifth slower).
        if (word.epoch ^ self.epoch) | (different == 0):
            if short or word.epoch != self.epoch:
                return word
            if memcmp(<const uint8_t *>word.second, token.start, token.length) == 0:
                return word
        i = (i + 1) & self.mask


cdef inline uint32_t known_name(const Words *self, const Token *token, const Key *key) noexcept nogil:
    """The token's name, 0 if it has none."""
    cdef Word *word = find_word(self, token, key)
    return word.name & -<uint32_t>(word.epoch == self.epoch)


cdef inline uint32_t give_name(Words *self, const Token *token, const Key *key) noexcept nogil:
    """The token's name, a new one if it has none. There must be room for it."""
    cdef Word *word = find_word(self, token, key)
    if word.epoch != self.epoch:
        self.filled += 1
        word.first = key.first
        word.second = key.second
        word.length = <uint32_t>token.length
        word.name = self.filled
        word.epoch = self.epoch
    return word.name


# Where every character is a token, one of ASCII needs no hash: its name is kept by its byte.

cdef inline uint32_t known_name_of_character(const Words *self, const Token *token) noexcept nogil:
    cdef Key key
    if token.length == 1:
        return self.names_of_bytes[token.start[0]]
    set_key(self, token, &key)
    return known_name(self, token, &key)


cdef inline uint32_t give_name_to_character(Words *self, const Token *token) noexcept nogil:
    cdef Key key
    cdef uint32_t *name
    if token.length == 1:
        name = &self.names_of_bytes[token.start[0]]
        if name[0] == 0:
            self.filled += 1
            name[0] = self.filled
        return name[0]
    set_key(self, token, &key)
    return give_name(self, token, &key)


cdef inline int set_words_size(Words *self, size_t entries) noexcept nogil:
    """Empty the table and give it room for that many tokens. Returns -1 if memory ran out."""
    cdef size_t size = 256
    cdef Word *slots
    self.shift = 56
    while size < 2 * entries:
        size *= 2
        self.shift -= 1
    self.mask = size - 1
    self.filled = 0
    memset(self.names_of_bytes, 0, sizeof(self.names_of_bytes))
    self.epoch += 1
    if size > self.allocated or self.epoch == 0:
        slots = <Word *>calloc(max(size, self.allocated), sizeof(Word))
        if slots == NULL:
            return -1
        free(self.slots)
        self.slots = slots
        self.allocated = max(size, self.allocated)
        self.epoch = 1
    return 0


cdef inline int make_room_for_words(Words *self, size_t more) noexcept nogil:
    """See to it that a table in use can take that many tokens more. Returns -1 if memory ran out."""
    if 2 * (self.filled + more) <= self.mask + 1:
        return 0
    return grow_words(self, more)


cdef inline int grow_words(Words *self, size_t more) noexcept nogil:
    cdef Words grown = self[0]
    cdef Word *word
    cdef uint64_t hash
    cdef size_t i, place
    grown.slots = NULL
    grown.allocated = 0
    if set_words_size(&grown, max(self.filled + more, 2 * <size_t>self.filled)) < 0:
        return -1
    for i in range(self.mask + 1):
        word = &self.slots[i]
        if word.epoch != self.epoch:
            continue
        hash = word.first
        if word.length <= 16:
            hash = word.first * self.multiplier + word.second * self.other_multiplier
        place = <size_t>(mix(hash, self.multiplier) >> grown.shift)
        while grown.slots[place].epoch == grown.epoch:
            place = (place + 1) & grown.mask
        grown.slots[place] = word[0]
        grown.slots[place].epoch = grown.epoch
    grown.filled = self.filled
    memcpy(grown.names_of_bytes, self.names_of_bytes, sizeof(self.names_of_bytes))
    free(self.slots)
    self[0] = grown
    return 0
