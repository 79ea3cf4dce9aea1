from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Int32s: TypeAlias = NDArray[np.int32]
_Int64s: TypeAlias = NDArray[np.int64]
_Counted: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]

NUMBERS: dict[str, int]

def encode(
    hypotheses: list[Any], references: list[Any], group_offsets: _Int64s, groups: _Int64s, rules: str | None
) -> tuple[_Int32s, _Int64s, _Int32s, _Int64s, _Int64s, _Int64s, int]: ...
def count(
    hypotheses: list[Any],
    references: list[Any],
    group_offsets: _Int64s,
    groups: _Int64s,
    rules: str | None,
    max_order: int,
    per_reference: bool,
) -> tuple[_Int64s, _Int64s, _Int64s]: ...
def tokenize(text: str, rules: str) -> list[str]: ...
def count_text(
    hypothesis: str, references: object, rules: str, max_order: int, per_reference: bool
) -> _Counted | None: ...
def count_words(hypothesis: list[Any], references: object, max_order: int, per_reference: bool) -> _Counted | None: ...
