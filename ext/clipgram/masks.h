/* Where a token stands among up to 64 reference tokens, as one 64-bit word: bit p says "at position p".
 *
 * The reference is kept as two arrays of 64 32-bit halves. Most token IDs fit in an int32, and then one compare of
 * the low halves decides; IDs that do not are compared by both halves, so no ID is ever hashed or shortened.
 * Sixteen tokens are compared a step, with SSE2 or NEON, or in a plain loop elsewhere. */

#ifndef CLIPGRAM_MASKS_H
#define CLIPGRAM_MASKS_H

#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER)
#define CLIPGRAM_INLINE static __forceinline
#else
#define CLIPGRAM_INLINE static inline __attribute__((always_inline))
#endif

#if defined(CLIPGRAM_NO_SIMD)
/* for the tests: the plain loop on any machine */
#elif defined(__SSE2__) || defined(_M_X64)
#define CLIPGRAM_SSE2
#include <emmintrin.h>
#elif defined(__ARM_NEON) && (defined(__aarch64__) || defined(_M_ARM64))
#define CLIPGRAM_NEON
#include <arm_neon.h>
#endif

typedef struct {
    int32_t low[64];
    int32_t high[64];
    int steps; /* of 16 tokens each, so that short references cost little */
    int wide;  /* some ID does not fit in an int32 */
} clipgram_tokens64;

/* In plain arithmetic: the instruction for it is younger than the oldest machines that wheels are built for. */
CLIPGRAM_INLINE int clipgram_count_bits(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (int)(word * 0x0101010101010101ULL >> 56);
}

/* The 16 compares of one step, bit p for tokens[p]. What lies behind the reference's end may hold anything: the walk
 * masks it out. */
CLIPGRAM_INLINE uint64_t clipgram_compare16(const int32_t *tokens, int32_t token) {
#if defined(CLIPGRAM_SSE2)
    const __m128i *block = (const __m128i *)tokens;
    __m128i wanted = _mm_set1_epi32(token);
    __m128i first = _mm_packs_epi32(_mm_cmpeq_epi32(wanted, _mm_loadu_si128(block)),
                                    _mm_cmpeq_epi32(wanted, _mm_loadu_si128(block + 1)));
    __m128i second = _mm_packs_epi32(_mm_cmpeq_epi32(wanted, _mm_loadu_si128(block + 2)),
                                     _mm_cmpeq_epi32(wanted, _mm_loadu_si128(block + 3)));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(first, second));
#elif defined(CLIPGRAM_NEON)
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    int32x4_t wanted = vdupq_n_s32(token);
    uint16x8_t first = vcombine_u16(vmovn_u32(vceqq_s32(wanted, vld1q_s32(tokens))),
                                    vmovn_u32(vceqq_s32(wanted, vld1q_s32(tokens + 4))));
    uint16x8_t second = vcombine_u16(vmovn_u32(vceqq_s32(wanted, vld1q_s32(tokens + 8))),
                                     vmovn_u32(vceqq_s32(wanted, vld1q_s32(tokens + 12))));
    uint8x16_t bits = vandq_u8(vcombine_u8(vmovn_u16(first), vmovn_u16(second)), vld1q_u8(weights));
    return (uint64_t)vaddv_u8(vget_low_u8(bits)) | (uint64_t)vaddv_u8(vget_high_u8(bits)) << 8;
#else
    uint64_t found = 0;
    for (int p = 0; p < 16; p++) found |= (uint64_t)(tokens[p] == token) << p;
    return found;
#endif
}

CLIPGRAM_INLINE uint64_t clipgram_compare(const int32_t *tokens, int steps, int32_t token) {
    uint64_t found = clipgram_compare16(tokens, token);
    for (int step = 1; step < steps; step++) found |= clipgram_compare16(tokens + 16 * step, token) << (16 * step);
    return found;
}

/* Put a reference behind the first ``at`` tokens; 0 begins anew. IDs are read once, into the struct: an array that
 * another thread changes meanwhile gives a meaningless count, never a wild read. What was behind the end stays. */
static inline void clipgram_set_tokens_i32(clipgram_tokens64 *to, int at, const int32_t *tokens, int n) {
    to->steps = (at + n + 15) / 16;
    to->wide = 0;
    if (n) memcpy(to->low + at, tokens, (size_t)n * sizeof *tokens);
}

static inline void clipgram_set_tokens_i64(clipgram_tokens64 *to, int at, const int64_t *tokens, int n) {
    to->steps = (at + n + 15) / 16;
    to->wide &= at != 0;
    for (int p = 0; p < n; p++) {
        int64_t token = tokens[p];
        to->low[at + p] = (int32_t)(uint32_t)((uint64_t)token & 0xffffffffU);
        to->high[at + p] = (int32_t)(uint32_t)((uint64_t)token >> 32);
        to->wide |= token != to->low[at + p];
    }
}

CLIPGRAM_INLINE void clipgram_masks_i32_steps(const clipgram_tokens64 *ref, int steps, const int32_t *tokens,
                                              int64_t n, uint64_t *masks) {
    for (int64_t i = 0; i < n; i++) masks[i] = clipgram_compare(ref->low, steps, tokens[i]);
}

CLIPGRAM_INLINE void clipgram_masks_i64_steps(const clipgram_tokens64 *ref, int steps, const int64_t *tokens,
                                              int64_t n, uint64_t *masks) {
    for (int64_t i = 0; i < n; i++) {
        int64_t token = tokens[i];
        int32_t low = (int32_t)(uint32_t)((uint64_t)token & 0xffffffffU);
        uint64_t found = clipgram_compare(ref->low, steps, low);
        if (ref->wide)
            found &= clipgram_compare(ref->high, steps, (int32_t)(uint32_t)((uint64_t)token >> 32));
        else
            found &= (uint64_t)0 - (uint64_t)(token == low);
        masks[i] = found;
    }
}

/* The number of steps is a constant inside each branch, so the compiler unrolls the compares. */
#define CLIPGRAM_MASKS(NAME, TYPE, WITH_STEPS)                                                                       \
    static inline void NAME(const clipgram_tokens64 *ref, const TYPE *tokens, int64_t n, uint64_t *masks) {          \
        switch (ref->steps) {                                                                                        \
        case 0: if (n) memset(masks, 0, (size_t)n * sizeof *masks); break;                                           \
        case 1: WITH_STEPS(ref, 1, tokens, n, masks); break;                                                         \
        case 2: WITH_STEPS(ref, 2, tokens, n, masks); break;                                                         \
        case 3: WITH_STEPS(ref, 3, tokens, n, masks); break;                                                         \
        default: WITH_STEPS(ref, 4, tokens, n, masks);                                                               \
        }                                                                                                            \
    }
CLIPGRAM_MASKS(clipgram_masks_i32, int32_t, clipgram_masks_i32_steps)
CLIPGRAM_MASKS(clipgram_masks_i64, int64_t, clipgram_masks_i64_steps)

#endif
