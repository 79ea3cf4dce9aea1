from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Ids: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
_Int64s: TypeAlias = NDArray[np.int64]

def count_matches(
    hypotheses: _Ids,
    hypothesis_offsets: _Int64s,
    references: _Ids,
    reference_offsets: _Int64s,
    group_offsets: _Int64s,
    groups: _Int64s,
    max_order: int,
    per_reference: bool = False,
    regime: int = 0,
    n_ids: int = 0,
) -> _Int64s: ...
def match_flags(
    hypotheses: _Ids,
    hypothesis_offsets: _Int64s,
    references: _Ids,
    reference_offsets: _Int64s,
    group_offsets: _Int64s,
    groups: _Int64s,
    max_order: int,
    per_reference: bool = False,
    regime: int = 0,
    n_ids: int = 0,
) -> NDArray[np.uint16]: ...
def match_prefixes(
    hypotheses: _Ids,
    hypothesis_offsets: _Int64s,
    references: _Ids,
    reference_offsets: _Int64s,
    group_offsets: _Int64s,
    groups: _Int64s,
    max_order: int,
    per_reference: bool = False,
    regime: int = 0,
    n_ids: int = 0,
) -> NDArray[np.int32]: ...
