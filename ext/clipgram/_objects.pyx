# cython: language_level=3, freethreading_compatible=True
"""Tokens that are Python objects of any kind, to token IDs, compiled. The twin in pure Python is ``clipgram._objects_py``.

Two tokens are equal where two keys of a dict are: the same object, or the same hash and ``==``. Comparing them may run
any Python code, which may change the lists they came from; so they are read from tuples of our own, unless all of them
are str and int, which compare by themselves. The GIL is held while tokens are read.
"""

import os

import numpy

from cpython.object cimport Py_EQ, PyObject_Hash
from cpython.ref cimport Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from clipgram._ngrams cimport check_status, count_segment
from clipgram.masks cimport WORD, walk_masks
from clipgram.table cimport Slot, Table, add, find, is_filled, set_size

cdef extern from "Python.h":
    bint PyList_CheckExact(PyObject *thing)
    bint PyLong_CheckExact(PyObject *thing)
    bint PyTuple_CheckExact(PyObject *thing)
    bint PyUnicode_CheckExact(PyObject *thing)
    int PyUnicode_KIND(PyObject *text)
    void *PyUnicode_DATA(PyObject *text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *text)
    bint PyObject_RichCompareBool(PyObject *one, PyObject *other, int operator) except -1
    PyObject **PySequence_Fast_ITEMS(PyObject *sequence)
    Py_ssize_t PySequence_Fast_GET_SIZE(PyObject *sequence)

cdef extern from "scan.h":
    void prefetch "CLIPGRAM_PREFETCH"(const void *address)
    bint LISTS_MAY_CHANGE "CLIPGRAM_LISTS_MAY_CHANGE"

cdef enum:
    ODD = 0x9e3779b1
    AHEAD = 8  # tokens that are prefetched: they lie all over the place
    SLOTS = 64  # of a table that needs no memory of its own
    LONG = 1024  # tokens: counting them takes so much longer than handing over the GIL

_INT32, _INT64 = numpy.dtype(numpy.int32), numpy.dtype(numpy.int64)
cdef uint64_t MULTIPLIER = int.from_bytes(os.urandom(8), "little") | 1


# Reading segments.

cdef inline bint is_list_or_tuple(PyObject *thing):
    return PyList_CheckExact(thing) or PyTuple_CheckExact(thing)


cdef inline bint is_plain(PyObject *tokens):
    """Whether these are a list or tuple of str and int, subclasses not included."""
    cdef PyObject **items
    cdef Py_ssize_t i, n
    if not is_list_or_tuple(tokens):
        return False
    n = PySequence_Fast_GET_SIZE(tokens)
    items = PySequence_Fast_ITEMS(tokens)
    for i in range(n):
        prefetch(items[min(i + AHEAD, n - 1)])
        if not PyUnicode_CheckExact(items[i]) and not PyLong_CheckExact(items[i]):
            return False
    return True


cdef bint are_plain(hypothesis, references):
    """Whether all can be read where they are: while that is done, nobody else runs."""
    cdef PyObject *segments = <PyObject *>references
    cdef Py_ssize_t i
    if LISTS_MAY_CHANGE or not is_list_or_tuple(segments):
        return False
    for i in range(PySequence_Fast_GET_SIZE(segments)):
        if not is_plain(PySequence_Fast_ITEMS(segments)[i]):
            return False
    return is_plain(<PyObject *>hypothesis)


cdef tuple as_tuple(tokens):
    """A list, a tuple, or the characters of a str; None of anything else."""
    if type(tokens) is tuple:
        return tokens
    if type(tokens) is list or type(tokens) is str:
        return tuple(tokens)
    return None


cdef tuple as_tuples(references):
    """References as tuples, None if that is not what they are."""
    if type(references) is not list and type(references) is not tuple:
        return None
    segments = []
    for tokens in references:
        segment = as_tuple(tokens)
        if segment is None:
            return None
        segments.append(segment)
    return tuple(segments)


cdef int64_t size_of(references):
    """The number of tokens, of a list or tuple of lists and tuples."""
    cdef PyObject **items = PySequence_Fast_ITEMS(<PyObject *>references)
    cdef int64_t size = 0
    cdef Py_ssize_t r
    for r in range(PySequence_Fast_GET_SIZE(<PyObject *>references)):
        size += PySequence_Fast_GET_SIZE(items[r])
    return size


# Naming tokens.

cdef inline bint are_equal(PyObject *one, PyObject *other) except -1:
    """Whether two objects with the same hash are one key."""
    cdef Py_ssize_t n
    cdef int kind
    if one == other:
        return True
    if PyUnicode_CheckExact(one) and PyUnicode_CheckExact(other):  # the usual tokens, without a call
        n = PyUnicode_GET_LENGTH(one)
        kind = PyUnicode_KIND(one)
        if n != PyUnicode_GET_LENGTH(other) or kind != PyUnicode_KIND(other):
            return False
        return memcmp(PyUnicode_DATA(one), PyUnicode_DATA(other), n * kind) == 0
    return PyObject_RichCompareBool(one, other, Py_EQ)


cdef inline Slot *find_object(const Table *self, PyObject **named, PyObject *token, uint64_t *key) except NULL:
    """The slot that holds the token, or the empty one where it would go. The key is its hash, and becomes its own."""
    cdef Slot *slot
    while True:
        slot = find(self, key[0])
        if not is_filled(self, slot) or are_equal(named[slot.name], token):
            return slot
        key[0] += ODD  # another token has this hash too


cdef int64_t name_tokens(
    Table *table, hypothesis, references, uint64_t *room, int32_t *hypothesis_ids, int32_t *ids, int64_t *offsets
) except -1:
    """Give IDs to the tokens of a hypothesis and its references, all of them lists or tuples.

    The references' tokens get the IDs 1, 2, ... in the order of their first appearance, a hypothesis token that none
    of them has gets 0. ``room`` is for one word a token. ``offsets`` get the end of each reference, counted on from
    the one before. Returns a number that all IDs are below.
    """
    cdef PyObject **segments = PySequence_Fast_ITEMS(<PyObject *>references)
    cdef Py_ssize_t n_refs = PySequence_Fast_GET_SIZE(<PyObject *>references)
    cdef PyObject **items = PySequence_Fast_ITEMS(<PyObject *>hypothesis)
    cdef Py_ssize_t n = PySequence_Fast_GET_SIZE(<PyObject *>hypothesis)
    cdef PyObject **named = <PyObject **>room + n - 1  # from 1
    cdef Py_ssize_t i, r, size
    cdef uint64_t key
    cdef Slot *slot
    if set_size(table, size_of(references)) < 0:
        raise MemoryError("not enough memory to count n-grams")
    for i in range(n):
        room[i] = <uint64_t>PyObject_Hash(<object>items[i])
    for r in range(n_refs):
        items = PySequence_Fast_ITEMS(segments[r])
        size = PySequence_Fast_GET_SIZE(segments[r])
        for i in range(size):
            key = <uint64_t>PyObject_Hash(<object>items[i])
            slot = find_object(table, named, items[i], &key)
            if not is_filled(table, slot):
                add(table, slot, key, <uint32_t>table.filled + 1)
                named[slot.name] = items[i]
            ids[i] = <int32_t>slot.name
        ids += size
        offsets[r + 1] = offsets[r] + size
    items = PySequence_Fast_ITEMS(<PyObject *>hypothesis)
    for i in range(n):
        slot = find_object(table, named, items[i], &room[i])
        hypothesis_ids[i] = <int32_t>slot.name if is_filled(table, slot) else 0
    return table.filled + 1


# One segment.

cdef void count_short(
    uint64_t *masks, const int32_t *ids, int64_t n, int64_t n_ref, int64_t n_ids, int max_order, int64_t *counts
) noexcept nogil:
    """What ``count_segment`` does with one reference of up to 64 tokens, without memory of its own."""
    cdef uint64_t positions[WORD + 1]
    cdef int64_t i
    memset(positions, 0, n_ids * sizeof(uint64_t))
    for i in range(n_ref):
        positions[ids[n + i]] |= (<uint64_t>1) << i
    for i in range(n):
        masks[i] = positions[ids[i]]
    walk_masks(masks, n, <int>n_ref, max_order, counts, NULL, False)


cdef inline put(tuple things, Py_ssize_t i, thing):
    Py_INCREF(thing)  # which the tuple takes over
    PyTuple_SET_ITEM(things, i, thing)


def count_objects(hypothesis, references, int max_order, bint per_reference):
    """Count the matches of one sequence of tokens of any kind, which are equal where the keys of a dict are.

    Parameters
    ----------
    hypothesis : list, tuple or str
        The tokens; those of a str are its characters. Not to be changed by another thread meanwhile.
    references : list or tuple of such
    max_order : int
    per_reference : bool
        With each reference alone, one after the other, instead of with all of them together.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if there is no reference, or if the arguments are anything else, subclasses included.

    Raises
    ------
    TypeError
        If a token cannot be hashed. Whatever hashing and comparing raise is passed on.
    """
    cdef int64_t n_hypothesis, n_tokens, n_refs, n_counts, n_ids, i
    cdef int64_t *offsets
    cdef int64_t *counts
    cdef uint64_t *room
    cdef int32_t *ids
    cdef tuple lengths, matches
    cdef Slot few[SLOTS]
    cdef Table table
    cdef int status
    if not are_plain(hypothesis, references):
        hypothesis, references = as_tuple(hypothesis), as_tuples(references)
        if hypothesis is None or references is None:
            return None
    n_refs = PySequence_Fast_GET_SIZE(<PyObject *>references)
    if n_refs == 0:
        return None
    n_hypothesis = PySequence_Fast_GET_SIZE(<PyObject *>hypothesis)
    n_tokens = n_hypothesis + size_of(references)
    n_counts = max_order * (n_refs if per_reference else 1)
    offsets = <int64_t *>malloc((n_refs + 1 + n_counts + 2 * n_tokens) * sizeof(int64_t))
    if offsets == NULL:
        raise MemoryError("not enough memory to count n-grams")
    counts = offsets + n_refs + 1
    offsets[0] = 0
    memset(counts, 0, n_counts * sizeof(int64_t))
    room = <uint64_t *>counts + n_counts
    ids = <int32_t *>(room + n_tokens)
    memset(&table, 0, sizeof(Table))
    table.multiplier = MULTIPLIER
    if 2 * (n_tokens - n_hypothesis) <= SLOTS:
        memset(few, 0, sizeof(few))
        table.slots = few
        table.allocated = SLOTS
    try:
        n_ids = name_tokens(&table, hypothesis, references, room, ids, ids + n_hypothesis, offsets)
        if n_refs == 1 and n_tokens - n_hypothesis <= WORD and n_tokens < LONG:
            count_short(room, ids, n_hypothesis, n_tokens - n_hypothesis, n_ids, max_order, counts)
            status = 0
        elif n_tokens < LONG:
            status = count_segment(
                ids, n_hypothesis, ids + n_hypothesis, offsets, n_refs, max_order, per_reference, n_ids, counts
            )
        else:
            with nogil:
                status = count_segment(
                    ids, n_hypothesis, ids + n_hypothesis, offsets, n_refs, max_order, per_reference, n_ids, counts
                )
        check_status(status)
        lengths = PyTuple_New(n_refs)
        for i in range(n_refs):
            put(lengths, i, offsets[i + 1] - offsets[i])
        matches = PyTuple_New(n_counts)
        for i in range(n_counts):
            put(matches, i, counts[i])
        return n_hypothesis, lengths, matches
    finally:
        if table.slots != few:
            free(table.slots)
        free(offsets)


# Many segments.

cdef inline int64_t length_of(PyObject *tokens):
    """The number of tokens in a list, a tuple or a str; -1 for anything else."""
    if is_list_or_tuple(tokens):
        return PySequence_Fast_GET_SIZE(tokens)
    return PyUnicode_GET_LENGTH(tokens) if PyUnicode_CheckExact(tokens) else -1


def name_objects(hypotheses, references):
    """Give tokens of any kind IDs, as ``encode`` of the text core does with words.

    Parameters
    ----------
    hypotheses : list or tuple [B]
        Each a list, a tuple or a str, a sequence of characters. Not to be changed by another thread meanwhile.
    references : list or tuple [B]
        Each a list or tuple of such, not empty.

    Returns
    -------
    hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups : arrays
        What ``count_matches`` takes, IDs as int32. Each hypothesis has a group of its own.
    n_ids : int
        All IDs are below it.
    Or None if the arguments are anything else, subclasses included.

    Raises
    ------
    TypeError
        If a token cannot be hashed. Whatever hashing and comparing raise is passed on.
    """
    return name_all(hypotheses, references, False)


cdef name_all(hypotheses, references, bint are_copies):
    cdef PyObject *hyps = <PyObject *>hypotheses
    cdef PyObject *refs = <PyObject *>references
    cdef PyObject **segments
    cdef int64_t n_tokens = 0, n_reference_tokens = 0, n_refs = 0, most = 0, n_ids = 1
    cdef int64_t n, i, r, length, own
    if not is_list_or_tuple(hyps) or not is_list_or_tuple(refs):
        return None
    if LISTS_MAY_CHANGE and not are_copies:
        return name_all([as_tuple(tokens) for tokens in hypotheses], [as_tuples(some) for some in references], True)
    n = PySequence_Fast_GET_SIZE(hyps)
    if n != PySequence_Fast_GET_SIZE(refs):
        return None
    for i in range(n):
        length = length_of(PySequence_Fast_ITEMS(hyps)[i])
        own = PySequence_Fast_GET_SIZE(PySequence_Fast_ITEMS(refs)[i]) if is_list_or_tuple(PySequence_Fast_ITEMS(refs)[i]) else 0
        if length < 0 or own == 0:
            return None
        n_tokens += length
        n_refs += own
        segments = PySequence_Fast_ITEMS(PySequence_Fast_ITEMS(refs)[i])
        for r in range(own):
            if length_of(segments[r]) < 0:
                return None
            n_reference_tokens += length_of(segments[r])
            length += length_of(segments[r])
        most = max(most, length)

    # No Python object is made from here until all is read, because that might run other code.
    cdef int64_t *ends = <int64_t *>malloc(
        (2 * (n + 1) + n_refs + 1 + most) * sizeof(int64_t) + (n_tokens + n_reference_tokens) * sizeof(int32_t)
    )
    cdef int64_t *reference_ends = ends + n + 1
    cdef int64_t *group_ends = reference_ends + n_refs + 1
    cdef uint64_t *room = <uint64_t *>group_ends + n + 1
    cdef int32_t *ids = <int32_t *>(room + most)
    cdef int32_t *reference_ids = ids + n_tokens
    cdef Table table
    if ends == NULL:
        raise MemoryError("not enough memory to name tokens")
    memset(&table, 0, sizeof(Table))
    table.multiplier = MULTIPLIER
    ends[0] = reference_ends[0] = group_ends[0] = 0
    try:
        r = 0
        for i in range(n):
            hypothesis = <object>PySequence_Fast_ITEMS(hyps)[i]
            of_one = <object>PySequence_Fast_ITEMS(refs)[i]
            if not are_copies and not are_plain(hypothesis, of_one):
                return name_all([as_tuple(tokens) for tokens in hypotheses], [as_tuples(some) for some in references], True)
            own = name_tokens(
                &table, hypothesis, of_one, room, ids + ends[i], reference_ids + reference_ends[r], reference_ends + r
            )
            n_ids = max(n_ids, own)
            ends[i + 1] = ends[i] + PySequence_Fast_GET_SIZE(<PyObject *>hypothesis)
            r += PySequence_Fast_GET_SIZE(<PyObject *>of_one)
            group_ends[i + 1] = r
        return (
            copy_of(ids, n_tokens, _INT32),
            copy_of(ends, n + 1, _INT64),
            copy_of(reference_ids, n_reference_tokens, _INT32),
            copy_of(reference_ends, n_refs + 1, _INT64),
            copy_of(group_ends, n + 1, _INT64),
            numpy.arange(n, dtype=_INT64),
            n_ids,
        )
    finally:
        free(table.slots)
        free(ends)


cdef copy_of(const void *numbers, int64_t n, dtype):
    array = numpy.empty(n, dtype)
    cdef uint8_t[::1] view = array.view(numpy.uint8)
    if n:
        memcpy(&view[0], numbers, view.shape[0])
    return array
