"""Write conversions of bf16: integer instructions, which every machine has."""

from __future__ import annotations

from xdsl.dialects.builtin import bf16, f32, i1, i32

from .function import FunctionWriter
from .types import Value, type_text

_QUIET = 0x400000
"""The fraction bit that marks a quiet NaN of f32, and of the bf16 above half of it."""


def narrow(w: FunctionWriter, value: Value) -> Value:
    """The bf16 nearest to an f32, of two the even one; NaN stays NaN."""
    wide = type_text(i32, value.lanes)

    def number(of: int) -> str:
        return w.splat(Value(str(of), i32), value.lanes).text

    bits = w.emit(f"bitcast {value.typed} to {wide}")
    high = w.emit(f"lshr {wide} {bits}, {number(16)}")
    odd = w.emit(f"and {wide} {high}, {number(1)}")
    # What is cut off carries from its half on, or beyond that where the rest is even.
    most = w.emit(f"add {wide} {bits}, {number(0x7FFF)}")
    sum = w.emit(f"add {wide} {most}, {odd}")
    quiet = w.emit(f"or {wide} {bits}, {number(_QUIET)}")
    is_nan = w.value(f"fcmp uno {value.typed}, {value.text}", i1, value.lanes)
    found = w.emit(f"select {is_nan.typed}, {wide} {quiet}, {wide} {sum}")
    # Where it is widened again, the two shifts are one mask.
    return _upper_half_of_bits(w, found, value.lanes)


def upper_half(w: FunctionWriter, value: Value) -> Value:
    """The bf16 that an f32 is, which has no other bits."""
    wide = type_text(i32, value.lanes)
    bits = w.emit(f"bitcast {value.typed} to {wide}")
    return _upper_half_of_bits(w, bits, value.lanes)


def _upper_half_of_bits(w: FunctionWriter, bits: str, lanes: int) -> Value:
    """The bf16 of the upper half of 32 bits."""
    wide, narrow = (type_text(each, lanes) for each in (i32, bf16))
    by = w.splat(Value("16", i32), lanes).text
    high = w.emit(f"lshr {wide} {bits}, {by}")
    return w.value(f"trunc {wide} {high} to {narrow}", bf16, lanes)


def widen(w: FunctionWriter, value: Value) -> Value:
    """The f32 that a bf16 is: its bits are the upper half of that one's."""
    wide = type_text(i32, value.lanes)
    bits = w.emit(f"zext {value.typed} to {wide}")
    upper = w.emit(f"shl {wide} {bits}, {w.splat(Value('16', i32), value.lanes).text}")
    to = type_text(f32, value.lanes)
    return w.value(f"bitcast {wide} {upper} to {to}", f32, value.lanes)
