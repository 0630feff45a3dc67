"""Ops on one number: `graph.abs`, `neg`, `sign`, `reciprocal`, `sqrt`, `rsqrt`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from ...shape import Array
from .. import scalar
from ..families.elementwise import UnaryOp


@irdl_op_definition
class AbsOp(UnaryOp):
    """
    The absolute values.

    ```mlir
    %1 = graph.abs %0 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.abs"
    SPELLINGS: ClassVar = ("onnx.Abs", "aten.abs.default")
    ACCEPTS: ClassVar = "number"

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.absolute(x)

    def reference(self, input: Array) -> Array:
        return np.abs(input)


@irdl_op_definition
class NegOp(UnaryOp):
    """
    The negated elements.

    ```mlir
    %1 = graph.neg %0 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.neg"
    SPELLINGS: ClassVar = ("onnx.Neg", "aten.neg.default")
    ACCEPTS: ClassVar = "number"

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.negate(x)

    def reference(self, input: Array) -> Array:
        return np.negative(input)


@irdl_op_definition
class SignOp(UnaryOp):
    """
    -1, 0 or 1 for elements below, at or above zero; NaN stays.

    ```mlir
    %1 = graph.sign %0 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.sign"
    SPELLINGS: ClassVar = ("onnx.Sign", "aten.sign.default", "aten.sgn.default")
    ACCEPTS: ClassVar = "number"

    def scalar(self, x: SSAValue) -> SSAValue:
        zero, one = scalar.constant(0, x.type), scalar.constant(1, x.type)
        if scalar.is_unsigned(x.type):
            return scalar.minimum(x, one)
        least = scalar.constant(-1, x.type)
        below = scalar.select(scalar.compare("lt", x, zero), least, x)
        return scalar.select(scalar.compare("gt", x, zero), one, below)

    def reference(self, input: Array) -> Array:
        return np.sign(input)


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    """
    The reciprocal.

    ```mlir
    %1 = graph.reciprocal %0 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.reciprocal"
    SPELLINGS: ClassVar = ("onnx.Reciprocal", "aten.reciprocal.default")

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.div(scalar.constant(1, x.type), x)

    def reference(self, input: Array) -> Array:
        return np.reciprocal(input)


@irdl_op_definition
class SqrtOp(UnaryOp):
    """
    The square root; NaN of a negative number.

    ```mlir
    %1 = graph.sqrt %0 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.sqrt"
    SPELLINGS: ClassVar = ("onnx.Sqrt", "aten.sqrt.default")

    def scalar(self, x: SSAValue) -> SSAValue:
        return math.SqrtOp(x).result

    def reference(self, input: Array) -> Array:
        return np.sqrt(input)


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """
    One divided by the square root.

    ```mlir
    %1 = graph.rsqrt %0 : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.rsqrt"
    SPELLINGS: ClassVar = ("aten.rsqrt.default",)

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.div(scalar.constant(1, x.type), math.SqrtOp(x).result)

    def reference(self, input: Array) -> Array:
        return np.reciprocal(np.sqrt(input))
