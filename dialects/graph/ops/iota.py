"""`graph.iota`: the integers from zero on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import StringAttr, i64
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from ... import dims
from ...shape import Array, Tensor, tensor
from ..nest import Nest, Where, axes, axis, same
from ..op import SingleResultOp


@irdl_op_definition
class IotaOp(SingleResultOp):
    """
    The integers from 0 to `size` - 1.

    ```mlir
    %0 = graph.iota {size = "6"} : -> tensor<6xi64>
    ```
    """

    name = "graph.iota"
    DIM_PROPERTIES: ClassVar = ("size",)

    size = prop_def(StringAttr)

    @classmethod
    def infer(cls, size: str) -> Tensor:
        count = dims.dim(size)
        if isinstance(count, int) and count < 0:
            raise VerifyException(f"expected a size of zero or more, got {size}")
        return tensor(i64, count)

    def reference(self, size: str | tuple[int, ...]) -> Array:
        return np.arange(int(size if isinstance(size, str) else size[0]))

    def nests(self) -> Sequence[Nest]:
        return [Nest(self.shape, (Where(axis(0)),), same, axes(1))]
