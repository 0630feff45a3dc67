"""Ops on one number: `graph.abs`, `neg`, `sign`, `reciprocal`, `sqrt`, `rsqrt`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from ...shape import Array
from .. import scalar
from ..families.elementwise import MathOp, UnaryOp


@irdl_op_definition
class AbsOp(UnaryOp):
    """The absolute values."""

    name = "graph.abs"
    SPELLINGS: ClassVar = ("onnx.Abs", "aten.abs.default")
    ACCEPTS: ClassVar = "number"
    NUMPY: ClassVar = np.abs

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.absolute(x)


@irdl_op_definition
class NegOp(UnaryOp):
    """The negated elements."""

    name = "graph.neg"
    SPELLINGS: ClassVar = ("onnx.Neg", "aten.neg.default")
    ACCEPTS: ClassVar = "number"
    NUMPY: ClassVar = np.negative

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.negate(x)


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1 for elements below, at or above zero; NaN stays."""

    name = "graph.sign"
    SPELLINGS: ClassVar = ("onnx.Sign", "aten.sign.default", "aten.sgn.default")
    ACCEPTS: ClassVar = "number"
    NUMPY: ClassVar = np.sign

    def scalar(self, x: SSAValue) -> SSAValue:
        zero, one = scalar.constant(0, x.type), scalar.constant(1, x.type)
        if scalar.is_unsigned(x.type):
            return scalar.minimum(x, one)
        least = scalar.constant(-1, x.type)
        below = scalar.select(scalar.compare("lt", x, zero), least, x)
        return scalar.select(scalar.compare("gt", x, zero), one, below)


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    """The reciprocal."""

    name = "graph.reciprocal"
    SPELLINGS: ClassVar = ("onnx.Reciprocal", "aten.reciprocal.default")
    NUMPY: ClassVar = np.reciprocal

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.div(scalar.constant(1, x.type), x)


@irdl_op_definition
class SqrtOp(MathOp):
    """The square root; NaN of a negative number."""

    name = "graph.sqrt"
    SPELLINGS: ClassVar = ("onnx.Sqrt", "aten.sqrt.default")
    MATH: ClassVar = math.SqrtOp
    NUMPY: ClassVar = np.sqrt


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """One divided by the square root."""

    name = "graph.rsqrt"
    SPELLINGS: ClassVar = ("aten.rsqrt.default",)

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.div(scalar.constant(1, x.type), math.SqrtOp(x).result)

    def reference(self, input: Array) -> Array:
        return np.reciprocal(np.sqrt(input))
