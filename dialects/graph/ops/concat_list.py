"""`graph.concat_list`: the concatenation of a list of tensors along an axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ...shape import Array, Tensor, tensor_type
from ..container import ListType
from ..op import SingleResultOp
from .concat import infer_concat


@irdl_op_definition
class ConcatListOp(SingleResultOp):
    """
    The concatenation of a list of tensors along `axis`.

    ```mlir
    %1 = graph.concat_list %0 {axis = 1 : i64} : !graph.list<tensor<2x3xf32>, tensor<2x5xf32>> -> tensor<2x8xf32>
    ```
    """

    name = "graph.concat_list"

    list = operand_def(ListType)
    axis = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, list: ListType, axis: int) -> Tensor:
        return infer_concat([tensor_type(each) for each in list.elements], axis)

    def reference(self, list: Sequence[Array], axis: int) -> Array:
        return np.concatenate(list, axis)
