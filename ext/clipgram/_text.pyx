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
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

from clipgram._categories import NUMBER, PUNCTUATION, SYMBOL
from clipgram._characters import CJK, SPACE as SPACES, code_points

from clipgram._ngrams cimport check_status
from clipgram.counting cimport Counted, count_all
from clipgram.encode cimport (
    Bytes,
    Encoded,
    Language,
    Reader,
    Source,
    encode_all,
    free_encoded,
    free_reader,
    init_reader,
    most_bytes,
    read_text,
    reserve,
    take_tokens,
)
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
    NO_STR,
    OUT_OF_MEMORY,
    PAIR,
    PLAIN,
    PROPERTIES,
    SPACE,
    SPARE,
    Rules,
    Status,
)
from clipgram.words cimport Token

cdef extern from "Python.h":
    bint PyUnicode_Check(object thing)
    str PyUnicode_DecodeUTF8(const char *text, Py_ssize_t n, const char *errors)
    PyObject **PySequence_Fast_ITEMS(object sequence)

cdef extern from "scan.h":
    int ready "CLIPGRAM_READY"(object text) except -1
    bint LISTS_MAY_CHANGE "CLIPGRAM_LISTS_MAY_CHANGE"

cdef Language LANGUAGE
LANGUAGE.multiplier = int.from_bytes(os.urandom(8), "little") | 1
LANGUAGE.other_multiplier = int.from_bytes(os.urandom(8), "little") | 1
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
        if start and memcmp(&of[start], LANGUAGE.properties.of[number], 128) != 0:
            number += 1
            assert number < DIFFERENT_BLOCKS
        memcpy(LANGUAGE.properties.of[number], &of[start], 128)
        LANGUAGE.properties.block[start >> 7] = number


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
            rules.ascii_class[code] = _class_of(name, LANGUAGE.properties.of[0][code])
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
        encoded.n_ids,
    )


cdef PyObject **items_of(list texts) except? NULL:
    """The str in a list. The caller keeps the list, and nobody changes it, while the GIL is free."""
    for text in texts:
        if not PyUnicode_Check(text):
            raise TypeError(f"a text is of type {type(text).__name__}")
        ready(text)
    return PySequence_Fast_ITEMS(texts)


cdef list unshared(list segments, rules):
    """Segments that no other thread changes while they are read: lists of tokens are copied where no GIL keeps them."""
    if rules is None and LISTS_MAY_CHANGE:
        return [tuple(<list>tokens) if type(tokens) is list else tokens for tokens in segments]
    return segments


cdef check_text_status(int status):
    if status == NO_STR:
        raise TypeError("tokens are not all str, in lists or tuples")
    check_status(status)


cdef const Rules *rules_of(name) except? NULL:
    """The rules by a tokenizer's name; None stands for lists of tokens, which need none."""
    return NULL if name is None else &RULES[NUMBERS[name]]


cdef int set_source(Source *source, list segments, rules) except -1:
    source.are_lists = rules is None
    source.items = PySequence_Fast_ITEMS(segments) if rules is None else items_of(segments)
    return 0


def encode(list hypotheses, list references, const int64_t[::1] group_offsets, const int64_t[::1] groups, rules):
    """Tokenize texts by rules, and give the tokens IDs.

    Equal tokens have equal IDs within a hypothesis and its references: in the references they count from 1 in the
    order of their first appearance; a hypothesis token that none of them has is 0.

    Parameters
    ----------
    hypotheses : list of str, or list of lists or tuples of str [B]
        Texts, or tokens. Not to be changed by another thread meanwhile, nor the references.
    references : list of the same [R]
    group_offsets : int64 array [G + 1]
        Group ``g`` is the references ``group_offsets[g]`` to ``group_offsets[g + 1] - 1``.
    groups : int64 array [B]
        The group of each hypothesis.
    rules : str or None
        The tokenizer: none, 13a, 13a-raw, zh, char, intl or edge; None for tokens.

    Returns
    -------
    hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups : arrays
        What ``count_matches`` takes, IDs as int32. The references are those of each run of neighbours with equal
        ones, which makes a new group.
    n_ids : int
        All IDs are below it.
    """
    cdef Source hypothesis_source, reference_source
    cdef Encoded encoded
    cdef int status
    cdef int64_t n = groups.shape[0]
    cdef const int64_t *offsets = &group_offsets[0]
    cdef const int64_t *group = &groups[0] if n else NULL
    cdef const Rules *chosen = rules_of(rules)
    hypotheses, references = unshared(hypotheses, rules), unshared(references, rules)
    set_source(&hypothesis_source, hypotheses, rules)
    set_source(&reference_source, references, rules)
    if rules is None:  # tokens are read with the GIL held
        status = encode_all(&encoded, &hypothesis_source, &reference_source, offsets, group, n, &LANGUAGE, chosen)
    else:
        with nogil:
            status = encode_all(&encoded, &hypothesis_source, &reference_source, offsets, group, n, &LANGUAGE, chosen)
    try:
        check_text_status(status)
        return as_arrays(&encoded)
    finally:
        free_encoded(&encoded)


def count(
    list hypotheses,
    list references,
    const int64_t[::1] group_offsets,
    const int64_t[::1] groups,
    rules,
    int max_order,
    bint per_reference,
):
    """Tokenize texts by rules and count the clipped matches of each hypothesis.

    Parameters
    ----------
    hypotheses, references, group_offsets, groups, rules
        As for ``encode``.
    max_order : int
        The longest n-gram, 1 to 16.
    per_reference : bool
        Compare with each reference of the group alone, instead of with all of them together.

    Returns
    -------
    lengths : int64 array [B]
        Of the hypotheses, in tokens.
    reference_lengths : int64 array [P]
        Of all references of the first hypothesis, then of all of the second, and so on.
    matches : int64 array [B or P, max_order]
        One row a hypothesis, or one a hypothesis and reference of its group.
    """
    cdef Source hypothesis_source, reference_source
    cdef Counted counted
    cdef int status
    cdef int64_t n = groups.shape[0], n_pairs = 0, i
    cdef const Rules *chosen = rules_of(rules)
    hypotheses, references = unshared(hypotheses, rules), unshared(references, rules)
    set_source(&hypothesis_source, hypotheses, rules)
    set_source(&reference_source, references, rules)
    for i in range(n):
        n_pairs += group_offsets[groups[i] + 1] - group_offsets[groups[i]]
    made = (
        numpy.empty(n, _INT64),
        numpy.empty(n_pairs, _INT64),
        numpy.zeros((n_pairs if per_reference else n, max_order), _INT64),
    )
    cdef int64_t[::1] lengths = made[0]
    cdef int64_t[::1] reference_lengths = made[1]
    cdef int64_t[:, ::1] matches = made[2]
    if n == 0:
        return made
    counted.lengths = &lengths[0]
    counted.reference_lengths = &reference_lengths[0] if n_pairs else NULL
    counted.matches = &matches[0, 0] if matches.shape[0] else NULL
    status = count_sources(
        &counted, &hypothesis_source, &reference_source, &group_offsets[0], &groups[0], n, chosen, max_order, per_reference
    )
    check_text_status(status)
    return made


cdef int count_sources(
    Counted *counted,
    const Source *hypotheses,
    const Source *references,
    const int64_t *group_offsets,
    const int64_t *groups,
    int64_t n,
    const Rules *rules,
    int max_order,
    bint per_reference,
):
    """Tokens are read with the GIL held, texts without it."""
    if rules == NULL:
        return count_all(
            counted, hypotheses, references, group_offsets, groups, n, &LANGUAGE, rules, max_order, per_reference
        )
    with nogil:
        return count_all(
            counted, hypotheses, references, group_offsets, groups, n, &LANGUAGE, rules, max_order, per_reference
        )


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
    cdef Reader reader
    cdef Bytes taken
    cdef Token *tokens
    cdef Status status = OUT_OF_MEMORY
    cdef size_t i
    items_of([text])
    memset(&taken, 0, sizeof(taken))
    init_reader(&reader, &LANGUAGE, &RULES[NUMBERS[rules]])
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


cdef count_one(Source *hypothesis, Source *references, int64_t n_refs, const Rules *rules, int max_order, bint per_reference):
    """Count the matches of one segment: what ``count_text`` and ``count_words`` return."""
    cdef Counted counted
    cdef int64_t group_offsets[2]
    cdef int64_t i, length, group = 0
    cdef int64_t n_matches = (n_refs if per_reference else 1) * max_order
    cdef int64_t *numbers = <int64_t *>calloc(n_refs + n_matches, sizeof(int64_t))
    cdef int status
    if numbers == NULL:
        raise MemoryError("not enough memory to count n-grams")
    group_offsets[0], group_offsets[1] = 0, n_refs
    counted.lengths, counted.reference_lengths, counted.matches = &length, numbers, numbers + n_refs
    try:
        status = count_sources(
            &counted, hypothesis, references, group_offsets, &group, 1, rules, max_order, per_reference
        )
        if status == NO_STR:
            return None
        check_text_status(status)
        return (
            length,
            tuple([counted.reference_lengths[i] for i in range(n_refs)]),
            tuple([counted.matches[i] for i in range(n_matches)]),
        )
    finally:
        free(numbers)


cdef list present(references, type wanted):
    """A list of the references that are not None, or None if they are not what a quick look takes."""
    if type(references) is not list and type(references) is not tuple:
        return None
    found = []
    for reference in references:
        if reference is None:
            continue
        if not isinstance(reference, wanted):
            return None
        found.append(reference)
    return found or None


def count_text(hypothesis, references, rules, int max_order, bint per_reference):
    """Count the matches of one text.

    Parameters
    ----------
    hypothesis : str
    references : str, or list or tuple of str and None
    rules : str
        The tokenizer: none, 13a, 13a-raw, zh, char, intl or edge.
    max_order : int
    per_reference : bool
        With each reference alone, one after the other, instead of with all of them together.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if the references are anything else.
    """
    cdef list texts = [references] if isinstance(references, str) else present(references, str)
    cdef Source hypothesis_source, reference_source
    cdef PyObject *hypothesis_item = <PyObject *>hypothesis
    if texts is None:
        return None
    items_of([hypothesis])
    hypothesis_source.items = &hypothesis_item
    reference_source.items = items_of(texts)
    hypothesis_source.are_lists = reference_source.are_lists = False
    return count_one(
        &hypothesis_source, &reference_source, len(texts), &RULES[NUMBERS[rules]], max_order, per_reference
    )


def count_words(hypothesis, references, int max_order, bint per_reference):
    """Count the matches of one list of tokens that are str.

    Parameters
    ----------
    hypothesis : list of str
    references : list of str, or list of such lists and None
    max_order, per_reference
        As for ``count_text``.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if the arguments are anything else.
    """
    cdef list lists, hypotheses = unshared([hypothesis], None)
    cdef Source hypothesis_source, reference_source
    if type(references) is not list:
        return None
    lists = [references] if references and isinstance(references[0], str) else present(references, list)
    if lists is None:
        return None
    for tokens in lists:
        if type(tokens) is not list:
            return None
    lists = unshared(lists, None)
    hypothesis_source.items = PySequence_Fast_ITEMS(hypotheses)
    reference_source.items = PySequence_Fast_ITEMS(lists)
    hypothesis_source.are_lists = reference_source.are_lists = True
    return count_one(&hypothesis_source, &reference_source, len(lists), NULL, max_order, per_reference)
