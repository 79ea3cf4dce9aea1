"""Tokenizers by name, and the rules for callables and for other libraries' tokenizers.

A tokenizer turns one text into a sequence of tokens, str or IDs. Those that are sets of rules run in the core, see
``RULES``; the others bring a library of their own, see ``_external.py``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clipgram import _external
from clipgram._backend import text as core
from clipgram._describe import describe

Tokens = Sequence[str] | Sequence[int]
AnyTokenizer = str | Callable[[str], Tokens] | Any

RULES = {
    "13a": "mteval-v13a, the standard of WMT: ASCII punctuation apart, numbers whole, SGML leftovers removed",
    "13a-raw": "13a without the SGML clean-up: <skipped>, entities and line-end hyphens stay what they are",
    "none": "whitespace only, for text that is tokenized already",
    "intl": "mteval-v14 international: all Unicode punctuation and symbols apart, numbers whole",
    "zh": "13a without its clean-up, and every Chinese character apart",
    "char": "every character that is no whitespace",
    "edge": "whitespace, then punctuation cut off both ends of each word",
}
FORMS = ("NFC", "NFKC")
Form = Literal["NFC", "NFKC"]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer with what is done to the text before it.

    Attributes
    ----------
    name : str
        What the signature says after ``tok:``.
    rules : str or None
        What the core calls it, if it is a set of rules.
    external : callable or None
        From texts to the tokens of each, if it is not.
    lowercase : bool
        Lowercase the text, as ``str.lower`` does.
    normalize : {"NFC", "NFKC"} or None
        Bring the text to a Unicode normal form, before it is lowercased.
    """

    name: str
    rules: str | None = None
    external: Callable[[list[str]], Sequence[Tokens]] | None = None
    lowercase: bool = False
    normalize: Form | None = None

    @property
    def takes_text_as_it_is(self) -> bool:
        """Whether nothing is done to the text first."""
        return not self.lowercase and self.normalize is None

    @property
    def described(self) -> str:
        """The name and what is done to the text before, for messages."""
        before = ", ".join(filter(None, ("lowercase" if self.lowercase else None, self.normalize)))
        return f"{self.name!r} ({before})" if before else repr(self.name)

    def agrees_with(self, other: Tokenizer) -> bool:
        """Whether both make the same tokens, as far as their names tell; of callables, whether they are the same."""
        mine, others = (
            (one.name, one.rules, one.lowercase, one.normalize, getattr(one.external, "function", None))
            for one in (self, other)
        )
        return mine == others

    def prepare(self, text: str) -> str:
        """What is done to a text before it is tokenized."""
        if self.normalize is not None:
            text = unicodedata.normalize(self.normalize, text)
        return str.lower(text) if self.lowercase else text

    def tokens_of(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """The tokens of each text."""
        texts = list(map(self.prepare, texts))
        if self.rules is not None:
            return [core.tokenize(text, self.rules) for text in texts]
        assert self.external is not None  # it is one or the other
        return self.external(texts)


def get_tokenizer(tokenize: AnyTokenizer, lowercase: bool = False, normalize: Form | None = None) -> Tokenizer:
    """Find a tokenizer by its name, or wrap one that is given.

    Parameters
    ----------
    tokenize : str, callable, or another library's tokenizer
        A key of ``RULES``; ``"ja-mecab"``, ``"ko-mecab"`` or ``"spm:PATH"``, which need an extra; anything that takes
        a str and returns a sequence of str or of ints; a tokenizer of transformers or tokenizers, or an encoding of
        tiktoken, whose IDs are used.
    lowercase : bool
    normalize : {"NFC", "NFKC"}, optional
        See ``Tokenizer``.

    Returns
    -------
    Tokenizer

    Raises
    ------
    ValueError
        If there is no tokenizer of that name.
    TypeError
        If ``tokenize`` is no tokenizer.
    ImportError
        If the library that it needs is missing; the message names the extra that brings it.

    Examples
    --------
    >>> get_tokenizer("13a", lowercase=True).tokens_of(["The End."])
    [['the', 'end', '.']]
    """
    if not isinstance(lowercase, bool):
        raise TypeError(f"lowercase is {describe(lowercase)}; wanted True or False")
    if normalize not in (None, *FORMS):
        raise ValueError(f"normalize is {describe(normalize)}; wanted {' or '.join(map(repr, FORMS))}, or None")
    if isinstance(tokenize, str) and tokenize in RULES:
        return Tokenizer(tokenize, tokenize, None, lowercase, normalize)
    external = _external.find(tokenize)
    if external is None:
        if isinstance(tokenize, str):
            names = ", ".join([*RULES, *_external.NAMES])
            raise ValueError(f"no tokenizer is called {tokenize!r}; there are {names}, or pass a callable")
        raise TypeError(f"tokenize is {describe(tokenize)}; wanted a tokenizer's name, a callable or a tokenizer")
    return Tokenizer(external.name, None, external, lowercase, normalize)


def tokenize(
    text: str, tokenizer: AnyTokenizer = "13a", *, lowercase: bool = False, normalize: Form | None = None
) -> list[Any]:
    r"""The tokens that a text is scored by.

    Parameters
    ----------
    text : str
    tokenizer, lowercase, normalize
        As for the metrics.

    Returns
    -------
    list of str
        Or of int, where the tokenizer makes IDs.

    Examples
    --------
    >>> tokenize("It isn't 3.5%, &quot;okay&quot;: 5-3.")
    ['It', "isn't", '3.5', '%', ',', '"', 'okay', '"', ':', '5', '-', '3', '.']
    >>> tokenize('end. "(yes)!" don\'t U.S.A. ...', "edge")
    ['end', '.', '"', '(', 'yes', ')', '!', '"', "don't", 'U.S.A', '.', '.', '.', '.']
    >>> tokenize("5 = 5,0, don't", "intl")
    ['5', '=', '5,0', ',', 'don', "'", 't']
    >>> tokenize("It isn't  3.5%.", "none", lowercase=True)
    ['it', "isn't", '3.5%.']
    """
    if not isinstance(text, str):
        raise TypeError(f"text is {describe(text)}; wanted a str")
    return list(get_tokenizer(tokenizer, lowercase, normalize).tokens_of([text])[0])
