"""Max pooling under windows at places that are drawn, by samples that are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, greater, product, tensor_type
from ....dialects.graph import (
    AddOp,
    ArgmaxOp,
    DivOp,
    GatherOp,
    GeOp,
    MulOp,
    NeOp,
    ReduceMaxOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    at_index,
    convert,
    counted,
    expanded,
    joined,
    number,
    part,
    quantity,
    reshaped,
    shape_of,
    times,
)
from .call import Call, Reader, Result
from .contraction import Window, each
from .dtypes import element_of

_Round = Callable[[SSAValue], SSAValue]
"""Rounds floats to those that the model has, where they are computed as wider ones."""


def _begins(
    sample: SSAValue, size: Dim, places: Dim, kernel: int, rounded: _Round
) -> SSAValue:
    """
    Where each of some windows begins, i64: at steps of one length that is no whole
    number, from a fraction of one; the last window is at the end.
    """
    element, rank = tensor_type(sample).element_type, len(shape_of(sample))
    steps, room = places - 1, quantity(size - kernel, i64)
    width, count = convert(room, element), quantity(greater(steps, 1), element)
    step = rounded(DivOp(rounded(width), count).result)
    at = counted(steps, rank - 1, rank, element)
    further = rounded(MulOp(rounded(AddOp(at, sample).result), step).result)
    first = rounded(MulOp(sample, step).result)
    inner = SubOp(convert(further, i64), convert(first, i64)).result
    return joined([inner, expanded(room, [*shape_of(sample)[:-1], 1])], rank - 1)


def _pooled(count: int) -> Reader:
    """The reader of the pool over `count` axes, with the indices into the channel."""

    def read(
        call: Call, x: SSAValue, kernel: Window, output_size: Window, samples: SSAValue
    ) -> Result:
        shape, sizes = shape_of(x), each(kernel, count)
        *outer, channels = shape[:-count]
        batch = product(outer)
        samples = part(samples, 0, 0, batch)
        wanted: Any = call.node.meta["val"][0]
        places = call.sizes.shape(wanted)[-count:]
        given: Any = call.node.args[3]
        stored = element_of(given.meta["val"].dtype)

        def rounded(value: SSAValue) -> SSAValue:
            return convert(convert(value, stored), tensor_type(samples).element_type)

        order = range(count) if count == _OF_TIME else reversed(range(count))
        begins = [
            _begins(
                reshaped(at_index(samples, 2, at), [batch, channels, 1]),
                *(shape[axis - count], places[axis], sizes[axis], rounded),
            )
            for axis, at in enumerate(order)
        ]
        there = _inside(begins, sizes, shape[-count:])
        rows = reshaped(x, [batch, channels, product(shape[-count:])])
        return [reshaped(each, call.sizes.shape(wanted)) for each in _most(rows, there)]

    return read


_OF_TIME = 3
"""The axes of a pool whose samples are in the order of the axes, not the other one."""


def _inside(
    begins: Sequence[SSAValue], kernel: Sequence[int], spatial: Sequence[Dim]
) -> SSAValue:
    """The index into the channel of each element of each window, a row for each."""
    count = len(kernel)
    parts: list[SSAValue] = []
    for axis, first in enumerate(begins):
        batch, channels, places = shape_of(first)
        apart: list[Dim] = [batch, channels, *[1] * (2 * count)]
        apart[2 + axis] = places
        taps = counted(kernel[axis], 2 + count + axis, 2 + 2 * count)
        stride = product(spatial[axis + 1 :])
        parts.append(times(AddOp(reshaped(first, apart), taps).result, stride))
    whole = parts[0]
    for each_axis in parts[1:]:
        whole = AddOp(whole, each_axis).result
    batch, channels, *rest = shape_of(whole)
    return reshaped(
        whole, [batch, channels, product(rest[:count]), product(rest[count:])]
    )


def _most(rows: SSAValue, there: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The greatest element of each window, or its last NaN, and the index of it."""
    *_, windows, taps = shape = shape_of(there)
    flat = reshaped(there, [*shape[:-2], windows * taps])
    every = reshaped(GatherOp(rows, flat, axis=2, wraps=False).result, shape)
    unknown = NeOp(every, every)
    last = WhereOp(unknown, counted(taps, 3, 4), number(-1, i64))
    last = ReduceMaxOp(last, axes=(3,), keepdims=True).result
    most = ArgmaxOp(every, axis=3, keepdims=True).result
    tap = WhereOp(GeOp(last, number(0, i64)), last, most).result
    found, at = (
        GatherOp(each, tap, axis=3, wraps=False).result for each in (every, there)
    )
    return found, at


READERS: dict[str, Reader] = {
    f"aten.fractional_max_pool{count}d.default": _pooled(count) for count in (2, 3)
}
