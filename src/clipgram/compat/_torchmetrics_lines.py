"""Lines to counts, as torchmetrics takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clipgram.compat._corpus_counts import Sums, sum_texts, sum_tokens
from clipgram.tokenizers import Tokenizer, get_tokenizer

AVAILABLE_TOKENIZERS = ("none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101", "flores200")
_RULE = "closest, first"
_UNSTRIPPED = {"13a": "<skipped>", "intl": "x"}


class LineTokenizer:
    """One of torchmetrics' tokenizers: the native one of the same name, on lines whose end is left as it is.

    Parameters
    ----------
    name : str
        One of ``AVAILABLE_TOKENIZERS``.
    lowercase : bool
        Lowercase the tokens.
    checked : bool
        Refuse an unknown name now, and not at the first line.

    Examples
    --------
    >>> LineTokenizer("intl")("It costs 5.")
    ['It', 'costs', '5.']
    >>> LineTokenizer("intl", lowercase=True)("It costs 5. ")
    ['it', 'costs', '5', '.']
    """

    def __init__(self, name: str, lowercase: bool = False, checked: bool = True) -> None:
        self.name = name
        self.lowercase = lowercase
        self._native: Tokenizer | None = None
        if checked:
            self.native()

    def native(self) -> Tokenizer:
        """The tokenizer without what is done before and after it."""
        if self._native is None:
            self._native = _find(self.name)
        return self._native

    def __call__(self, line: Any) -> list[Any]:
        native = self.native()
        if isinstance(line, str) and native.rules is not None:
            # The native tokenizers cut whitespace off the end first. What follows it keeps it there: for 13a something
            # that it deletes itself, for intl one more token; for the others it makes no difference.
            cut = 0
            if line[-1:].isspace() and self.name in _UNSTRIPPED:
                cut = self.name == "intl"
                line += _UNSTRIPPED[self.name]
            found = native.tokens_of([line])[0]
            tokens: list[Any] = list(found[: len(found) - cut])
        elif self.name == "none":
            return list((line.lower() if self.lowercase else line).split())
        elif self.name == "char":
            tokens = " ".join(character for character in line).split()
        elif self.name == "intl" or isinstance(line, (bytes, bytearray)):
            raise TypeError(f"a line is of type {type(line).__name__}; wanted a str")
        else:
            tokens = list(native.tokens_of([line if self.name.startswith("flores") else line.strip()])[0])
        return " ".join(tokens).lower().split() if self.lowercase else tokens

    def as_text(self, lines: list[str]) -> list[str] | None:
        """Lines of which the native tokenizer makes the same tokens by itself, or None. The list may be changed."""
        rules = self.native().rules
        if rules is None or (self.lowercase and rules != "none"):
            return None
        if rules in _UNSTRIPPED:
            ends = [i for i, line in enumerate(lines) if line[-1:].isspace()]
            if ends and rules == "intl":
                return None
            for i in ends:
                lines[i] += _UNSTRIPPED[rules]
        return list(map(str.lower, lines)) if self.lowercase else lines


def _find(name: str) -> Tokenizer:
    if name not in AVAILABLE_TOKENIZERS:
        raise ValueError(f"tokenize is {name!r}; wanted one of {', '.join(AVAILABLE_TOKENIZERS)}")
    if name.startswith("flores"):
        # Those of torchmetrics itself, which knows where the models come from.
        from torchmetrics.functional.text.sacre_bleu import _SacreBLEUTokenizer

        return get_tokenizer(_SacreBLEUTokenizer(name))
    try:
        return get_tokenizer(name)
    except ImportError as error:
        raise ModuleNotFoundError(str(error)) from None


def count_lines(preds: Iterable[Any], target: Iterable[Iterable[Any]], tokenizer: LineTokenizer, max_order: int) -> Sums:
    """Count lines and their references.

    Parameters
    ----------
    preds : iterable of str
        What is false has no tokens.
    target : iterable of iterable of str
        What one of the two has more than the other is left out.
    tokenizer : LineTokenizer
    max_order : int
        0 counts lengths only.

    Returns
    -------
    Sums
    """
    rows = [list(row) for row in target]
    lines = list(preds)
    n = min(len(lines), len(rows))
    if not n:
        return Sums(0, 0, [0] * max_order, [0] * max_order)
    everything = [line or "" for row in (*rows, lines) for line in row]
    texts = tokenizer.as_text(everything) if any(everything) and set(map(type, everything)) == {str} else None
    made = [tokenizer(line) if line else [] for line in everything] if texts is None else texts
    each = iter(made)
    rows = [[next(each) for _ in row] for row in rows]
    lines = list(each)
    if not all(rows[:n]):
        raise ValueError("a line has no reference")
    orders = max(max_order, 1)
    if texts is None:
        sums = sum_tokens(lines[:n], rows[:n], orders, _RULE)
    else:
        sums = sum_texts(lines[:n], rows[:n], tokenizer.native(), orders, _RULE)
    return sums if max_order else Sums(sums.length, sums.reference_length, [], [])
