from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_objects(
    hypothesis: Any, references: Any, max_order: int, per_reference: bool
) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None: ...
def name_objects(
    hypotheses: Any, references: Any
) -> (
    tuple[
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        int,
    ]
    | None
): ...
