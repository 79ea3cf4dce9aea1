"""Tokenizers, both implementations of them, against live sacreBLEU.

CLIPGRAM_STRINGS sets how many generated strings each is tried on; 1,000,000 take some minutes.
"""

from __future__ import annotations

import importlib
import os
import pickle
import unicodedata
from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType

import make_categories
import pytest
import regex
from conftest import Wmt22
from hypothesis import given
from hypothesis import strategies as st
from nasty import WHITESPACE, nasty_strings
from sacrebleu.metrics import BLEU as SacreBLEU

from clipgram import BLEU, _categories, tokenize
from clipgram.tokenizers import RULES, get_tokenizer

STRINGS = int(os.environ.get("CLIPGRAM_STRINGS", "20000"))
OF_SACREBLEU = ["none", "13a", "zh", "char", "intl"]


@pytest.fixture(params=["ext", "python"])
def text_core(request: pytest.FixtureRequest) -> ModuleType:
    """The functions of ``_text``, compiled and in Python."""
    if request.param == "python":
        return importlib.import_module("clipgram._text_py")
    if find_spec("clipgram._text") is None:
        pytest.skip("this installation has no compiled core")
    return importlib.import_module("clipgram._text")


def of_sacrebleu(name: str, lowercase: bool = False) -> Callable[[str], list[str]]:
    """What sacreBLEU 2.6.0 counts: it strips a line's end first, and splits what its tokenizer returns."""
    metric = SacreBLEU(tokenize=name, lowercase=lowercase)
    if hasattr(metric.tokenizer, "__wrapped__"):  # pragma: no cover
        metric.tokenizer = metric.tokenizer.__wrapped__
    return lambda text: metric._preprocess_segment(text).split()


def by_definition(name: str) -> Callable[[str], list[str]]:
    """The two tokenizers that are not sacreBLEU's, written down once more."""
    core = of_sacrebleu("13a")

    def raw(text: str) -> list[str]:
        # Nothing is cleaned if every place where that could begin is broken up by a character that splits nothing.
        hidden = text.replace("&", "\ue001").replace("<", "\ue002").replace("\n", "\ue003")
        return core(hidden.replace("\ue001", " & ").replace("\ue002", " < ").replace("\ue003", " "))

    def edge(text: str) -> list[str]:
        tokens = []
        for word in text.split():
            inner = regex.sub(r"^[\p{P}\p{S}]+|[\p{P}\p{S}]+$", "", word)
            start = word.index(inner) if inner else len(word)
            tokens += [*word[:start], *([inner] if inner else []), *word[start + len(inner) :]]
        return tokens

    return {"13a-raw": raw, "edge": edge}[name]


@pytest.mark.parametrize("name", RULES)
def test_tokens_of_nasty_strings(text_core: ModuleType, name: str) -> None:
    theirs = of_sacrebleu(name) if name in OF_SACREBLEU else by_definition(name)
    for text in nasty_strings(STRINGS, seed=len(name)):
        assert text_core.tokenize(text, name) == theirs(text), repr(text)


@pytest.mark.parametrize("name", OF_SACREBLEU)
def test_every_line_of_wmt22(text_core: ModuleType, wmt22: Wmt22, name: str) -> None:
    theirs = of_sacrebleu(name)
    lines = wmt22.all_lines()
    assert len(lines) > 40_000
    for line in lines[:: 1 if text_core.__name__.endswith("_text") else 7]:
        assert text_core.tokenize(line, name) == theirs(line)


@pytest.mark.parametrize("name", OF_SACREBLEU)
def test_lowercase_is_that_of_str(name: str) -> None:
    theirs = of_sacrebleu(name, lowercase=True)
    assert tokenize("\u0130I \u03a3\u03a3 &AMP; \u1e9e", name, lowercase=True) == theirs("\u0130I \u03a3\u03a3 &AMP; \u1e9e")
    for text in nasty_strings(2000, seed=3):
        assert tokenize(text, name, lowercase=True) == theirs(text), repr(text)


@given(st.text(st.sampled_from([*WHITESPACE, *"a1.,-<>&;'\n\u4e00\u2019\u0663\u20ac"]) | st.characters()), st.sampled_from([*RULES]))
def test_the_twins_agree_on_any_text(text: str, name: str) -> None:
    if find_spec("clipgram._text") is None:
        pytest.skip("this installation has no compiled core")
    compiled, twin = importlib.import_module("clipgram._text"), importlib.import_module("clipgram._text_py")
    assert compiled.tokenize(text, name) == twin.tokenize(text, name)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("length", [1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000, 20_000])
def test_lengths_around_the_steps(text_core: ModuleType, name: str, length: int) -> None:
    """Texts and tokens as long as the blocks that are looked at, and one more or less."""
    theirs = of_sacrebleu(name) if name in OF_SACREBLEU else by_definition(name)
    for unit in ("x", "xy ", "1.", ".", "5-", "\u00e9", "\u4e00", "\u2019", "a&amp;", "\U0001f600 ", "x <skipped>"):
        text = (unit * length)[:length]
        assert text_core.tokenize(text, name) == theirs(text), (unit, length)


# What readers of the rules stumble over. Each line was run with sacreBLEU 2.6.0 as well, below.
@pytest.mark.parametrize(
    "name, text, tokens",
    [
        ("13a", ".5", ". 5"),
        ("13a", "..5", ". .5"),
        ("13a", "...5", ". . . 5"),
        ("13a", "1.2.3 1,000,000.00", "1.2.3 1,000,000.00"),
        ("13a", "3.x", "3 . x"),
        ("13a", "U.S.A.", "U . S . A ."),
        ("13a", "a,,b", "a , , b"),
        ("13a", "1990.", "1990 ."),
        ("13a", "5-3 a-b -5 10--20", "5 - 3 a-b -5 10 - -20"),
        ("13a", "don't 50\u00b0C \u20ac5", "don't 50\u00b0C \u20ac5"),
        ("13a", "a-\nb", "ab"),
        ("13a", "a-\r\nb", "a- b"),
        ("13a", "a-\n", "a-"),
        ("13a", "&amp;lt; &amp;quot; &apos;", "< & quot ; & apos ;"),
        ("13a", "x<skipped>y <ski<skipped>pped>", "xy < skipped >"),
        ("13a", "-<skipped>\nx", "x"),
        ("13a", "\u0663.\u0664", "\u0663 . \u0664"),
        ("zh", "1990. 3.", "1990 . 3."),
        ("zh", "\u4eca\u5929a\u200bb", "\u4eca \u5929 a \u200b b"),
        ("zh", ".5 \u20ac5", ".5 \u20ac 5"),
        ("zh", "\U00020001\U00020002", "\U00020001\U00020002"),
        ("intl", "1990.", "1990."),
        ("intl", "5% 5-3 well-known 5%", "5 % 5-3 well - known 5%"),
        ("intl", "50\u00b0C don't \u0663.\u0664", "50 \u00b0 C don ' t \u0663.\u0664"),
        ("intl", "Tom &amp; Jerry", "Tom & amp ; Jerry"),
        ("char", "e\u0301 a", "e \u0301 a"),
        ("none", "a\u00a0b\u3000c\u200bd", "a b c\u200bd"),
        ("13a-raw", "x<skipped>y", "x < skipped > y"),
        ("13a-raw", "a-\nb &lt;", "a- b & lt ;"),
        ("edge", "end.", "end ."),
        ("edge", '"(yes)!"', '" ( yes ) ! "'),
        ("edge", "don't U.S.A U.S.A.", "don't U.S.A U.S.A ."),
        ("edge", "... \u201cyes\u201d\u2026 \u20ac5", ". . . \u201c yes \u201d \u2026 \u20ac 5"),
    ],
)
def test_known_surprises(text_core: ModuleType, name: str, text: str, tokens: str) -> None:
    assert text_core.tokenize(text, name) == tokens.split(" ")
    if name in OF_SACREBLEU:
        assert of_sacrebleu(name)(text) == tokens.split(" ")


def test_whitespace_is_what_python_splits_on(text_core: ModuleType) -> None:
    assert len(WHITESPACE) == 29 == sum(chr(code).isspace() for code in range(0x110000))
    for name in RULES:
        for blank in WHITESPACE:
            assert text_core.tokenize(f"a{blank}b", name) == ["a", "b"]
            assert text_core.tokenize(f"{blank}a{blank}", name) == ["a"]


def test_a_lone_surrogate_is_a_character(text_core: ModuleType) -> None:
    for name in RULES:
        tokens = text_core.tokenize("a\ud800 b", name)
        assert tokens == (["a", "\ud800", "b"] if name == "char" else ["a\ud800", "b"])


def test_no_text(text_core: ModuleType) -> None:
    for name in RULES:
        assert text_core.tokenize("", name) == text_core.tokenize(" \n\u3000", name) == []
        with pytest.raises(TypeError, match="a text is of type bytes"):
            text_core.tokenize(b"a", name)


def test_the_categories_are_those_of_regex() -> None:
    """If regex has moved to a newer Unicode, tests/make_categories.py writes the file anew."""
    with open(_categories.__file__, encoding="utf-8") as file:
        written = file.read()
    assert written.split('"""')[2] == make_categories.module().split('"""')[2]


def test_normal_forms() -> None:
    text = "\ufb01ne e\u0301 \u212b\u2121"
    assert tokenize(text, "none", normalize="NFC") == unicodedata.normalize("NFC", text).split()
    assert tokenize(text, "none", normalize="NFKC", lowercase=True) == ["fine", "\u00e9", "\u00e5tel"]
    metric = BLEU(normalize="NFKC")
    assert "|case:mixed|norm:NFKC|" in metric.signature()
    assert metric.sentence_score("\ufb01ne e\u0301", "fine \u00e9").score == 1.0
    assert metric.sentence_scores(["\ufb01ne e\u0301"], ["fine \u00e9"]).tolist() == [1.0]
    assert BLEU().sentence_score("\ufb01ne e\u0301", "fine \u00e9").score == 0.0
    with pytest.raises(ValueError, match="normalize is the str 'NFD'; wanted 'NFC' or 'NFKC'"):
        BLEU(normalize="NFD")


def test_rewards_that_cannot_be_fooled() -> None:
    padded = "a perfect answer" + "<skipped>" * 50
    assert BLEU().sentence_score(padded, "a perfect answer").score == 1.0
    assert BLEU(tokenize="13a-raw").sentence_score(padded, "a perfect answer").score < 0.1


def test_callables() -> None:
    tokenizer = get_tokenizer(list, lowercase=True)
    assert tokenizer.tokens_of(["AB", "C"]) == [["a", "b"], ["c"]]
    assert tokenizer.name == "custom[list]"
    assert pickle.loads(pickle.dumps(tokenizer)).tokens_of(["AB"]) == [["a", "b"]]
    assert tokenize("a|b", lambda text: text.split("|")) == ["a", "b"]


@pytest.mark.parametrize("wrong, error", [("13b", ValueError), ("", ValueError), (13, TypeError), (None, TypeError)])
def test_unknown(wrong: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="tokeniz"):
        get_tokenizer(wrong)
    with pytest.raises(error, match="tokeniz"):
        BLEU(tokenize=wrong)  # type: ignore[arg-type]


def test_tokenize_wants_text() -> None:
    with pytest.raises(TypeError, match="text is a list of 1; wanted a str"):
        tokenize(["a"])  # type: ignore[arg-type]
