from __future__ import annotations

import pickle

import pytest
from conftest import Wmt22
from hypothesis import given
from hypothesis import strategies as st
from nasty import WHITESPACE, nasty_strings
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram.tokenizers import edge, get_tokenizer, mteval_13a, none


def sacrebleu_tokens(name: str, text: str, lowercase: bool = False) -> list[str]:
    """What sacreBLEU 2.6.0 counts: it strips a line's end first, and splits what its tokenizer returns."""
    metric = SacreBLEU(tokenize=name, lowercase=lowercase)
    return metric._preprocess_segment(text).split()


def test_13a_on_wmt22(wmt22: Wmt22) -> None:
    metric = SacreBLEU(tokenize="13a")
    lines = wmt22.all_lines()
    assert len(lines) > 30_000
    for line in lines:
        assert mteval_13a(line) == metric._preprocess_segment(line).split()


@pytest.mark.parametrize("name", ["13a", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_tokens_of_nasty_strings(name: str, lowercase: bool) -> None:
    ours = get_tokenizer(name, lowercase)
    theirs = SacreBLEU(tokenize=name, lowercase=lowercase)
    for text in nasty_strings(50_000, seed=lowercase):
        assert ours(text) == theirs._preprocess_segment(text).split(), repr(text)


@given(st.text(st.sampled_from([*WHITESPACE, *"a1.,-<>&;'\n"]) | st.characters()))
def test_13a_of_any_text(text: str) -> None:
    assert mteval_13a(text) == sacrebleu_tokens("13a", text)


# What spec-readers stumble over; each line was run with sacreBLEU 2.6.0, tokenize="13a".
@pytest.mark.parametrize(
    "text, tokens",
    [
        (".5", ". 5"),
        ("..5", ". .5"),
        ("...5", ". . . 5"),
        ("1.2.3 1,000,000.00", "1.2.3 1,000,000.00"),
        ("3.x", "3 . x"),
        ("U.S.A.", "U . S . A ."),
        ("a,,b", "a , , b"),
        ("1990.", "1990 ."),
        ("5-3 a-b -5 10--20", "5 - 3 a-b -5 10 - -20"),
        ("don't 50\u00b0C \u20ac5", "don't 50\u00b0C \u20ac5"),
        ("a-\nb", "ab"),
        ("a-\r\nb", "a- b"),
        ("&amp;lt; &amp;quot; &apos;", "< & quot ; & apos ;"),
        ("x<skipped>y", "xy"),
        ("\u0663.\u0664", "\u0663 . \u0664"),
    ],
)
def test_13a_known_surprises(text: str, tokens: str) -> None:
    assert mteval_13a(text) == tokens.split(" ")
    assert sacrebleu_tokens("13a", text) == tokens.split(" ")


def test_whitespace_is_what_python_splits_on() -> None:
    assert len(WHITESPACE) == 29
    for blank in WHITESPACE:
        assert none(f"a{blank}b") == mteval_13a(f"a{blank}b") == edge(f"a{blank}b") == ["a", "b"]


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("end.", ["end", "."]),
        ('"(yes)!"', ['"', "(", "yes", ")", "!", '"']),
        ("don't U.S.A U.S.A.", ["don't", "U.S.A", "U.S.A", "."]),
        ("...", [".", ".", "."]),
        ("\u201cyes\u201d\u2026 \u20ac5", ["\u201c", "yes", "\u201d", "\u2026", "\u20ac", "5"]),
        ("", []),
    ],
)
def test_edge(text: str, tokens: list[str]) -> None:
    assert edge(text) == tokens


def test_callables() -> None:
    tokenizer = get_tokenizer(list, lowercase=True)
    assert tokenizer("AB") == ["a", "b"]
    assert tokenizer.name == "custom[list]"
    assert pickle.loads(pickle.dumps(tokenizer)) == tokenizer


@pytest.mark.parametrize("wrong, error", [("13b", ValueError), (13, TypeError), (None, TypeError)])
def test_unknown(wrong: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="tokeniz"):
        get_tokenizer(wrong)  # type: ignore[arg-type]
