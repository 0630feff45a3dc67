"""Arithmetic of several ops: scaled sums, divisions, powers, clamping."""

from __future__ import annotations

from collections.abc import Callable
from math import pi

from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import SSAValue

from ....dialects import Polynomial, is_float, tensor_type
from ....dialects.graph import (
    AddOp,
    BinaryOp,
    CopysignOp,
    DivOp,
    Exp2Op,
    FloorDivOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NeOp,
    PowOp,
    RoundOp,
    SubOp,
    TruncOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    Number,
    bounds,
    expanded,
    near_power,
    number_like,
    reshaped,
    special,
    times,
)
from ..unsupported import Unsupported
from .call import Call, Operand, Reader, Result, of_operand


def add(call: Call, a: Operand, b: Operand, alpha: Number = 1) -> Result:
    """`a + alpha * b`."""
    return AddOp(call.as_tensor(a, call.element), _scaled(call, b, alpha)).result


def sub(call: Call, a: Operand, b: Operand, alpha: Number = 1) -> Result:
    """`a - alpha * b`."""
    return SubOp(call.as_tensor(a, call.element), _scaled(call, b, alpha)).result


def rsub(call: Call, a: Operand, b: Operand, alpha: Number = 1) -> Result:
    """`b - alpha * a`."""
    return SubOp(call.as_tensor(b, call.element), _scaled(call, a, alpha)).result


def _scaled(call: Call, value: Operand, alpha: Number) -> SSAValue:
    """`alpha * value` in the element type of the result."""
    return times(call.as_tensor(value, call.element), alpha)


def div(call: Call, a: Operand, b: Operand, rounding_mode: str | None = None) -> Result:
    """The quotient: of integers as a float, or rounded by the mode."""
    element = call.element
    numerator, denominator = call.as_tensor(a, element), call.as_tensor(b, element)
    if rounding_mode == "floor":
        return FloorDivOp(numerator, denominator).result
    quotient = DivOp(numerator, denominator).result
    if rounding_mode is None or isinstance(element, IntegerType):
        return quotient
    return TruncOp(quotient).result


def power(call: Call, base: Operand, exponent: Operand) -> Result:
    """`base` to the power of `exponent`, by a few products or a root where possible."""
    x = call.as_tensor(base, call.element)
    if isinstance(exponent, (int, float)):
        if (near := near_power(x, exponent)) is not None:
            return near
    if base == 2 and not isinstance(call.element, IntegerType):
        return Exp2Op(call.as_tensor(exponent, call.element)).result
    return PowOp(x, call.as_tensor(exponent, call.element)).result


def _square(call: Call, x: Operand) -> Result:
    """The elements times themselves."""
    return power(call, x, 2)


def _round_to(call: Call, value: SSAValue, decimals: int) -> Result:
    """The elements rounded to a number of decimals, which may be negative."""
    if not is_float(tensor_type(value)):
        raise Unsupported("integers rounded to tens")
    power = number_like(10.0 ** abs(decimals), value)
    if decimals < 0:
        return MulOp(RoundOp(DivOp(value, power)), power).result
    return DivOp(RoundOp(MulOp(value, power)), power).result


def _sign_bit(call: Call, value: SSAValue) -> Result:
    """Whether the sign bit of each element is set, also of a zero."""
    type = tensor_type(value)
    if is_float(type):
        sign = CopysignOp(number_like(1, value), value).result
        return LtOp(sign, number_like(0, value)).result
    number = call.as_tensor(value, i64)
    return LtOp(number, number_like(0, number)).result


def _load_exponent(call: Call, value: Operand, exponent: Operand) -> Result:
    """`value * 2 ** exponent`."""
    power = Exp2Op(call.as_tensor(exponent, call.element))
    return MulOp(call.as_tensor(value, call.element), power).result


def _ignoring_nan(op: type[BinaryOp]) -> Reader:
    """The reader of `op` that takes the other operand where one is NaN."""

    def read(call: Call, a: Operand, b: Operand) -> Result:
        x, y = call.as_tensor(a, call.element), call.as_tensor(b, call.element)
        known = WhereOp(NeOp(y, y), x, op(x, y))
        return WhereOp(NeOp(x, x), y, known).result

    return read


def clamp(
    call: Call,
    value: Operand,
    least: Operand | None = None,
    greatest: Operand | None = None,
) -> Result:
    """The elements clamped to `least` and `greatest`, where given."""
    if isinstance(least, SSAValue) or isinstance(greatest, SSAValue):
        return _clamp_by_tensors(call, value, least, greatest)
    given: list[float | None] = []
    for bound in (least, greatest):
        if isinstance(bound, Polynomial) or not bounds.is_bound(bound):
            return _clamp_by_tensors(call, value, least, greatest)
        given.append(bound)
    return bounds.clamped(call.as_tensor(value, call.element), *given)


def clamp_max(call: Call, value: Operand, greatest: Operand) -> Result:
    """The elements clamped from above to `greatest`."""
    return clamp(call, value, None, greatest)


def _clamp_by_tensors(
    call: Call,
    value: Operand,
    least: Operand | None = None,
    greatest: Operand | None = None,
) -> Result:
    """The elements clamped to the elements of two tensors."""
    low, high = (
        None if each is None else call.as_tensor(each, call.element)
        for each in (least, greatest)
    )
    result = bounds.between(call.as_tensor(value, call.element), low, high)
    return reshaped(result, call.shape)


def _angle(call: Call, x: Operand) -> Result:
    """Half a turn for negative numbers, none for others; NaN stays."""
    value = call.as_tensor(x, call.element)
    turn = number_like(pi, value)
    side = WhereOp(LtOp(value, number_like(0, value)), turn, number_like(0, value))
    return WhereOp(NeOp(value, value), value, side).result


def _of_integers(formula: Callable[[SSAValue, SSAValue], SSAValue]) -> Reader:
    """The reader of a function of the elements of two tensors of integers."""

    def read(call: Call, a: Operand, b: Operand) -> Result:
        both = (call.as_tensor(each, call.element) for each in (a, b))
        return formula(*(expanded(each, call.shape) for each in both))

    return read


READERS: dict[str, Reader] = {
    "aten.angle.default": _angle,
    "aten.gcd.default": _of_integers(special.common_divisor),
    "aten.lcm.default": _of_integers(special.common_multiple),
    "aten.add.Tensor": add,
    "aten.add.Scalar": add,
    "aten.sub.Tensor": sub,
    "aten.sub.Scalar": sub,
    "aten.rsub.Tensor": rsub,
    "aten.rsub.Scalar": rsub,
    "aten.div.Tensor": div,
    "aten.div.Scalar": div,
    "aten.div.Tensor_mode": div,
    "aten.div.Scalar_mode": div,
    "aten.pow.Tensor_Tensor": power,
    "aten.pow.Tensor_Scalar": power,
    "aten.pow.Scalar": power,
    "aten.square.default": _square,
    "aten.fmax.default": _ignoring_nan(MaximumOp),
    "aten.fmin.default": _ignoring_nan(MinimumOp),
    "aten.ldexp.Tensor": _load_exponent,
    "aten.isnan.default": of_operand(bounds.is_nan),
    "aten.round.decimals": _round_to,
    "aten.signbit.default": _sign_bit,
    "aten.isinf.default": of_operand(bounds.is_infinite),
    "aten.clamp.default": clamp,
    "aten.clamp.Tensor": _clamp_by_tensors,
    "aten.clamp_min.default": clamp,
    "aten.clamp_max.default": clamp_max,
    "aten.hardtanh.default": clamp,
}
