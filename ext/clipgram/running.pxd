"""Running sums of flags: the matches of every prefix."""

from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.string cimport memset


cdef inline void sum_running(const uint16_t *flags, int64_t n, int max_order, int64_t stride, int32_t *sums) noexcept nogil:
    """The number of flags of each order up to each place: a row of ``stride`` an order."""
    if max_order == 4:  # a constant, so that the loop over orders is unrolled
        sum_running_any(flags, n, 4, stride, sums)
    else:
        sum_running_any(flags, n, max_order, stride, sums)


cdef inline void sum_running_any(
    const uint16_t *flags, int64_t n, int max_order, int64_t stride, int32_t *sums
) noexcept nogil:
    cdef int32_t running[16]
    cdef int64_t i
    cdef int k
    memset(running, 0, sizeof(running))
    for i in range(n):
        for k in range(max_order):
            running[k] += flags[i] >> k & 1
            sums[k * stride + i] = running[k]
