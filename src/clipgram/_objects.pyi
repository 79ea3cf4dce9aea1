from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Int32s: TypeAlias = NDArray[np.int32]
_Int64s: TypeAlias = NDArray[np.int64]

def count_objects(
    hypothesis: object, references: object, max_order: int, per_reference: bool
) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None: ...
def name_objects(
    hypotheses: object, references: object
) -> tuple[_Int32s, _Int64s, _Int32s, _Int64s, _Int64s, _Int64s, int] | None: ...
