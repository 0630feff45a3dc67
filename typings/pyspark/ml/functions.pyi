"""Functions that call models."""

from collections.abc import Callable
from typing import Any

from ..sql import Column

def predict_batch_udf(
    make_predict_fn: Callable[[], Callable[..., Any]],
    *,
    return_type: Any,
    batch_size: int,
    input_tensor_shapes: list[list[int] | None] | None = None,
) -> Callable[..., Column]: ...
