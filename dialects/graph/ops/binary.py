"""Arithmetic: `graph.add`, `sub`, `mul`, `div`, `maximum`, `minimum`, `pow`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.hints import isa

from ...shape import Array
from .. import scalar
from ..families.elementwise import BinaryOp


def _divide(lhs: Array, rhs: Array) -> Array:
    """The quotient; of integers rounded towards zero, and zero when divided by zero."""
    with np.errstate(all="ignore"):
        if np.issubdtype(lhs.dtype, np.floating):
            return np.divide(lhs, rhs)
        down = np.floor_divide(lhs, rhs)
        inexact = (down * rhs != lhs) & ((lhs < 0) != (rhs < 0))
        return np.where(rhs == 0, 0, down + inexact).astype(lhs.dtype)


def power(lhs: Array, rhs: Array) -> Array:
    """
    The power; an integer to a negative power is the reciprocal rounded towards zero.
    """
    with np.errstate(all="ignore"):
        if np.issubdtype(lhs.dtype, np.floating):
            return np.power(lhs, rhs)
        result = np.power(lhs, np.maximum(rhs, 0))
        unit = np.where((lhs == 1) | (lhs == -1), lhs, 0)
        fraction = np.where(rhs % 2 == 0, unit * unit, unit)
        return np.where(rhs < 0, fraction, result).astype(lhs.dtype)


@irdl_op_definition
class AddOp(BinaryOp):
    """The sum; of booleans, the logical or."""

    name = "graph.add"
    SPELLINGS: ClassVar = ("onnx.Add", "aten.add.Tensor")
    SCALAR: ClassVar = "add"
    NUMPY: ClassVar = np.add


@irdl_op_definition
class SubOp(BinaryOp):
    """The difference."""

    name = "graph.sub"
    SPELLINGS: ClassVar = ("onnx.Sub", "aten.sub.Tensor")
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "sub"
    NUMPY: ClassVar = np.subtract


@irdl_op_definition
class MulOp(BinaryOp):
    """The product; of booleans, the logical and."""

    name = "graph.mul"
    SPELLINGS: ClassVar = ("onnx.Mul", "aten.mul.Tensor")
    SCALAR: ClassVar = "mul"
    NUMPY: ClassVar = np.multiply


@irdl_op_definition
class DivOp(BinaryOp):
    """The quotient; of integers rounded towards zero, and zero when divided by zero."""

    name = "graph.div"
    SPELLINGS: ClassVar = ("onnx.Div",)
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "div"
    NUMPY: ClassVar = staticmethod(_divide)


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The greater number, or NaN when one is NaN."""

    name = "graph.maximum"
    SPELLINGS: ClassVar = ("onnx.Max", "aten.maximum.default")
    SCALAR: ClassVar = "max"
    NUMPY: ClassVar = np.maximum


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The lesser number, or NaN when one is NaN."""

    name = "graph.minimum"
    SPELLINGS: ClassVar = ("onnx.Min", "aten.minimum.default")
    SCALAR: ClassVar = "min"
    NUMPY: ClassVar = np.minimum


@irdl_op_definition
class PowOp(BinaryOp):
    """
    The first to the power of the second, as C99 defines it.

    An integer to a negative power is the reciprocal rounded towards zero.
    """

    name = "graph.pow"
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "pow"
    NUMPY: ClassVar = staticmethod(power)

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if isinstance(lhs.type, AnyFloat):
            return super().scalar(lhs, rhs)
        return _whole_power(lhs, rhs)


def _whole_power(base: SSAValue, exponent: SSAValue) -> SSAValue:
    """Builds an integer to the power of another, by repeated squaring."""
    type = base.type
    assert isa(type, IntegerType)
    zero, one = scalar.constant(0, type), scalar.constant(1, type)
    result, square = one, base
    for position in range(type.width.data - (not scalar.is_unsigned(type))):
        bit = scalar.binary("and")(exponent, scalar.constant(1 << position, type))
        is_set = scalar.compare("ne", bit, zero)
        result = scalar.select(is_set, scalar.mul(result, square), result)
        square = scalar.mul(square, square)
    is_unit = scalar.compare("eq", scalar.absolute(base), one)
    unit = scalar.select(is_unit, base, zero)
    odd = scalar.binary("and")(exponent, one)
    by_sign = scalar.select(
        scalar.compare("ne", odd, zero), unit, scalar.mul(unit, unit)
    )
    return scalar.select(scalar.compare("lt", exponent, zero), by_sign, result)
