"""
Bounds of numbers that a run computes, from the sizes and the ops they are computed by.

A size that only a run knows needs a bound for its memory. Where it is computed from
sizes, as `floor(0.7 * h)`, or is at most a size, as `min(k, n)`, it has one. Bounds are
whole numbers, rounded outwards, with room for what floats round.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from xdsl.ir import SSAValue

from ....dialects import (
    Dim,
    SizeError,
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
from .between import Between, Most, Parts, greatest, is_great, read
from .element_bounds import ElementBounds
from .node import Node
from .small_tensors import Rule

_WRAPS = 1 << 31
"""The least factor by which an integer may leave its type."""

_ROUNDING = Fraction(1 << 20 | 1, 1 << 20)
"""By what a float is greater, at most, than the number that it is rounded from."""


def _wide(op: GraphOp, a: Between) -> Between:
    """The bounds of a result, wider by what floats round."""
    if not is_float(tensor_type(op.results[0])):
        return a
    low = a.low if a.low is None or a.low >= 0 else 2 * a.low - 1
    if a.high is None:
        return Between(low)
    size, more = a.high.size, a.high.more
    return Between(low, Most(size, a.high.factor * _ROUNDING, more + abs(more) + 1))


def _whole(op: GraphOp, a: Between) -> Between:
    """A number rounded to a whole one."""
    if a.high is None:
        return Between(a.low)
    return Between(a.low, replace(a.high, more=a.high.more + 1))


def _cast(op: GraphOp, a: Between) -> Between:
    if a.exact is not None and a.exact.denominator == 1:
        return a
    if not is_float(tensor_type(op.results[0])):
        return _whole(op, a)
    found = _wide(op, a)
    if a.high is not None and a.high.size != 0 and not a.high.more:
        # A size that is rounded is a little greater by a factor, and by nothing else.
        found = Between(found.low, a.high.times(_ROUNDING))
    return replace(found, above=_less(a.above, 1), below=_more(a.below, 1))


def _less(above: Parts, by: Fraction | int) -> Parts:
    """What a float `by` times as great, rounded, is no less than."""
    return frozenset((number * by / _ROUNDING, size) for number, size in above)


def _more(below: Parts, by: Fraction | int) -> Parts:
    """What a float `by` times as great, rounded, is at most."""
    return frozenset((number * by * _ROUNDING, size) for number, size in below)


def _added(op: GraphOp, a: Between, b: Between) -> Between:
    low = None if a.low is None or b.low is None else a.low + b.low
    if a.high is None or b.high is None:
        return _wide(op, Between(low))
    more = a.high.more + b.high.more
    one, other = sorted((a.high, b.high), key=lambda each: each.size == 0)
    if other.size == 0:
        return _wide(op, Between(low, replace(one, more=more)))
    return _wide(op, Between(low, Most(a.high.dim + b.high.dim)))


def _negated(op: GraphOp, a: Between) -> Between:
    high = None if a.low is None else Most(0, more=Fraction(-a.low))
    is_number = a.high is not None and a.high.size == 0
    return Between(-ceil(a.high.more) if a.high and is_number else None, high)


def _subtracted(op: GraphOp, a: Between, b: Between) -> Between:
    return _added(op, a, _negated(op, b))


def _scaled(op: GraphOp, a: Between, by: Fraction) -> Between:
    """A number times another that is the same in all runs."""
    if by < 0:
        return _scaled(op, _negated(op, a), -by)
    if by >= _WRAPS and not is_float(tensor_type(op.results[0])):
        return Between()
    low = None if a.low is None else floor(a.low * by)
    found = _wide(op, Between(low, None if a.high is None else a.high.times(by)))
    if not by or not is_float(tensor_type(op.results[0])):
        return found
    return replace(found, above=_less(a.above, by), below=_more(a.below, by))


def _times(op: GraphOp, a: Between, b: Between) -> Between:
    for one, other in ((a, b), (b, a)):
        if one.exact is not None:
            return _scaled(op, other, one.exact)
    if not (_is_nonnegative(a) and _is_nonnegative(b)):
        return Between()
    numbers = [*_cancelled(a, b), *_cancelled(b, a)]
    if numbers and is_float(tensor_type(op.results[0])):
        return _wide(op, Between(0, Most(0, more=min(numbers))))
    if a.high is None or b.high is None:
        return Between(0)
    return _wide(op, Between(0, Most(a.high.dim * b.high.dim)))


def _cancelled(part: Between, whole: Between) -> list[Fraction]:
    """The most that a number divided by sizes is, times one that is such a size."""
    most = whole.high
    if most is None or most.more:
        return []
    return [number * most.factor for number, size in part.below if size == most.size]


def _is_nonnegative(a: Between) -> bool:
    return a.low is not None and a.low >= 0


def _divided(op: GraphOp, a: Between, b: Between) -> Between:
    if b.exact:
        return _scaled(op, a, 1 / b.exact)
    if not (_is_nonnegative(a) and _is_nonnegative(b)):
        return Between()
    high = a.high if b.low else None
    if a.high is None or not is_float(tensor_type(op.results[0])):
        return _wide(op, Between(0, high))
    if a.high.size == 0:
        below = frozenset((a.high.more / part, size) for part, size in b.above)
        return replace(_wide(op, Between(0, high)), below=_more(below, 1))
    most = [
        a.high.factor / part
        for part, size in b.above
        if size == a.high.size and not a.high.more
    ]
    return _wide(op, Between(0, Most(0, more=min(most)) if most else high))


def _lesser(op: GraphOp, a: Between, b: Between) -> Between:
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    found = [each.high for each in (a, b) if each.high is not None]
    highs = [each for each in found if not is_great(each)] or found
    below = a.below | b.below
    if len(highs) < 2:
        return Between(low, next(iter(highs), None), below=below)
    return Between(low, Most(lesser(*(each.dim for each in highs))), below=below)


def _clamped(op: ClampOp, a: Between) -> Between:
    for limit, choose in zip(op.limits, (_greater, _lesser), strict=True):
        if limit is not None:
            a = choose(op, a, read(limit) or Between())
    return a


def _greater(op: GraphOp, a: Between, b: Between) -> Between:
    lows = [each.low for each in (a, b) if each.low is not None]
    low = max(lows) if lows else None
    return Between(low, greatest(a.high, b.high), above=a.above | b.above)


def _size(op: GraphOp, a: Between) -> Between:
    """A number without its sign."""
    return Between(0, greatest(a.high, _negated(op, a).high))


def _root(op: GraphOp, a: Between) -> Between:
    """A root, which is at most the mean of a number and 1."""
    if a.high is None:
        return Between(0)
    half = a.high.times(Fraction(1, 2))
    return _wide(op, Between(0, replace(half, more=abs(half.more) + 1)))


def _equal(op: GraphOp, a: Between, b: Between) -> Between:
    if a.exact is None or b.exact is None:
        return Between(0, Most(1))
    number = int(a.exact == b.exact)
    return Between(number, Most(number), Fraction(number))


def _chosen(op: GraphOp, c: Between, a: Between, b: Between) -> Between:
    if c.exact is not None:
        return a if c.exact else b
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    return Between(low, greatest(a.high, b.high))


_RULES: dict[type[GraphOp], Rule[Between]] = {
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
        most = ElementBounds(node.emitted, _RULES)(value).high
        if not isinstance(most, Most) or is_great(most):
            return None
        bound = greater(most.dim, 0)
        return dim(str(bound)) if not isinstance(bound, int) else bound
    except SizeError:
        return None
