"""Remainders, and quotients rounded down: `graph.rem`, `mod`, `floor_div`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from .. import scalar
from ..families.elementwise import BinaryOp


@irdl_op_definition
class RemOp(BinaryOp):
    """
    The remainder of the quotient rounded towards zero; it has the sign of the dividend.

    Of a division by zero it is zero for integers and NaN for floats.
    """

    name = "graph.rem"
    SPELLINGS: ClassVar = ("aten.fmod.Tensor",)
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "rem"
    NUMPY: ClassVar = np.fmod


@irdl_op_definition
class ModOp(BinaryOp):
    """
    The remainder of the quotient rounded down; it has the sign of the divisor.

    Of a division by zero it is zero for integers and NaN for floats.
    """

    name = "graph.mod"
    SPELLINGS: ClassVar = ("aten.remainder.Tensor",)
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "rem"
    NUMPY: ClassVar = np.mod

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        rest = scalar.binary("rem")(lhs, rhs)
        return scalar.select(_is_off(rest, rhs), scalar.add(rest, rhs), rest)


@irdl_op_definition
class FloorDivOp(BinaryOp):
    """The quotient rounded down; an integer divided by zero gives zero."""

    name = "graph.floor_div"
    SPELLINGS: ClassVar = ("aten.floor_divide.default",)
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "div"
    NUMPY: ClassVar = np.floor_divide

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        rest = scalar.binary("rem")(lhs, rhs)
        one = scalar.constant(1, lhs.type)
        if not isinstance(lhs.type, AnyFloat):
            whole = scalar.div(lhs, rhs)
            return scalar.select(_is_off(rest, rhs), scalar.sub(whole, one), whole)
        # The remainder is exact, so that this quotient is nearly an integer.
        quotient = scalar.div(scalar.sub(lhs, rest), rhs)
        lower = scalar.sub(quotient, one)
        whole = math.RoundEvenOp(scalar.select(_is_off(rest, rhs), lower, quotient))
        zero = scalar.constant(0, lhs.type)
        by_zero = scalar.compare("eq", rhs, zero)
        return scalar.select(by_zero, scalar.div(lhs, rhs), whole.result)


def _is_off(rest: SSAValue, divisor: SSAValue) -> SSAValue:
    """Builds whether the remainder is nonzero and differs in sign from the divisor."""
    zero = scalar.constant(0, rest.type)
    signs = (scalar.compare("lt", each, zero) for each in (rest, divisor))
    differ = scalar.binary("xor")(*signs)
    return scalar.mul(scalar.compare("ne", rest, zero), differ)
