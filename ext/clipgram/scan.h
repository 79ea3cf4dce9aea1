/* Which of up to 64 bytes of UTF-8 need a look, as one word: bit i for byte i.
 *
 * ASCII letters and digits never do, nor do the bytes behind the first of a longer character. With SSE2 sixteen bytes
 * are classified at a time, elsewhere one by one. */

#ifndef CLIPGRAM_SCAN_H
#define CLIPGRAM_SCAN_H

#include <stdint.h>
#include <string.h>

#if !defined(CLIPGRAM_NO_SIMD) && (defined(__SSE2__) || defined(_M_X64))
#define CLIPGRAM_SCAN_SSE2
#include <emmintrin.h>
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#define CLIPGRAM_SCAN_INLINE static __forceinline
static __forceinline int clipgram_first_bit(uint64_t word) {
#if defined(_M_X64) || defined(_M_ARM64)
    unsigned long index;
    _BitScanForward64(&index, word);
    return (int)index;
#else
    int index = 0;
    while (!(word >> index & 1)) index++;
    return index;
#endif
}
#else
#define CLIPGRAM_SCAN_INLINE static inline __attribute__((always_inline))
CLIPGRAM_SCAN_INLINE int clipgram_first_bit(uint64_t word) { return __builtin_ctzll(word); }
#endif

#if defined(CLIPGRAM_SCAN_SSE2)
CLIPGRAM_SCAN_INLINE uint64_t clipgram_marks16(const uint8_t *bytes, int ascii) {
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    __m128i letter = _mm_sub_epi8(_mm_or_si128(block, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i digit = _mm_sub_epi8(block, _mm_set1_epi8('0'));
    __m128i plain = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter),
                                 _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
    if (ascii) return (uint64_t)(_mm_movemask_epi8(plain) ^ 0xffff);
    __m128i inside = _mm_cmplt_epi8(block, _mm_set1_epi8((char)0xc0)); /* 0x80 to 0xbf */
    return (uint64_t)(_mm_movemask_epi8(_mm_or_si128(plain, inside)) ^ 0xffff);
}
CLIPGRAM_SCAN_INLINE uint64_t clipgram_marks64(const uint8_t *bytes, int ascii) {
    return clipgram_marks16(bytes, ascii) | clipgram_marks16(bytes + 16, ascii) << 16 |
           clipgram_marks16(bytes + 32, ascii) << 32 | clipgram_marks16(bytes + 48, ascii) << 48;
}
#else
CLIPGRAM_SCAN_INLINE uint64_t clipgram_marks64(const uint8_t *bytes, int ascii) {
    uint64_t marks = 0;
    (void)ascii;
    for (int i = 0; i < 64; i++) {
        uint8_t byte = bytes[i];
        int plain = (uint8_t)((byte | 0x20) - 'a') <= 25 || (uint8_t)(byte - '0') <= 9 || (byte & 0xc0) == 0x80;
        marks |= (uint64_t)!plain << i;
    }
    return marks;
}
#endif

/* The marks of the next bytes, 64 or as many as are left; nothing behind the end is read. */
CLIPGRAM_SCAN_INLINE uint64_t clipgram_marks(const uint8_t *bytes, size_t left, int ascii) {
    uint8_t last[64];
    if (left >= 64) return clipgram_marks64(bytes, ascii);
    memset(last, 'a', sizeof last);
    memcpy(last, bytes, left);
    return clipgram_marks64(last, ascii);
}

/* Up to CPython 3.11 a str could be without its data until somebody asked for it. */
#if PY_VERSION_HEX < 0x030c0000
#define CLIPGRAM_READY(text) PyUnicode_READY(text)
#else
#define CLIPGRAM_READY(text) ((void)(text), 0)
#endif

/* Eight bytes as a number; the order does not matter, as long as it is always the same. */
CLIPGRAM_SCAN_INLINE uint64_t clipgram_load8(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

#endif
