"""Values of sacreBLEU 2.6.0, measured once on CPython 3.11.7 and written down, so that they hold without it.

From Python 3.12 on the builtin ``sum`` rounds less, in sacreBLEU as here, and the last digit of a few scores differs;
``tests/test_compat_sacrebleu.py`` compares with the sacreBLEU of the day there.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

from clipgram.compat.sacrebleu import BLEU, BLEUScore, corpus_bleu, raw_corpus_bleu, sentence_bleu

S6 = "the cat sat on the mat"
LONG = " ".join(f"w{i}" for i in range(100_000))

# Name, hypothesis, references, corpus_bleu, sentence_bleu; all by default.
ONE_SEGMENT: list[tuple[str, str, list[str], float, float]] = [
    ("empty hyp", "", [S6], 0.0, 0.0),
    ("empty ref", S6, [""], 0.0, 0.0),
    ("both empty", "", [""], 0.0, 0.0),
    ("hyp 2 tok, ref 6 tok", "the cat", [S6], 0.0, 13.533528323661276),
    ("hyp=ref 3 tok", "the cat sat", ["the cat sat"], 0.0, 100.00000000000004),
    ("no match", "a b c d e", ["v w x y z"], 0.0, 0.0),
    ("no 4-gram match", "a b c x d e y", ["a b c z d e w"], 30.739407647563215, 30.739407647563215),
    ("no 3,4-gram match", "a b x c d y", ["a b z c d w"], 22.957488466614336, 22.957488466614336),
    ("only unigram match", "a x b y c z", ["a p b q c r"], 10.682175159905853, 10.682175159905853),
    ("single token match", "cat", ["cat"], 0.0, 100.00000000000004),
    ("single token mismatch", "cat", ["dog"], 0.0, 0.0),
    ("single tok vs 6 tok ref", "the", [S6], 0.0, 0.673794699908547),
    ("perfect 6 tok", S6, [S6], 100.00000000000004, 100.00000000000004),
    ("hyp longer than ref", f"{S6} today at noon", [S6], 58.73949094699213, 58.73949094699213),
    ("same, one ref", "the cat sat on a mat", [S6], 53.7284965911771, 53.7284965911771),
    ("repeated refs", "the cat sat on a mat", [S6, S6], 53.7284965911771, 53.7284965911771),
    ("tie refs 5,7 (hyp 6)", "a b c d e f", ["a b c d e", "a b c d e f g"], 100.00000000000004, 100.00000000000004),
    ("tie refs 7,5 (hyp 6)", "a b c d e f", ["a b c d e f g", "a b c d e"], 100.00000000000004, 100.00000000000004),
    ("whitespace-only hyp", " \t ", [S6], 0.0, 0.0),
    ("whitespace-only ref", S6, [" \t "], 0.0, 0.0),
    ("both whitespace", " \t ", [" \t "], 0.0, 0.0),
    ("tabs", S6.replace(" ", "\t"), [S6], 100.00000000000004, 100.00000000000004),
    ("NBSP U+00A0 in hyp", S6.replace(" ", "\u00a0"), [S6], 100.00000000000004, 100.00000000000004),
    ("U+3000 in hyp", S6.replace(" ", "\u3000"), [S6], 100.00000000000004, 100.00000000000004),
    ("U+2028 in hyp", S6.replace(" ", "\u2028"), [S6], 100.00000000000004, 100.00000000000004),
    ("U+200B in hyp", "the\u200bcat sat on the mat", [S6], 54.75182535069452, 54.75182535069452),
    ("U+FEFF in hyp", "\ufeffthe cat sat on the mat", [S6], 75.98356856515926, 75.98356856515926),
    ("U+001C..1F in hyp", "the\x1ccat\x1dsat\x1eon\x1fthe mat", [S6], 100.00000000000004, 100.00000000000004),
    ("U+0085 in hyp", S6.replace(" ", "\x85"), [S6], 100.00000000000004, 100.00000000000004),
    ("1e5 tokens identical", LONG, [LONG], 100.00000000000004, 100.00000000000004),
    ("1e5 tokens, one type", "a " * 100_000, ["a " * 99_999], 99.99899998499973, 99.99899998499973),
]
BY_NAME = {name: (hypothesis, references) for name, hypothesis, references, _, _ in ONE_SEGMENT}

METHODS = ["none", "floor", "add-k", "exp"]
# sentence_score, each method without and with effective order.
SMOOTHING: dict[str, list[float]] = {
    "hyp 2 tok, ref 6 tok": [0.0, 13.533528323661276, 0.0, 13.533528323661276, 13.533528323661276, 13.533528323661276, 0.0, 13.533528323661276],
    "hyp=ref 3 tok": [0.0, 100.00000000000004, 0.0, 100.00000000000004, 100.00000000000004, 100.00000000000004, 0.0, 100.00000000000004],
    "no match": [0.0] * 8,
    "no 4-gram match": [0.0, 0.0, 20.556680845025987, 20.556680845025987, 40.61492579932463, 40.61492579932463, 30.739407647563215, 30.739407647563215],
    "no 3,4-gram match": [0.0, 0.0, 12.209471671615692, 12.209471671615692, 35.93041119630842, 35.93041119630842, 22.957488466614336, 22.957488466614336],
    "only unigram match": [0.0, 0.0, 5.372849659117709, 5.372849659117709, 25.40663740773073, 25.40663740773073, 10.682175159905853, 10.682175159905853],
    "single token match": [0.0, 100.00000000000004, 0.0, 100.00000000000004, 100.00000000000004, 100.00000000000004, 0.0, 100.00000000000004],
    "single tok vs 6 tok ref": [0.0, 0.673794699908547, 0.0, 0.673794699908547, 0.673794699908547, 0.673794699908547, 0.0, 0.673794699908547],
    "perfect 6 tok": [100.00000000000004] * 8,
}  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore")


def same(found: float, wanted: float) -> bool:
    return found == wanted if sys.version_info < (3, 12) else found == pytest.approx(wanted, rel=1e-15, abs=0)


@pytest.mark.parametrize("name, hypothesis, references, corpus, sentence", ONE_SEGMENT, ids=list(BY_NAME))
def test_one_segment(name: str, hypothesis: str, references: list[str], corpus: float, sentence: float) -> None:
    assert same(corpus_bleu([hypothesis], [[reference] for reference in references]).score, corpus)
    assert same(sentence_bleu(hypothesis, references).score, sentence)


@pytest.mark.parametrize("name", SMOOTHING)
def test_smoothing_and_effective_order(name: str) -> None:
    hypothesis, references = BY_NAME[name]
    metrics = [BLEU(smooth_method=method, effective_order=effective) for method in METHODS for effective in (False, True)]
    for metric, wanted in zip(metrics, SMOOTHING[name], strict=True):
        assert same(metric.sentence_score(hypothesis, references).score, wanted), metric.get_signature()


def test_a_score_and_its_text() -> None:
    score = corpus_bleu(["the cat sat on a mat", "it rained"], [[S6, "it rained hard"]])
    assert str(score) == "BLEU = 49.28 87.5/66.7/50.0/33.3 (BP = 0.882 ratio = 0.889 hyp_len = 8 ref_len = 9)"
    made = BLEUScore(46.5, [9, 6, 3, 1], [11, 9, 7, 5], [81.81, 66.67, 42.86, 20.0], 1.0, 11, 11)
    text = "81.8/66.7/42.9/20.0 (BP = 1.000 ratio = 1.000 hyp_len = 11 ref_len = 11)"
    assert str(made) == f"BLEU = 46.50 {text}"
    made._mean, made._ci = 53.37, 4.49
    assert made.format() == f"BLEU = 46.50 (\u03bc = 53.37 \u00b1 4.49) {text}"
    assert made.format(1, signature="nrefs:1|tok:13a") == f"BLEU|nrefs:1|tok:13a = 46.5 (\u03bc = 53.4 \u00b1 4.5) {text}"
    assert made.format(1, score_only=True, is_json=True) == "46.5 (\u03bc = 53.4 \u00b1 4.5)"
    assert BLEUScore(0.0, [0], [0], [0.0], 1.0, 3, 0).ratio == 0


@pytest.mark.parametrize(
    "options, signature",
    [
        ({}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"),
        ({"smooth_method": "floor"}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0"),
        ({"smooth_method": "add-k"}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]|version:2.6.0"),
        ({"smooth_method": "exp", "smooth_value": 2}, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"),
        ({"smooth_method": "none", "lowercase": True}, "nrefs:1|case:lc|eff:no|tok:13a|smooth:none|version:2.6.0"),
        ({"effective_order": True, "tokenize": "zh"}, "nrefs:1|case:mixed|eff:yes|tok:zh|smooth:exp|version:2.6.0"),
    ],
)
def test_signatures(options: dict[str, Any], signature: str) -> None:
    metric = BLEU(**options)
    with pytest.raises(ValueError):
        metric.get_signature()
    metric.corpus_score([S6], [[S6]])
    assert str(metric.get_signature()) == signature


def test_signature_of_a_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = BLEU()
    metric.corpus_score([S6, "a"], [[S6, "b"], [None, "c"]], n_bootstrap=100)
    assert metric.get_signature().format() == "nrefs:var|bs:100|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    assert metric.get_signature().format(short=True) == "#:var|bs:100|rs:12345|c:mixed|e:no|tok:13a|s:exp|v:2.6.0"
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    metric.corpus_score([S6, "a"], [[S6, "b"]], n_bootstrap=2)
    assert metric.get_signature().info["seed"] == "none"


def test_what_is_odd() -> None:
    assert corpus_bleu([S6, S6], [[S6]]).sys_len == 6  # unequal lists are cut
    assert corpus_bleu([S6], [[S6, S6], [S6]]).ref_len == 6
    assert corpus_bleu(["a b"], [["a b c d"], [""]]).ref_len == 0  # an empty text is a reference of length 0
    assert corpus_bleu(["a b"], [["a b c d"], [None]]).ref_len == 4  # None is none
    smoothed = sentence_bleu("the cat", [S6], smooth_method="add-k")
    assert (smoothed.counts, smoothed.totals) == ([2, 2, 1, 1], [2, 2, 1, 1])  # add-k changes the counts
    counts, totals = [2, 1, 0, 0], [2, 1, 0, 0]
    BLEU.compute_bleu(counts, totals, 2, 6, smooth_method="add-k", smooth_value=0.5)
    assert (counts, totals) == ([2, 1.5, 0.5, 0.5], [2, 1.5, 0.5, 0.5])
    with pytest.raises(AssertionError, match=r"^Unknown smooth_method \{self\.smooth_method!r\}$"):
        BLEU(smooth_method="laplace")
    with pytest.raises(KeyError, match="13b"):
        BLEU(tokenize="13b")
    raw = raw_corpus_bleu(["a, b"], [["a , b"]])
    assert raw.totals == [2, 1, 0, 0] and raw.counts == [1, 0, 0, 0]
