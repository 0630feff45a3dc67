"""`graph.nonzero`: the indices of the true elements of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import StringAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim, product
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..families.elementwise import require
from ..literal import to_names
from ..op import SingleResultOp
from .binary import DivOp, MinimumOp, SubOp
from .cast import CastOp
from .concat import ConcatOp
from .constant import ConstantOp
from .cumulative import CumsumOp
from .dim import DimOp
from .division import RemOp
from .expand import ExpandOp
from .iota import IotaOp
from .reshape import ReshapeOp
from .scatter import ScatterOp
from .slice import SliceOp
from .where import WhereOp


@irdl_op_definition
class NonzeroOp(SingleResultOp):
    """
    The index along each axis of every true element: a row per element, in order.

    `count` is the number of rows, a symbol that is defined at run time. When it is less
    than the number of true elements, the first ones are given; when it is greater, the
    remaining rows are zero.

    ```mlir
    %1 = graph.nonzero %0 {count = "3"} : tensor<2x5xi1> -> tensor<3x2xi64>
    ```
    """

    name = "graph.nonzero"

    DIM_PROPERTIES: ClassVar = ("count",)

    input = operand_def(TensorType)
    count = prop_def(StringAttr)

    @classmethod
    def infer(cls, input: Tensor, count: str) -> Tensor:
        require(input, "bool")
        if not sizes(input):
            raise VerifyException(f"expected a tensor with axes, got {input}")
        return tensor(i64, dim(count), len(sizes(input)))

    def reference(self, input: Array, count: tuple[int, ...]) -> Array:
        found = np.argwhere(input)[: count[0]]
        return np.pad(found, ((0, count[0] - len(found)), (0, 0)))

    def decompose(self) -> Sequence[SSAValue]:
        shape, count = sizes(tensor_type(self.input)), self.shape[0]
        total = product(shape)
        flat = ReshapeOp(self.input, shape=to_names([total]))
        one = ConstantOp(value=np.array(1))
        index = SubOp(CumsumOp(CastOp(flat, to=i64), axis=0), one)
        # False elements, and true ones beyond `count`, go to an extra last row.
        last = DimOp(value=str(count))
        at = WhereOp(flat, MinimumOp(index, last), last)
        room = ExpandOp(ConstantOp(value=np.array(0)), shape=to_names([count + 1]))
        numbers = IotaOp(size=str(total))
        found = ScatterOp(room, at, numbers, axis=0, wraps=False, reduction="none")
        rows = SliceOp(found, starts=to_names([0]), sizes=to_names([count]), steps=(1,))
        columns = [_index_along(rows.result, shape, axis) for axis in range(len(shape))]
        shape_of_one = to_names([count, 1])
        parts = [ReshapeOp(each, shape=shape_of_one).result for each in columns]
        return [ConcatOp(*parts, axis=1).result if len(parts) > 1 else parts[0]]


def _index_along(rows: SSAValue, shape: Sequence[Dim], axis: int) -> SSAValue:
    """Builds the index along one axis from linear indices."""
    stride = DimOp(value=str(product(shape[axis + 1 :])))
    return RemOp(DivOp(rows, stride), DimOp(value=str(shape[axis]))).result
