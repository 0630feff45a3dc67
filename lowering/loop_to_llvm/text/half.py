"""
Write the conversions between f16 and f32.

Where a target has no instructions for them LLVM calls functions that nothing links; so
they are written out there, in integers, with the bits of the instructions: rounded to
the nearest, of two to the even one, subnormal numbers exact, NaN quiet.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f16, f32, i1, i32

from .function import FunctionWriter
from .types import Value, type_text

_FRACTION = 13
"""The bits by which the fraction of an f32 is longer."""

_QUIET = 0x200
"""The fraction bit that marks a quiet NaN."""

_INFINITE = 0x7C00
_LEAST_NORMAL = 113 << 23
"""The bits of 2**-14 as an f32."""

_TOO_LARGE = 143 << 23
"""The bits of 2**16 as an f32, which is beyond every f16 and what rounds to one."""

_ALIGN = 126 << 23
"""The bits of 0.5 as an f32: added to it, the last bit is the least f16."""

_REBIAS = 112 << 23
"""The bits by which the exponents of one number differ, in an f32."""


def widen_half(w: FunctionWriter, value: Value, native: bool) -> Value:
    """The f32 that an f16 is; `native` is an instruction."""
    to = type_text(f32, value.lanes)
    if native:
        halves = _halves(value.lanes)
        text = w.emit(f"bitcast {value.typed} to {halves}")
        return w.value(f"fpext {halves} {text} to {to}", f32, value.lanes)
    bits = Bits(w, value.lanes)
    whole = bits.value(f"zext {value.typed} to {bits.type}")
    sign = bits.op("shl", bits.op("and", whole, 0x8000), 16)
    shifted = bits.op("shl", bits.op("and", whole, 0x7FFF), _FRACTION)
    normal = bits.op("add", shifted, _REBIAS)
    special = bits.op("or", shifted, 0x7F800000)
    # Below 2**-14 the fraction counts the least f16; a subtraction is exact.
    tiny = bits.op("add", shifted, _LEAST_NORMAL)
    tiny = bits.float_op("fsub", tiny, _LEAST_NORMAL)
    quiet = bits.op("or", special, _QUIET << _FRACTION)
    infinite = _INFINITE << _FRACTION
    found = bits.choose("ult", shifted, 1 << 23, tiny, normal)
    found = bits.choose("uge", shifted, infinite, special, found)
    found = bits.choose("ugt", shifted, infinite, quiet, found)
    found = bits.op("or", found, sign)
    return w.value(f"bitcast {found.typed} to {to}", f32, value.lanes)


def narrow_half(w: FunctionWriter, value: Value, native: bool) -> Value:
    """The f16 nearest to an f32, of two the even one; `native` is an instruction."""
    to = type_text(f16, value.lanes)
    if native:
        halves = _halves(value.lanes)
        text = w.emit(f"fptrunc {value.typed} to {halves}")
        return w.value(f"bitcast {halves} {text} to {to}", f16, value.lanes)
    bits = Bits(w, value.lanes)
    whole = bits.value(f"bitcast {value.typed} to {bits.type}")
    sign = bits.op("and", bits.op("lshr", whole, 16), 0x8000)
    amount = bits.op("and", whole, 0x7FFFFFFF)
    cut = bits.op("lshr", amount, _FRACTION)
    # What is cut off carries from its half on, or beyond that where the rest is even.
    carried = bits.op("add", amount, (1 << (_FRACTION - 1)) - 1 - _REBIAS)
    carried = bits.op("add", carried, bits.op("and", cut, 1))
    normal = bits.op("lshr", carried, _FRACTION)
    # Below 2**-14 an addition rounds: the sum has its last bit where an f16 has.
    tiny = bits.op("sub", bits.float_op("fadd", amount, _ALIGN), _ALIGN)
    quiet = bits.op("or", bits.op("and", cut, 0x3FF), _INFINITE | _QUIET)
    large = bits.choose("ugt", amount, 0x7F800000, quiet, _INFINITE)
    found = bits.choose("ult", amount, _LEAST_NORMAL, tiny, normal)
    found = bits.choose("uge", amount, _TOO_LARGE, large, found)
    found = bits.op("or", found, sign)
    return w.value(f"trunc {found.typed} to {to}", f16, value.lanes)


def _halves(lanes: int) -> str:
    """LLVM's type of elements that its own conversions take."""
    return "half" if lanes == 1 else f"<{lanes} x half>"


class Bits:
    """Writes ops on 32 bits in some lanes; a number is in all of them."""

    def __init__(self, w: FunctionWriter, lanes: int):
        self.w, self.lanes = w, lanes
        self.type = type_text(i32, lanes)

    def value(self, text: str) -> Value:
        """The bits that an instruction makes."""
        return self.w.value(text, i32, self.lanes)

    def all(self, operand: Value | int) -> Value:
        """An operand in all lanes."""
        if isinstance(operand, Value):
            return operand
        return self.w.splat(Value(str(operand), i32), self.lanes)

    def op(self, name: str, a: Value, b: Value | int) -> Value:
        """An op on bits."""
        return self.value(f"{name} {a.typed}, {self.all(b).text}")

    def float_op(self, name: str, a: Value, b: int) -> Value:
        """An op on the f32 of bits, as bits."""
        w, to = self.w, type_text(f32, self.lanes)
        x, y = (w.emit(f"bitcast {each.typed} to {to}") for each in (a, self.all(b)))
        made = w.emit(f"{name} {to} {x}, {y}")
        return self.value(f"bitcast {to} {made} to {self.type}")

    def choose(
        self, test: str, a: Value, bound: int, then: Value, otherwise: Value | int
    ) -> Value:
        """Bits that a comparison with a number chooses."""
        holds = self.w.value(
            f"icmp {test} {a.typed}, {self.all(bound).text}", i1, self.lanes
        )
        return self.value(
            f"select {holds.typed}, {then.typed}, {self.all(otherwise).typed}"
        )
