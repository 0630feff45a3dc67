"""Operators that pad a tensor, with one value or with its own elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from ....dialects import Dim
from ....dialects.graph.compose import padding, part, shape_of
from .call import Call, Reader, Result

_Amounts: TypeAlias = list[Dim]
"""The padding of each axis on one side; negative amounts crop."""


def _amounts_of(x: SSAValue, amounts: Sequence[Dim]) -> tuple[_Amounts, _Amounts]:
    """The padding before and after each axis."""
    outer: _Amounts = [0] * (len(shape_of(x)) - len(amounts) // 2)
    low, high = ([*outer, *reversed(amounts[side::2])] for side in (0, 1))
    return low, high


def _constant_pad(
    call: Call, x: SSAValue, amounts: Sequence[Dim], value: float | None = 0
) -> Result:
    """The tensor padded with one value along the last axes."""
    return padding.padded(x, *_amounts_of(x, amounts), "constant", float(value or 0))


def _keep_an_edge(
    x: SSAValue, low: _Amounts, high: _Amounts
) -> tuple[SSAValue, _Amounts, _Amounts]:
    """
    The tensor and the amounts for edge padding, where an axis that is cropped
    completely from one end keeps the element at the other end.
    """
    low, high = list(low), list(high)
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        size = shape_of(x)[axis]
        beyond = [
            isinstance(size, int) and isinstance(each, int) and -each >= size > 0
            for each in (before, after)
        ]
        if any(beyond):
            x = part(x, axis, size - 1 if beyond[0] else 0, 1)
            rest = size + before + after - 1
            low[axis], high[axis] = (0, rest) if beyond[0] else (rest, 0)
    return x, low, high


_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""numpy's names of torch's modes."""


def _pad_with(kind: str) -> Reader:
    """The reader of padding with the tensor's own elements along the last axes."""
    mode = _MODES[kind]

    def read(call: Call, x: SSAValue, amounts: Sequence[Dim]) -> Result:
        low, high = _amounts_of(x, amounts)
        if mode == "edge":
            x, low, high = _keep_an_edge(x, low, high)
        return padding.padded(x, low, high, mode)

    return read


def pad(
    call: Call, x: SSAValue, amounts: Sequence[Dim], mode: str, value: float | None
) -> Result:
    """
    The tensor padded along the last axes, with one value or with its own elements.
    """
    if mode == "constant":
        return _constant_pad(call, x, amounts, value)
    return _pad_with(mode)(call, x, amounts)


READERS: dict[str, Reader] = {
    "aten.pad.default": pad,
    "aten.constant_pad_nd.default": _constant_pad,
    **{
        f"aten.{name}{count}d.default": _pad_with(kind)
        for name, kind in (
            ("reflection_pad", "reflect"),
            ("replication_pad", "replicate"),
        )
        for count in (1, 2, 3)
    },
}
