from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Ids: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
_Int32s: TypeAlias = NDArray[np.int32]
_Int64s: TypeAlias = NDArray[np.int64]

def number_ngrams(tokens: _Ids, offsets: _Int64s, max_order: int) -> tuple[_Int32s, int, _Int64s]: ...
def postings(numbers: _Int32s, offsets: _Int64s, n: int) -> tuple[_Int64s, _Int32s]: ...
def count_shared(numbers: _Int32s, offsets: _Int64s, starts: _Int64s, texts: _Int32s, n_texts: int) -> _Int32s: ...
