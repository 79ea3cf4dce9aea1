"""What hypotheses and references may be, for type checkers: one form for text and one for tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

from clipgram.references import References


class Array(Protocol):
    """An array or a tensor."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        """Turn it into one of NumPy's."""


# A str is a sequence of str itself, so sequences of tokens that are str are named by their types.
Tokens: TypeAlias = Sequence[int] | list[str] | tuple[str, ...] | Array

# The references of one hypothesis.
TextReferences: TypeAlias = str | Sequence[str | None] | References
TokenReferences: TypeAlias = Tokens | Sequence[Tokens | None] | References

# Of many: a matrix is a sequence of tokens a row, and a TokenBatch can be iterated.
Texts: TypeAlias = Iterable[str]
TokenLists: TypeAlias = Iterable[Tokens] | Array
ReferencesOfTexts: TypeAlias = Iterable[str | Sequence[str | None]] | References
ReferencesOfTokens: TypeAlias = Iterable[Tokens | Sequence[Tokens | None]] | Array | References
