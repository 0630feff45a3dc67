"""
Write the conversion of floats to integers, which saturates: NaN is zero, and what is
too large is the greatest integer.

LLVM has an intrinsic for it, and takes vectors apart for that where there is no
instruction, lane by lane and with branches. So the conversion of a vector to 32 bits is
written out, without what the float cannot be: beyond the limits that an op before has
held it to. A number that was held to numbers within 32 bits, and rounded to the nearest
integer, is converted by one instruction that rounds so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from .function import FunctionWriter
from .types import Value, number_text, suffix, type_text

_ORDERED = {2: "ogt", 4: "olt"}
"""Comparisons of floats that are false with NaN, by their numbers in MLIR."""

_BITS: dict[Attribute, int] = {i32: 31, i64: 63}
"""The bits beside the sign of the integers whose vectors are written out."""


def saturate(w: FunctionWriter, op: arith.FPToSIOp, value: Value) -> Value:
    """Writes the integer nearest towards zero that there is; zero for NaN."""
    type, lanes = op.result.type, value.lanes
    to = type_text(type, lanes)
    if rounds_first(op):
        name = f"@llvm.lrint.{suffix(type, lanes)}.{suffix(value.type, lanes)}"
        return w.value(f"call {to} {name}({value.typed})", type, lanes)
    bits = _BITS.get(type)
    if lanes == 1 or bits is None:
        name = f"@llvm.fptosi.sat.{suffix(type, lanes)}.{suffix(value.type, lanes)}"
        return w.value(f"call {to} {name}({value.typed})", type, lanes)
    (least, most), lowest, beyond = limits(op.input), -(2.0**bits), 2.0**bits
    may_be = least < lowest, most >= beyond

    def test(predicate: str, number: float) -> Value:
        other = _splat(w, number, value)
        return w.value(f"fcmp {predicate} {value.typed}, {other.text}", i1, lanes)

    # What is no number compares false.
    inside = [test("oge", lowest)] if may_be[0] else []
    inside += [test("olt", beyond)] if may_be[1] else []
    inside = inside or [w.value(f"fcmp ord {value.typed}, {value.text}", i1, lanes)]
    condition = inside[0]
    for each in inside[1:]:
        condition = w.value(f"and {condition.typed}, {each.text}", i1, lanes)
    kept = w.emit(
        f"select {condition.typed}, {value.typed}, {_splat(w, 0.0, value).typed}"
    )
    found = w.emit(f"fptosi {type_text(value.type, lanes)} {kept} to {to}")
    ends = (("olt", lowest, -(1 << bits)), ("oge", beyond, (1 << bits) - 1))
    for (predicate, number, end), each in zip(ends, may_be, strict=True):
        if each:
            is_beyond = test(predicate, number)
            there = w.splat(Value(str(end), type), lanes)
            found = w.emit(f"select {is_beyond.typed}, {there.typed}, {to} {found}")
    return Value(found, type, lanes)


def rounds_first(op: Operation) -> bool:
    """
    Whether a conversion to 32 bits is of what was rounded to an integer for it alone,
    and is in the range of these.
    """
    if not isinstance(op, arith.FPToSIOp) or op.result.type != i32:
        return False
    rounding = op.input.owner
    if not isinstance(rounding, math.RoundEvenOp):
        return False
    least, most = limits(rounding.operand)
    is_alone = len(list(rounding.result.uses)) == 1
    is_within = least >= -(2.0**31) and most < 2.0**31
    return is_alone and is_within and is_number(rounding.operand)


def is_rounded_by_conversion(op: Operation) -> bool:
    """Whether a number stays as it is, since the conversion that uses it rounds it."""
    if not isinstance(op, math.RoundEvenOp):
        return False
    return any(rounds_first(use.operation) for use in op.result.uses)


def is_number(value: SSAValue) -> bool:
    """Whether a float is not NaN, since one that is would have been replaced."""
    while (found := _selected(value)) is not None:
        if found.is_ordered:
            return True
        value = found.value
    return False


def _splat(w: FunctionWriter, number: float, like: Value) -> Value:
    """A number in all lanes of a vector of floats."""
    assert isinstance(like.type, AnyFloat)
    one = Value(number_text(FloatAttr(number, like.type)), like.type)
    return w.splat(one, like.lanes)


def limits(value: SSAValue) -> tuple[float, float]:
    """Between what a float is, unless it is NaN."""
    held: list[tuple[bool, float]] = []
    while (found := _selected(value)) is not None:
        held.append((found.is_maximum, found.limit))
        value = found.value
    least, most = -inf, inf
    for is_maximum, limit in reversed(held):
        hold = max if is_maximum else min
        least, most = hold(least, limit), hold(most, limit)
    return least, most


@dataclass(frozen=True)
class _Held:
    """A float that is held to a number."""

    value: SSAValue
    limit: float
    is_maximum: bool
    is_ordered: bool
    """Whether the limit takes the place of NaN."""


def _selected(value: SSAValue) -> _Held | None:
    """What a value is held to, by a maximum or minimum, or by a choice of the two."""
    match op := value.owner:
        case arith.MaximumfOp() | arith.MinimumfOp():
            number = limited(op)
            if number is None:
                return None
            limit = _constant(op.operands[1 - number])
            assert limit is not None
            is_maximum = isinstance(op, arith.MaximumfOp)
            return _Held(op.operands[number], limit, is_maximum, False)
        case arith.SelectOp(cond=SSAValue(owner=arith.CmpfOp() as test)):
            limit = _constant(test.rhs)
            name = _ORDERED.get(test.predicate.value.data)
            if name is None or limit is None:
                return None
            if (op.lhs, op.rhs) != (test.lhs, test.rhs):
                return None
            return _Held(op.lhs, limit, name == "ogt", True)
        case _:
            return None


def _constant(value: SSAValue) -> float | None:
    """A number that is known."""
    known = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    if isinstance(known, FloatAttr) and not isnan(known.value.data):
        return known.value.data
    return None


def limited(op: Operation) -> int | None:
    """Which operand of a maximum or minimum is held to the other, a known number."""
    if isinstance(op, arith.MaximumfOp | arith.MinimumfOp):
        for number, each in enumerate(op.operands):
            if _constant(each) is not None:
                return 1 - number
    return None
