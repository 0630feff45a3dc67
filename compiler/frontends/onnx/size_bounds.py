"""
Bounds of numbers that a run computes, from the sizes and the ops they are computed by.

A size that only a run knows needs a bound for its memory. Where it is computed from
sizes, as `floor(0.7 * h)`, or is at most a size, as `min(k, n)`, it has one. Bounds are
whole numbers, rounded outwards, with room for what floats round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, isfinite

from xdsl.ir import SSAValue

from ....dialects import (
    Dim,
    Polynomial,
    SizeError,
    ceildiv,
    dim,
    greater,
    is_float,
    lesser,
    tensor_type,
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
    GraphOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NegOp,
    RoundOp,
    SqrtOp,
    SubOp,
    TruncOp,
    WhereOp,
)
from .node import Node
from .small_tensors import Rule, SmallTensors

_FINEST = 1024
"""The denominator of the fractions that factors are rounded to."""

_GREATEST = 1 << 40
"""The greatest number that memory is planned for."""

_WRAPS = 1 << 31
"""The least factor by which an integer may leave its type."""

_ROUNDING = Fraction(1 << 20 | 1, 1 << 20)
"""By what a float is greater, at most, than the number that it is rounded from."""


@dataclass(frozen=True)
class _Most:
    """An upper bound: a size times a number, and a number."""

    size: Dim
    factor: Fraction = Fraction(1)
    more: Fraction = Fraction(0)

    @property
    def dim(self) -> Dim:
        """The bound as a size."""
        factor = ceil(self.factor * _FINEST)
        return ceildiv(self.size * factor, _FINEST) + ceil(self.more)

    def times(self, by: Fraction) -> _Most:
        """The bound of a number that is `by` times as great."""
        return _Most(self.size, self.factor * by, self.more * by)


@dataclass(frozen=True)
class _Between:
    """What a number is between; None for a side without a bound."""

    low: int | None = None
    high: _Most | None = None
    exact: Fraction | None = None
    """The number, where it is the same in all runs."""


def _read(value: Dim | float) -> _Between | None:
    """A known number; None for what is not finite."""
    if isinstance(value, Polynomial):
        most = greater(value, 0)
        return _Between(0 if most == value else None, _Most(most))
    if not isfinite(value):
        return None
    number = Fraction(value)
    return _Between(floor(value), _Most(0, more=number), number)


def _wide(op: GraphOp, a: _Between) -> _Between:
    """The bounds of a result, wider by what floats round."""
    if not is_float(tensor_type(op.results[0])):
        return a
    low = a.low if a.low is None or a.low >= 0 else 2 * a.low - 1
    if a.high is None:
        return _Between(low)
    size, more = a.high.size, a.high.more
    return _Between(low, _Most(size, a.high.factor * _ROUNDING, more + abs(more) + 1))


def _whole(op: GraphOp, a: _Between) -> _Between:
    """A number rounded to a whole one."""
    if a.high is None:
        return _Between(a.low)
    return _Between(a.low, replace(a.high, more=a.high.more + 1))


def _cast(op: GraphOp, a: _Between) -> _Between:
    if a.exact is not None and a.exact.denominator == 1:
        return a
    return _wide(op, a) if is_float(tensor_type(op.results[0])) else _whole(op, a)


def _added(op: GraphOp, a: _Between, b: _Between) -> _Between:
    low = None if a.low is None or b.low is None else a.low + b.low
    if a.high is None or b.high is None:
        return _wide(op, _Between(low))
    more = a.high.more + b.high.more
    one, other = sorted((a.high, b.high), key=lambda each: each.size == 0)
    if other.size == 0:
        return _wide(op, _Between(low, replace(one, more=more)))
    return _wide(op, _Between(low, _Most(a.high.dim + b.high.dim)))


def _negated(op: GraphOp, a: _Between) -> _Between:
    high = None if a.low is None else _Most(0, more=Fraction(-a.low))
    is_number = a.high is not None and a.high.size == 0
    return _Between(-ceil(a.high.more) if a.high and is_number else None, high)


def _subtracted(op: GraphOp, a: _Between, b: _Between) -> _Between:
    return _added(op, a, _negated(op, b))


def _scaled(op: GraphOp, a: _Between, by: Fraction) -> _Between:
    """A number times another that is the same in all runs."""
    if by < 0:
        return _scaled(op, _negated(op, a), -by)
    if by >= _WRAPS and not is_float(tensor_type(op.results[0])):
        return _Between()
    low = None if a.low is None else floor(a.low * by)
    return _wide(op, _Between(low, None if a.high is None else a.high.times(by)))


def _times(op: GraphOp, a: _Between, b: _Between) -> _Between:
    for one, other in ((a, b), (b, a)):
        if one.exact is not None:
            return _scaled(op, other, one.exact)
    if not (_is_nonnegative(a) and _is_nonnegative(b)):
        return _Between()
    if a.high is None or b.high is None:
        return _Between(0)
    return _wide(op, _Between(0, _Most(a.high.dim * b.high.dim)))


def _is_nonnegative(a: _Between) -> bool:
    return a.low is not None and a.low >= 0


def _divided(op: GraphOp, a: _Between, b: _Between) -> _Between:
    if b.exact:
        return _scaled(op, a, 1 / b.exact)
    is_above = b.low is not None and b.low >= 1
    return (
        _wide(op, replace(a, low=0)) if is_above and _is_nonnegative(a) else _Between()
    )


def _lesser(op: GraphOp, a: _Between, b: _Between) -> _Between:
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    found = [each.high for each in (a, b) if each.high is not None]
    highs = [each for each in found if not _is_great(each)] or found
    if len(highs) < 2:
        return _Between(low, next(iter(highs), None))
    return _Between(low, _Most(lesser(*(each.dim for each in highs))))


def _clamped(op: ClampOp, a: _Between) -> _Between:
    for limit, choose in zip(op.limits, (_greater, _lesser), strict=True):
        if limit is not None:
            a = choose(op, a, _read(limit) or _Between())
    return a


def _is_great(most: _Most) -> bool:
    """Whether a bound is so great that memory is planned for no such number."""
    return most.size == 0 and most.more > _GREATEST


def _greater(op: GraphOp, a: _Between, b: _Between) -> _Between:
    lows = [each.low for each in (a, b) if each.low is not None]
    return _Between(max(lows) if lows else None, _greatest(a.high, b.high))


def _greatest(a: _Most | None, b: _Most | None) -> _Most | None:
    """The greater of two bounds."""
    if a is None or b is None or a == b:
        return a if a == b else None
    return _Most(greater(a.dim, b.dim))


def _size(op: GraphOp, a: _Between) -> _Between:
    """A number without its sign."""
    return _Between(0, _greatest(a.high, _negated(op, a).high))


def _root(op: GraphOp, a: _Between) -> _Between:
    """A root, which is at most the mean of a number and 1."""
    if a.high is None:
        return _Between(0)
    half = a.high.times(Fraction(1, 2))
    return _wide(op, _Between(0, replace(half, more=abs(half.more) + 1)))


def _equal(op: GraphOp, a: _Between, b: _Between) -> _Between:
    if a.exact is None or b.exact is None:
        return _Between(0, _Most(1))
    number = int(a.exact == b.exact)
    return _Between(number, _Most(number), Fraction(number))


def _chosen(op: GraphOp, c: _Between, a: _Between, b: _Between) -> _Between:
    if c.exact is not None:
        return a if c.exact else b
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    return _Between(low, _greatest(a.high, b.high))


_RULES: dict[type[GraphOp], Rule[_Between]] = {
    AbsOp: _size,
    AddOp: _added,
    CastOp: _cast,
    CeilOp: _whole,
    ClampOp: _clamped,
    DivOp: _divided,
    EqOp: _equal,
    FloorOp: _whole,
    MaximumOp: _greater,
    MinimumOp: _lesser,
    MulOp: _times,
    NegOp: _negated,
    RoundOp: _whole,
    SqrtOp: _root,
    SubOp: _subtracted,
    TruncOp: _whole,
    WhereOp: _chosen,
}


def bound_of(node: Node, value: SSAValue) -> Dim | None:
    """The most that a tensor of one number can be; None where nothing bounds it."""
    try:
        found = SmallTensors(node.emitted, _read, _RULES, _Between())(value)
        most = None if found is None or found.size != 1 else found.item().high
        if not isinstance(most, _Most) or _is_great(most):
            return None
        bound = greater(most.dim, 0)
        return dim(str(bound)) if not isinstance(bound, int) else bound
    except SizeError:
        return None
