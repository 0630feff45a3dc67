"""
Write the conversions between floats of 8 bits and fewer and f32, in integers.

They have the bits of numpy's (`dialects/graph/narrow_float.py`), NaN included.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from ....dialects import FloatFormat
from .function import FunctionWriter
from .half import Bits
from .types import Value, type_text

_FRACTION, _BIAS = 23, 127
"""The bits of the fraction of an f32, and the exponent of 1."""

_AMOUNT = 0x7FFFFFFF
"""The bits of an f32 that are no sign."""

_INFINITY, _NAN = 0x7F800000, 0x7FC00000


def widen_narrow(w: FunctionWriter, value: Value, format: FloatFormat) -> Value:
    """The f32 that a narrow float is."""
    bits = Bits(w, value.lanes)
    whole = bits.value(f"zext {value.typed} to {bits.type}")
    whole = bits.op("and", whole, (1 << format.bits) - 1)
    amount = bits.op("and", whole, format.amount)
    cut = _FRACTION - format.fraction
    shifted = bits.op("shl", amount, cut)
    least = (_BIAS - format.bias + 1) << _FRACTION
    found = bits.op("add", shifted, (_BIAS - format.bias) << _FRACTION)
    if format.fraction:
        # Below the least normal number the fraction counts the least of all; a
        # subtraction is exact.
        tiny = bits.float_op("fsub", bits.op("add", shifted, least), least)
        found = bits.choose("ult", amount, 1 << format.fraction, tiny, found)
    else:
        # The least is half of the least normal f32.
        half = bits.all(1 << (_FRACTION - 1))
        found = bits.choose("eq", amount, 0, half, found)
    if format.largest < format.amount:
        found = bits.choose("ugt", amount, format.largest, bits.all(_NAN), found)
    if format.infinity >= 0:
        found = bits.choose("eq", amount, format.infinity, bits.all(_INFINITY), found)
    if format.has_sign:
        sign = bits.op("shl", bits.op("and", whole, format.sign), 32 - format.bits)
        found = bits.op("or", found, sign)
    if not format.has_negative_zero:
        found = bits.choose("eq", whole, format.nan, bits.all(_NAN), found)
    to = type_text(f32, value.lanes)
    return w.value(f"bitcast {found.typed} to {to}", f32, value.lanes)


def narrow_narrow(
    w: FunctionWriter, value: Value, format: FloatFormat, type: Attribute
) -> Value:
    """The narrow float nearest to an f32, of two the even one."""
    bits = Bits(w, value.lanes)
    whole = bits.value(f"bitcast {value.typed} to {bits.type}")
    amount = bits.op("and", whole, _AMOUNT)
    cut = _FRACTION - format.fraction
    # What is cut off carries from its half on, or beyond that where the rest is even.
    # Without a fraction the rest is odd.
    half = (1 << (cut - 1)) - 1 + (not format.fraction)
    found = bits.op("add", amount, half - ((_BIAS - format.bias) << _FRACTION))
    if format.fraction:
        odd = bits.op("and", bits.op("lshr", amount, cut), 1)
        found = bits.op("add", found, odd)
    found = bits.op("lshr", found, cut)
    least = (_BIAS - format.bias + 1) << _FRACTION
    if format.fraction:
        # An addition rounds: the sum has its last bit where the least number has.
        align = (_BIAS + cut + 1 - format.bias) << _FRACTION
        tiny = bits.op("sub", bits.float_op("fadd", amount, align), align)
        found = bits.choose("ult", amount, least, tiny, found)
    else:
        below = (1 << (_FRACTION - 1)) | (1 << (_FRACTION - 2))
        found = bits.choose("ult", amount, below, bits.all(0), found)
    beyond, nan = bits.all(format.beyond), bits.all(format.nan)
    found = bits.choose("ugt", found, format.largest, beyond, found)
    found = bits.choose("ugt", amount, _INFINITY, nan, found)
    found = _signed(bits, found, whole, format)
    to = type_text(type, value.lanes)
    return w.value(f"trunc {found.typed} to {to}", type, value.lanes)


def _signed(bits: Bits, found: Value, whole: Value, format: FloatFormat) -> Value:
    """The bits of a number with the sign of an f32."""
    nan = bits.all(format.nan)
    if not format.has_sign:
        return bits.choose("sle", whole, 0, nan, found)
    sign = bits.op("and", bits.op("lshr", whole, 32 - format.bits), format.sign)
    if format.has_negative_zero:
        return bits.op("xor", found, sign)
    return bits.choose("eq", found, 0, bits.all(0), bits.op("or", found, sign))
