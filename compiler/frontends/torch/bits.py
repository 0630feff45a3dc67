"""Operators on bits: the next float, the exponent of a float, bits of another type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from xdsl.dialects.builtin import f16, f32, f64, i32, i64
from xdsl.ir import SSAValue

from ....dialects import (
    DTYPES,
    ELEMENTS,
    Element,
    broadcast,
    floordiv,
    tensor_type,
)
from ....dialects.graph import (
    AbsOp,
    AddOp,
    BitcastOp,
    BitwiseAndOp,
    BitwiseOrOp,
    EqOp,
    GtOp,
    LogicalOrOp,
    LogicalXorOp,
    LtOp,
    MulOp,
    NeOp,
    ShiftLeftOp,
    ShiftRightOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    at_index,
    bounds,
    convert,
    expanded,
    number_like,
    reshaped,
    shape_of,
    stacked,
)
from ..unsupported import Unsupported
from .call import Call, Pair, Reader, Result
from .dtypes import is_complex, part_of
from .pairs import paired, unpaired


@dataclass(frozen=True)
class _Format:
    """How a float lies in its bits."""

    bits: Element
    """The integers of as many bits."""

    fraction: int
    """The bits of the fraction."""

    exponent: int
    """The bits of the exponent."""

    @property
    def bias(self) -> int:
        """What is added to an exponent."""
        return (1 << (self.exponent - 1)) - 1

    @property
    def sign(self) -> int:
        """The number whose only bit is the sign."""
        return -(1 << (self.fraction + self.exponent))


_INTEGERS = {width: ELEMENTS[np.dtype(f"i{width}")] for width in (1, 2, 4, 8)}
"""The signed integers, by the bytes that they take."""

_I16 = _INTEGERS[2]

_BFLOAT16 = _Format(_I16, 7, 8)
_FORMATS: dict[Element, _Format] = {
    f32: _Format(i32, 23, 8),
    f64: _Format(i64, 52, 11),
    f16: _Format(_I16, 10, 5),
}


def _format_of(x: SSAValue) -> _Format:
    """How the elements of a tensor lie in their bits."""
    return _FORMATS.get(tensor_type(x).element_type, _BFLOAT16)


def _next_after(call: Call, x: SSAValue, y: SSAValue) -> Result:
    """The next float from each element of one tensor towards that of another."""
    shape = broadcast(*map(tensor_type, (x, y)))
    x, y = (expanded(call.as_tensor(each, call.element), shape) for each in (x, y))
    form, element = _format_of(x), tensor_type(x).element_type
    zero, bits = number_like(0, x), BitcastOp(x, to=form.bits).result
    is_up, is_positive = (GtOp(a, b).result for a, b in ((y, x), (x, zero)))
    falls = LogicalXorOp(is_up, is_positive).result
    one, least = number_like(1, bits), number_like(form.sign, bits)
    moved = WhereOp(falls, SubOp(bits, one), AddOp(bits, one)).result
    side = BitwiseAndOp(BitcastOp(y, to=form.bits), least)
    first = BitwiseOrOp(side, one).result
    moved = WhereOp(EqOp(x, zero), first, moved).result
    found = WhereOp(EqOp(x, y), y, BitcastOp(moved, to=element)).result
    unknown = LogicalOrOp(bounds.is_nan(x), bounds.is_nan(y)).result
    return WhereOp(unknown, AddOp(x, y), found).result


def _apart(call: Call, x: SSAValue) -> Result:
    """The fraction of each float, from a half to one, and its exponent."""
    form, element = _format_of(x), tensor_type(x).element_type
    least = number_like(2.0 ** (1 - form.bias), x)
    is_tiny = LtOp(AbsOp(x), least).result
    shift = form.fraction + 1
    scaled = WhereOp(is_tiny, MulOp(x, number_like(2.0**shift, x)), x).result
    bits = BitcastOp(scaled, to=form.bits).result
    of_exponent = ((1 << form.exponent) - 1) << form.fraction
    held = BitwiseAndOp(bits, number_like(of_exponent, bits))
    shifted = ShiftRightOp(held, number_like(form.fraction, bits)).result
    field = convert(shifted, call.types[1].element_type)
    taken = number_like(form.bias - 1, field)
    moved = number_like(form.bias - 1 + shift, field)
    exponent = SubOp(field, WhereOp(is_tiny, moved, taken)).result
    half = number_like((form.bias - 1) << form.fraction, bits)
    rest = BitwiseAndOp(bits, number_like(~of_exponent, bits))
    fraction = BitcastOp(BitwiseOrOp(rest, half), to=element).result
    stays = LogicalOrOp(
        EqOp(x, number_like(0, x)), NeOp(SubOp(x, x), number_like(0, x))
    ).result
    none = number_like(0, exponent)
    return [WhereOp(stays, x, fraction).result, WhereOp(stays, none, exponent).result]


def reinterpreted(call: Call, x: SSAValue | Pair, _: object) -> Result:
    """
    The bits of the elements as another type: along the last axis as many as there are
    bytes for. Complex numbers are pairs of floats side by side.
    """
    (operand,) = call.node.all_input_nodes
    source, to = operand.meta["val"].dtype, call.node.meta["val"].dtype
    if to == torch.bool and source != to:
        raise Unsupported(f"bits of {source} as truths")
    if isinstance(x, Pair):
        *outer, last = shape_of(pairs := paired(x))[:-1] or (1,)
        x = reshaped(pairs, [*outer, last * 2])
    # Floats of 16 bits may be wider inside than what the model sees of them.
    seen = convert(x, part_of(source))
    if part_of(source) != part_of(to):
        seen = BitcastOp(_of_width(seen, part_of(to)), to=part_of(to)).result
    if not is_complex(to):
        return convert(reshaped(seen, call.shape), call.element)
    return unpaired(reshaped(seen, [*call.shape, 2]))


def _of_width(x: SSAValue, to: Element) -> SSAValue:
    """
    The bytes of the elements as integers that are as wide as another type; the first
    of those along the last axis has the lowest bits of one that is wider.
    """
    width, wanted = (
        DTYPES[each].itemsize for each in (tensor_type(x).element_type, to)
    )
    bits = BitcastOp(x, to=_INTEGERS[width]).result
    if width == wanted:
        return bits
    *outer, last = shape_of(bits) or (1,)
    axis = len(outer)
    if width > wanted:
        bits, count = reshaped(bits, [*outer, last]), width // wanted
        lower = (
            ShiftRightOp(bits, number_like(8 * wanted * at, bits)).result
            for at in range(count)
        )
        parts = [convert(each, _INTEGERS[wanted]) for each in lower]
        return reshaped(stacked(parts, axis + 1), [*outer, last * count])
    count, ones = wanted // width, (1 << (8 * width)) - 1
    rows = reshaped(bits, [*outer, floordiv(last, count), count])
    whole: SSAValue | None = None
    for at in range(count):
        each = convert(at_index(rows, axis + 1, at), _INTEGERS[wanted])
        each = BitwiseAndOp(each, number_like(ones, each)).result
        each = ShiftLeftOp(each, number_like(8 * width * at, each)).result
        whole = each if whole is None else BitwiseOrOp(whole, each).result
    assert whole is not None
    return whole


READERS: dict[str, Reader] = {
    "aten.view.dtype": reinterpreted,
    "aten.nextafter.default": _next_after,
    "aten.frexp.Tensor": _apart,
}
