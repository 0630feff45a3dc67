"""
Typed scalar arithmetic: `add(a, b)` builds the op that adds values of their type.

Values have compute types (`element_type.py`); where a function is given the type of an
element, it builds the value that a load of it would have.

Ops describe their loops with these, so that one description serves every element type.
The built ops are defined for every input: dividing an integer by zero gives zero,
converting a float to an integer saturates and turns NaN into zero, and the maximum of a
number and NaN is NaN. Boolean sums are `or`, products `and`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, f32, i1
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ..element_type import ELEMENT_TYPES, compute_type
from ..scalar import RemainderOp
from .nest import Body, Combiner, same

Binary = Callable[[SSAValue, SSAValue], SSAValue]

FLOAT: dict[str, Any] = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "rem": RemainderOp,
    "max": arith.MaximumfOp,
    "min": arith.MinimumfOp,
    "pow": math.PowFOp,
}
_INTEGER: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "div": arith.DivSIOp,
    "rem": arith.RemSIOp,
    "max": arith.MaxSIOp,
    "min": arith.MinSIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}
NO_SIGNED_ZEROS = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])

_BOOLEAN: dict[str, type[Operation]] = {
    "add": arith.OrIOp,
    "mul": arith.AndIOp,
    "max": arith.OrIOp,
    "min": arith.AndIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}


def _table(type: Attribute) -> dict[str, Any]:
    """The ops on two scalars of this type, by name."""
    if isinstance(type, AnyFloat):
        return FLOAT
    return _BOOLEAN if type == i1 else _INTEGER


def binary(name: str) -> Binary:
    """Builds the op called `name` on two scalars of one type."""

    def build(a: SSAValue, b: SSAValue) -> SSAValue:
        return _table(a.type)[name](a, b).results[0]

    return build


add, sub, mul, div = (binary(name) for name in ("add", "sub", "mul", "div"))
maximum, minimum = binary("max"), binary("min")


def combine(name: Combiner, so_far: SSAValue, x: SSAValue) -> SSAValue:
    """Combines an accumulator with one more element; zeros of two signs give either."""
    if name in ("max", "min") and isinstance(x.type, AnyFloat):
        return FLOAT[name](x, so_far, NO_SIGNED_ZEROS).results[0]
    return binary(name)(so_far, x)


def constant(value: float, type: Attribute) -> SSAValue:
    """The scalar `value` of this type; too large a float becomes inf."""
    type = compute_type(type)
    if isinstance(type, AnyFloat):
        if type == f32:
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        return arith.ConstantOp(FloatAttr(float(value), type)).result
    assert isa(type, IntegerType)
    return arith.ConstantOp(IntegerAttr(int(value), type)).result


def function(op: Callable[[SSAValue], Operation]) -> Callable[[SSAValue], SSAValue]:
    """Builds an op of one operand, such as `math.ExpOp`."""
    return lambda x: op(x).results[0]


def negate(x: SSAValue) -> SSAValue:
    """The number with the other sign."""
    if isinstance(x.type, AnyFloat):
        return arith.NegfOp(x).result
    return sub(constant(0, x.type), x)


_PREDICATES = {
    "eq": ("oeq", "eq"),
    "ne": ("une", "ne"),
    "lt": ("olt", "slt"),
    "le": ("ole", "sle"),
    "gt": ("ogt", "sgt"),
    "ge": ("oge", "sge"),
}
_UNSIGNED = {"lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"}


def compare(name: str, a: SSAValue, b: SSAValue) -> SSAValue:
    """The comparison of `a` with `b` as an i1; with NaN only `ne` is true."""
    ordered, signed = _PREDICATES[name]
    if isinstance(a.type, AnyFloat):
        return arith.CmpfOp(a, b, ordered).result
    if a.type == i1:
        signed = _UNSIGNED.get(name, signed)
    return arith.CmpiOp(a, b, signed).result


def select(condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """`a` where the i1 `condition` holds, `b` elsewhere."""
    return arith.SelectOp(condition, a, b).result


def cast(x: SSAValue, type: Attribute) -> SSAValue:
    """The value converted to another element type, but for what a store of it cuts."""
    row, to = ELEMENT_TYPES[type], compute_type(type)
    if x.type == to:
        return x
    if to == i1:
        return compare("ne", x, constant(0, x.type))
    if isinstance(x.type, AnyFloat):
        if isinstance(to, AnyFloat):
            widens = to.bitwidth > x.type.bitwidth
            return (arith.ExtFOp if widens else arith.TruncFOp)(x, to).result
        assert isa(to, IntegerType)
        whole = arith.FPToSIOp(x, to).result
        if not row.is_widened:
            return whole
        least, most = (constant(each, to) for each in row.limits)
        return minimum(maximum(whole, least), most)
    assert isa(x.type, IntegerType)
    if isinstance(to, AnyFloat):
        return (arith.UIToFPOp if x.type == i1 else arith.SIToFPOp)(x, to).result
    assert isa(to, IntegerType)
    if x.type == i1:
        return arith.ExtUIOp(x, to).result
    widens = to.bitwidth > x.type.bitwidth
    return (arith.ExtSIOp if widens else arith.TruncIOp)(x, to).result


def reloaded(x: SSAValue, type: Attribute) -> SSAValue:
    """What a store of the value as an element of this type and a load of it give."""
    return bitcast(x, type, type) if ELEMENT_TYPES[type].is_widened else x


def bitcast(x: SSAValue, type: Attribute, to: Attribute) -> SSAValue:
    """The value of the bits that an element of a type has, read as one of another."""
    row, other = ELEMENT_TYPES[type], ELEMENT_TYPES[to]
    if row.is_widened:
        x = arith.TruncIOp(x, IntegerType(row.type.bitwidth)).result
    bits = IntegerType(other.type.bitwidth) if other.is_widened else to
    if x.type != bits:
        x = arith.BitcastOp(x, bits).result
    if not other.is_widened:
        return x
    assert isa(other.compute, IntegerType)
    extend = arith.ExtSIOp if other.is_signed else arith.ExtUIOp
    return extend(x, other.compute).result


def reloading(body: Body, type: Attribute) -> Body:
    """The body whose value is the `reloaded` one of another body."""
    if body is same or not ELEMENT_TYPES[type].is_widened:
        return body
    return lambda *operands: reloaded(body(*operands), type)


def absolute(x: SSAValue) -> SSAValue:
    """The number without its sign."""
    if isinstance(x.type, AnyFloat):
        return math.AbsFOp(x).result
    return maximum(x, negate(x))


def identity(combiner: Combiner, type: Attribute) -> SSAValue:
    """The scalar that a reduction starts from."""
    if combiner in ("add", "mul"):
        return constant(0 if combiner == "add" else 1, type)
    least, most = ELEMENT_TYPES[type].limits
    return constant(least if combiner == "max" else most, type)
