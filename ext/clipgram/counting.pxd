"""From str to counts: segments are read and matched a few at a time, so that their IDs never leave the cache."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memset

from clipgram._ngrams cimport count_segments, free_counter, new_counter
from clipgram.encode cimport (
    Bytes,
    Language,
    Reader,
    Source,
    append,
    free_reader,
    init_reader,
    read_hypothesis,
    read_references,
    same_segments,
)
from clipgram.rules cimport DONE, OUT_OF_MEMORY, Rules, Status

cdef enum:
    RUN = 256  # neighbours with the same references that are read before they are matched

cdef struct Run:  # the IDs of some neighbours and of the references they share
    Bytes hypotheses
    Bytes hypothesis_offsets
    Bytes references
    Bytes reference_offsets

cdef struct Counted:
    int64_t *lengths  # of each hypothesis
    int64_t *reference_lengths  # of each reference of the first hypothesis, then of the second, ...
    int64_t *matches  # zeros before: of each order, with all references of a hypothesis, or with one after the other


cdef inline Status read_run(
    Run *run,
    Reader *reader,
    const Source *hypotheses,
    const Source *references,
    const int64_t *group_offsets,
    const int64_t *groups,
    int64_t start,
    int64_t *stop,
) noexcept nogil:
    """Read the references of the hypothesis at ``start``, and that one and its neighbours up to before ``stop``."""
    cdef int64_t first = group_offsets[groups[start]], other
    cdef int64_t n_refs = group_offsets[groups[start] + 1] - first
    cdef int64_t i = start
    cdef Status status
    run.hypotheses.n = run.references.n = run.hypothesis_offsets.n = run.reference_offsets.n = 0
    if append(&run.hypothesis_offsets, 0) < 0 or append(&run.reference_offsets, 0) < 0:
        return OUT_OF_MEMORY
    reader.taken = &run.references
    status = read_references(reader, references, first, n_refs, &run.reference_offsets)
    reader.taken = &run.hypotheses
    while status == DONE:
        status = read_hypothesis(reader, hypotheses, i)
        if append(&run.hypothesis_offsets, run.hypotheses.n // sizeof(int32_t)) < 0:
            status = OUT_OF_MEMORY
        i += 1
        if i == stop[0] or i == start + RUN:
            break
        other = group_offsets[groups[i]]
        if group_offsets[groups[i] + 1] - other != n_refs or not same_segments(references, other, first, n_refs):
            break
    stop[0] = i
    return status


cdef inline int count_all(
    Counted *out,
    const Source *hypotheses,
    const Source *references,
    const int64_t *group_offsets,
    const int64_t *groups,
    int64_t n,
    const Language *language,
    const Rules *rules,
    int max_order,
    bint per_reference,
) noexcept nogil:
    cdef Reader reader
    cdef Run run
    cdef const int64_t *offsets
    cdef int64_t *reference_lengths = out.reference_lengths
    cdef int64_t *matches = out.matches
    cdef int64_t start = 0, stop, n_refs, i, j, _i
    cdef void *counter = new_counter()
    cdef int status = DONE if counter != NULL else OUT_OF_MEMORY
    memset(&run, 0, sizeof(run))
    init_reader(&reader, language, rules)
    while start < n and status == DONE:
        stop = n
        status = read_run(&run, &reader, hypotheses, references, group_offsets, groups, start, &stop)
        if status != DONE:
            break
        n_refs = run.reference_offsets.n // sizeof(int64_t) - 1
        status = count_segments(
            counter,
            <const int32_t *>run.hypotheses.at,
            <const int64_t *>run.hypothesis_offsets.at,
            stop - start,
            <const int32_t *>run.references.at,
            <const int64_t *>run.reference_offsets.at,
            n_refs,
            max_order,
            per_reference,
            reader.words.filled + 1,
            matches,
        )
        matches += (stop - start) * (n_refs if per_reference else 1) * max_order
        offsets = <const int64_t *>run.hypothesis_offsets.at
        for i in range(stop - start):
            out.lengths[start + i] = offsets[i + 1] - offsets[i]
        offsets = <const int64_t *>run.reference_offsets.at
        for _i in range(stop - start):
            for j in range(n_refs):
                reference_lengths[j] = offsets[j + 1] - offsets[j]
            reference_lengths += n_refs
        start = stop
    free_reader(&reader)
    free_counter(counter)
    free(run.hypotheses.at)
    free(run.hypothesis_offsets.at)
    free(run.references.at)
    free(run.reference_offsets.at)
    return status
