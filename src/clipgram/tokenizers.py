"""Tokenizers by name, and the rule for callables.

A tokenizer turns one text into a list of tokens. Those with a name are the ones that scores are compared under; their
rules are measured against sacreBLEU 2.6.0 (``13a``, ``none``) or are our own (``edge``).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clipgram._describe import describe

Tokens = Sequence[str] | Sequence[int]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer and the name it has in signatures.

    Parameters
    ----------
    name : str
        What the signature says after ``tok:``.
    split : callable
        From a text to its tokens.
    lowercase : bool
        Lowercase the text before it is split.
    """

    name: str
    split: Callable[[str], Tokens]
    lowercase: bool = False

    def __call__(self, text: str) -> Tokens:
        return self.split(text.lower() if self.lowercase else text)


def none(text: str) -> list[str]:
    """Split on whitespace only: for text that is tokenized already.

    Examples
    --------
    >>> none("It isn't  3.5%.")
    ['It', "isn't", '3.5%.']
    """
    return text.split()


_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_ALWAYS_ALONE = re.compile("([" + re.escape("".join(sorted(set(string.punctuation) - set("',-.")))) + "])")
_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")


def mteval_13a(text: str) -> list[str]:
    """Tokenize like mteval-v13a, the standard of WMT: equal to sacreBLEU's ``13a``.

    SGML leftovers are removed (``<skipped>``, four entities, line-end hyphens). ASCII punctuation stands alone, but
    ``.`` and ``,`` stay inside numbers, ``-`` leaves only a digit before it, and ``'`` stays where it is.

    Examples
    --------
    >>> mteval_13a("It isn't 3.5%, &quot;okay&quot;: 5-3.")
    ['It', "isn't", '3.5', '%', ',', '"', 'okay', '"', ':', '5', '-', '3', '.']
    """
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    # Blanks at both ends, so that a full stop at the very end is followed by something that is no digit.
    text = _ALWAYS_ALONE.sub(r" \1 ", f" {text} ")
    text = _AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()


def edge(text: str) -> list[str]:
    """Split on whitespace, then cut punctuation off both ends of each word, one token a character.

    Punctuation is what Unicode calls P or S. Inside a word it stays: ``don't`` is one token.

    Examples
    --------
    >>> edge('end. "(yes)!" don\\'t U.S.A. ...')
    ['end', '.', '"', '(', 'yes', ')', '!', '"', "don't", 'U.S.A', '.', '.', '.', '.']
    """
    tokens: list[str] = []
    for word in text.split():
        start, stop = 0, len(word)
        while start < stop and _is_punctuation(word[start]):
            start += 1
        while stop > start and _is_punctuation(word[stop - 1]):
            stop -= 1
        tokens.extend(word[:start])
        if start < stop:
            tokens.append(word[start:stop])
        tokens.extend(word[stop:])
    return tokens


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


NAMED: dict[str, Callable[[str], list[str]]] = {"13a": mteval_13a, "none": none, "edge": edge}


def get_tokenizer(tokenize: str | Callable[[str], Tokens], lowercase: bool = False) -> Tokenizer:
    """Find a tokenizer by its name, or wrap a callable.

    Parameters
    ----------
    tokenize : str or callable
        ``"13a"``, ``"none"``, ``"edge"``, or anything that takes a str and returns a sequence of str or of ints.
    lowercase : bool
        Lowercase each text before it is tokenized.

    Returns
    -------
    Tokenizer

    Raises
    ------
    ValueError
        If there is no tokenizer of that name.
    TypeError
        If ``tokenize`` is neither a str nor callable.

    Examples
    --------
    >>> get_tokenizer("13a", lowercase=True)("The End.")
    ['the', 'end', '.']
    """
    if isinstance(tokenize, str):
        if tokenize not in NAMED:
            raise ValueError(f"no tokenizer is called {tokenize!r}; there are {', '.join(NAMED)}, or pass a callable")
        return Tokenizer(tokenize, NAMED[tokenize], lowercase)
    if not callable(tokenize):
        raise TypeError(f"tokenize is {describe(tokenize)}; wanted a tokenizer's name or a callable")
    name = getattr(tokenize, "__qualname__", type(tokenize).__qualname__)
    return Tokenizer(f"custom[{name.replace('|', '/')}]", tokenize, lowercase)
