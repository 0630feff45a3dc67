"""
Read operators on floats of 16 bits: each computes in f32 and rounds its results once.

A reader that builds several ops so builds them of f32, as PyTorch's own kernels do;
where one op of the graph means the operator, or what is built rounds nothing, no cast
is left (`compose/rounding.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from xdsl.ir import SSAValue

from ....dialects import tensor_type
from ....dialects.graph.compose import convert, rounding
from .arguments import Item
from .call import Call, Pair, Reader, Result
from .dtypes import element_of

_AS_STORED = ("aten.view.dtype", "aten.nextafter.default")
"""Operators that ask for the bits of elements."""


def rounded_once(op: str, reader: Reader) -> Reader:
    """The reader of an operator, whose tensors may have floats of 16 bits."""

    def read(call: Call, *arguments: Any) -> Result:
        if op in _AS_STORED or not any(map(_has_halves, arguments)):
            return reader(call, *arguments)
        last = call.block.last_op
        inside = replace(call, is_inside=True)
        result = reader(inside, *map(_inside, arguments))
        foreseen = call.node.meta["val"]
        if isinstance(result, Pair):
            return result  # no complex numbers have parts of 16 bits
        if isinstance(result, SSAValue):
            results = [_narrowed(result, foreseen)]
        else:
            results = [*map(_narrowed, result, foreseen)]
        kept = [each for each in results if each is not None]
        replaced = rounding.narrow_casts(rounding.ops_after(call.block, last), kept)
        for at, each in enumerate(results):
            while each is not None and each in replaced:
                results[at] = each = replaced[each]
        if isinstance(result, SSAValue):
            assert results[0] is not None
            return results[0]
        return results

    return read


def _has_halves(argument: Any) -> bool:
    """Whether an argument is, or has, a tensor of floats of 16 bits."""
    if isinstance(argument, SSAValue):
        return rounding.is_half(cast(SSAValue, argument))
    if isinstance(argument, Item):
        return rounding.is_half(argument.tensor)
    several = isinstance(argument, list | tuple)
    return several and any(map(_has_halves, cast(Sequence[Any], argument)))


def _inside(argument: Any) -> Any:
    """An argument with f32 in the place of floats of 16 bits."""
    if isinstance(argument, SSAValue):
        return rounding.widened(cast(SSAValue, argument))
    if isinstance(argument, Item):
        return replace(argument, tensor=rounding.widened(argument.tensor))
    if isinstance(argument, list | tuple):
        return [*map(_inside, cast(Sequence[Any], argument))]
    return argument


def _narrowed(value: SSAValue | Pair | None, foreseen: Any) -> SSAValue | None:
    """A result with the elements that torch infers, where it was rounded to none."""
    assert not isinstance(value, Pair)
    if value is None:
        return None
    element = element_of(foreseen.dtype)
    is_inside = tensor_type(value).element_type == rounding.wide(element)
    return convert(value, element) if is_inside else value
