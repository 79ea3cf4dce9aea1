"""What NLTK 3.10.4 gives for fixed examples, recorded on CPython 3.11.7; 3.12 gives the same."""

from __future__ import annotations

S6 = "the cat sat on the mat"
LONG = " ".join(f"w{i % 1000}" for i in range(100_000))

# Name, hypothesis, references, sentence_bleu and corpus_bleu, sentence_gleu; of tokens made by str.split().
SEGMENTS: list[tuple[str, str, list[str], float, float]] = [
    ("empty hypothesis", "", [S6], 0, 0.0),
    ("empty reference", S6, [""], 0, 0.0),
    ("both empty", "", [""], 0, 0.0),
    ("2 tokens, 6 in the reference", "the cat", [S6], 2.018753310664318e-155, 0.16666666666666666),
    ("3 tokens, perfect", "the cat sat", ["the cat sat"], 1.2213386697554703e-77, 1.0),
    ("no match", "x y z u v", [S6], 0, 0.0),
    ("no 4-gram match", "a b c x d e y", ["a b c z d e w"], 6.313993041533344e-78, 0.4090909090909091),
    ("no 3,4-gram match", "a b x c d y", ["a b z c d w"], 1.0719249972567852e-154, 0.3333333333333333),
    ("only unigram match", "a x b y c z", ["a p b q c r"], 1.5319719891192393e-231, 0.16666666666666666),
    ("single token match", "cat", ["cat"], 1.821831989445342e-231, 1.0),
    ("single token mismatch", "dog", ["cat"], 0, 0.0),
    ("single token, 6 in the reference", "cat", [S6], 1.2275407386121148e-233, 0.05555555555555555),
    ("perfect", S6, [S6], 1.0, 1.0),
    ("longer than the reference", f"{S6} today at noon", [S6], 0.5873949094699213, 0.6),
    ("same length", "the cat sat on a mat", [S6], 0.537284965911771, 0.6111111111111112),
    ("repeated references", "the cat sat on a mat", [S6, S6], 0.537284965911771, 0.6111111111111112),
    ("tie of lengths 5, 7", "a b c d e f", ["a b c d e", "a b c d e f g"], 1.0, 0.8181818181818182),
    ("tie of lengths 7, 5", "a b c d e f", ["a b c d e f g", "a b c d e"], 1.0, 0.8181818181818182),
    ("whitespace for a hypothesis", " \t ", [S6], 0, 0.0),
    ("whitespace for a reference", S6, [" \t "], 0, 0.0),
    ("whitespace for both", " \t ", [" \n"], 0, 0.0),
    ("tabs", S6.replace(" ", "\t"), [S6], 1.0, 1.0),
    ("no-break space", S6.replace(" ", "\u00a0"), [S6], 1.0, 1.0),
    ("ideographic space", S6.replace(" ", "\u3000"), [S6], 1.0, 1.0),
    ("line separator", S6.replace(" ", "\u2028"), [S6], 1.0, 1.0),
    ("zero width space", S6.replace(" ", "\u200b", 1), [S6], 0.5475182535069453, 0.5555555555555556),
    ("byte order mark", f"\ufeff{S6}", [S6], 0.7598356856515925, 0.7777777777777778),
    ("information separators", "the\x1ccat\x1dsat\x1eon\x1fthe\x1fmat", [S6], 1.0, 1.0),
    ("next line", S6.replace(" ", "\u0085"), [S6], 1.0, 1.0),
    ("100,000 tokens", LONG, [LONG], 1.0, 1.0),
    ("100,000 equal tokens", "a " * 100_000, ["a " * 99_999], 0.9999899998499965, 0.9999899998499977),
]

# Of some of them, sentence_bleu with methods 0 to 7; None where method 6 refuses.
METHODS: dict[str, list[float | None]] = {
    "2 tokens, 6 in the reference": [2.018753310664318e-155, 0.04279677428117006, 0.09569649651041094, 0.08047084086794415, 0.029961687346935995, 0.05283800689848111, None, 0.05899237500420127],
    "3 tokens, perfect": [1.2213386697554703e-77, 0.5623413251903491, 0.8408964152537145, 0.8408964152537145, 0.5757197301274735, 0.703215867220802, 1.0, 0.7466681393420525],
    "no match": [0, 0, 0, 0, 0, 0, 0, 0],
    "no 4-gram match": [6.313993041533344e-78, 0.20556680845025987, 0.40614925799324625, 0.3073940764756322, 0.24279161784109232, 0.32838771564422975, 0.30140425924075603, 0.35311995041828387],
    "no 3,4-gram match": [1.0719249972567852e-154, 0.12209471671615688, 0.35930411196308426, 0.2295748846661433, 0.1374292659508281, 0.23037777369138907, None, 0.26523875812539377],
    "only unigram match": [1.5319719891192393e-231, 0.05372849659117709, 0.25406637407730737, 0.10682175159905853, 0.049475702907177795, 0.1283000598199168, None, 0.15467995414300717],
    "single token match": [1.821831989445342e-231, 0.1778279410038923, 0.5946035575013605, 0.3535533905932738, 1.0, 0.19245008972987526, None, 0.19245008972987526],
    "single token, 6 in the reference": [1.2275407386121148e-233, 0.0011981952414407235, 0.004006407255911835, 0.002382224007164441, 0.006737946999085467, 0.001296718504569142, None, 0.001296718504569142],
    "perfect": [1.0, 1.0, 1.0, 1.0, 1.0, 1.1167470964180197, 1.0, 1.1167470964180197],
    "empty hypothesis": [0, 0, 0, 0, 0, 0, 0, 0],
    "single token mismatch": [0, 0, 0, 0, 0, 0, 0, 0],
}

_PARTY = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]
# Hypothesis and references. The first two are those of Papineni et al., "BLEU" (ACL 2002), section 2.
TEXTS: dict[str, tuple[str, list[str]]] = {
    "1": ("It is a guide to action which ensures that the military always obeys the commands of the party", _PARTY),
    "2": ("It is to insure the troops forever hearing the activity guidebook that party direct", _PARTY),
    "3": ("the cat", [S6]),
    "4": ("the cat the cat on the mat", ["the cat is on the mat", "there is a cat on the mat"]),
}

# Corpora of these texts in that order, the first four of one segment: the default, then methods 0 to 7.
EXAMPLES: dict[str, list[float | None]] = {
    "1": [0.5045666840058485, 0.5045666840058485, 0.5045666840058485, 0.539755306744061, 0.5045666840058485, 0.5045666840058485, 0.5875358303967165, 0.5035485336373917, 0.5875358303967165],
    "2": [5.92086005993801e-155, 5.92086005993801e-155, 0.03703131191121491, 0.13111209575157431, 0.06963003305718092, 0.050586660655564, 0.13294741324283815, None, 0.14758356058214836],
    "3": [2.018753310664318e-155, 2.018753310664318e-155, 0.04279677428117006, 0.09569649651041094, 0.08047084086794415, 0.029961687346935995, 0.05283800689848111, None, 0.05899237500420127],
    "4": [0.4671379777282001, 0.4671379777282001, 0.4671379777282001, 0.5651887140592688, 0.4671379777282001, 0.4671379777282001, 0.524581558760733, 0.5318744560888308, 0.524581558760733],
    "12": [0.3043537261305561, 0.3043537261305561, 0.3043537261305561, 0.3311948292945104, 0.3043537261305561, 0.3043537261305561, 0.37379945901853384, 0.4595105611773373, 0.37379945901853384],
    "21": [0.3043537261305561, 0.3043537261305561, 0.3043537261305561, 0.3311948292945104, 0.3043537261305561, 0.3043537261305561, 0.39966872832231426, 0.3963492549316995, 0.39966872832231426],
    "123": [0.27141569919756636, 0.27141569919756636, 0.27141569919756636, 0.2951036145189524, 0.27141569919756636, 0.27141569919756636, 0.3344370542106239, 1.1525940948995845, 0.3344370542106239],
    "321": [0.27141569919756636, 0.27141569919756636, 0.27141569919756636, 0.2951036145189524, 0.27141569919756636, 0.27141569919756636, 0.35792313257125324, 0.3599400706551903, 0.35792313257125324],
    "24": [0.17188824991187113, 0.17188824991187113, 0.17188824991187113, 0.2267460026311114, 0.17188824991187113, 0.17188824991187113, 0.2510338412199553, 0.29032027851961195, 0.2510338412199553],
    "42": [0.17188824991187113, 0.17188824991187113, 0.17188824991187113, 0.2267460026311114, 0.17188824991187113, 0.17188824991187113, 0.2510338412199553, 0.19674157781558227, 0.2510338412199553],
}

# The same of GLEU: texts, min_len, max_len, corpus_gleu.
GLEU_EXAMPLES: list[tuple[str, int, int, float]] = [
    ("1", 1, 4, 0.4393939393939394),
    ("2", 1, 4, 0.1206896551724138),
    ("3", 1, 4, 0.16666666666666666),
    ("4", 1, 4, 0.45454545454545453),
    ("1234", 1, 4, 0.29878048780487804),
    ("1", 1, 2, 0.5428571428571428),
    ("1", 2, 4, 0.375),
    ("1", 1, 6, 0.34408602150537637),
]

# Numerators and denominators of the first two texts: modified_precision of orders 1 to 4.
PRECISIONS: dict[str, list[tuple[int, int]]] = {
    "1": [(17, 18), (10, 17), (7, 16), (4, 15)],
    "2": [(8, 14), (1, 13), (0, 12), (0, 11)],
}
