# cython: language_level=3, freethreading_compatible=True
"""Clipped n-gram matches of token-ID sequences, compiled. The twin in pure Python is ``clipgram._ngrams_py``.

The one primitive is the flag: bit n-1 of the flag of a hypothesis token says that the n-gram which ends there is a
clipped match. The sums of the bits are the counts, the running sums those of every prefix. With several references
an n-gram's k-th occurrence is a match if any reference has it k times, so flags are merged by OR.

A hypothesis is matched with a reference in one of three ways, see matching.pxd.

Inputs are trusted here; clipgram.batch has checked them. Nothing in this file holds the GIL while it counts.
"""

import os

import numpy

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

from clipgram.matching cimport (
    AUTO,
    TOO_LONG,
    Regime,
    Work,
    can_join,
    drop_reference,
    free_work,
    init_work,
    join_references,
    match,
    match_joined,
    regime_of,
    reserve_flags,
    take_reference_away,
    use_dense_ids,
    use_reference,
)
from clipgram.names cimport token_t
from clipgram.running cimport sum_running

cdef uint64_t MULTIPLIER = int.from_bytes(os.urandom(8), "little") | 1

# bit b of the index in the b-th 16-bit lane: four columns are summed with one addition
cdef uint64_t[16] LANES
for _index in range(16):
    LANES[_index] = sum((_index >> _bit & 1) << 16 * _bit for _bit in range(4))

cdef struct Batch:
    int64_t n_ids
    Regime regime
    const int64_t *hypothesis_offsets
    const int64_t *reference_offsets
    const int64_t *group_offsets
    const int64_t *groups
    int64_t n_segments
    int max_order
    bint per_reference
    int64_t *counts  # one of the two is wanted
    uint16_t *flags

cdef void sum_flags(const uint16_t *flags, int64_t n, int max_order, int64_t *counts) noexcept nogil:
    """Add the number of flags of each order to the counts."""
    cdef uint64_t lanes
    cdef int64_t start, i
    cdef int k, b
    for k in range(0, max_order, 4):
        for start in range(0, n, 0xffff):  # so that no lane overflows
            lanes = 0
            for i in range(start, min(n, start + 0xffff)):
                lanes += LANES[flags[i] >> k & 15]
            for b in range(min(4, max_order - k)):
                counts[k + b] += <int64_t>(lanes >> 16 * b & 0xffff)


cdef bint same_references(const Batch *batch, int64_t one, int64_t other, const token_t *references) noexcept nogil:
    """Whether two groups are the same, or have equal references, as where a reference comes once a completion."""
    cdef const int64_t *offsets = batch.reference_offsets
    cdef int64_t first = batch.group_offsets[one], n_refs = batch.group_offsets[one + 1] - first
    cdef int64_t second = batch.group_offsets[other]
    cdef int64_t i, n = offsets[first + n_refs] - offsets[first]
    if one == other:
        return True
    if batch.group_offsets[other + 1] - second != n_refs:
        return False
    for i in range(n_refs):
        if offsets[second + i + 1] - offsets[second + i] != offsets[first + i + 1] - offsets[first + i]:
            return False
    if n == 0:
        return True  # and there may be no address to look at
    # A look at one token spares most calls.
    if references[offsets[first]] != references[offsets[second]]:
        return False
    return memcmp(references + offsets[first], references + offsets[second], n * sizeof(token_t)) == 0


cdef int run(Work *work, Batch *batch, const token_t *hypotheses, const token_t *references) noexcept nogil:
    """Go through the segments, in runs that share their references, so that each reference is prepared once."""
    cdef int64_t start = 0, stop, first, n_refs, rows
    cdef int64_t first_row = 0, first_flag = 0
    cdef int status
    while start < batch.n_segments:
        stop = start + 1
        while stop < batch.n_segments and same_references(batch, batch.groups[start], batch.groups[stop], references):
            stop += 1
        first = batch.group_offsets[batch.groups[start]]
        n_refs = batch.group_offsets[batch.groups[start] + 1] - first
        if batch.counts != NULL and can_join(
            batch.reference_offsets + first, n_refs, batch.max_order, batch.regime
        ):
            status = run_joined(work, batch, hypotheses, references, start, stop, first_row)
        else:
            status = run_one_by_one(work, batch, hypotheses, references, start, stop, first_row, first_flag)
        if status < 0:
            return status
        rows = n_refs if batch.per_reference else 1
        first_row += (stop - start) * rows
        first_flag += (batch.hypothesis_offsets[stop] - batch.hypothesis_offsets[start]) * rows
        start = stop
    return 0


cdef int run_joined(
    Work *work,
    Batch *batch,
    const token_t *hypotheses,
    const token_t *references,
    int64_t start,
    int64_t stop,
    int64_t row,
) noexcept nogil:
    """The segments of a run, against their references side by side."""
    cdef const int64_t *offsets = batch.hypothesis_offsets
    cdef const int64_t *ref_offsets = batch.reference_offsets + batch.group_offsets[batch.groups[start]]
    cdef int64_t n_refs = batch.group_offsets[batch.groups[start] + 1] - batch.group_offsets[batch.groups[start]]
    cdef int64_t rows = n_refs if batch.per_reference else 1
    cdef uint64_t parts[64]
    cdef int64_t i
    cdef int status = 0
    join_references(work, references, ref_offsets, n_refs, parts)
    for i in range(start, stop):
        status = match_joined(
            work,
            parts,
            <int>n_refs,
            hypotheses + offsets[i],
            offsets[i + 1] - offsets[i],
            batch.max_order,
            batch.per_reference,
            batch.counts + (row + (i - start) * rows) * batch.max_order,
        )
        if status < 0:
            return status
    take_reference_away(work, references + ref_offsets[0], ref_offsets[n_refs] - ref_offsets[0], 1)
    return 0


cdef int run_one_by_one(
    Work *work,
    Batch *batch,
    const token_t *hypotheses,
    const token_t *references,
    int64_t start,
    int64_t stop,
    int64_t row,
    int64_t flag,
) noexcept nogil:
    """The segments of a run, against one reference after the other."""
    cdef const int64_t *offsets = batch.hypothesis_offsets
    cdef const int64_t *ref_offsets = batch.reference_offsets + batch.group_offsets[batch.groups[start]]
    cdef int64_t n_refs = batch.group_offsets[batch.groups[start] + 1] - batch.group_offsets[batch.groups[start]]
    cdef int64_t rows = n_refs if batch.per_reference else 1
    cdef int64_t step = 1 if batch.per_reference else 0
    cdef bint gather = batch.counts != NULL and n_refs > 1 and not batch.per_reference
    cdef int64_t unused[16]
    cdef int64_t *counts
    cdef uint16_t *flags
    cdef const token_t *reference
    cdef int64_t i, j, n, n_ref, at
    cdef Regime regime
    cdef int status
    memset(unused, 0, sizeof(unused))
    # The counts of several references together are the sums of their merged flags.
    if gather and reserve_flags(work, offsets[stop] - offsets[start]) < 0:
        return -1
    for j in range(n_refs):
        reference = references + ref_offsets[j]
        n_ref = ref_offsets[j + 1] - ref_offsets[j]
        regime = regime_of(work, n_ref, batch.regime)
        status = use_reference(work, regime, reference, n_ref, batch.max_order)
        if status < 0:
            return status
        for i in range(start, stop):
            n = offsets[i + 1] - offsets[i]
            at = offsets[i] - offsets[start]
            counts = unused
            flags = NULL
            if gather:
                flags = work.flags + at
            elif batch.counts != NULL:
                counts = batch.counts + (row + (i - start) * rows + j * step) * batch.max_order
            else:
                flags = batch.flags + flag + at * rows + j * n * step
            status = match(
                work,
                regime,
                reference,
                n_ref,
                hypotheses + offsets[i],
                n,
                batch.max_order,
                counts,
                flags,
                j > 0 and not batch.per_reference,
            )
            if status < 0:
                return status
            if gather and j == n_refs - 1:
                sum_flags(flags, n, batch.max_order, batch.counts + (row + i - start) * batch.max_order)
        drop_reference(work, regime, reference, n_ref)
    return 0


cdef void set_batch(
    Batch *batch,
    const int64_t[::1] hypothesis_offsets,
    const int64_t[::1] reference_offsets,
    const int64_t[::1] group_offsets,
    const int64_t[::1] groups,
    int max_order,
    bint per_reference,
    Regime regime,
    int64_t n_ids,
):
    batch.regime = regime
    batch.n_ids = n_ids
    batch.hypothesis_offsets = &hypothesis_offsets[0]
    batch.reference_offsets = &reference_offsets[0]
    batch.group_offsets = &group_offsets[0]
    batch.groups = &groups[0]
    batch.n_segments = groups.shape[0]
    batch.max_order = max_order
    batch.per_reference = per_reference
    batch.counts = NULL
    batch.flags = NULL


cdef int run_once(Batch *batch, const token_t *hypotheses, const token_t *references) noexcept nogil:
    """Go through the segments with memory of this call's own."""
    cdef Work work
    cdef int status
    init_work(&work, MULTIPLIER)
    status = use_dense_ids(&work, batch.n_ids)
    if status == 0:
        status = run(&work, batch, hypotheses, references)
    free_work(&work)
    return status


# For segments of other modules, which come a few at a time: the memory is kept from one call to the next.

cdef void *new_counter() noexcept nogil:
    """Memory for ``count_segments``, or NULL."""
    cdef Work *work = <Work *>malloc(sizeof(Work))
    if work != NULL:
        init_work(work, MULTIPLIER)
    return work


cdef void free_counter(void *counter) noexcept nogil:
    if counter != NULL:
        free_work(<Work *>counter)
        free(counter)


cdef int count_segments(
    void *counter,
    const token_t *hypotheses,
    const int64_t *hypothesis_offsets,
    int64_t n_segments,
    const token_t *references,
    const int64_t *reference_offsets,
    int64_t n_refs,
    int max_order,
    bint per_reference,
    int64_t n_ids,
    int64_t *counts,
) noexcept nogil:
    """Add the matches of hypotheses that share their references to the counts, as ``count_matches`` lays them out."""
    cdef Work *work = <Work *>counter
    cdef int64_t group_offsets[2]
    cdef int64_t group = 0
    cdef Batch batch
    if use_dense_ids(work, n_ids) < 0:
        return -1
    group_offsets[0] = 0
    group_offsets[1] = n_refs
    batch.hypothesis_offsets = hypothesis_offsets
    batch.reference_offsets = reference_offsets
    batch.group_offsets = group_offsets
    batch.groups = &group
    batch.max_order = max_order
    batch.per_reference = per_reference
    batch.regime = AUTO
    batch.counts = counts
    batch.flags = NULL
    if can_join(reference_offsets, n_refs, max_order, AUTO):
        return run_joined(work, &batch, hypotheses, references, 0, n_segments, 0)
    return run_one_by_one(work, &batch, hypotheses, references, 0, n_segments, 0, 0)


cdef int count_segment(
    const token_t *hypothesis,
    int64_t n,
    const token_t *references,
    const int64_t *reference_offsets,
    int64_t n_refs,
    int max_order,
    bint per_reference,
    int64_t n_ids,
    int64_t *counts,
) noexcept nogil:
    """Add the matches of one hypothesis to the counts: max_order numbers, or as many for each reference."""
    cdef int64_t offsets[2]
    cdef Work work
    cdef int status
    offsets[0], offsets[1] = 0, n
    init_work(&work, MULTIPLIER)
    status = count_segments(
        &work, hypothesis, offsets, 1, references, reference_offsets, n_refs, max_order, per_reference, n_ids, counts
    )
    free_work(&work)
    return status


cdef check_status(int status):
    if status == TOO_LONG:
        raise OverflowError(f"a segment is too long: its length times max_order must stay below {1 << 31}")
    if status < 0:
        raise MemoryError("not enough memory to count n-grams")


cdef fill(const token_t[::1] hypotheses, const token_t[::1] references, Batch batch):
    cdef int status
    cdef const token_t *hypothesis_tokens = &hypotheses[0] if hypotheses.shape[0] else NULL
    cdef const token_t *reference_tokens = &references[0] if references.shape[0] else NULL
    with nogil:
        status = run_once(&batch, hypothesis_tokens, reference_tokens)
    check_status(status)


def count_matches(
    const token_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const token_t[::1] references,
    const int64_t[::1] reference_offsets,
    const int64_t[::1] group_offsets,
    const int64_t[::1] groups,
    int max_order,
    bint per_reference=False,
    int regime=0,
    int64_t n_ids=0,
):
    """Count the clipped matches of each hypothesis.

    Parameters
    ----------
    hypotheses : int32 or int64 array [tokens]
        The hypotheses' tokens, one hypothesis after the other.
    hypothesis_offsets : int64 array [B + 1]
        Hypothesis ``i`` is ``hypotheses[hypothesis_offsets[i]:hypothesis_offsets[i + 1]]``.
    references : array [tokens]
        The references' tokens, of the same dtype.
    reference_offsets : int64 array [R + 1]
        Where each reference begins and ends.
    group_offsets : int64 array [G + 1]
        Group ``g`` is the references ``group_offsets[g]`` to ``group_offsets[g + 1] - 1``; it may be empty.
    groups : int64 array [B]
        The group that each hypothesis is compared with. Neighbours with the same group share the work on it.
    max_order : int
        The longest n-gram, 1 to 16.
    per_reference : bool
        Compare with each reference of the group alone, instead of with all of them together.
    regime : int
        0 chooses by the reference's length; 1 to 3 prefer one way to count, for tests and the benchmark.
    n_ids : int
        If it is not 0, all IDs are from 0 to ``n_ids - 1``, and 0 is in no reference, which makes short ones faster.

    Returns
    -------
    int64 array [rows, max_order]
        One row a hypothesis, or one a hypothesis and reference of its group, hypothesis by hypothesis.
    """
    n_refs = numpy.diff(group_offsets)[groups]
    out = numpy.zeros((n_refs.sum() if per_reference else len(n_refs), max_order), numpy.int64)
    cdef int64_t[:, ::1] counts = out
    cdef Batch batch
    if counts.shape[0]:
        set_batch(
            &batch,
            hypothesis_offsets,
            reference_offsets,
            group_offsets,
            groups,
            max_order,
            per_reference,
            <Regime>regime,
            n_ids,
        )
        batch.counts = &counts[0, 0]
        fill(hypotheses, references, batch)
    return out


def match_flags(
    const token_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const token_t[::1] references,
    const int64_t[::1] reference_offsets,
    const int64_t[::1] group_offsets,
    const int64_t[::1] groups,
    int max_order,
    bint per_reference=False,
    int regime=0,
    int64_t n_ids=0,
):
    """Flag the clipped matches of each hypothesis token by token.

    The parameters are those of ``count_matches``.

    Returns
    -------
    uint16 array [flags]
        One flag a hypothesis token, or one a hypothesis token and reference of its group: for each hypothesis, all
        its tokens for the first reference, then all for the second. Bit n-1: the n-gram that ends here is a match.
    """
    lengths = numpy.diff(hypothesis_offsets)
    if per_reference:
        lengths = lengths * numpy.diff(group_offsets)[groups]
    out = numpy.zeros(lengths.sum(), numpy.uint16)
    cdef uint16_t[::1] flags = out
    cdef Batch batch
    if flags.shape[0]:
        set_batch(
            &batch,
            hypothesis_offsets,
            reference_offsets,
            group_offsets,
            groups,
            max_order,
            per_reference,
            <Regime>regime,
            n_ids,
        )
        batch.flags = &flags[0]
        fill(hypotheses, references, batch)
    return out


def match_prefixes(
    const token_t[::1] hypotheses,
    const int64_t[::1] hypothesis_offsets,
    const token_t[::1] references,
    const int64_t[::1] reference_offsets,
    const int64_t[::1] group_offsets,
    const int64_t[::1] groups,
    int max_order,
    bint per_reference=False,
    int regime=0,
    int64_t n_ids=0,
):
    """Count the clipped matches of each prefix of each hypothesis.

    The parameters are those of ``count_matches``.

    Returns
    -------
    int32 array [max_order, prefixes]
        In the order of the flags of ``match_flags``: the matches of the prefix that ends at that token.
    """
    cdef uint16_t[::1] flags = match_flags(
        hypotheses, hypothesis_offsets, references, reference_offsets, group_offsets, groups,
        max_order, per_reference, regime, n_ids,
    )
    out = numpy.empty((max_order, flags.shape[0]), numpy.int32)
    cdef int32_t[:, ::1] sums = out
    cdef int64_t i, _j, n, times, at = 0
    if flags.shape[0]:
        with nogil:
            for i in range(groups.shape[0]):
                n = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
                times = group_offsets[groups[i] + 1] - group_offsets[groups[i]] if per_reference else 1
                for _j in range(times):
                    if n:
                        sum_running(&flags[at], n, max_order, flags.shape[0], &sums[0, at])
                    at += n
    return out
