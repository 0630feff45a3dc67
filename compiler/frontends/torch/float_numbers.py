"""
Numbers that a program computes from sizes and from data: tensors of one f64 each, or of
one i64 where they are whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import SSAValue

from ....dialects.graph import (
    AddOp,
    BinaryOp,
    CeilOp,
    CompareOp,
    DivOp,
    EqOp,
    ExpOp,
    FloorOp,
    GeOp,
    GtOp,
    LeOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    NeOp,
    PowOp,
    RoundOp,
    SqrtOp,
    TruncOp,
    UnaryOp,
    WhereOp,
)
from ....dialects.graph.compose import convert, number, quantity
from ..unsupported import Unsupported
from .sizes import Expression, Sizes

_OF_ONE: dict[str, type[UnaryOp]] = {
    "CeilToInt": CeilOp,
    "FloorToInt": FloorOp,
    "OpaqueUnaryFn_exp": ExpOp,
    "OpaqueUnaryFn_log": LogOp,
    "OpaqueUnaryFn_sqrt": SqrtOp,
    "RoundToInt": RoundOp,
    "TruncToFloat": TruncOp,
    "TruncToInt": TruncOp,
}
"""Functions of one number, by the names of torch's classes."""

_OF_TWO: dict[str, type[BinaryOp]] = {"FloatTrueDiv": DivOp, "IntTrueDiv": DivOp}
"""Functions of two numbers."""

_OF_MANY: dict[str, type[BinaryOp]] = {
    "Add": AddOp,
    "Max": MaximumOp,
    "Min": MinimumOp,
    "Mul": MulOp,
}
"""Functions of two or more numbers."""

_RELATIONS: dict[str, type[CompareOp]] = {
    "Equality": EqOp,
    "GreaterThan": GeOp,
    "LessThan": LeOp,
    "StrictGreaterThan": GtOp,
    "StrictLessThan": LtOp,
    "Unequality": NeOp,
}
"""Relations of two numbers, by sympy's names."""


def whole(expression: Expression, sizes: Sizes) -> SSAValue:
    """
    Builds the integer that an expression of data describes, in the 64 bits of an i64,
    beyond which it wraps; raises `Unsupported`.
    """
    kind = expression.func.__name__
    if expression in sizes.items:
        return convert(sizes.items[expression], i64)
    if kind in _OF_MANY and _is_of_data(expression, sizes):
        return _joined(_OF_MANY[kind], [whole(e, sizes) for e in expression.args])
    return quantity(sizes.read(expression), i64)


def computed(expression: Expression, sizes: Sizes) -> SSAValue:
    """Builds the number that an expression describes; raises `Unsupported`."""
    kind = expression.func.__name__
    if expression.is_number and not expression.free_symbols:
        return number(float(expression), f64)
    if expression in sizes.items:
        return convert(sizes.items[expression], f64)
    if kind == "Piecewise":
        return _chosen(expression, sizes)
    if kind == "ToFloat":
        return computed(expression.args[0], sizes)
    if kind in ("FloatPow", "Pow"):
        return _power(expression, sizes)
    if kind in _OF_ONE:
        return _OF_ONE[kind](computed(expression.args[0], sizes)).result
    if kind in _OF_TWO:
        return _OF_TWO[kind](*(computed(e, sizes) for e in expression.args)).result
    if kind in _OF_MANY and (_has_floats(expression) or _is_of_data(expression, sizes)):
        return _joined(_OF_MANY[kind], [computed(e, sizes) for e in expression.args])
    return quantity(sizes.read(expression), f64)


def holds(condition: Expression, sizes: Sizes) -> SSAValue:
    """Builds whether a condition holds; raises `Unsupported`."""
    kind = condition.func.__name__
    if kind in ("And", "Or"):
        join = LogicalAndOp if kind == "And" else LogicalOrOp
        return _joined(join, [holds(each, sizes) for each in condition.args])
    if kind == "Not":
        return LogicalNotOp(holds(condition.args[0], sizes)).result
    if kind not in _RELATIONS:
        raise Unsupported(f"a condition computed by {kind}")
    a, b = (computed(each, sizes) for each in condition.args)
    return convert(_RELATIONS[kind](a, b).result, i1)


def _chosen(expression: Expression, sizes: Sizes) -> SSAValue:
    """Builds the first number whose condition holds; one has to be for all others."""
    *cases, (result, always) = expression.args
    if str(always) != "True":
        raise Unsupported(f"a choice without a last case, {expression}")
    chosen = computed(result, sizes)
    for each, condition in reversed(cases):
        chosen = WhereOp(holds(condition, sizes), computed(each, sizes), chosen).result
    return chosen


def _joined(op: type[BinaryOp], parts: Sequence[SSAValue]) -> SSAValue:
    """Builds what an op makes of one or more numbers, from the left."""
    result, *rest = parts
    for each in rest:
        result = op(result, each).result
    return result


def _power(expression: Expression, sizes: Sizes) -> SSAValue:
    """Builds a power; a root is rounded just once."""
    base, exponent = expression.args
    x = computed(base, sizes)
    if exponent.is_number and float(exponent) == 0.5:
        return SqrtOp(x).result
    return PowOp(x, computed(exponent, sizes)).result


def _is_of_data(expression: Expression, sizes: Sizes) -> bool:
    """Whether an expression has a number that the run computes, which is no size."""
    return not sizes.items.keys().isdisjoint(expression.free_symbols)


def _has_floats(expression: Expression) -> bool:
    """Whether an expression is more than sizes: one of its parts is a float."""
    kinds = {"FloatPow", "ToFloat", "TruncToFloat", *_OF_TWO, *_OF_ONE}
    return any(
        each.is_Float or each.func.__name__ in kinds or _has_floats(each)
        for each in expression.args
    )
