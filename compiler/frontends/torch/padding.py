"""Operators that pad a tensor, with one value or with its own elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects import Dim, shown
from ....dialects.graph import PadOp
from ....dialects.graph.compose import padded, part, shape_of
from ..unsupported import Varies
from .call import Call, Reader, Result


def _amounts_of(x: SSAValue, amounts: Sequence[Dim]) -> list[tuple[int, int]]:
    """The padding before and after each axis; negative amounts crop."""
    numbers = [each for each in amounts if isinstance(each, int)]
    if len(numbers) < len(amounts):
        raise Varies(f"padding by {shown(amounts, ', ')}, not by numbers", *amounts)
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    outer = [(0, 0)] * (len(shape_of(x)) - len(pairs))
    return [*outer, *reversed(pairs)]


def _cut_off(x: SSAValue, around: Sequence[tuple[int, int]]) -> SSAValue:
    """The tensor cropped by negative amounts."""
    for axis, (low, high) in enumerate(around):
        if low < 0 or high < 0:
            size = shape_of(x)[axis] + min(low, 0) + min(high, 0)
            x = part(x, axis, max(-low, 0), size)
    return x


def _constant_pad(
    call: Call, x: SSAValue, amounts: Sequence[Dim], value: float | None = 0
) -> Result:
    """The tensor padded with one value along the last axes."""
    around = _amounts_of(x, amounts)
    x = _cut_off(x, around)
    low, high = (tuple(max(pair[end], 0) for pair in around) for end in (0, 1))
    if not any((*low, *high)):
        return x
    return PadOp(x, low=low, high=high, value=float(value or 0)).result


def _keep_an_edge(
    x: SSAValue, around: Sequence[tuple[int, int]]
) -> tuple[SSAValue, list[tuple[int, int]]]:
    """
    The tensor and the amounts for edge padding, where an axis that is cropped
    completely from one end keeps the element at the other end.
    """
    kept: list[tuple[int, int]] = []
    for axis, (low, high) in enumerate(around):
        size = shape_of(x)[axis]
        beyond = [isinstance(size, int) and -each >= size for each in (low, high)]
        if any(beyond):
            assert isinstance(size, int), "how much is beyond it is known"
            x = part(x, axis, size - 1 if beyond[0] else 0, 1)
            low, high = (
                (0, size + low + high - 1) if beyond[0] else (size + low + high - 1, 0)
            )
        kept.append((low, high))
    return x, kept


_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""numpy's names of torch's modes."""


def _pad_with(kind: str) -> Reader:
    """The reader of padding with the tensor's own elements along the last axes."""
    mode = _MODES[kind]

    def read(call: Call, x: SSAValue, amounts: Sequence[Dim]) -> Result:
        around = _amounts_of(x, amounts)
        if mode == "edge":
            x, around = _keep_an_edge(x, around)
        x = _cut_off(x, around)
        for axis, (low, high) in enumerate(around):
            x = padded(x, axis, low, high, mode)
        return x

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
