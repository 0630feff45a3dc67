"""
Sizes that a model computes by floats, as `floor(0.5 * h)` of an image of height h.

A float that is a size times a fraction is exact while the numbers are so small that the
type holds them, and a quotient of two such numbers is rounded so little that no whole
number is crossed. Within these limits, which each run is checked for, what is rounded
to a whole number is a size. Beside it the float is computed as the model says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd, isfinite, isqrt

from xdsl.dialects.builtin import f32, f64, i1, i32, i64

from ....dialects import (
    DTYPES,
    Dim,
    Element,
    Polynomial,
    conditions,
    floordiv,
    greater,
    is_float,
    lesser,
    magnitude,
    product,
    tensor_type,
    terms_of,
)
from ....dialects.graph import (
    AbsOp,
    AddOp,
    CastOp,
    CeilOp,
    ClampOp,
    DivOp,
    EqOp,
    FloorOp,
    GeOp,
    GraphOp,
    GtOp,
    LeOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NegOp,
    NeOp,
    RoundOp,
    SqrtOp,
    SubOp,
    TruncOp,
)
from .small_tensors import Rule

_BITS: dict[Element, int] = {f32: 24, f64: 53}
"""How many bits a number has in each type of floats."""


_LEAST_BITS = 13
"""How many bits of a size a float must hold at least."""


@dataclass(frozen=True)
class Limit:
    """What must hold for a float to be the size that is read."""

    margin: Dim
    """What is not negative then."""
    message: str
    sizes: tuple[Dim, Dim]


@dataclass(frozen=True)
class Ratio:
    """A size divided by a number, as a float."""

    top: Dim
    bottom: int = 1
    limits: tuple[Limit, ...] = ()
    is_rounded: bool = False
    """Whether it is the float next to the fraction instead of the fraction."""


def read_number(value: Dim | float) -> Ratio | None:
    """A known number as a fraction; None for what is not finite."""
    if isinstance(value, Polynomial):
        return Ratio(value)
    if not isfinite(value):
        return None
    top, bottom = value.as_integer_ratio()
    return Ratio(top, bottom)


def _held(op: GraphOp, top: Dim, bottom: int, *sources: Ratio) -> Ratio | None:
    """A fraction that the type of the result must hold; None where it cannot."""
    top, bottom = _reduced(top, bottom)
    bits = _BITS.get(tensor_type(op.results[0]).element_type)
    if (
        bits is None
        or bottom & (bottom - 1)
        or any(each.is_rounded for each in sources)
    ):
        return None
    limit = _within(_above_zero(top), bits)
    return None if limit is None else Ratio(top, bottom, (*limit, *limits_of(sources)))


def _within(size: Dim, bits: int) -> tuple[Limit, ...] | None:
    """The limit of a size to the numbers that floats hold; None if few are within."""
    most = 1 << bits
    if isinstance(size, int):
        return () if size <= most else None
    if (
        sum(abs(factor) for _, factor in terms_of(magnitude(size)))
        > most >> _LEAST_BITS
    ):
        return None
    text = f"a size {size} of at most {most}, as floats of {bits} bits compute it"
    return (Limit(most - size, text, (size, most)),)


def limits_of(sources: Sequence[Ratio]) -> tuple[Limit, ...]:
    """The limits of several fractions."""
    return tuple(dict.fromkeys(limit for each in sources for limit in each.limits))


def _reduced(top: Dim, bottom: int) -> tuple[Dim, int]:
    """A fraction in its lowest terms."""
    shared = gcd(bottom, *(factor for _, factor in terms_of(top)))
    return floordiv(top, shared), bottom // shared


def _cast(op: GraphOp, a: Ratio) -> Ratio | None:
    """A number as another type: floats become integers rounded towards zero."""
    to = tensor_type(op.results[0])
    if is_float(to):
        return _held(op, a.top, a.bottom, a)
    if to.element_type == i1:
        return Ratio(conditions.negated(conditions.equal(a.top, 0)), 1, a.limits)
    whole = _truncated(op, a)
    limit = _within(_above_zero(a.top), 31) if to.element_type == i32 else ()
    if whole is None or limit is None or to.element_type not in (i32, i64):
        return None
    return Ratio(whole.top, 1, (*whole.limits, *limit))


def _truncated(op: GraphOp, a: Ratio) -> Ratio | None:
    """A fraction rounded towards zero."""
    exact = a.top if a.bottom == 1 else conditions.truncated(a.top, a.bottom)
    return None if exact is None else _rounded(op, a, exact)


def _above_zero(size: Dim) -> Dim:
    """A size without its sign."""
    return greater(size, size * -1)


def _rounded(op: GraphOp, a: Ratio, whole: Dim, share: int = 1) -> Ratio | None:
    """
    A fraction rounded to `whole`, where no float crosses a multiple of one `share` of 1
    that the fraction does not.
    """
    limits = a.limits
    if a.is_rounded:
        bits = _BITS.get(tensor_type(op.operands[0]).element_type)
        reach = (_above_zero(a.top) + a.bottom) * share
        limit = None if bits is None else _within(reach + 1, bits)
        if limit is None:
            return None
        limits = (*limits, *limit)
    return Ratio(whole, 1, limits)


def _to_even(op: GraphOp, a: Ratio) -> Ratio | None:
    """A fraction rounded to the nearest whole number, to the even one of two."""
    whole = floordiv(a.top * 2 + a.bottom, 2 * a.bottom)
    is_tie = conditions.equal(whole * (2 * a.bottom), a.top * 2 + a.bottom)
    odd = whole - floordiv(whole, 2) * 2
    return _rounded(op, a, whole - is_tie * odd, 2)


def _times(op: GraphOp, a: Ratio, b: Ratio) -> Ratio | None:
    return _held(op, a.top * b.top, a.bottom * b.bottom, a, b)


def _divided(op: GraphOp, a: Ratio, b: Ratio) -> Ratio | None:
    """A quotient of exact numbers: exact, or the nearest float."""
    if a.is_rounded or b.is_rounded or b.top == 0:
        return None
    top, bottom = a.top * b.bottom, b.top * a.bottom
    limits = limits_of([a, b])
    if not isinstance(bottom, int):
        ratio = _ratio(top, bottom)
        if ratio is None:
            return None
        text = f"a size {b.top} of at least 1, by which others are divided"
        limits = (*limits, Limit(b.top - 1, text, (b.top, 1)))
        top, bottom = ratio
    if bottom < 0:
        top, bottom = top * -1, -bottom
    if isinstance(top, int):
        return _same_in_all_runs(op, top, bottom, limits)
    exact = _held(op, top, bottom, Ratio(0, 1, limits))
    return exact or Ratio(*_reduced(top, bottom), limits, is_rounded=True)


def _same_in_all_runs(
    op: GraphOp, top: int, bottom: int, limits: tuple[Limit, ...]
) -> Ratio | None:
    """The float next to a quotient of numbers."""
    kind = tensor_type(op.results[0]).element_type
    if max(abs(top), bottom) >= 1 << _BITS.get(kind, 0):
        return None
    number = DTYPES[kind].type(top) / DTYPES[kind].type(bottom)
    top, bottom = float(number).as_integer_ratio()
    return Ratio(top, bottom, limits)


def _ratio(top: Dim, bottom: Dim) -> tuple[Dim, int] | None:
    """The quotient of two sizes as one divided by a number; None if it is none."""
    shared = gcd(*(factor for _, factor in terms_of(bottom)))
    part = floordiv(bottom, shared)
    whole = floordiv(top, part)
    return (whole, shared) if whole * part == top else None


def _added(sign: int) -> Rule[Ratio]:
    """The rule of a sum or a difference."""

    def rule(op: GraphOp, a: Ratio, b: Ratio) -> Ratio | None:
        top = a.top * b.bottom + b.top * a.bottom * sign
        return _held(op, top, a.bottom * b.bottom, a, b)

    return rule


def _extreme(choose: Callable[[Dim, Dim], Dim]) -> Rule[Ratio]:
    """The rule of the greater or the lesser of two numbers."""

    def rule(op: GraphOp, a: Ratio, b: Ratio) -> Ratio | None:
        top = choose(a.top * b.bottom, b.top * a.bottom)
        return _held(op, top, a.bottom * b.bottom, a, b)

    return rule


def _clamped(op: GraphOp, a: Ratio) -> Ratio | None:
    """A number that is limited to a range."""
    assert isinstance(op, ClampOp)
    found: Ratio | None = a
    for limit, choose in zip(op.limits, (greater, lesser), strict=True):
        if limit is not None:
            number = read_number(limit)
            if found is None or number is None:
                return None
            found = _extreme(choose)(op, found, number)
    return found


def _compared(test: Callable[[Dim, Dim], Dim]) -> Rule[Ratio]:
    """The rule of a comparison, whose result is 1 or 0."""

    def rule(op: GraphOp, a: Ratio, b: Ratio) -> Ratio | None:
        if a.is_rounded or b.is_rounded:
            return None
        return Ratio(test(a.top * b.bottom, b.top * a.bottom), 1, limits_of([a, b]))

    return rule


def _root(op: GraphOp, a: Ratio) -> Ratio | None:
    """The root of a square; None for what is no square."""
    top, bottom = _size_root(a.top), isqrt(a.bottom)
    if top is None or bottom * bottom != a.bottom:
        return None
    return _held(op, top, bottom, a)


def _size_root(size: Dim) -> Dim | None:
    """The root of a size such as `4 * n * n`; None for another size."""
    if len(terms_of(size)) != 1:
        return 0 if size == 0 else None
    ((monomial, factor),) = terms_of(size)
    if factor < 0 or isqrt(factor) ** 2 != factor or monomial[::2] != monomial[1::2]:
        return None
    atoms = [Polynomial((((each,), 1),)) for each in monomial[::2]]
    found = product([isqrt(factor), *atoms])
    return _above_zero(found)


_OF_ONE: dict[type[GraphOp], Callable[[GraphOp, Ratio], Ratio | None]] = {
    AbsOp: lambda op, a: _held(op, _above_zero(a.top), a.bottom, a),
    CastOp: _cast,
    CeilOp: lambda op, a: _rounded(op, a, floordiv(a.top * -1, a.bottom) * -1),
    ClampOp: _clamped,
    FloorOp: lambda op, a: _rounded(op, a, floordiv(a.top, a.bottom)),
    NegOp: lambda op, a: _held(op, a.top * -1, a.bottom, a),
    RoundOp: _to_even,
    SqrtOp: _root,
    TruncOp: _truncated,
}

_OF_TWO: dict[type[GraphOp], Callable[[GraphOp, Ratio, Ratio], Ratio | None]] = {
    AddOp: _added(1),
    DivOp: _divided,
    EqOp: _compared(conditions.equal),
    GeOp: _compared(lambda a, b: conditions.negated(conditions.less(a, b))),
    GtOp: _compared(lambda a, b: conditions.less(b, a)),
    LeOp: _compared(lambda a, b: conditions.negated(conditions.less(b, a))),
    LtOp: _compared(conditions.less),
    MaximumOp: _extreme(greater),
    MinimumOp: _extreme(lesser),
    MulOp: _times,
    NeOp: _compared(lambda a, b: conditions.negated(conditions.equal(a, b))),
    SubOp: _added(-1),
}

RULES: dict[type[GraphOp], Rule[Ratio]] = {**_OF_ONE, **_OF_TWO}
"""What each op makes of fractions; None where the result is none."""
