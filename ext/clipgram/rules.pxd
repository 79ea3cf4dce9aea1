"""Tokenizers that are rules, over UTF-8: from a text to its tokens as slices of it.

sacreBLEU's rules are passes that put blanks around characters, the last ones over pairs of neighbours. Here each
character has a class, and one pass from left to right decides where tokens end:

- SPACE ends a token. ALONE is a token by itself.
- HYPHEN is a token by itself behind a DIGIT, and part of a word elsewhere.
- PAIR characters (``.`` and ``,``, or all punctuation) come in runs. The passes "no digit, PAIR" and "PAIR, no digit"
  take neighbours two by two, so in a run of k every character is cut off except perhaps the last: it is left over if
  what stands before the run pairs with its first character and k is even, or does not and k is odd. A character left
  over stays with a digit behind it, and, if it is alone, with what stands before it; otherwise it is cut off too.
- MARK characters are where markup may begin or end that 13a cleans away; if it does not, each is SPACE or ALONE.
- EDGE characters are cut off both ends of a word, one by one.
- Everything else is part of a word.

What stands before the text and behind it is a blank in 13a, which pads its lines, and nothing elsewhere.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp

from clipgram.words cimport Token

cdef extern from "scan.h" nogil:
    ctypedef struct Look "clipgram_look":
        uint64_t blanks
        uint64_t marks
    void look_at "clipgram_look_at"(const uint8_t *bytes, size_t left, Look *look)
    int first_bit "clipgram_first_bit"(uint64_t word)

cdef enum:
    BLOCK = 64  # bytes that are looked at together
    # The most tokens that are handed on together: what may be left from before, what a block can have, and one that
    # was open before it.
    TOKENS = 2 * BLOCK + BLOCK + 1
    SPARE = 64  # bytes that can be read behind every text

# Properties of a code point, from which each tokenizer has its classes.
cdef enum:
    IS_NUMBER = 1
    IS_PUNCTUATION = 2
    IS_SYMBOL = 4
    IS_SPACE = 8
    IS_CJK = 16
    PROPERTIES = 32

cdef enum:
    BLOCKS = 0x110000 >> 7
    DIFFERENT_BLOCKS = 512

cdef enum:
    PLAIN, SPACE, ALONE, PAIR, DIGIT, HYPHEN, EDGE, MARK, NOTHING

cdef enum Status:
    DONE = 0
    OUT_OF_MEMORY = -1
    MARKUP = -2  # found what 13a has to clean first
    AGAIN = -3  # found what the quick way cannot do
    NO_STR = -4

cdef struct Rules:
    bint padded  # 13a: a blank before and behind the text
    bint trimmed  # zh: blanks before the text go too
    bint edges  # edge: words have EDGE characters
    bint single  # char: every character is a token
    uint8_t ascii_class[128]
    uint8_t class_of[PROPERTIES]

cdef struct Properties:
    uint16_t block[BLOCKS]  # the number of the block that holds the properties of 128 code points
    uint8_t of[DIFFERENT_BLOCKS][128]

cdef struct Scan:
    const Rules *rules
    const Properties *properties
    const uint8_t *start  # of the text
    const uint8_t *stop
    Token tokens[TOKENS]
    size_t n_tokens
    # Takes the tokens collected so far. The last ones are handed on by whoever called the scan.
    Status (*take)(Scan *scan) noexcept nogil
    void *taker
    Status status


cdef inline void emit(Scan *scan, const uint8_t *start, const uint8_t *stop) noexcept nogil:
    scan.tokens[scan.n_tokens].start = start
    scan.tokens[scan.n_tokens].length = stop - start
    scan.n_tokens += 1
    if scan.n_tokens == TOKENS:
        hand_on(scan)


cdef inline void hand_on(Scan *scan) noexcept nogil:
    if scan.status == DONE:
        scan.status = scan.take(scan)
    scan.n_tokens = 0


cdef inline size_t width(uint8_t first) noexcept nogil:
    """The number of bytes of a character, by its first."""
    return 1 if first < 0x80 else 2 if first < 0xe0 else 3 if first < 0xf0 else 4


cdef inline uint32_t code_point(const uint8_t *at) noexcept nogil:
    if at[0] < 0x80:
        return at[0]
    if at[0] < 0xe0:
        return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu)
    if at[0] < 0xf0:
        return (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu)
    return (at[0] & 0x07u) << 18 | (at[1] & 0x3fu) << 12 | (at[2] & 0x3fu) << 6 | (at[3] & 0x3fu)


cdef inline int class_at(const Scan *scan, const uint8_t *at) noexcept nogil:
    cdef uint32_t code
    if at[0] < 0x80:
        return scan.rules.ascii_class[at[0]]
    code = code_point(at)
    return scan.rules.class_of[scan.properties.of[scan.properties.block[code >> 7]][code & 127]]


cdef inline bint is_space(const Scan *scan, const uint8_t *at) noexcept nogil:
    return class_at(scan, at) == SPACE or at[0] == c'\n'


cdef inline const uint8_t *before(const uint8_t *at) noexcept nogil:
    """Where the character before begins."""
    at -= 1
    while at[0] & 0xc0 == 0x80:
        at -= 1
    return at


cdef inline int class_before(const Scan *scan, const uint8_t *at) noexcept nogil:
    if at == scan.start:
        return SPACE if scan.rules.padded else NOTHING
    return class_at(scan, before(at))


cdef inline int class_behind(const Scan *scan, const uint8_t *at) noexcept nogil:
    if at == scan.stop:
        return SPACE if scan.rules.padded else NOTHING
    return class_at(scan, at)


cdef inline void emit_word(Scan *scan, const uint8_t *start, const uint8_t *stop) noexcept nogil:
    if start < stop:
        if scan.rules.edges:
            emit_edges(scan, start, stop)
        else:
            emit(scan, start, stop)


cdef inline void emit_edges(Scan *scan, const uint8_t *start, const uint8_t *stop) noexcept nogil:
    cdef const uint8_t *last = stop
    while start < stop and class_at(scan, start) == EDGE:
        emit(scan, start, start + width(start[0]))
        start += width(start[0])
    while last > start and class_at(scan, before(last)) == EDGE:
        last = before(last)
    if start < last:
        emit(scan, start, last)
    while last < stop:
        emit(scan, last, last + width(last[0]))
        last += width(last[0])


cdef inline const uint8_t *cut_run(Scan *scan, const uint8_t *word, const uint8_t **at) noexcept nogil:
    """Cut up a run of PAIR characters that begins at ``at``, and move there to its end.

    ``word`` is where the word before it begins; returned is where the word behind it does.
    """
    cdef const uint8_t *run = at[0]
    cdef const uint8_t *end = run
    cdef const uint8_t *last = run
    cdef int prior = class_before(scan, run), behind
    cdef size_t k = 0
    cdef bint left_over, stays
    while end < scan.stop and class_at(scan, end) == PAIR:
        last = end
        end += width(end[0])
        k += 1
    at[0] = end
    left_over = k % 2 == 1 if prior == DIGIT or prior == NOTHING else k % 2 == 0
    behind = class_behind(scan, end)
    stays = left_over and (behind == DIGIT or behind == NOTHING)
    if stays and k == 1:
        return word
    emit_word(scan, word, run)
    while run < (last if stays else end):
        emit(scan, run, run + width(run[0]))
        run += width(run[0])
    return run


cdef inline bint is_markup(const Scan *scan, const uint8_t *at) noexcept nogil:
    """Whether a MARK is part of something that 13a cleans away."""
    cdef size_t left = scan.stop - at
    if at[0] == c'&':
        return left >= 4 and (
            memcmp(at, b"&lt;", 4) == 0
            or memcmp(at, b"&gt;", 4) == 0
            or (left >= 5 and memcmp(at, b"&amp;", 5) == 0)
            or (left >= 6 and memcmp(at, b"&quot;", 6) == 0)
        )
    if at[0] == c'<':
        return left >= 9 and memcmp(at, b"<skipped>", 9) == 0
    return at > scan.start and (at - 1)[0] == c'-'  # and this is LF


cdef inline void scan_words(Scan *scan) noexcept nogil:
    """Any text, mark by mark."""
    cdef const uint8_t *base = scan.start  # of the 64 bytes at hand
    cdef const uint8_t *word = scan.start
    cdef const uint8_t *done = scan.start  # what is before it has been dealt with
    cdef const uint8_t *at
    cdef Look look
    cdef int kind
    while base < scan.stop:
        look_at(base, scan.stop - base, &look)
        look.marks |= look.blanks
        while look.marks != 0:
            at = base + first_bit(look.marks)
            look.marks &= look.marks - 1
            kind = class_at(scan, at)
            if kind == PLAIN or at < done:
                continue
            if kind == MARK:
                if is_markup(scan, at):
                    scan.status = MARKUP
                    return
                kind = SPACE if at[0] == c'\n' else ALONE
            if kind == SPACE:
                emit_word(scan, word, at)
                word = at + width(at[0])
            elif kind == ALONE:
                emit_word(scan, word, at)
                word = at + width(at[0])
                emit(scan, at, word)
            elif kind == PAIR:
                word = cut_run(scan, word, &at)
                done = at
            elif kind == HYPHEN and class_before(scan, at) == DIGIT:
                emit_word(scan, word, at)
                word = at + 1
                emit(scan, at, word)
        base += 64
    emit_word(scan, word, scan.stop)


cdef inline uint64_t cut_run_bits(const Scan *scan, const uint8_t *run, size_t *k) noexcept nogil:
    """As ``cut_run``, for an ASCII text: the length of a run, and a bit for each of its characters that is cut off."""
    cdef const uint8_t *end = run
    cdef int prior = class_before(scan, run), behind
    cdef bint left_over
    while end < scan.stop and scan.rules.ascii_class[end[0]] == PAIR:
        end += 1
    k[0] = end - run
    left_over = k[0] % 2 == 1 if prior == DIGIT or prior == NOTHING else k[0] % 2 == 0
    behind = class_behind(scan, end)
    if left_over and (behind == DIGIT or behind == NOTHING):
        return ((<uint64_t>1) << (k[0] - 1)) - 1 if k[0] <= 64 else 0
    return ~(<uint64_t>0) if k[0] >= 64 else ((<uint64_t>1) << k[0]) - 1


cdef inline void scan_ascii(Scan *scan) noexcept nogil:
    """An ASCII text, the quick way: 64 bytes at a time, with where tokens begin and end as bits.

    Of a run of PAIR characters that goes on behind a block it says AGAIN.
    """
    cdef const uint8_t *base = scan.start
    cdef const uint8_t *at
    cdef const uint8_t *open = NULL  # a token that began and did not end yet
    cdef uint64_t spaces, alone, behind_space, behind_alone, starts, ends, inside, bits
    cdef uint64_t last_space = 1, last_alone = 0  # what is before the block
    cdef size_t left, i, k
    cdef Token *token
    cdef Look look
    cdef int kind
    while base < scan.stop:
        left = scan.stop - base
        inside = ~(<uint64_t>0) if left >= BLOCK else ((<uint64_t>1) << left) - 1
        look_at(base, left, &look)
        spaces = look.blanks
        alone = 0
        while look.marks != 0:
            i = first_bit(look.marks)
            look.marks &= look.marks - 1
            at = base + i
            kind = scan.rules.ascii_class[at[0]]
            if kind == MARK:
                if is_markup(scan, at):
                    scan.status = MARKUP
                    return
                kind = SPACE if at[0] == c'\n' else ALONE
            spaces |= <uint64_t>(kind == SPACE) << i
            alone |= <uint64_t>(kind == ALONE or (kind == HYPHEN and class_before(scan, at) == DIGIT)) << i
            if kind == PAIR:
                bits = cut_run_bits(scan, at, &k)
                if i + k > BLOCK:
                    scan.status = AGAIN
                    return
                alone |= bits << i
                look.marks &= ~((((<uint64_t>1) << (k - 1)) * 2 - 1) << i)
        behind_space = spaces << 1 | last_space
        behind_alone = alone << 1 | last_alone
        last_space = spaces >> (BLOCK - 1)
        last_alone = alone >> (BLOCK - 1)
        starts = ~spaces & (behind_space | behind_alone | alone) & inside
        ends = ~behind_space & (spaces | alone | behind_alone) & inside
        if scan.n_tokens > 2 * BLOCK - 1:
            hand_on(scan)
        token = &scan.tokens[scan.n_tokens]
        if open != NULL and ends != 0:
            token.start = open
            token.length = base + first_bit(ends) - open
            token += 1
            ends &= ends - 1
            open = NULL
        while starts != 0:
            at = base + first_bit(starts)
            starts &= starts - 1
            if ends == 0:
                open = at
                break
            token.start = at
            token.length = base + first_bit(ends) - at
            token += 1
            ends &= ends - 1
        scan.n_tokens = token - scan.tokens
        base += BLOCK
    if open != NULL:
        emit(scan, open, scan.stop)


cdef inline void scan_characters(Scan *scan) noexcept nogil:
    cdef const uint8_t *at = scan.start
    while at < scan.stop:
        if not is_space(scan, at):
            emit(scan, at, at + width(at[0]))
        at += width(at[0])


cdef inline Status scan_text(Scan *scan, const uint8_t *start, const uint8_t *stop, bint quick) noexcept nogil:
    """Find the tokens of a text; ``quick`` is for ASCII.

    AGAIN asks for a call that is not quick, MARKUP for the text cleaned. Then what was handed on must be forgotten.
    """
    scan.start = start
    scan.stop = stop
    scan.status = DONE
    scan.n_tokens = 0
    while scan.stop > scan.start and is_space(scan, before(scan.stop)):
        scan.stop = before(scan.stop)
    if scan.rules.trimmed:
        while scan.start < scan.stop and is_space(scan, scan.start):
            scan.start += width(scan.start[0])
    if scan.rules.single:
        scan_characters(scan)
    elif quick and not scan.rules.edges:
        scan_ascii(scan)
    else:
        scan_words(scan)
    if scan.status == DONE and scan.n_tokens:
        hand_on(scan)
    return scan.status


cdef inline size_t replace(uint8_t *text, size_t n, const char *what, size_t length, int by) noexcept nogil:
    """Put one character, or none if it is negative, in the place of each ``what``. Returns the new length."""
    cdef size_t i = 0, kept = 0
    while i < n:
        if n - i >= length and memcmp(text + i, what, length) == 0:
            i += length
            if by >= 0:
                text[kept] = <uint8_t>by
                kept += 1
        else:
            text[kept] = text[i]
            kept += 1
            i += 1
    return kept


cdef inline size_t clean(uint8_t *text, size_t n) noexcept nogil:
    """Remove from a text what 13a takes for SGML. The order matters: one step can make work for the next."""
    n = replace(text, n, b"<skipped>", 9, -1)
    n = replace(text, n, b"-\n", 2, -1)
    n = replace(text, n, b"&quot;", 6, c'"')
    n = replace(text, n, b"&amp;", 5, c'&')
    n = replace(text, n, b"&lt;", 4, c'<')
    return replace(text, n, b"&gt;", 4, c'>')
