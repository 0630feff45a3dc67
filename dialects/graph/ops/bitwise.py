"""
The bits of integers: `graph.bitwise_and`, `bitwise_or`, `bitwise_xor`, `bitwise_not`,
`shift_left`, `shift_right`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.hints import isa

from .. import scalar
from ..families.elementwise import BinaryOp, UnaryOp


@irdl_op_definition
class BitwiseAndOp(BinaryOp):
    """The bits that are set in both."""

    name = "graph.bitwise_and"
    SPELLINGS: ClassVar = ("onnx.BitwiseAnd",)
    ACCEPTS: ClassVar = "integer"
    SCALAR: ClassVar = "and"
    NUMPY: ClassVar = np.bitwise_and


@irdl_op_definition
class BitwiseOrOp(BinaryOp):
    """The bits that are set in one or both."""

    name = "graph.bitwise_or"
    SPELLINGS: ClassVar = ("onnx.BitwiseOr",)
    ACCEPTS: ClassVar = "integer"
    SCALAR: ClassVar = "or"
    NUMPY: ClassVar = np.bitwise_or


@irdl_op_definition
class BitwiseXorOp(BinaryOp):
    """The bits that are set in just one."""

    name = "graph.bitwise_xor"
    SPELLINGS: ClassVar = ("onnx.BitwiseXor",)
    ACCEPTS: ClassVar = "integer"
    SCALAR: ClassVar = "xor"
    NUMPY: ClassVar = np.bitwise_xor


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """The bits that are not set."""

    name = "graph.bitwise_not"
    SPELLINGS: ClassVar = ("onnx.BitwiseNot",)
    ACCEPTS: ClassVar = "integer"
    NUMPY: ClassVar = np.invert

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.binary("xor")(x, scalar.constant(-1, x.type))


@irdl_op_definition
class ShiftLeftOp(BinaryOp):
    """The bits shifted to higher positions; zero when the amount is out of range."""

    name = "graph.shift_left"
    SPELLINGS: ClassVar = ("aten.bitwise_left_shift.Tensor", "aten.__lshift__.Tensor")
    ACCEPTS: ClassVar = "integer"
    SCALAR: ClassVar = "shl"
    NUMPY: ClassVar = np.left_shift

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        shifted = arith.ShLIOp(lhs, rhs).result
        return scalar.select(_is_position(rhs), shifted, scalar.constant(0, lhs.type))


@irdl_op_definition
class ShiftRightOp(BinaryOp):
    """The bits shifted to lower positions, filled with the sign bit."""

    name = "graph.shift_right"
    SPELLINGS: ClassVar = ("aten.bitwise_right_shift.Tensor", "aten.__rshift__.Tensor")
    ACCEPTS: ClassVar = "integer"
    SCALAR: ClassVar = "shr"
    NUMPY: ClassVar = np.right_shift

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        if scalar.is_unsigned(lhs.type):
            shifted = arith.ShRUIOp(lhs, rhs).result
            zero = scalar.constant(0, lhs.type)
            return scalar.select(_is_position(rhs), shifted, zero)
        last = scalar.constant(width(lhs) - 1, lhs.type)
        return arith.ShRSIOp(lhs, scalar.select(_is_position(rhs), rhs, last)).result


def _is_position(amount: SSAValue) -> SSAValue:
    """Builds whether a shift amount is within the width of the integer."""
    count = scalar.constant(width(amount), amount.type)
    return arith.CmpiOp(amount, count, "ult").result


def width(integer: SSAValue) -> int:
    """The width of an integer in bits."""
    assert isa(integer.type, IntegerType)
    return integer.type.width.data
