"""Activations: `graph.relu`, `leaky_relu`, `sigmoid`, `silu`, `gelu`, `erf`."""

from __future__ import annotations

from math import erf, pi, sqrt
from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import Float64Type, FloatAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor
from .. import scalar
from ..families.elementwise import MathOp, UnaryOp


def _error_function(input: Array) -> Array:
    """The error function of every element, computed in double precision."""
    values = np.fromiter(map(erf, input.ravel()), np.float64, input.size)
    return values.reshape(input.shape).astype(input.dtype)


def _logistic(input: Array) -> Array:
    """1 / (1 + exp(-x)) of every element."""
    with np.errstate(over="ignore"):
        return np.reciprocal(1 + np.exp(-input))


def _build_sigmoid(x: SSAValue) -> SSAValue:
    """Builds 1 / (1 + exp(-x))."""
    one = scalar.constant(1, x.type)
    exponential = math.ExpOp(scalar.negate(x)).result
    return scalar.div(one, scalar.add(one, exponential))


@irdl_op_definition
class ReluOp(UnaryOp):
    """The elements with negative ones set to zero; NaN stays."""

    name = "graph.relu"
    SPELLINGS: ClassVar = ("onnx.Relu", "aten.relu.default")
    ACCEPTS: ClassVar = "number"

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.maximum(x, scalar.constant(0, x.type))

    def reference(self, input: Array) -> Array:
        return np.maximum(input, input.dtype.type(0))


@irdl_op_definition
class LeakyReluOp(UnaryOp):
    """
    The elements with negative ones multiplied by `slope`.

    ```mlir
    %1 = graph.leaky_relu %0 {slope = 0.1 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.leaky_relu"

    slope = prop_def(FloatAttr[Float64Type])

    def scalar(self, x: SSAValue) -> SSAValue:
        slope = scalar.constant(self.slope.value.data, x.type)
        below = scalar.compare("lt", x, scalar.constant(0, x.type))
        return scalar.select(below, scalar.mul(x, slope), x)

    def reference(self, input: Array, slope: float) -> Array:
        return np.where(input < 0, input * input.dtype.type(slope), input)


@irdl_op_definition
class ErfOp(MathOp):
    """The error function."""

    name = "graph.erf"
    SPELLINGS: ClassVar = ("onnx.Erf", "aten.erf.default")
    MATH: ClassVar = math.ErfOp
    NUMPY: ClassVar = staticmethod(_error_function)


@irdl_op_definition
class SigmoidOp(UnaryOp):
    """The logistic function, 1 / (1 + exp(-x))."""

    name = "graph.sigmoid"
    SPELLINGS: ClassVar = ("onnx.Sigmoid", "aten.sigmoid.default")
    NUMPY: ClassVar = staticmethod(_logistic)

    def scalar(self, x: SSAValue) -> SSAValue:
        return _build_sigmoid(x)


@irdl_op_definition
class SiluOp(UnaryOp):
    """Each element times its logistic function (also called swish)."""

    name = "graph.silu"
    SPELLINGS: ClassVar = ("aten.silu.default",)

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.mul(x, _build_sigmoid(x))

    def reference(self, input: Array) -> Array:
        return input * _logistic(input)


@irdl_op_definition
class GeluOp(UnaryOp):
    """
    The Gaussian error linear unit, exact or by its approximation with tanh.

    ```mlir
    %1 = graph.gelu %0 {approximate = "none"} : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.gelu %0 {approximate = "tanh"} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.gelu"

    approximate = prop_def(StringAttr)

    @classmethod
    def infer(cls, input: Tensor, approximate: str = "none") -> Tensor:
        if approximate not in ("none", "tanh"):
            raise VerifyException(
                f'expected approximate "none" or "tanh", got "{approximate}"'
            )
        return super().infer(input)

    def scalar(self, x: SSAValue) -> SSAValue:
        def number(value: float) -> SSAValue:
            return scalar.constant(value, x.type)

        if self.approximate.data == "none":
            curve = math.ErfOp(scalar.mul(x, number(sqrt(0.5)))).result
        else:
            cube = scalar.mul(scalar.mul(x, x), scalar.mul(x, number(0.044715)))
            inner = scalar.mul(scalar.add(x, cube), number(sqrt(2 / pi)))
            curve = math.TanhOp(inner).result
        half = scalar.mul(x, number(0.5))
        return scalar.mul(half, scalar.add(curve, number(1)))

    def reference(self, input: Array, approximate: str) -> Array:
        of = input.dtype.type
        if approximate == "none":
            curve = _error_function(input * of(sqrt(0.5)))
        else:
            cube = input * input * (input * of(0.044715))
            curve = np.tanh((input + cube) * of(sqrt(2 / pi)))
        return input * of(0.5) * (curve + of(1))
