"""`graph.wait`: the place where what a fork yields is needed."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, var_result_def

from ...shape import Array
from ..container import FutureType
from ..op import GraphOp


@irdl_op_definition
class WaitOp(GraphOp):
    """
    The values of a future, once its region has run.

    An error of the region is raised where they are needed first.

    ```mlir
    %1, %2 = graph.wait %0 : !graph.future<tensor<2xf32>, tensor<3xf32>> -> tensor<2xf32>, tensor<3xf32>
    ```
    """

    name = "graph.wait"

    future = operand_def(FutureType)
    outputs = var_result_def(TensorType)

    @classmethod
    def infer(cls, future: FutureType) -> tuple[Attribute, ...]:
        return tuple(future.elements)

    def reference(self, future: Sequence[Array]) -> tuple[Array, ...]:
        return tuple(future)
