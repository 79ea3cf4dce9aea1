"""One segment at a time, at the edges: what evaluate 0.4.6 and torchmetrics 1.9.0 returned, on Python 3.11.7.

evaluate ran the metric scripts of huggingface/evaluate a7dd338, with sacrebleu 2.6.0 and nltk 3.10.4. Results of
torchmetrics are float32.
"""

from __future__ import annotations

from typing import NamedTuple

S6 = "the cat sat on the mat"
MANY = " ".join(f"w{i}" for i in range(100_000))


class Case(NamedTuple):
    """A segment, and what was measured; None stands for a ZeroDivisionError."""

    name: str
    prediction: str
    references: list[str]
    sacrebleu: float
    google_bleu: float
    bleu: float | None
    bleu_smooth: float | None
    torch_bleu: float
    torch_smooth: float
    torch_sacre: float


CASES = [
    Case("empty hyp", "", [S6], 0.0, 0.0, None, None, 0.0, 0.0, 0.0),
    Case("empty ref", S6, [""], 0.0, 0.0, None, None, 0.0, 0.0, 0.0),
    Case("both empty", "", [""], 0.0, 0.0, None, None, 0.0, 0.0, 0.0),
    Case("hyp 2 tok, ref 6 tok", "the cat", [S6], 0.0, 0.16666666666666666, 0.0, 0.1353352832366127, 0.0, 0.0, 0.0),
    Case("hyp=ref 3 tok", "the cat sat", ["the cat sat"], 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    Case("no match", "a b c d e", ["v w x y z"], 0.0, 0.0, 0.0, 0.2295748846661433, 0.0, 0.0, 0.0),
    Case("no 4-gram match", "a b c x d e y", ["a b c z d e w"], 30.739407647563215, 0.4090909090909091, 0.0, 0.4111336169005197, 0.0, 0.0, 0.0),
    Case("no 3,4-gram match", "a b x c d y", ["a b z c d w"], 22.957488466614336, 0.3333333333333333, 0.0, 0.3655552228545124, 0.0, 0.0, 0.0),
    Case("only unigram match", "a x b y c z", ["a p b q c r"], 10.682175159905853, 0.16666666666666666, 0.0, 0.2626909894424158, 0.0, 0.0, 0.0),
    Case("single token match", "cat", ["cat"], 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    Case("single token mismatch", "cat", ["dog"], 0.0, 0.0, 0.0, 0.8408964152537145, 0.0, 0.0, 0.0),
    Case("single tok vs 6 tok ref", "cat", [S6], 0.0, 0.05555555555555555, 0.0, 0.006737946999085467, 0.0, 0.0, 0.0),
    Case("perfect 6 tok", S6, [S6], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("hyp longer than ref", S6 + " today at noon", [S6], 58.73949094699213, 0.6, 0.5873949094699213, 0.6389431042462724, 0.5873949527740479, 0.631196916103363, 0.5873949527740479),
    Case("same, one ref", "the cat sat on a mat", [S6], 53.7284965911771, 0.6111111111111112, 0.537284965911771, 0.6434588841607617, 0.5372849702835083, 0.638943076133728, 0.5372849702835083),
    Case("repeated refs", "the cat sat on a mat", [S6, S6, S6], 53.7284965911771, 0.6111111111111112, 0.537284965911771, 0.6434588841607617, 0.5372849702835083, 0.638943076133728, 0.5372849702835083),
    Case("tie refs 5,7 (hyp 6)", "a b c d e f", ["a b c d e", "a b c d e f g"], 100.00000000000004, 0.8181818181818182, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("tie refs 7,5 (hyp 6)", "a b c d e f", ["a b c d e f g", "a b c d e"], 100.00000000000004, 0.8181818181818182, 1.0, 1.0, 0.8464817404747009, 0.8464817404747009, 0.8464817404747009),
    Case("whitespace-only hyp", " \t ", [S6], 0.0, 0.0, None, None, 0.0, 0.0, 0.0),
    Case("whitespace-only ref", S6, [" \t "], 0.0, 0.0, None, None, 0.0, 0.0, 0.0),
    Case("both whitespace", " ", ["\t"], 0.0, 0.0, None, None, 0.0, 0.0, 0.0),
    Case("tabs", "the\tcat\tsat\ton\tthe\tmat", [S6], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("NBSP U+00A0 in hyp", "the cat\u00a0sat on the mat", [S6], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("U+3000 in hyp", "the cat\u3000sat on the mat", [S6], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("U+2028 in hyp", "the cat\u2028sat on the mat", [S6], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("U+200B in hyp", "the\u200bcat sat on the mat", [S6], 54.75182535069452, 0.5555555555555556, 0.5475182535069453, 0.6221008431290531, 0.547518253326416, 0.6157842874526978, 0.547518253326416),
    Case("U+FEFF in hyp", "\ufeff" + S6, [S6], 75.98356856515926, 0.7777777777777778, 0.7598356856515925, 0.8091067115702212, 0.7598356604576111, 0.8034284114837646, 0.7598356604576111),
    Case("U+001C..1F in hyp", "the\x1ccat\x1dsat\x1eon\x1fthe mat", [S6], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("U+0085 in hyp", "the cat\x85sat on the mat", [S6], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("1e5 tokens identical", MANY, [MANY], 100.00000000000004, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    Case("1e5 tokens, one type", "a " * 100_000, ["a " * 99_999], 99.99899998499973, 0.9999899998499977, 0.9999899998499965, 0.9999899999499985, 0.9999899864196777, 0.9999899864196777, 0.9999899864196777),
]
