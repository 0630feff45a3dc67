"""What a call of a module returns, as a tuple even of one."""

from __future__ import annotations

from itertools import chain
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def arrays_of(result: Any) -> tuple[Array, ...]:
    """The arrays that a call returned; a sequence is all of its arrays in order."""
    if isinstance(result, tuple | list):
        return tuple(chain.from_iterable(map(arrays_of, cast("list[Any]", result))))
    return (result,)


def bits(result: Any) -> bytes:
    """The bytes of one array or several."""
    return b"".join(np.asarray(each).tobytes() for each in arrays_of(result))
