"""`graph.dim`: the run-time value of a dimension, as a tensor of one integer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import StringAttr, i64
from xdsl.irdl import irdl_op_definition, prop_def

from ... import dims
from ...shape import Array, Tensor, tensor, verified_dim
from ..nest import Extent, Nest, same
from ..op import SingleResultOp


@irdl_op_definition
class DimOp(SingleResultOp):
    """
    The run-time value of a dimension.

    ```mlir
    %0 = graph.dim {value = "6"} : -> tensor<i64>
    ```
    """

    name = "graph.dim"
    DIM_PROPERTIES: ClassVar = ("value",)

    value = prop_def(StringAttr)

    @classmethod
    def infer(cls, value: str) -> Tensor:
        verified_dim(value)
        return tensor(i64)

    def reference(self, value: str | tuple[int, ...]) -> Array:
        return np.array(dims.dim(value) if isinstance(value, str) else value[0])

    def nests(self) -> Sequence[Nest]:
        return [Nest((), (Extent(dims.dim(self.value.data)),), same, ())]
