# cython: language_level=3, freethreading_compatible=True
"""Walks over lists, compiled. The twin in pure Python is ``clipgram._lists_py``."""

import numpy

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

from clipgram._ngrams cimport check_status, count_segment

cdef extern from "Python.h":
    bint PyUnicode_Check(object thing)
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1


def flatten(list lists):
    """Join lists or tuples of str.

    Parameters
    ----------
    lists : list

    Returns
    -------
    list of str, list of int
        All str, and how many came from each list; or None if one is no list or tuple, is empty, or holds anything else.
    """
    flat = []
    sizes = []
    for one in lists:
        if type(one) is not list and type(one) is not tuple:
            return None
        before = len(flat)
        for thing in one:
            if not PyUnicode_Check(thing):
                return None
            flat.append(thing)
        # What was read counts, and not what the list says of itself: another thread may have changed it meanwhile.
        if len(flat) == before:
            return None
        sizes.append(len(flat) - before)
    return flat, sizes


def flatten_tokens(list entries):
    """Join references that are lists of tokens.

    Parameters
    ----------
    entries : list
        Each a list of tokens, or a list or tuple of such lists.

    Returns
    -------
    list of list, list of int
        All lists of tokens, and how many came from each entry, as far as a look at the first element of each can tell;
        or None if an entry is anything else, or is or has an empty list.
    """
    flat = []
    sizes = []
    for entry in entries:
        if (type(entry) is not list and type(entry) is not tuple) or len(entry) == 0:
            return None
        if isinstance(entry[0], (str, int)):
            flat.append(entry)
            sizes.append(1)
            continue
        before = len(flat)
        for tokens in entry:
            if (type(tokens) is not list and type(tokens) is not tuple) or len(tokens) == 0:
                return None
            flat.append(tokens)
        if len(flat) == before:
            return None
        sizes.append(len(flat) - before)
    return flat, sizes


def flatten_ids(list lists):
    """Join lists or tuples of token IDs.

    Parameters
    ----------
    lists : list

    Returns
    -------
    values, offsets : int64 array [tokens], int64 array [B + 1]
        List ``i`` is ``values[offsets[i]:offsets[i + 1]]``.
        Or None if one is no list or tuple, or holds anything but int that fit in an int64.
    """
    cdef list found = []
    cdef list tokens
    cdef int64_t i, r
    cdef int overflow = 0
    for one in lists:
        if type(one) is tuple:
            one = list(<tuple>one)
        elif type(one) is not list:
            return None
        found.append(one)
    offsets = numpy.zeros(len(found) + 1, numpy.int64)
    cdef int64_t[::1] ends = offsets
    for r in range(len(found)):
        tokens = found[r]
        ends[r + 1] = ends[r] + len(tokens)
    values = numpy.empty(offsets[len(found)], numpy.int64)
    cdef int64_t[::1] ids = values
    for r in range(len(found)):
        tokens = found[r]
        i = ends[r]
        for token in tokens:
            # Another thread may have changed the list meanwhile.
            if type(token) is not int or i >= ends[r + 1]:
                return None
            ids[i] = PyLong_AsLongLongAndOverflow(token, &overflow)
            if overflow:
                return None
            i += 1
        if i != ends[r + 1]:
            return None
    return values, offsets


def all_str(list things):
    """Whether all elements of a list are str."""
    for thing in things:
        if not PyUnicode_Check(thing):
            return False
    return True


def count_lists(hypothesis, references, int max_order, bint per_reference):
    """Count the matches of one list of token IDs.

    Parameters
    ----------
    hypothesis : list of int
    references : list of int, or list of such lists and None
    max_order : int
    per_reference : bool
        With each reference alone, one after the other, instead of with all of them together.

    Returns
    -------
    hypothesis_length, reference_lengths, matches : int, tuple of int, tuple of int
        Or None if the arguments are anything else, or an ID does not fit in an int64.
    """
    cdef int64_t n_refs = 0, n_ids = 0, n_hypothesis, i, rows
    cdef int64_t *ids
    cdef int64_t *offsets
    cdef int64_t *counts
    cdef int status
    if type(hypothesis) is not list or type(references) is not list or not references:
        return None
    lists = [hypothesis, references] if type(references[0]) is int else [hypothesis, *references]
    for tokens in lists:
        if type(tokens) is list:
            n_ids += len(<list>tokens)
            n_refs += 1
        elif tokens is not None:
            return None
    n_refs -= 1
    if n_refs == 0:
        return None
    rows = n_refs if per_reference else 1
    ids = <int64_t *>calloc(n_ids + n_refs + 2 + rows * max_order, sizeof(int64_t))
    if ids == NULL:
        raise MemoryError("not enough memory to count n-grams")
    offsets = ids + n_ids
    counts = offsets + n_refs + 2
    try:
        i = 0
        for tokens in lists:
            if tokens is None:
                continue
            if not copy_ids(<list>tokens, ids + offsets[i], n_ids - offsets[i], &offsets[i + 1]):
                return None
            offsets[i + 1] += offsets[i]
            i += 1
        n_hypothesis = offsets[1]
        with nogil:
            status = count_segment(ids, n_hypothesis, ids, offsets + 1, n_refs, max_order, per_reference, 0, counts)
        check_status(status)
        return (
            n_hypothesis,
            tuple([offsets[i + 1] - offsets[i] for i in range(1, n_refs + 1)]),
            tuple([counts[i] for i in range(rows * max_order)]),
        )
    finally:
        free(ids)


cdef bint copy_ids(list tokens, int64_t *to, int64_t most, int64_t *n) except -1:
    """Copy Python ints; False if one is none, or is too large, or there are more than expected."""
    cdef int64_t i = 0
    cdef int overflow = 0
    for token in tokens:
        if i >= most or type(token) is not int:
            return False
        to[i] = PyLong_AsLongLongAndOverflow(token, &overflow)
        if overflow:
            return False
        i += 1
    n[0] = i
    return True
