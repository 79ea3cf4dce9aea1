/* Which of 64 bytes of UTF-8 are blanks, and which need a closer look, as two words: bit i for byte i.
 *
 * ASCII letters and digits never need one, nor do the bytes behind the first of a longer character. With SSE2 sixteen
 * bytes are classified at a time, elsewhere one by one. */

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

typedef struct {
    uint64_t blanks; /* U+0020 */
    uint64_t marks;  /* what is neither a blank nor a letter nor a digit, nor behind the first byte of a character */
} clipgram_look;

#if defined(CLIPGRAM_SCAN_SSE2)
CLIPGRAM_SCAN_INLINE void clipgram_look16(const uint8_t *bytes, int shift, clipgram_look *look) {
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    __m128i letter = _mm_sub_epi8(_mm_or_si128(block, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i digit = _mm_sub_epi8(block, _mm_set1_epi8('0'));
    __m128i blank = _mm_cmpeq_epi8(block, _mm_set1_epi8(' '));
    __m128i plain = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter),
                                 _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
    __m128i inside = _mm_cmplt_epi8(block, _mm_set1_epi8((char)0xc0)); /* 0x80 to 0xbf */
    look->blanks |= (uint64_t)_mm_movemask_epi8(blank) << shift;
    look->marks |= (uint64_t)(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(plain, blank), inside)) ^ 0xffff) << shift;
}
CLIPGRAM_SCAN_INLINE void clipgram_look64(const uint8_t *bytes, clipgram_look *look) {
    look->blanks = look->marks = 0;
    clipgram_look16(bytes, 0, look);
    clipgram_look16(bytes + 16, 16, look);
    clipgram_look16(bytes + 32, 32, look);
    clipgram_look16(bytes + 48, 48, look);
}
#else
CLIPGRAM_SCAN_INLINE void clipgram_look64(const uint8_t *bytes, clipgram_look *look) {
    look->blanks = look->marks = 0;
    for (int i = 0; i < 64; i++) {
        uint8_t byte = bytes[i];
        int plain = (uint8_t)((byte | 0x20) - 'a') <= 25 || (uint8_t)(byte - '0') <= 9 || (byte & 0xc0) == 0x80;
        look->blanks |= (uint64_t)(byte == ' ') << i;
        look->marks |= (uint64_t)(!plain && byte != ' ') << i;
    }
}
#endif

/* A look at the next bytes, 64 or as many as are left. The 64 are read in any case. */
CLIPGRAM_SCAN_INLINE void clipgram_look_at(const uint8_t *bytes, size_t left, clipgram_look *look) {
    clipgram_look64(bytes, look);
    if (left < 64) {
        look->blanks &= ((uint64_t)1 << left) - 1;
        look->marks &= ((uint64_t)1 << left) - 1;
    }
}

/* Ask for memory that will be needed soon. */
#if defined(__GNUC__)
#define CLIPGRAM_PREFETCH(address) __builtin_prefetch(address)
#else
#define CLIPGRAM_PREFETCH(address) ((void)(address))
#endif

/* Up to CPython 3.11 a str could be without its data until somebody asked for it. */
#if PY_VERSION_HEX < 0x030c0000
#define CLIPGRAM_READY(text) PyUnicode_READY(text)
#else
#define CLIPGRAM_READY(text) ((void)(text), 0)
#endif

/* Without a GIL a list can change while it is read. */
#if defined(Py_GIL_DISABLED)
#define CLIPGRAM_LISTS_MAY_CHANGE 1
#else
#define CLIPGRAM_LISTS_MAY_CHANGE 0
#endif

/* Write the code points of a str, held in 1, 2 or 4 bytes each, as UTF-8; lone surrogates as if they were characters.
 * Returns the number of bytes. Stretches of ASCII go eight characters at a time. */
#define CLIPGRAM_WRITE_UTF8(NAME, TYPE, ALL_ASCII)                                  \
    static inline size_t NAME(const TYPE *from, size_t n, uint8_t *to) {            \
        uint8_t *at = to;                                                           \
        size_t i = 0;                                                               \
        while (i < n) {                                                             \
            uint32_t code;                                                          \
            if (n - i >= 8 && ALL_ASCII(from + i)) {                                \
                for (int k = 0; k < 8; k++) at[k] = (uint8_t)from[i + k];           \
                at += 8;                                                            \
                i += 8;                                                             \
                continue;                                                           \
            }                                                                       \
            code = from[i++];                                                       \
            if (code < 0x80) {                                                      \
                *at++ = (uint8_t)code;                                              \
                continue;                                                           \
            }                                                                       \
            if (code < 0x800) {                                                     \
                *at++ = (uint8_t)(0xc0 | code >> 6);                                \
            } else {                                                                \
                if (code < 0x10000) {                                               \
                    *at++ = (uint8_t)(0xe0 | code >> 12);                           \
                } else {                                                            \
                    *at++ = (uint8_t)(0xf0 | code >> 18);                           \
                    *at++ = (uint8_t)(0x80 | (code >> 12 & 0x3f));                  \
                }                                                                   \
                *at++ = (uint8_t)(0x80 | (code >> 6 & 0x3f));                       \
            }                                                                       \
            *at++ = (uint8_t)(0x80 | (code & 0x3f));                                \
        }                                                                           \
        return (size_t)(at - to);                                                   \
    }

CLIPGRAM_SCAN_INLINE int clipgram_ascii_1(const uint8_t *codes) {
    uint64_t word;
    memcpy(&word, codes, sizeof word);
    return (word & 0x8080808080808080ULL) == 0;
}
CLIPGRAM_SCAN_INLINE int clipgram_ascii_2(const uint16_t *codes) {
    uint64_t words[2];
    memcpy(words, codes, sizeof words);
    return ((words[0] | words[1]) & 0xff80ff80ff80ff80ULL) == 0;
}
CLIPGRAM_SCAN_INLINE int clipgram_ascii_4(const uint32_t *codes) {
    uint64_t words[4];
    memcpy(words, codes, sizeof words);
    return ((words[0] | words[1] | words[2] | words[3]) & 0xffffff80ffffff80ULL) == 0;
}
CLIPGRAM_WRITE_UTF8(clipgram_write_utf8_1, uint8_t, clipgram_ascii_1)
CLIPGRAM_WRITE_UTF8(clipgram_write_utf8_2, uint16_t, clipgram_ascii_2)
CLIPGRAM_WRITE_UTF8(clipgram_write_utf8_4, uint32_t, clipgram_ascii_4)

/* Eight bytes as a number; the order does not matter, as long as it is always the same. */
CLIPGRAM_SCAN_INLINE uint64_t clipgram_load8(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

#endif
