"""
`graph.softmax`, `graph.log_softmax`: exponentials normalized along an axis.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ...shape import Array, Tensor, normalize_axis, sizes
from ..families.elementwise import Accepts, require
from ..literal import to_attribute
from ..op import SingleResultOp
from ..order import Carried, Order
from .arithmetic import ReciprocalOp
from .binary import MulOp, SubOp
from .exponential import ExpOp, LogOp
from .reduce import ReduceMaxOp, SumOp


class AlongAxisOp(SingleResultOp, ABC):
    """An op that keeps the shape and works along one axis."""

    ACCEPTS: ClassVar[Accepts] = "float"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, input: Tensor, axis: int) -> Tensor:
        require(input, cls.ACCEPTS)
        normalize_axis(axis, len(sizes(input)))
        return input

    def carry(self, operand: int, order: Order) -> Carried | None:
        along = normalize_axis(self.values()["axis"], len(order))
        axis = to_attribute(order.index(along))
        return Carried((order,), order, {**self.properties, "axis": axis})


def _shifted(op: AlongAxisOp) -> tuple[SSAValue, SSAValue]:
    """
    Builds the input minus its maximum, and the sum of the exponentials of the
    difference.
    """
    axis = normalize_axis(op.values()["axis"], len(op.shape))
    greatest = ReduceMaxOp(
        op.input, axes=(axis,), keepdims=True, or_identity=UnitAttr()
    )
    lower = SubOp(op.input, greatest)
    total = SumOp(ExpOp(lower), axes=(axis,), keepdims=True)
    return lower.result, total.result


@irdl_op_definition
class SoftmaxOp(AlongAxisOp):
    """
    The exponentials along `axis`, divided by their sum.

    ```mlir
    %1 = graph.softmax %0 {axis = -1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.softmax"

    def reference(self, input: Array, axis: int) -> Array:
        with np.errstate(all="ignore"):
            raised = np.exp(input - np.max(input, axis, keepdims=True, initial=-np.inf))
            return raised / np.sum(raised, axis, keepdims=True)

    def decompose(self) -> Sequence[SSAValue]:
        lower, total = _shifted(self)
        # The maximum contributes exp(0), so that the sum is one or more.
        return [MulOp(ExpOp(lower), ReciprocalOp(total)).result]


@irdl_op_definition
class LogSoftmaxOp(AlongAxisOp):
    """
    The logarithm of the softmax along `axis`.

    ```mlir
    %1 = graph.log_softmax %0 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.log_softmax"

    def reference(self, input: Array, axis: int) -> Array:
        with np.errstate(all="ignore"):
            lower = input - np.max(input, axis, keepdims=True, initial=-np.inf)
            return lower - np.log(np.sum(np.exp(lower), axis, keepdims=True))

    def decompose(self) -> Sequence[SSAValue]:
        lower, total = _shifted(self)
        return [SubOp(lower, LogOp(total)).result]
