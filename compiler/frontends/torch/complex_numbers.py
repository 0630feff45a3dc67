"""Functions of complex numbers that are formulas of their two parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.ir import SSAValue

from ....dialects.graph import (
    AbsOp,
    AddOp,
    DivOp,
    EqOp,
    ExpOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogOp,
    MaximumOp,
    MulOp,
    NegOp,
    PowOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    Number,
    bounds,
    expanded,
    number_like,
    special,
    times,
)
from ..unsupported import Unsupported
from . import bits, fourier
from .call import Call, Operand, Pair, Reader, Result, of_operand
from .pairs import (
    has_complex,
    imaginary_part,
    paired,
    part_by_part,
    real_part,
    unpaired,
)


def _parts(call: Call, x: Any) -> tuple[SSAValue, SSAValue]:
    """Both parts of an operand, which may be real or a number."""
    real = call.as_tensor(real_part(x), call.element)
    return real, call.as_tensor(imaginary_part(x), call.element)


def _from_parts(call: Call, real: SSAValue, imaginary: SSAValue) -> Result:
    """The numbers of these parts."""
    return Pair(*(expanded(each, call.shape) for each in (real, imaginary)))


def _from_angle(call: Call, size: SSAValue, angle: SSAValue) -> Result:
    """The numbers of these absolute values and angles."""
    return Pair(*special.point(size, angle))


def _conjugate(call: Call, x: Pair) -> Result:
    """The numbers with the other sign of their imaginary parts."""
    return Pair(x.real, NegOp(x.imaginary).result)


def _absolute(call: Call, x: Pair) -> Result:
    """The absolute values."""
    return special.distance(*x.parts)


def _angle(call: Call, x: Pair) -> Result:
    """The angles."""
    return special.angle(*x.parts)


def _divided(call: Call, a: Operand | Pair, b: Operand | Pair, *_: object) -> Result:
    """The quotients."""
    x, y = _parts(call, a)
    if not isinstance(b, Pair):
        by = call.as_tensor(b, call.element)
        return Pair(DivOp(x, by).result, DivOp(y, by).result)
    # The greater part of the divisor is one, so that no square overflows.
    most = MaximumOp(AbsOp(b.real), AbsOp(b.imaginary)).result
    c, d = (DivOp(each, most).result for each in (b.real, b.imaginary))
    x, y = (DivOp(each, most).result for each in (x, y))
    square = AddOp(MulOp(c, c), MulOp(d, d)).result
    real = AddOp(MulOp(x, c), MulOp(y, d)).result
    imaginary = SubOp(MulOp(y, c), MulOp(x, d)).result
    return Pair(DivOp(real, square).result, DivOp(imaginary, square).result)


def _reciprocal(call: Call, x: Pair) -> Result:
    """One divided by the numbers."""
    return _divided(call, 1, x)


def _exponential(call: Call, x: Pair) -> Result:
    """The exponentials."""
    return _from_angle(call, ExpOp(x.real).result, x.imaginary)


def _logarithm(call: Call, x: Pair) -> Result:
    """The logarithms."""
    size = special.distance(*x.parts)
    return Pair(LogOp(size).result, special.angle(*x.parts))


def _sign(call: Call, x: Pair) -> Result:
    """The numbers divided by their absolute values; zero stays."""
    size = special.distance(*x.parts)
    none = EqOp(size, number_like(0, size)).result
    by = WhereOp(none, number_like(1, size), size).result
    return Pair(DivOp(x.real, by).result, DivOp(x.imaginary, by).result)


def _formula(build: Callable[[SSAValue, SSAValue], special.Point]) -> Reader:
    """The reader of a function of both parts."""

    def read(call: Call, x: Pair) -> Result:
        return Pair(*build(*x.parts))

    return read


def _multiplied(x: Pair, y: Pair) -> Pair:
    """The products."""
    real = SubOp(MulOp(x.real, y.real), MulOp(x.imaginary, y.imaginary)).result
    mixed = AddOp(MulOp(x.real, y.imaginary), MulOp(x.imaginary, y.real)).result
    return Pair(real, mixed)


_MOST_SQUARED = 17
"""The first whole power that is computed by the angle, as C libraries do."""


def _whole_power(x: Pair, exponent: int) -> Pair:
    """A power from one on, by squares."""
    if exponent == 1:
        return x
    half = _whole_power(x, exponent // 2)
    square = _multiplied(half, half)
    return _multiplied(square, x) if exponent % 2 else square


def _power(call: Call, x: Any, exponent: Number | complex) -> Result:
    """The powers with a known exponent: products, a root, or by the angles."""
    if not isinstance(x, Pair) or not isinstance(exponent, (int, float)):
        raise Unsupported(f"complex numbers, to the power of {exponent}")
    if exponent < 0:
        return _reciprocal(call, cast(Pair, _power(call, x, -exponent)))
    if exponent == 0.5:
        return Pair(*special.square_root(*x.parts))
    if exponent in range(1, _MOST_SQUARED):
        return _whole_power(x, int(exponent))
    size, angle = special.distance(*x.parts), special.angle(*x.parts)
    grown = PowOp(size, number_like(exponent, size)).result
    return _from_angle(call, grown, times(angle, exponent))


def _raised(exponent: float) -> Reader:
    """The reader of the powers with this exponent."""

    def read(call: Call, x: Pair) -> Result:
        return _power(call, x, exponent)

    return read


def _of_either(build: Callable[[SSAValue], SSAValue]) -> Reader:
    """The reader of whether a property holds for either part."""

    def read(call: Call, x: Pair) -> Result:
        return LogicalOrOp(*map(build, x.parts)).result

    return read


def _equal(call: Call, a: Any, b: Any) -> Result:
    """Whether both parts are equal."""
    pairs = zip(_common_parts(call, a), _common_parts(call, b), strict=True)
    return LogicalAndOp(*(EqOp(x, y).result for x, y in pairs)).result


def _unequal(call: Call, a: Any, b: Any) -> Result:
    """Whether any part differs."""
    found = _equal(call, a, b)
    assert isinstance(found, SSAValue)
    return LogicalNotOp(found).result


def _ones(call: Call, *_: object) -> Result:
    """A tensor of ones."""
    parts = (call.as_tensor(each, call.element) for each in (1, 0))
    return _from_parts(call, *parts)


def _common_parts(call: Call, x: Any) -> tuple[SSAValue, SSAValue]:
    """Both parts of an operand of a comparison."""
    element = call.common(0, 1)
    parts = real_part(x), imaginary_part(x)
    real, imaginary = (call.as_tensor(each, element) for each in parts)
    return real, imaginary


FORMULAS: dict[str, Reader] = {
    "aten.complex.default": _from_parts,
    "aten.polar.default": _from_angle,
    "aten.view.dtype": bits.reinterpreted,
    "aten.view_as_real.default": of_operand(paired),
    "aten.view_as_complex.default": of_operand(unpaired),
    "aten._conj.default": _conjugate,
    "aten._conj_physical.default": _conjugate,
    "aten.abs.default": _absolute,
    "aten.angle.default": _angle,
    "aten.div.Tensor": _divided,
    "aten.reciprocal.default": _reciprocal,
    "aten.exp.default": _exponential,
    "aten.log.default": _logarithm,
    "aten.sgn.default": _sign,
    "aten.sqrt.default": _formula(special.square_root),
    "aten.rsqrt.default": _raised(-0.5),
    "aten.square.default": _raised(2),
    "aten.pow.Tensor_Scalar": _power,
    "aten.sinh.default": _formula(special.hyperbolic_sine),
    "aten.cosh.default": _formula(special.hyperbolic_cosine),
    "aten.tanh.default": _formula(special.hyperbolic_tangent),
    "aten.sin.default": _formula(special.sine),
    "aten.cos.default": _formula(special.cosine),
    "aten.tan.default": _formula(special.tangent),
    "aten.isnan.default": _of_either(bounds.is_nan),
    "aten.isinf.default": _of_either(bounds.is_infinite),
    "aten.eq.Tensor": _equal,
    "aten.eq.Scalar": _equal,
    "aten.ne.Tensor": _unequal,
    "aten.ne.Scalar": _unequal,
    "aten.ones.default": _ones,
    "aten.ones_like.default": _ones,
}
"""Readers of calls that have complex tensors among their arguments or results."""


_OF_SIZES = ("aten.linalg_vector_norm.default", "aten.norm.ScalarOpt_dim")
"""Operators that see of a complex number its absolute value alone."""


def of_pairs(op: str, reader: Reader) -> Reader:
    """The reader of an operator, whose tensors may be complex."""

    def read(call: Call, *arguments: Any) -> Result:
        if not has_complex(call.node) or op in fourier.READERS:
            return reader(call, *arguments)
        if op in FORMULAS:
            return FORMULAS[op](call, *arguments)
        if op in _OF_SIZES:
            x, *how = arguments
            return reader(call, special.distance(*x.parts), *how)
        return part_by_part(op, reader, call, arguments)

    return read
