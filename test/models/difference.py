"""How far an array is from the one it should be."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


def difference(actual: Array, expected: Array) -> float:
    """The largest difference, relative to the largest magnitude that was expected."""
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    return float(np.abs(actual - expected).max() / np.abs(expected).max())
