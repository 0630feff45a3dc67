"""
Steps of a scale as scalars: a quotient becomes one, and the distance from a known zero
point is what it was rounded to.
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, i32
from xdsl.ir import Attribute, SSAValue

from ...element_type import ELEMENT_TYPES
from .. import scalar

_FAR = 1 << 23
"""Beyond every step of 16 bits, whatever the zero point; floats so far are integers."""


def nearest_step(
    quotient: SSAValue, zero_point: SSAValue, to: Attribute, has_zeros: bool
) -> SSAValue:
    """
    Builds the step of a quotient, of a type so narrow that the sum with the zero point
    is exact. NaN compares false, and is the least step, or else zero.

    Where the zero point is known, the quotient saturates: its limits are integers, so
    what is rounded is within them. Elsewhere the sum does, and the quotient where it is
    beyond `_FAR`.
    """
    first, last = ELEMENT_TYPES[to].limits
    zero = _known(zero_point)
    limits = (-_FAR, _FAR) if zero is None else (first - zero, last - zero)
    least, most = (scalar.constant(each, quotient.type) for each in limits)
    steps = scalar.select(scalar.compare("gt", quotient, least), quotient, least)
    steps = scalar.select(scalar.compare("lt", steps, most), steps, most)
    whole = scalar.cast(math.RoundEvenOp(steps).result, i32)
    found = scalar.add(whole, zero_point)
    if has_zeros:
        is_number = scalar.compare("eq", quotient, quotient)
        found = scalar.select(is_number, found, scalar.constant(0, i32))
    if zero is not None:
        return found
    ends = (scalar.constant(each, i32) for each in (first, last))
    return scalar.minimum(scalar.maximum(found, next(ends)), next(ends))


def less_zero(step: SSAValue, zero_point: SSAValue, type: Attribute) -> SSAValue:
    """
    Builds the difference of a step of a type and a zero point: what the step was
    rounded to, where it is the step of a quotient from the same, known zero point.
    """
    stored = step.owner
    if isinstance(stored, arith.ExtUIOp | arith.ExtSIOp):
        stored = stored.input.owner
    if isinstance(stored, arith.TruncIOp):
        stored = stored.input.owner
    if isinstance(stored, arith.AddiOp):
        whole, other = stored.operands
        zero = _known(other)
        first, last = ELEMENT_TYPES[type].limits
        if zero is not None and zero == _known(zero_point):
            if _is_between(whole, first - zero, last - zero):
                return whole
    return scalar.sub(step, zero_point)


def _known(value: SSAValue) -> int | None:
    """An integer that is a constant."""
    known = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    return known.value.data if isinstance(known, IntegerAttr) else None


def _is_between(whole: SSAValue, first: float, last: float) -> bool:
    """Whether an integer is a float that was held to two numbers, and rounded."""
    match whole.owner:
        case arith.FPToSIOp(
            input=SSAValue(
                owner=math.RoundEvenOp(
                    operand=SSAValue(
                        owner=arith.SelectOp(
                            lhs=SSAValue(owner=arith.SelectOp(rhs=least)), rhs=most
                        )
                    )
                )
            )
        ):
            ends = [each.owner for each in (least, most)]
            held = [
                each.value.value.data
                for each in ends
                if isinstance(each, arith.ConstantOp)
                and isinstance(each.value, FloatAttr)
            ]
            return held == [first, last] and isinstance(most.type, AnyFloat)
        case _:
            return False
