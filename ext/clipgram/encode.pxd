"""From str to IDs: reading texts and tokens where Python keeps them, without the GIL.

Every text is written as UTF-8 into memory of the call's own, with some to spare behind it, and tokens are slices of
that. The str themselves must be kept alive by the caller. Tokens are interned for one hypothesis and its references at
a time: the references' tokens get the IDs 1, 2, ... in the order of their first appearance, a hypothesis token that
none of them has gets 0.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset

from clipgram.rules cimport (
    AGAIN,
    DONE,
    MARKUP,
    NO_STR,
    OUT_OF_MEMORY,
    SPARE,
    TOKENS,
    Properties,
    Rules,
    Scan,
    Status,
    clean,
    hand_on,
    scan_text,
)
from clipgram.words cimport (
    Key,
    Token,
    Words,
    free_words,
    give_name,
    give_name_to_character,
    init_words,
    known_name,
    known_name_of_character,
    make_room_for_words,
    set_key,
    set_words_size,
)

cdef extern from "Python.h" nogil:
    bint PyUnicode_IS_ASCII(PyObject *text)
    int PyUnicode_KIND(PyObject *text)
    void *PyUnicode_DATA(PyObject *text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *text)
    bint PyUnicode_Check(PyObject *thing)
    bint PyList_Check(PyObject *thing)
    bint PyTuple_Check(PyObject *thing)
    PyObject **PySequence_Fast_ITEMS(PyObject *sequence)
    Py_ssize_t PySequence_Fast_GET_SIZE(PyObject *sequence)

cdef extern from "scan.h" nogil:
    int ready "CLIPGRAM_READY"(PyObject *text)
    void prefetch "CLIPGRAM_PREFETCH"(const void *address)
    size_t write_utf8_1 "clipgram_write_utf8_1"(const uint8_t *codes, size_t n, uint8_t *to)
    size_t write_utf8_2 "clipgram_write_utf8_2"(const uint16_t *codes, size_t n, uint8_t *to)
    size_t write_utf8_4 "clipgram_write_utf8_4"(const uint32_t *codes, size_t n, uint8_t *to)

cdef enum:
    AHEAD = 8  # tokens that are prefetched: they lie all over the place

cdef struct Bytes:  # memory that grows
    uint8_t *at
    size_t n
    size_t allocated

cdef struct Language:  # what does not change between calls
    Properties properties
    uint64_t multiplier
    uint64_t other_multiplier

cdef struct Source:  # segments: each a text, or a list or tuple of tokens, which is read with the GIL held
    PyObject **items
    bint are_lists

cdef struct Reader:  # what one call needs to read segments
    Scan scan
    Words words
    Key keys[TOKENS]
    const Rules *rules
    Bytes references  # their text, where it is not in a str; the words point into it
    Bytes hypothesis
    Bytes *taken  # where the takers put what they make


cdef inline int reserve(Bytes *self, size_t n) noexcept nogil:
    """Make room for that many bytes in all."""
    cdef void *moved
    if n > self.allocated:
        n = max(n, 2 * self.allocated)
        moved = realloc(self.at, n)
        if moved == NULL:
            return -1
        self.at = <uint8_t *>moved
        self.allocated = n
    return 0


cdef inline int append(Bytes *self, int64_t number) noexcept nogil:
    if reserve(self, self.n + sizeof(int64_t)) < 0:
        return -1
    (<int64_t *>(self.at + self.n))[0] = number
    self.n += sizeof(int64_t)
    return 0


# Taking tokens: what a scan found goes on as the IDs of a reference, as those of a hypothesis, or as it is.

cdef inline Status take_reference(Scan *scan) noexcept nogil:
    cdef Reader *self = <Reader *>scan.taker
    cdef int32_t *ids
    cdef size_t i
    if reserve(self.taken, self.taken.n + scan.n_tokens * sizeof(int32_t)) < 0:
        return OUT_OF_MEMORY
    ids = <int32_t *>(self.taken.at + self.taken.n)
    if make_room_for_words(&self.words, scan.n_tokens) < 0:
        return OUT_OF_MEMORY
    if scan.rules != NULL and scan.rules.single:
        for i in range(scan.n_tokens):
            ids[i] = <int32_t>give_name_to_character(&self.words, &scan.tokens[i])
        self.taken.n += scan.n_tokens * sizeof(int32_t)
        return DONE
    # First all keys: then a wrong guess about one token does not hold up the arithmetic of the next.
    for i in range(scan.n_tokens):
        set_key(&self.words, &scan.tokens[i], &self.keys[i])
    for i in range(scan.n_tokens):
        ids[i] = <int32_t>give_name(&self.words, &scan.tokens[i], &self.keys[i])
    self.taken.n += scan.n_tokens * sizeof(int32_t)
    return DONE


cdef inline Status take_hypothesis(Scan *scan) noexcept nogil:
    cdef Reader *self = <Reader *>scan.taker
    cdef int32_t *ids
    cdef size_t i
    if reserve(self.taken, self.taken.n + scan.n_tokens * sizeof(int32_t)) < 0:
        return OUT_OF_MEMORY
    ids = <int32_t *>(self.taken.at + self.taken.n)
    if scan.rules != NULL and scan.rules.single:
        for i in range(scan.n_tokens):
            ids[i] = <int32_t>known_name_of_character(&self.words, &scan.tokens[i])
        self.taken.n += scan.n_tokens * sizeof(int32_t)
        return DONE
    for i in range(scan.n_tokens):
        set_key(&self.words, &scan.tokens[i], &self.keys[i])
    for i in range(scan.n_tokens):
        ids[i] = <int32_t>known_name(&self.words, &scan.tokens[i], &self.keys[i])
    self.taken.n += scan.n_tokens * sizeof(int32_t)
    return DONE


cdef inline Status take_tokens(Scan *scan) noexcept nogil:
    cdef Reader *self = <Reader *>scan.taker
    cdef size_t n = scan.n_tokens * sizeof(Token)
    if reserve(self.taken, self.taken.n + n) < 0:
        return OUT_OF_MEMORY
    memcpy(self.taken.at + self.taken.n, scan.tokens, n)
    self.taken.n += n
    return DONE


# Reading str.

cdef inline size_t most_bytes(PyObject *text) noexcept nogil:
    """No UTF-8 of a str is longer."""
    cdef int kind = PyUnicode_KIND(text)
    cdef size_t n = PyUnicode_GET_LENGTH(text)
    return n if PyUnicode_IS_ASCII(text) else 4 * n if kind == 4 else (kind + 1) * n


cdef inline size_t write_utf8(PyObject *text, uint8_t *to) noexcept nogil:
    """Write a str as UTF-8. Returns the number of bytes."""
    cdef size_t n = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    if PyUnicode_IS_ASCII(text):
        memcpy(to, data, n)
        return n
    if kind == 1:
        return write_utf8_1(<const uint8_t *>data, n, to)
    if kind == 2:
        return write_utf8_2(<const uint16_t *>data, n, to)
    return write_utf8_4(<const uint32_t *>data, n, to)


cdef inline Status read_bytes(
    Reader *self, const uint8_t *start, size_t n, bint ascii, const Rules *rules
) noexcept nogil:
    cdef size_t taken_before = self.taken.n
    cdef Status status
    self.scan.rules = rules
    status = scan_text(&self.scan, start, start + n, ascii)
    if status == AGAIN:
        self.taken.n = taken_before
        status = scan_text(&self.scan, start, start + n, False)
    if status == MARKUP:
        self.taken.n = taken_before
    return status


cdef inline Status read_text(Reader *self, PyObject *text, Bytes *room) noexcept nogil:
    """Hand the tokens of a str to the taker. ``room`` has space for what ``most_bytes_of`` says."""
    cdef uint8_t *start = room.at + room.n
    cdef size_t n = write_utf8(text, start)
    cdef bint ascii = PyUnicode_IS_ASCII(text)
    cdef Status status
    room.n += n
    status = read_bytes(self, start, n, ascii, self.rules)
    if status == MARKUP:
        # Once more from the beginning: a clean copy, under the rules for text that is clean, which come next.
        n = self.scan.stop - start
        memcpy(room.at + room.n, start, n)
        start = room.at + room.n
        n = clean(start, n)
        room.n += n
        status = read_bytes(self, start, n, ascii, self.rules + 1)
    return status


cdef inline Status read_tokens(Reader *self, PyObject *tokens, Bytes *room) noexcept nogil:
    """Hand the str in a list or tuple to the taker, each as one token."""
    cdef PyObject **items = PySequence_Fast_ITEMS(tokens)
    cdef Py_ssize_t i, n = PySequence_Fast_GET_SIZE(tokens)
    cdef Token *token
    self.scan.status = DONE
    self.scan.n_tokens = 0
    for i in range(n):
        token = &self.scan.tokens[self.scan.n_tokens]
        token.start = room.at + room.n
        token.length = write_utf8(items[i], room.at + room.n)
        room.n += token.length
        self.scan.n_tokens += 1
        if self.scan.n_tokens == TOKENS:
            hand_on(&self.scan)
    hand_on(&self.scan)
    return self.scan.status


cdef inline Status read_segment(Reader *self, const Source *source, int64_t index, Bytes *room) noexcept nogil:
    if source.are_lists:
        return read_tokens(self, source.items[index], room)
    return read_text(self, source.items[index], room)


cdef inline Status add_most_bytes(const Source *source, int64_t index, size_t *most) noexcept nogil:
    """Add the room that a segment needs: a text may be written twice, and there is some to spare behind it.

    Tokens are looked at here for the first time; NO_STR says that one is none.
    """
    cdef PyObject **items
    cdef Py_ssize_t i, n
    most[0] += SPARE
    if not source.are_lists:
        most[0] += 2 * most_bytes(source.items[index])
        return DONE
    if not PyList_Check(source.items[index]) and not PyTuple_Check(source.items[index]):
        return NO_STR
    items = PySequence_Fast_ITEMS(source.items[index])
    n = PySequence_Fast_GET_SIZE(source.items[index])
    for i in range(n):
        prefetch(items[min(i + AHEAD, n - 1)])
        if not PyUnicode_Check(items[i]):
            return NO_STR
        if ready(items[i]) < 0:
            return OUT_OF_MEMORY
        most[0] += most_bytes(items[i])
    return DONE


cdef inline Status read_references(
    Reader *self, const Source *source, int64_t first, int64_t n, Bytes *offsets
) noexcept nogil:
    """Read the references of a group, into an empty table."""
    cdef size_t most = 0
    cdef int64_t i
    cdef Status status
    for i in range(first, first + n):
        status = add_most_bytes(source, i, &most)
        if status != DONE:
            return status
    self.references.n = 0
    # A table for tokens of eight bytes and more on average; it grows if it has to.
    if reserve(&self.references, most) < 0 or set_words_size(&self.words, min(most // 16, 4096)) < 0:
        return OUT_OF_MEMORY
    self.scan.take = take_reference
    for i in range(first, first + n):
        if read_segment(self, source, i, &self.references) != DONE:
            return OUT_OF_MEMORY
        if append(offsets, self.taken.n // sizeof(int32_t)) < 0:
            return OUT_OF_MEMORY
    return DONE


cdef inline Status read_hypothesis(Reader *self, const Source *source, int64_t index) noexcept nogil:
    """Read a hypothesis, against the table of its references."""
    cdef size_t most = 0
    cdef Status status = add_most_bytes(source, index, &most)
    if status != DONE:
        return status
    self.hypothesis.n = 0
    if reserve(&self.hypothesis, most) < 0:
        return OUT_OF_MEMORY
    self.scan.take = take_hypothesis
    return read_segment(self, source, index, &self.hypothesis)


cdef inline void init_reader(Reader *self, const Language *language, const Rules *rules) noexcept nogil:
    init_words(&self.words, language.multiplier, language.other_multiplier)
    self.rules = self.scan.rules = rules
    self.scan.properties = &language.properties
    self.scan.taker = self
    memset(&self.references, 0, sizeof(Bytes))
    memset(&self.hypothesis, 0, sizeof(Bytes))


cdef inline void free_reader(Reader *self) noexcept nogil:
    free_words(&self.words)
    free(self.references.at)
    free(self.hypothesis.at)


cdef inline bint same_text(PyObject *one, PyObject *other) noexcept nogil:
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(one)
    cdef int kind = PyUnicode_KIND(one)
    if one == other:
        return True
    if n != PyUnicode_GET_LENGTH(other) or kind != PyUnicode_KIND(other):
        return False
    return memcmp(PyUnicode_DATA(one), PyUnicode_DATA(other), n * kind) == 0


cdef inline bint same_tokens(PyObject *one, PyObject *other) noexcept nogil:
    """Whether two lists or tuples hold the same str. Only ``other`` has been looked at before."""
    cdef PyObject **some
    cdef PyObject **others
    cdef Py_ssize_t i, n
    if one == other:
        return True
    if not PyList_Check(one) and not PyTuple_Check(one):
        return False
    n = PySequence_Fast_GET_SIZE(one)
    some = PySequence_Fast_ITEMS(one)
    others = PySequence_Fast_ITEMS(other)
    if n != PySequence_Fast_GET_SIZE(other):
        return False
    for i in range(n):
        if not PyUnicode_Check(some[i]) or ready(some[i]) < 0 or not same_text(some[i], others[i]):
            return False
    return True


cdef inline bint same_segments(const Source *source, int64_t first, int64_t other, int64_t n) noexcept nogil:
    """Whether the segments from ``first`` on are those from ``other`` on."""
    cdef int64_t i
    if first == other:
        return True
    for i in range(n):
        if source.are_lists:
            if not same_tokens(source.items[first + i], source.items[other + i]):
                return False
        elif not same_text(source.items[first + i], source.items[other + i]):
            return False
    return True


cdef struct Encoded:
    Bytes hypothesis_ids
    Bytes reference_ids
    Bytes hypothesis_offsets
    Bytes reference_offsets
    Bytes group_offsets
    Bytes groups
    int64_t n_ids  # all IDs are below it


cdef inline Status encode_all(
    Encoded *out,
    const Source *hypotheses,
    const Source *references,
    const int64_t *group_offsets,
    const int64_t *groups,
    int64_t n,
    const Language *language,
    const Rules *rules,
) noexcept nogil:
    """Read all hypotheses and the references of each run of neighbours with equal ones, which makes a new group."""
    cdef Reader reader
    cdef int64_t i, first, n_refs, last = 0, last_n_refs = -1, n_groups = 0
    cdef Status status = start_encoded(out)
    init_reader(&reader, language, rules)
    for i in range(n):
        first = group_offsets[groups[i]]
        n_refs = group_offsets[groups[i] + 1] - first
        if status == DONE and (n_refs != last_n_refs or not same_segments(references, first, last, n_refs)):
            reader.taken = &out.reference_ids
            status = read_references(&reader, references, first, n_refs, &out.reference_offsets)
            n_groups += 1
            out.n_ids = max(out.n_ids, <int64_t>reader.words.filled + 1)
            if append(&out.group_offsets, out.reference_offsets.n // sizeof(int64_t) - 1) < 0:
                status = OUT_OF_MEMORY
        last, last_n_refs = first, n_refs
        reader.taken = &out.hypothesis_ids
        if status == DONE:
            status = read_hypothesis(&reader, hypotheses, i)
        if status == DONE and append(&out.hypothesis_offsets, out.hypothesis_ids.n // sizeof(int32_t)) < 0:
            status = OUT_OF_MEMORY
        if status == DONE and append(&out.groups, n_groups - 1) < 0:
            status = OUT_OF_MEMORY
        if status != DONE:
            break
    free_reader(&reader)
    return status


cdef inline void free_encoded(Encoded *self) noexcept nogil:
    free(self.hypothesis_ids.at)
    free(self.reference_ids.at)
    free(self.hypothesis_offsets.at)
    free(self.reference_offsets.at)
    free(self.group_offsets.at)
    free(self.groups.at)


cdef inline Status start_encoded(Encoded *self) noexcept nogil:
    memset(self, 0, sizeof(Encoded))
    if (
        append(&self.hypothesis_offsets, 0) < 0
        or append(&self.reference_offsets, 0) < 0
        or append(&self.group_offsets, 0) < 0
    ):
        return OUT_OF_MEMORY
    return DONE
