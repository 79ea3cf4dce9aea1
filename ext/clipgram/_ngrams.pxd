from libc.stdint cimport int64_t

from clipgram.names cimport token_t

cdef void *new_counter() noexcept nogil

cdef void free_counter(void *counter) noexcept nogil

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
) noexcept nogil

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
) noexcept nogil

cdef check_status(int status)
