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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    f32,
    f64,
    i1,
    i32,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ..element_type import ELEMENT_TYPES, compute_type
from ..scalar import RemainderOp
from .element_array import to_elements, to_numbers
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
_UNSIGNED_INTEGER: dict[str, type[Operation]] = {
    **_INTEGER,
    "div": arith.DivUIOp,
    "rem": arith.RemUIOp,
    "max": arith.MaxUIOp,
    "min": arith.MinUIOp,
}
"""The ops of a type that no signed one is wider than."""

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
    if type == i1:
        return _BOOLEAN
    return _UNSIGNED_INTEGER if is_unsigned(type) else _INTEGER


def is_unsigned(type: Attribute) -> bool:
    """Whether a compute type has integers from zero on only."""
    return isa(type, IntegerType) and type.signedness.data is Signedness.UNSIGNED


def binary(name: str) -> Binary:
    """Builds the op called `name` on two scalars of one type."""

    def build(a: SSAValue, b: SSAValue) -> SSAValue:
        return _table(a.type)[name](a, b).results[0]

    return build


add, sub, mul, div = (binary(name) for name in ("add", "sub", "mul", "div"))
maximum, minimum = binary("max"), binary("min")


@dataclass(frozen=True)
class Products:
    """The body of a contraction whose factors are computed from several scalars."""

    factors: Callable[..., tuple[SSAValue, SSAValue]]
    """Builds both factors from one scalar for each source."""

    def __call__(self, *scalars: SSAValue) -> SSAValue:
        return mul(*self.factors(*scalars))


def factors_of(body: Body, scalars: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Builds the two factors of a contraction whose body takes these scalars."""
    return body.factors(*scalars) if isinstance(body, Products) else scalars


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
    number = int(value) % (1 << type.bitwidth) if is_unsigned(type) else int(value)
    return arith.ConstantOp(IntegerAttr(number, type)).result


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
    if a.type == i1 or is_unsigned(a.type):
        signed = _UNSIGNED.get(name, signed)
    return arith.CmpiOp(a, b, signed).result


def select(condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """`a` where the i1 `condition` holds, `b` elsewhere."""
    return arith.SelectOp(condition, a, b).result


def cast(x: SSAValue, type: Attribute) -> SSAValue:
    """The value converted to another element type, but for what a store of it cuts."""
    row, to = ELEMENT_TYPES[type], compute_type(type)
    if x.type == f64 and row.is_half:
        return _to_odd(x)
    if x.type == to:
        return x
    if to == i1:
        return compare("ne", x, constant(0, x.type))
    if isinstance(x.type, AnyFloat):
        if isinstance(to, AnyFloat):
            widens = to.bitwidth > x.type.bitwidth
            return (arith.ExtFOp if widens else arith.TruncFOp)(x, to).result
        assert isa(to, IntegerType)
        whole = (arith.FPToUIOp if is_unsigned(to) else arith.FPToSIOp)(x, to).result
        if not row.is_widened:
            return whole
        least, most = (constant(each, to) for each in row.limits)
        return minimum(maximum(whole, least), most)
    if isinstance(to, AnyFloat):
        is_positive = x.type == i1 or is_unsigned(x.type)
        return (arith.UIToFPOp if is_positive else arith.SIToFPOp)(x, to).result
    return _resized(x, to)


def _resized(x: SSAValue, to: Attribute) -> SSAValue:
    """The integer with the low bits of another."""
    assert isa(x.type, IntegerType)
    assert isa(to, IntegerType)
    if x.type == i1:
        return arith.ExtUIOp(x, to).result
    if to.bitwidth == x.type.bitwidth:
        return arith.BitcastOp(x, to).result
    if to.bitwidth < x.type.bitwidth:
        return arith.TruncIOp(x, to).result
    return (arith.ExtUIOp if is_unsigned(x.type) else arith.ExtSIOp)(x, to).result


def _to_odd(x: SSAValue) -> SSAValue:
    """
    The f32 for an f64 that is rounded again, to 16 bits: of the two beside it the one
    whose last bit is set, so that both roundings are one.
    """
    near = arith.TruncFOp(x, f32).result
    back, bits = arith.ExtFOp(near, f64).result, arith.BitcastOp(near, i32).result
    beyond = compare("gt", absolute(back), absolute(x))
    lower = select(beyond, sub(bits, constant(1, i32)), bits)
    odd = binary("or")(lower, constant(1, i32))
    # NaN stays NaN.
    found = select(compare("ne", back, x), odd, bits)
    return arith.BitcastOp(found, f32).result


def loaded(x: SSAValue) -> SSAValue:
    """What a body sees of a value that was loaded."""
    type = compute_type(x.type)
    return x if x.type == type else arith.ExtFOp(x, type).result


def stored(x: SSAValue, type: Attribute) -> SSAValue:
    """What a store of a value as an element of this type takes."""
    if not ELEMENT_TYPES[type].is_half:
        return x
    if isinstance(x.owner, arith.ExtFOp) and x.owner.input.type == type:
        return x.owner.input
    return arith.TruncFOp(x, type).result


def reloaded(x: SSAValue, type: Attribute) -> SSAValue:
    """What a store of the value as an element of this type and a load of it give."""
    row = ELEMENT_TYPES[type]
    if not row.is_widened or (row.is_half and is_element(x, type)):
        return x
    return bitcast(x, type, type)


def is_element(x: SSAValue, type: Attribute) -> bool:
    """Whether a float certainly is an element of this type, which rounding leaves."""
    waiting, seen = [x], set[SSAValue]()
    while waiting:
        if (here := waiting.pop()) in seen:
            continue
        seen.add(here)
        match here.owner:
            case arith.ExtFOp(input=SSAValue(type=known)) if known == type:
                pass
            case arith.NegfOp() | math.AbsFOp() as op:
                waiting.append(op.operands[0])
            case arith.MaximumfOp() | arith.MinimumfOp() | arith.SelectOp() as op:
                waiting += op.operands[-2:]
            case arith.ConstantOp(value=FloatAttr(value=number)):
                wide = np.array(number.data, np.float32)
                if to_numbers(to_elements(wide, type), type) != wide:
                    return False
            case _:
                return False
    return True


def bitcast(x: SSAValue, type: Attribute, to: Attribute) -> SSAValue:
    """The value of the bits that an element of a type has, read as one of another."""
    row, other = ELEMENT_TYPES[type], ELEMENT_TYPES[to]
    if row.is_half:
        x = stored(x, type)
    elif row.is_widened:
        x = arith.TruncIOp(x, IntegerType(row.type.bitwidth)).result
    whole = other.is_widened and not other.is_half
    bits = IntegerType(other.type.bitwidth) if whole else to
    if x.type != bits:
        x = arith.BitcastOp(x, bits).result
    if not other.is_widened:
        return x
    if other.is_half:
        return loaded(x)
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
    return x if is_unsigned(x.type) else maximum(x, negate(x))


def identity(combiner: Combiner, type: Attribute) -> SSAValue:
    """The scalar that a reduction starts from."""
    if combiner in ("add", "mul"):
        return constant(0 if combiner == "add" else 1, type)
    least, most = ELEMENT_TYPES[type].limits
    return constant(least if combiner == "max" else most, type)
