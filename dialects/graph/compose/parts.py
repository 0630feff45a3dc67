"""Slices of tensors, and tensors joined from parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from ...dims import Dim
from ..literal import to_names
from ..ops.concat import ConcatOp
from ..ops.slice import SliceOp
from .shaping import reshaped, shape_of

Cut: TypeAlias = tuple[Dim, Dim, int]
"""A slice of one axis: start, size and step."""


def cut(x: SSAValue, cuts: Mapping[int, Cut]) -> SSAValue:
    """Builds the slice of `x` that `cuts` describes by axis; other axes stay whole."""
    shape = shape_of(x)
    every = [cuts.get(axis, (0, size, 1)) for axis, size in enumerate(shape)]
    if all(each == (0, size, 1) for each, size in zip(every, shape, strict=True)):
        return x
    starts, counts, steps = zip(*every, strict=True)
    return SliceOp(
        x, starts=to_names(starts), sizes=to_names(counts), steps=steps
    ).result


def part(x: SSAValue, axis: int, start: Dim, size: Dim, step: int = 1) -> SSAValue:
    """Builds `size` elements along an axis, from `start` at a stride of `step`."""
    return cut(x, {axis: (start, size, step)})


def at_index(x: SSAValue, axis: int, index: int) -> SSAValue:
    """Builds the slice of `x` at one index of an axis, without that axis."""
    shape = shape_of(x)
    return reshaped(part(x, axis, index, 1), [*shape[:axis], *shape[axis + 1 :]])


def flipped(x: SSAValue, axes: Collection[int]) -> SSAValue:
    """Builds `x` reversed along some axes."""
    shape = shape_of(x)
    return cut(x, {axis: (shape[axis] - 1, shape[axis], -1) for axis in axes})


def joined(values: Sequence[SSAValue], axis: int) -> SSAValue:
    """Builds the concatenation of tensors along an axis; a single tensor is itself."""
    return values[0] if len(values) == 1 else ConcatOp(*values, axis=axis).result


def stacked(values: Sequence[SSAValue], axis: int) -> SSAValue:
    """Builds tensors of one shape stacked along a new axis."""
    shape = list(shape_of(values[0]))
    shape.insert(axis, 1)
    return joined([reshaped(each, shape) for each in values], axis)
