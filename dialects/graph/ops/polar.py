"""Ops on two coordinates: `graph.atan2`, `hypot`, `copysign`."""

from __future__ import annotations

from math import inf, pi
from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from .. import scalar
from ..families.elementwise import BinaryOp


@irdl_op_definition
class Atan2Op(BinaryOp):
    """The angle of the point (x, y), where y is the first operand."""

    name = "graph.atan2"
    SPELLINGS: ClassVar = ("aten.atan2.default",)
    ACCEPTS: ClassVar = "float"
    SCALAR: ClassVar = "atan2"
    NUMPY: ClassVar = np.arctan2

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        type = lhs.type
        high, wide = scalar.absolute(lhs), scalar.absolute(rhs)
        flat = math.AtanOp(ratio(high, wide)).result
        upright = scalar.sub(scalar.constant(pi / 2, type), flat)
        angle = scalar.select(scalar.compare("gt", high, wide), upright, flat)
        # The sign of a zero counts too.
        side = math.CopySignOp(scalar.constant(1, type), rhs).result
        is_behind = scalar.compare("lt", side, scalar.constant(0, type))
        turned = scalar.sub(scalar.constant(pi, type), angle)
        angle = scalar.select(is_behind, turned, angle)
        return math.CopySignOp(angle, lhs).result


@irdl_op_definition
class HypotOp(BinaryOp):
    """
    The distance of a point from the origin; infinite if a coordinate is, even beside
    NaN.
    """

    name = "graph.hypot"
    SPELLINGS: ClassVar = ("aten.hypot.default",)
    ACCEPTS: ClassVar = "float"
    SCALAR: ClassVar = "hypot"
    NUMPY: ClassVar = np.hypot

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        one, infinite = (scalar.constant(each, lhs.type) for each in (1, inf))
        a, b = scalar.absolute(lhs), scalar.absolute(rhs)
        slope = ratio(a, b)
        root = math.SqrtOp(scalar.add(scalar.mul(slope, slope), one)).result
        result = scalar.mul(scalar.maximum(a, b), root)
        far = (scalar.compare("eq", each, infinite) for each in (a, b))
        return scalar.select(scalar.binary("or")(*far), infinite, result)


@irdl_op_definition
class CopysignOp(BinaryOp):
    """The first operand with the sign of the second, including the sign of a zero."""

    name = "graph.copysign"
    SPELLINGS: ClassVar = ("aten.copysign.Tensor",)
    ACCEPTS: ClassVar = "float"
    SCALAR: ClassVar = "copysign"
    NUMPY: ClassVar = np.copysign

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return math.CopySignOp(lhs, rhs).result


def ratio(a: SSAValue, b: SSAValue) -> SSAValue:
    """
    Builds the lesser divided by the greater of two distances; 0 for zeros, 1 for
    equals.
    """
    low, high = scalar.minimum(a, b), scalar.maximum(a, b)
    zero, one = scalar.constant(0, a.type), scalar.constant(1, a.type)
    equal = scalar.select(scalar.compare("eq", high, zero), zero, one)
    return scalar.select(scalar.compare("eq", low, high), equal, scalar.div(low, high))
