"""
Write the scalar ops of `arith` and `math`, on single elements or on vectors of them.

Every op has a value for every input. An integer divided by zero is zero, a conversion
to an integer saturates, and where the target multiplies and adds in two steps so does
`fma`. Targets that do so in one step have instructions for f16, and others none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    bf16,
    f16,
    f64,
    i1,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from ....dialects import ELEMENT_TYPES
from ....dialects.scalar import RemainderOp, ScaleDifferenceOp
from ..math import FUNCTIONS, NOT_ABOVE_ZERO, Element, symbol
from .brain_float import narrow, widen
from .function import FunctionWriter
from .half import narrow_half, widen_half
from .narrow_float import narrow_narrow, widen_narrow
from .saturation import is_rounded_by_conversion, limited, saturate
from .sign_analysis import never_above_zero
from .types import Value, number_text, suffix, type_text

_INSTRUCTIONS: dict[type[Operation], str] = {
    arith.AddfOp: "fadd",
    arith.SubfOp: "fsub",
    arith.MulfOp: "fmul",
    arith.DivfOp: "fdiv",
    arith.AddiOp: "add",
    arith.SubiOp: "sub",
    arith.MuliOp: "mul",
    arith.AndIOp: "and",
    arith.OrIOp: "or",
    arith.XOrIOp: "xor",
    arith.ShLIOp: "shl",
    arith.ShRSIOp: "ashr",
    arith.ShRUIOp: "lshr",
}
"""Ops of two operands that are one instruction."""

_INTRINSICS: dict[type[Operation], str] = {
    arith.MaximumfOp: "maximum",
    arith.MinimumfOp: "minimum",
    arith.MaxSIOp: "smax",
    arith.MinSIOp: "smin",
    arith.MaxUIOp: "umax",
    arith.MinUIOp: "umin",
    math.AbsFOp: "fabs",
    math.SqrtOp: "sqrt",
    math.FloorOp: "floor",
    math.CeilOp: "ceil",
    math.RoundEvenOp: "roundeven",
    math.TruncOp: "trunc",
    math.CopySignOp: "copysign",
}
"""Ops that are one intrinsic, overloaded on the type of its operands."""

_ROUNDING = (math.FloorOp, math.CeilOp, math.RoundEvenOp, math.TruncOp)
"""Ops that are calls of the C library where a target has no instruction for them."""

_CONVERSIONS: dict[type[Operation], str] = {
    arith.ExtFOp: "fpext",
    arith.TruncFOp: "fptrunc",
    arith.SIToFPOp: "sitofp",
    arith.UIToFPOp: "uitofp",
    arith.ExtSIOp: "sext",
    arith.ExtUIOp: "zext",
    arith.TruncIOp: "trunc",
    arith.BitcastOp: "bitcast",
}

_FLOAT_PREDICATES = (
    "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()
)
_INTEGER_PREDICATES = "eq ne slt sle sgt sge ult ule ugt uge".split()

_EXACT_BITS = 32
"""Bits of integers, at most, whose quotients f64 tells from whole numbers."""

Needs = Callable[[str, Element, int], None]
"""Told of each math function that is called: name, element, lanes."""


def _ignores_signs_of_zeros(op: Operation) -> bool:
    """Whether an op may take any zero for any other."""
    return (
        isinstance(op, arith.MaximumfOp | arith.MinimumfOp)
        and FastMathFlag.NO_SIGNED_ZEROS in op.fastmath.data
    )


def _write_limit(w: FunctionWriter, op: Operation, x: Value, limit: Value) -> Value:
    """
    Writes the greater or lesser of a value and a number, or NaN when the value is.

    It is one instruction of x86, which has none for the maximum of any two numbers.
    """
    beyond = "olt" if isinstance(op, arith.MaximumfOp) else "ogt"
    test = w.value(f"fcmp {beyond} {x.typed}, {limit.text}", i1, x.lanes)
    return w.value(f"select {test.typed}, {limit.typed}, {x.typed}", x.type, x.lanes)


def write_scalar_op(
    w: FunctionWriter,
    op: Operation,
    operands: Sequence[Value],
    fma: bool,
    needs: Needs,
) -> Value:
    """Adds the instructions of a scalar op; its result."""
    if isinstance(op, arith.ConstantOp):
        return Value(number_text(op.value), op.result.type)
    type = op.results[0].type
    values, lanes = w.together(*operands)
    kind = op.__class__
    # What kernels have most of comes first.
    if kind in _FUSED:
        return _FUSED[kind](w, values, fma)
    if kind in _INSTRUCTIONS:
        a, b = values
        return w.value(f"{_INSTRUCTIONS[kind]} {a.typed}, {b.text}", type, lanes)
    if is_rounded_by_conversion(op):
        return values[0]
    if kind in _ROUNDING and not fma:
        # SSE2 has none; written out, no older target needs one.
        return call_function(w, op, values, needs)
    arguments = ", ".join(value.typed for value in values)
    if (limit := limited(op)) is not None:
        return _write_limit(w, op, values[limit], values[1 - limit])
    if kind in _INTRINSICS:
        name = f"@llvm.{_INTRINSICS[kind]}.{suffix(type, lanes)}"
        call = "call nsz" if _ignores_signs_of_zeros(op) else "call"
        return w.value(
            f"{call} {type_text(type, lanes)} {name}({arguments})", type, lanes
        )
    if kind in _CONVERSIONS:
        return _convert(w, kind, values[0], type, fma)
    match op:
        case arith.NegfOp():
            return w.value(f"fneg {arguments}", type, lanes)
        case arith.SelectOp():
            return w.value(f"select {arguments}", type, lanes)
        case arith.CmpfOp():
            predicate = _FLOAT_PREDICATES[op.predicate.value.data]
            return w.value(f"fcmp {predicate} {two(values)}", i1, lanes)
        case arith.CmpiOp():
            predicate = _INTEGER_PREDICATES[op.predicate.value.data]
            return w.value(f"icmp {predicate} {two(values)}", i1, lanes)
        case arith.IndexCastOp():
            return Value(values[0].text, type, lanes)
        case arith.FPToSIOp():
            return saturate(w, op, values[0])
        case arith.FPToUIOp():
            return _saturate(w, values[0], type, lanes)
        case arith.DivSIOp() | arith.RemSIOp():
            rest = isinstance(op, arith.RemSIOp)
            return _divide(w, values[0], values[1], rest)
        case arith.DivUIOp() | arith.RemUIOp():
            rest = isinstance(op, arith.RemUIOp)
            return _divide_unsigned(w, values[0], values[1], rest)
        case _:
            return call_function(w, op, values, needs)


def _convert(
    w: FunctionWriter, kind: type[Operation], x: Value, type: Attribute, fma: bool
) -> Value:
    """Writes a conversion that is an instruction, or of narrow floats, several."""
    if kind is arith.ExtFOp:
        x = _widened(w, x, fma)
    if kind is arith.TruncFOp and type in (bf16, f16):
        return narrow(w, x) if type == bf16 else narrow_half(w, x, fma)
    if kind is arith.TruncFOp and (form := ELEMENT_TYPES[type].format) is not None:
        return narrow_narrow(w, x, form, type)
    if kind is arith.ExtFOp and x.type == type:
        return x
    to = type_text(type, x.lanes)
    return w.value(f"{_CONVERSIONS[kind]} {x.typed} to {to}", type, x.lanes)


def _widened(w: FunctionWriter, x: Value, fma: bool) -> Value:
    """The f32 that a float of 16 bits or fewer is; any other is itself."""
    if x.type == bf16:
        return widen(w, x)
    if x.type == f16:
        return widen_half(w, x, fma)
    form = ELEMENT_TYPES[x.type].format
    return x if form is None else widen_narrow(w, x, form)


def two(values: Sequence[Value]) -> str:
    """Two operands of one type, as a comparison takes them."""
    a, b = values
    return f"{a.typed}, {b.text}"


def _saturate(w: FunctionWriter, value: Value, type: Attribute, lanes: int) -> Value:
    """The integer without a sign that is nearest towards zero; zero for NaN."""
    to = type_text(type, lanes)
    name = f"@llvm.fptoui.sat.{suffix(type, lanes)}.{suffix(value.type, lanes)}"
    return w.value(f"call {to} {name}({value.typed})", type, lanes)


def _divide(w: FunctionWriter, a: Value, b: Value, rest: bool) -> Value:
    """
    The quotient rounded towards zero, or the rest; zero where the divisor is zero.
    """
    assert isa(a.type, IntegerType)
    lanes, type = a.lanes, type_text(a.type, a.lanes)

    def constant(number: int) -> str:
        return w.splat(Value(str(number), a.type), lanes).text

    # The least integer divided by -1 overflows; divided by 1 it is what wraps around.
    least = -(1 << (a.type.width.data - 1))
    truth = type_text(i1, lanes)
    zero = w.emit(f"icmp eq {b.typed}, {constant(0)}")
    lowest = w.emit(f"icmp eq {a.typed}, {constant(least)}")
    minus = w.emit(f"icmp eq {b.typed}, {constant(-1)}")
    wraps = w.emit(f"and {truth} {lowest}, {minus}")
    unsafe = w.emit(f"or {truth} {zero}, {wraps}")
    divisor = w.emit(f"select {truth} {unsafe}, {type} {constant(1)}, {b.typed}")
    result = _quotient(w, a, b, divisor, rest, "si")
    return w.value(
        f"select {truth} {zero}, {type} {constant(0)}, {type} {result}", a.type, lanes
    )


def _quotient(
    w: FunctionWriter, a: Value, b: Value, divisor: str, rest: bool, sign: str
) -> str:
    """
    The quotient rounded towards zero, or the rest, of two integers with a sign (`si`)
    or without (`ui`), where neither is an overflow: `divisor` is a safe form of `b`.

    Processors divide vectors of floats, but not of integers. A quotient of two integers
    of 32 bits in f64 is exact if it is whole, and else further from a whole number than
    it is rounded: by a part of 2**-32 of it at least. By a constant LLVM multiplies.
    """
    assert isa(a.type, IntegerType)
    is_constant = not b.text.startswith("%")
    if a.lanes == 1 or is_constant or a.type.width.data > _EXACT_BITS:
        return w.emit(f"{sign[0]}{'rem' if rest else 'div'} {a.typed}, {divisor}")
    type, wide = type_text(a.type, a.lanes), type_text(f64, a.lanes)
    both = (a.typed, f"{type} {divisor}")
    x, y = (w.emit(f"{sign}tofp {each} to {wide}") for each in both)
    float_quotient = w.emit(f"fdiv {wide} {x}, {y}")
    quotient = w.emit(f"fpto{sign} {wide} {float_quotient} to {type}")
    if not rest:
        return quotient
    product = w.emit(f"mul {type} {quotient}, {divisor}")
    return w.emit(f"sub {a.typed}, {product}")


def _divide_unsigned(w: FunctionWriter, a: Value, b: Value, rest: bool) -> Value:
    """The quotient, or the rest, of what is not below zero; zero where `b` is zero."""
    type, truth = type_text(a.type, a.lanes), type_text(i1, a.lanes)
    zero, one = (w.splat(Value(each, a.type), a.lanes).text for each in "01")
    by_zero = w.emit(f"icmp eq {b.typed}, {zero}")
    divisor = w.emit(f"select {truth} {by_zero}, {type} {one}, {b.typed}")
    result = _quotient(w, a, b, divisor, rest, "ui")
    return w.value(
        f"select {truth} {by_zero}, {type} {zero}, {type} {result}", a.type, a.lanes
    )


def multiply_add(w: FunctionWriter, values: Sequence[Value], fma: bool) -> Value:
    """The first times the second plus the third, rounded once where the target can."""
    a, b, c = values
    type = type_text(a.type, a.lanes)
    if not fma:
        product = w.emit(f"fmul {a.typed}, {b.text}")
        return w.value(f"fadd {type} {product}, {c.text}", a.type, a.lanes)
    name = f"@llvm.fma.{suffix(a.type, a.lanes)}"
    return w.value(
        f"call {type} {name}({a.typed}, {b.typed}, {c.typed})", a.type, a.lanes
    )


def _scale_difference(w: FunctionWriter, values: Sequence[Value], fma: bool) -> Value:
    """A difference times a scale, rounded once on every target."""
    x, least, scale, shift = values
    if fma:
        return multiply_add(w, [x, scale, shift], fma)
    type = type_text(x.type, x.lanes)
    difference = w.emit(f"fsub {x.typed}, {least.text}")
    product = w.emit(f"fmul {type} {difference}, {scale.text}")
    # 0.0, which makes 0.0 of -0.0.
    none = w.emit(f"fsub {shift.typed}, {shift.text}")
    return w.value(f"fadd {type} {product}, {none}", x.type, x.lanes)


_FUSED: Mapping[
    type[Operation], Callable[[FunctionWriter, Sequence[Value], bool], Value]
] = {math.FmaOp: multiply_add, ScaleDifferenceOp: _scale_difference}
"""Ops that are rounded once where the target can."""


def _remainder(w: FunctionWriter, values: Sequence[Value], needs: Needs) -> Value:
    """A call of the function for these lanes, which calls the function for one lane."""
    type, lanes = values[0].type, values[0].lanes
    element = cast(Element, suffix(type))
    for each in dict.fromkeys((1, lanes)):
        needs("remainder", element, each)
    arguments = ", ".join(value.typed for value in values)
    callee = symbol("remainder", element, lanes)
    return w.value(f"call {type_text(type, lanes)} {callee}({arguments})", type, lanes)


def call_function(
    w: FunctionWriter, op: Operation, values: Sequence[Value], needs: Needs
) -> Value:
    """The call of a function that is written out beside the kernel."""
    if isinstance(op, RemainderOp):
        return _remainder(w, values, needs)
    name = op.name.removeprefix("math.")
    type, lanes = values[0].type, values[0].lanes
    assert name in FUNCTIONS, f"the emitter knows every scalar op, got {op.name}"
    assert isinstance(type, AnyFloat)
    element = cast(Element, suffix(type))
    if name in NOT_ABOVE_ZERO and never_above_zero(op.operands[0]):
        name = NOT_ABOVE_ZERO[name].name
    needs(name, element, lanes)
    callee = symbol(name, element, lanes)
    arguments = ", ".join(value.typed for value in values)
    return w.value(f"call {type_text(type, lanes)} {callee}({arguments})", type, lanes)
