# cython: language_level=3, freethreading_compatible=True
"""From text to token IDs, compiled. The twin in pure Python is ``clipgram._text_py``.

Texts are read where they are: the tokens of an ASCII str are slices of its own memory, any other str is written as
UTF-8 into memory of the call's own (a lone surrogate as the three bytes it would have, so that it is a character like
any other). Tokens are interned for one hypothesis and its references at a time. Nothing holds the GIL but the first
look at the lists, and nothing is kept between calls.
"""

import os

import numpy

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy, memset

from clipgram._categories import NUMBER, PUNCTUATION, SYMBOL
from clipgram._characters import CJK, SPACE as SPACES, code_points

from clipgram._ngrams cimport count_segment
from clipgram.rules cimport (
    ALONE,
    DIFFERENT_BLOCKS,
    DIGIT,
    DONE,
    EDGE,
    HYPHEN,
    IS_CJK,
    IS_NUMBER,
    IS_PUNCTUATION,
    IS_SPACE,
    IS_SYMBOL,
    MARK,
    MARKUP,
    OUT_OF_MEMORY,
    PAIR,
    PLAIN,
    PROPERTIES,
    SPACE,
    Properties,
    Rules,
    Scan,
    SPARE,
    TOKENS,
    Status,
    clean,
    hand_on,
    scan_text,
)
from clipgram.words cimport Key, Token, Words, free_words, give_name, init_words, known_name, set_key, set_words_size

cdef extern from "Python.h" nogil:
    bint PyUnicode_IS_ASCII(PyObject *text)
    int PyUnicode_KIND(PyObject *text)
    void *PyUnicode_DATA(PyObject *text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *text)

cdef extern from "Python.h":
    bint PyUnicode_Check(object thing)
    str PyUnicode_DecodeUTF8(const char *text, Py_ssize_t n, const char *errors)
    PyObject **PySequence_Fast_ITEMS(object sequence)

cdef extern from "scan.h" nogil:
    size_t write_utf8_1 "clipgram_write_utf8_1"(const uint8_t *codes, size_t n, uint8_t *to)
    size_t write_utf8_2 "clipgram_write_utf8_2"(const uint16_t *codes, size_t n, uint8_t *to)
    size_t write_utf8_4 "clipgram_write_utf8_4"(const uint32_t *codes, size_t n, uint8_t *to)

cdef extern from "scan.h":
    int ready "CLIPGRAM_READY"(object text) except -1

cdef uint64_t MULTIPLIER = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t OTHER_MULTIPLIER = int.from_bytes(os.urandom(8), "little") | 1

cdef Properties CHARACTERS
cdef Rules RULES[7]
NUMBERS = {"none": 0, "13a": 1, "13a-raw": 2, "zh": 3, "char": 4, "intl": 5, "edge": 6}


cdef _fill_characters():
    """Lay out the properties of all code points, in blocks; neighbouring blocks that are equal share one."""
    cdef uint8_t[::1] of = bytearray(0x110000)
    cdef int code, start, bit, number = 0
    for ranges, bit in (
        (NUMBER, IS_NUMBER),
        (PUNCTUATION, IS_PUNCTUATION),
        (SYMBOL, IS_SYMBOL),
        (SPACES, IS_SPACE),
        (CJK, IS_CJK),
    ):
        for codes in code_points(ranges):
            for code in range(codes.start, codes.stop):
                of[code] |= bit
    for start in range(0, 0x110000, 128):
        if start and memcmp(&of[start], CHARACTERS.of[number], 128) != 0:
            number += 1
            assert number < DIFFERENT_BLOCKS
        memcpy(CHARACTERS.of[number], &of[start], 128)
        CHARACTERS.block[start >> 7] = number


cdef _fill_rules():
    """The classes that each tokenizer has, by the properties of a character, and for ASCII one by one."""
    cdef Rules *rules
    cdef int properties, code
    memset(RULES, 0, sizeof(RULES))
    for name, number in NUMBERS.items():
        rules = &RULES[number]
        rules.padded = name in ("13a", "13a-raw")
        rules.trimmed = name == "zh"
        rules.edges = name == "edge"
        rules.single = name == "char"
        for properties in range(PROPERTIES):
            rules.class_of[properties] = _class_of(name, properties)
        for code in range(128):
            rules.ascii_class[code] = _class_of(name, CHARACTERS.of[0][code])
        if name in ("13a", "13a-raw", "zh"):
            for code in range(128):
                if chr(code) in _ALWAYS_ALONE:
                    rules.ascii_class[code] = ALONE
            for code in b"0123456789":
                rules.ascii_class[code] = DIGIT
            rules.ascii_class[c"."] = rules.ascii_class[c","] = PAIR
            rules.ascii_class[c"-"] = HYPHEN
        if name == "13a":
            rules.ascii_class[c"&"] = rules.ascii_class[c"<"] = rules.ascii_class[c"\n"] = MARK


_ALWAYS_ALONE = "!\"#$%&()*+/:;<=>?@[\\]^_`{|}~"


def _class_of(name, properties):
    if properties & IS_SPACE:
        return SPACE
    if name == "zh" and properties & IS_CJK:
        return ALONE
    if name == "edge" and properties & (IS_PUNCTUATION | IS_SYMBOL):
        return EDGE
    if name == "intl":
        for bit, kind in ((IS_NUMBER, DIGIT), (IS_PUNCTUATION, PAIR), (IS_SYMBOL, ALONE)):
            if properties & bit:
                return kind
    return PLAIN


_fill_characters()
_fill_rules()

cdef struct Bytes:  # memory that grows
    uint8_t *at
    size_t n
    size_t allocated

cdef struct Source:  # segments: each a text, or the tokens from one offset to the next
    PyObject **items
    const int64_t *offsets  # NULL for texts

cdef struct Reader:  # what one call needs to read segments
    Scan scan
    Words words
    Key keys[TOKENS]
    const Rules *rules
    Bytes references  # their text, where it is not in a str; the words point into it
    Bytes hypothesis
    Bytes *taken  # where the takers put what they make


cdef int reserve(Bytes *self, size_t n) noexcept nogil:
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


cdef int append(Bytes *self, int64_t number) noexcept nogil:
    if reserve(self, self.n + sizeof(int64_t)) < 0:
        return -1
    (<int64_t *>(self.at + self.n))[0] = number
    self.n += sizeof(int64_t)
    return 0


# Taking tokens: what a scan found goes on as the IDs of a reference, as those of a hypothesis, or as it is.

cdef Status take_reference(Scan *scan) noexcept nogil:
    cdef Reader *self = <Reader *>scan.taker
    cdef int32_t *ids
    cdef size_t i
    if reserve(self.taken, self.taken.n + scan.n_tokens * sizeof(int32_t)) < 0:
        return OUT_OF_MEMORY
    ids = <int32_t *>(self.taken.at + self.taken.n)
    for i in range(scan.n_tokens):
        set_key(&self.words, &scan.tokens[i], &self.keys[i])
    for i in range(scan.n_tokens):
        ids[i] = <int32_t>give_name(&self.words, &scan.tokens[i], &self.keys[i])
        if ids[i] == 0:
            return OUT_OF_MEMORY
    self.taken.n += scan.n_tokens * sizeof(int32_t)
    return DONE


cdef Status take_hypothesis(Scan *scan) noexcept nogil:
    cdef Reader *self = <Reader *>scan.taker
    cdef int32_t *ids
    cdef size_t i
    if reserve(self.taken, self.taken.n + scan.n_tokens * sizeof(int32_t)) < 0:
        return OUT_OF_MEMORY
    ids = <int32_t *>(self.taken.at + self.taken.n)
    for i in range(scan.n_tokens):
        set_key(&self.words, &scan.tokens[i], &self.keys[i])
    for i in range(scan.n_tokens):
        ids[i] = <int32_t>known_name(&self.words, &scan.tokens[i], &self.keys[i])
    self.taken.n += scan.n_tokens * sizeof(int32_t)
    return DONE


cdef Status take_tokens(Scan *scan) noexcept nogil:
    cdef Reader *self = <Reader *>scan.taker
    cdef size_t n = scan.n_tokens * sizeof(Token)
    if reserve(self.taken, self.taken.n + n) < 0:
        return OUT_OF_MEMORY
    memcpy(self.taken.at + self.taken.n, scan.tokens, n)
    self.taken.n += n
    return DONE


# Reading str.

cdef size_t most_bytes(PyObject *text) noexcept nogil:
    """No UTF-8 of a str is longer."""
    cdef int kind = PyUnicode_KIND(text)
    cdef size_t n = PyUnicode_GET_LENGTH(text)
    return n if PyUnicode_IS_ASCII(text) else 4 * n if kind == 4 else (kind + 1) * n


cdef size_t write_utf8(PyObject *text, uint8_t *to) noexcept nogil:
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


cdef Status read_text(Reader *self, PyObject *text, Bytes *room) noexcept nogil:
    """Hand the tokens of a str to the taker. ``room`` has space for what ``most_bytes_of`` says."""
    cdef uint8_t *start = room.at + room.n
    cdef size_t n = write_utf8(text, start), taken_before = self.taken.n
    cdef bint ascii = PyUnicode_IS_ASCII(text)
    cdef Status status
    room.n += n
    self.scan.rules = self.rules
    status = scan_text(&self.scan, start, start + n, ascii)
    if status == MARKUP:
        # Once more from the beginning: a clean copy, under the rules for text that is clean, which come next.
        self.taken.n = taken_before
        n = self.scan.stop - start
        memcpy(room.at + room.n, start, n)
        start = room.at + room.n
        n = clean(start, n)
        room.n += n
        self.scan.rules = self.rules + 1
        status = scan_text(&self.scan, start, start + n, ascii)
    return status


cdef Status read_token(Reader *self, PyObject *token, Bytes *room) noexcept nogil:
    """Hand a str to the taker as one token."""
    cdef size_t n = write_utf8(token, room.at + room.n)
    self.scan.tokens[self.scan.n_tokens].start = room.at + room.n
    self.scan.tokens[self.scan.n_tokens].length = n
    self.scan.n_tokens += 1
    room.n += n
    if self.scan.n_tokens == TOKENS:
        hand_on(&self.scan)
    return self.scan.status


cdef Status read_segment(Reader *self, const Source *source, int64_t index, Bytes *room) noexcept nogil:
    cdef int64_t i
    if source.offsets == NULL:
        return read_text(self, source.items[index], room)
    self.scan.status = DONE
    self.scan.n_tokens = 0
    for i in range(source.offsets[index], source.offsets[index + 1]):
        read_token(self, source.items[i], room)
    hand_on(&self.scan)
    return self.scan.status


cdef size_t most_bytes_of(const Source *source, int64_t index) noexcept nogil:
    """The room that a segment needs: a text may be written twice, and there is some to spare behind it."""
    cdef size_t most = SPARE
    cdef int64_t i
    if source.offsets == NULL:
        return 2 * most_bytes(source.items[index]) + SPARE
    for i in range(source.offsets[index], source.offsets[index + 1]):
        most += most_bytes(source.items[i])
    return most


cdef Status read_references(Reader *self, const Source *source, int64_t first, int64_t n, Bytes *offsets) noexcept nogil:
    """Read the references of a group, into an empty table."""
    cdef size_t most = 0
    cdef int64_t i
    for i in range(first, first + n):
        most += most_bytes_of(source, i)
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


cdef Status read_hypothesis(Reader *self, const Source *source, int64_t index) noexcept nogil:
    """Read a hypothesis, against the table of its references."""
    self.hypothesis.n = 0
    if reserve(&self.hypothesis, most_bytes_of(source, index)) < 0:
        return OUT_OF_MEMORY
    self.scan.take = take_hypothesis
    return read_segment(self, source, index, &self.hypothesis)


cdef void init_reader(Reader *self, const Rules *rules) noexcept nogil:
    init_words(&self.words, MULTIPLIER, OTHER_MULTIPLIER)
    self.rules = rules
    self.scan.properties = &CHARACTERS
    self.scan.taker = self
    memset(&self.references, 0, sizeof(Bytes))
    memset(&self.hypothesis, 0, sizeof(Bytes))


cdef void free_reader(Reader *self) noexcept nogil:
    free_words(&self.words)
    free(self.references.at)
    free(self.hypothesis.at)


cdef bint same_text(PyObject *one, PyObject *other) noexcept nogil:
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(one)
    cdef int kind = PyUnicode_KIND(one)
    if one == other:
        return True
    if n != PyUnicode_GET_LENGTH(other) or kind != PyUnicode_KIND(other):
        return False
    return memcmp(PyUnicode_DATA(one), PyUnicode_DATA(other), n * kind) == 0


cdef bint same_segments(const Source *source, int64_t first, int64_t other, int64_t n) noexcept nogil:
    """Whether the segments from ``first`` on are those from ``other`` on."""
    cdef int64_t i, k, length
    if first == other:
        return True
    for i in range(n):
        if source.offsets == NULL:
            if not same_text(source.items[first + i], source.items[other + i]):
                return False
            continue
        length = source.offsets[first + i + 1] - source.offsets[first + i]
        if length != source.offsets[other + i + 1] - source.offsets[other + i]:
            return False
        for k in range(length):
            if not same_text(
                source.items[source.offsets[first + i] + k], source.items[source.offsets[other + i] + k]
            ):
                return False
    return True


cdef struct Encoded:
    Bytes hypothesis_ids
    Bytes reference_ids
    Bytes hypothesis_offsets
    Bytes reference_offsets
    Bytes group_offsets
    Bytes groups


cdef Status encode_all(
    Encoded *out,
    const Source *hypotheses,
    const Source *references,
    const int64_t *group_offsets,
    const int64_t *groups,
    int64_t n,
    const Rules *rules,
) noexcept nogil:
    cdef Reader reader
    cdef int64_t i, first, n_refs, last = 0, last_n_refs = -1, n_groups = 0
    cdef Status status = start_encoded(out)
    init_reader(&reader, rules)
    for i in range(n):
        first = group_offsets[groups[i]]
        n_refs = group_offsets[groups[i] + 1] - first
        if status == DONE and (n_refs != last_n_refs or not same_segments(references, first, last, n_refs)):
            reader.taken = &out.reference_ids
            status = read_references(&reader, references, first, n_refs, &out.reference_offsets)
            n_groups += 1
            if append(&out.group_offsets, out.reference_offsets.n // sizeof(int64_t) - 1) < 0:
                status = OUT_OF_MEMORY
        last, last_n_refs = first, n_refs
        reader.taken = &out.hypothesis_ids
        if status == DONE:
            status = read_hypothesis(&reader, hypotheses, i)
        if status == DONE and append(&out.hypothesis_offsets, out.hypothesis_ids.n // sizeof(int32_t)) < 0:
            status = OUT_OF_MEMORY
        if status != DONE or append(&out.groups, n_groups - 1) < 0:
            status = OUT_OF_MEMORY
            break
    free_reader(&reader)
    return status


cdef void free_encoded(Encoded *self) noexcept nogil:
    free(self.hypothesis_ids.at)
    free(self.reference_ids.at)
    free(self.hypothesis_offsets.at)
    free(self.reference_offsets.at)
    free(self.group_offsets.at)
    free(self.groups.at)


cdef Status start_encoded(Encoded *self) noexcept nogil:
    memset(self, 0, sizeof(Encoded))
    if (
        append(&self.hypothesis_offsets, 0) < 0
        or append(&self.reference_offsets, 0) < 0
        or append(&self.group_offsets, 0) < 0
    ):
        return OUT_OF_MEMORY
    return DONE


_INT32, _INT64 = numpy.dtype(numpy.int32), numpy.dtype(numpy.int64)


cdef as_array(Bytes *bytes, dtype):
    array = numpy.empty(bytes.n // dtype.itemsize, dtype)
    cdef uint8_t[::1] view = array.view(numpy.uint8)
    if bytes.n:
        memcpy(&view[0], bytes.at, bytes.n)
    return array


cdef as_arrays(Encoded *encoded):
    return (
        as_array(&encoded.hypothesis_ids, _INT32),
        as_array(&encoded.hypothesis_offsets, _INT64),
        as_array(&encoded.reference_ids, _INT32),
        as_array(&encoded.reference_offsets, _INT64),
        as_array(&encoded.group_offsets, _INT64),
        as_array(&encoded.groups, _INT64),
    )


cdef list private_copy(texts):
    """A list of the same str that nobody else can change, and that keeps them alive while the GIL is free."""
    cdef list copy = list(texts)
    for text in copy:
        if not PyUnicode_Check(text):
            raise TypeError(f"a text is of type {type(text).__name__}")
        ready(text)
    return copy


cdef encode_sources(
    Source *hypotheses, Source *references, const int64_t[::1] group_offsets, const int64_t[::1] groups, const Rules *rules
):
    cdef Encoded encoded
    cdef Status status
    cdef int64_t n = groups.shape[0]
    cdef const int64_t *offsets = &group_offsets[0]
    cdef const int64_t *group = &groups[0] if n else NULL
    with nogil:
        status = encode_all(&encoded, hypotheses, references, offsets, group, n, rules)
    try:
        if status != DONE:
            raise MemoryError("not enough memory to read the texts")
        return as_arrays(&encoded)
    finally:
        free_encoded(&encoded)


def encode(hypotheses, references, const int64_t[::1] group_offsets, const int64_t[::1] groups, rules):
    """Tokenize texts by rules, and give the tokens IDs.

    Equal tokens have equal IDs within a hypothesis and its references: in the references they count from 1 in the
    order of their first appearance; a hypothesis token that none of them has is 0.

    Parameters
    ----------
    hypotheses : list of str [B]
    references : list of str [R]
    group_offsets : int64 array [G + 1]
        Group ``g`` is the references ``group_offsets[g]`` to ``group_offsets[g + 1] - 1``.
    groups : int64 array [B]
        The group of each hypothesis.
    rules : str
        The tokenizer: none, 13a, 13a-raw, zh, char, intl or edge.

    Returns
    -------
    hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups : arrays
        What ``count_matches`` takes, IDs as int32. The references are those of each run of neighbours with equal
        ones, which makes a new group.
    """
    cdef list hyps = private_copy(hypotheses)
    cdef list refs = private_copy(references)
    cdef Source hypothesis_source, reference_source
    hypothesis_source.items = PySequence_Fast_ITEMS(hyps)
    reference_source.items = PySequence_Fast_ITEMS(refs)
    hypothesis_source.offsets = reference_source.offsets = NULL
    return encode_sources(&hypothesis_source, &reference_source, group_offsets, groups, &RULES[NUMBERS[rules]])


def encode_tokens(
    hypotheses,
    const int64_t[::1] hypothesis_offsets,
    references,
    const int64_t[::1] reference_offsets,
    const int64_t[::1] group_offsets,
    const int64_t[::1] groups,
):
    """Give tokens that are str IDs, as ``encode`` does.

    Parameters
    ----------
    hypotheses : list of str
        The hypotheses' tokens, one hypothesis after the other.
    hypothesis_offsets : int64 array [B + 1]
        Where each hypothesis begins and ends.
    references, reference_offsets
        The same for the references.
    group_offsets, groups
        As for ``encode``.

    Returns
    -------
    hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups : arrays
        As from ``encode``.
    """
    cdef list hyps = private_copy(hypotheses)
    cdef list refs = private_copy(references)
    cdef Source hypothesis_source, reference_source
    if hypothesis_offsets[hypothesis_offsets.shape[0] - 1] > len(hyps):
        raise RuntimeError("a list changed its length while it was read")
    if reference_offsets[reference_offsets.shape[0] - 1] > len(refs):
        raise RuntimeError("a list changed its length while it was read")
    hypothesis_source.items = PySequence_Fast_ITEMS(hyps)
    reference_source.items = PySequence_Fast_ITEMS(refs)
    hypothesis_source.offsets = &hypothesis_offsets[0]
    reference_source.offsets = &reference_offsets[0]
    return encode_sources(&hypothesis_source, &reference_source, group_offsets, groups, NULL)


def tokenize(text, rules):
    """Tokenize a text by rules.

    Parameters
    ----------
    text : str
    rules : str
        The tokenizer: none, 13a, 13a-raw, zh, char, intl or edge.

    Returns
    -------
    list of str
    """
    cdef list one = private_copy([text])
    cdef Reader reader
    cdef Bytes taken
    cdef Token *tokens
    cdef Status status = OUT_OF_MEMORY
    cdef size_t i
    memset(&taken, 0, sizeof(taken))
    init_reader(&reader, &RULES[NUMBERS[rules]])
    reader.taken = &taken
    reader.scan.take = take_tokens
    try:
        if reserve(&reader.hypothesis, 2 * most_bytes(<PyObject *>text) + SPARE) == 0:
            status = read_text(&reader, <PyObject *>text, &reader.hypothesis)
        if status != DONE:
            raise MemoryError("not enough memory to read the text")
        tokens = <Token *>taken.at
        return [
            PyUnicode_DecodeUTF8(<const char *>tokens[i].start, tokens[i].length, "surrogatepass")
            for i in range(taken.n // sizeof(Token))
        ]
    finally:
        free_reader(&reader)
        free(taken.at)
