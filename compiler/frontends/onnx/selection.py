"""ONNX ops that slice, split, concatenate and pad tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....dialects import (
    Dim,
    ceildiv,
    floordiv,
    greater,
    is_nonnegative,
    lesser,
    maximum,
    minimum,
)
from ....dialects.graph import ConcatOp, IndexSelectOp
from ....dialects.graph.compose import Cut, cut, padding, reshaped, shape_of
from ..unsupported import NeedsValue
from .data_dependent import is_sliced_by_run, run_time_slice
from .node import Handler, Node, Result, Results
from .run_time_sizes import run_time_sizes

_END = 10**8
"""
The least index that counts as the end of an axis of a symbolic size, as exporters write
one: runs of more elements are refused.
"""

_FARTHEST = 2**40
"""The longest step along a symbolic size; more elements than any memory has."""

_BEYOND = 2**62
"""The least number that is beyond the end of every tensor."""


def concat(node: Node) -> Result:
    """The concatenation of the tensors along an axis."""
    axis = node.normalize(node.integer("axis"), node.rank(0))
    return ConcatOp(*node.operands(), axis=axis)


def split(node: Node) -> Results:
    """The parts of a tensor split along an axis."""
    shape = node.shape(0)
    axis = node.normalize(node.integer("axis"), len(shape))
    parts, start = _sizes(node, shape[axis]), 0
    if len(parts) < node.output_count:
        raise node.error(f"expected {node.output_count} sizes, got {len(parts)}")
    total = sum(parts)
    problem = f"expected parts of {shape[axis]} in all, got {total}"
    node.agreed(total, shape[axis], problem)
    results: list[Result] = []
    for size in parts:
        results.append(cut(node.operand(0), {axis: (start, size, 1)}))
        start = size + start
    return results


def _sizes(node: Node, size: Dim) -> list[Dim]:
    """The sizes of the parts into which a node splits a `size`."""
    if "split" in node.signature.attributes:
        if (given := node.integers("split")) is not None:
            return list(given)
    elif node.has(1):
        return node.dims(1)
    count = node.output_count
    if "num_outputs" in node.signature.attributes:
        given_count = node.attribute("num_outputs")
        if given_count is not None and given_count.i != count:
            raise node.error(f"expected {given_count.i} results, got {count}")
    part = floordiv(size, count)
    if part * count != size:
        if "num_outputs" not in node.signature.attributes:
            parts = f"{size} elements to be a multiple of {count}"
            node.require(part * count - size, parts, size, count)
            return [part] * count
        part = ceildiv(size, count)
    last = size - part * (count - 1)
    if isinstance(last, int) and last < 0:
        raise node.error(f"expected at most {size} results, got {count}")
    return [*(part for _ in range(count - 1)), last]


def _slice_(node: Node) -> Result:
    """The strided slice of a tensor between starts and ends."""
    shape = node.shape(0)
    if is_sliced_by_run(node):
        return run_time_slice(node)
    if "starts" in node.signature.attributes:
        starts: Sequence[Dim] = node.integers("starts") or ()
        ends: Sequence[Dim] = node.integers("ends") or ()
        axes, steps = node.integers("axes"), None
    else:
        starts, ends = node.dims(1), node.dims(2)
        axes = node.whole_numbers(3) if node.has(3) else None
        steps = node.whole_numbers(4) if node.has(4) else None
    places = [
        node.normalize(each, len(shape))
        for each in (range(len(starts)) if axes is None else axes)
    ]
    steps = [1 for _ in starts] if steps is None else steps
    if not len(starts) == len(ends) == len(places) == len(steps) or 0 in steps:
        raise node.error(
            "expected a start, an end, an axis and a step that is not zero for each "
            f"other, got {len(starts)}, {len(ends)}, {len(places)} and {steps}"
        )
    if len(set(places)) < len(places):
        raise node.error(f"expected axes that differ, got {tuple(places)}")
    cuts: dict[int, Cut] = {}
    for place, start, end, step in zip(places, starts, ends, steps, strict=True):
        size = shape[place]
        for each in (start, end):
            if isinstance(each, int) and _means_end(each, size) and abs(each) < _BEYOND:
                message = f"a size {size} of at most {abs(each)}, where a slice ends"
                node.require(abs(each) - size, message)
        cuts[place] = _cut(size, start, end, _bounded(node, size, step))
    return cut(node.operand(0), cuts)


def _bounded(node: Node, size: Dim, step: int) -> int:
    """The step, or a shorter one that is beyond all of the axis too."""
    most = max(size, 1) if isinstance(size, int) else _FARTHEST
    if abs(step) <= most:
        return step
    if not isinstance(size, int):
        message = f"a size {size} of at most {most}, which a slice steps over"
        node.require(most - size, message)
    return most if step > 0 else -most


def _means_end(place: int, size: Dim) -> bool:
    """Whether an index counts as the end, or the beginning, of a symbolic size."""
    return abs(place) >= _END and not isinstance(size, int)


def _cut(size: Dim, start: Dim, end: Dim, step: int) -> Cut:
    """
    The cut of an axis of this size from `start` to before `end`, clamped as ONNX says:
    with a negative step to the first element, where numpy has an empty cut. What is
    empty may begin anywhere.
    """
    # A slice with a negative step may end before the first element.
    low, high = (
        _from_front(each, size, 0 if step > 0 else -1) for each in (start, end)
    )
    if step > 0:
        low = max(low, 0) if isinstance(low, int) else low
        room, is_inside = high - low, is_nonnegative(low, {})
        if isinstance(room, int) and 0 < room < step and (room == 1 or is_inside):
            # At most one element, whose size then is as simple as with a step of 1.
            # From a start before the first element it would end too early.
            high, step = low + 1, 1
        high = lesser(high, size)
        count = ceildiv(greater(lesser(high - low, high), 0), step)
        return greater(low, 0), count, step
    low = greater(lesser(low, size - 1), lesser(0, size - 1))
    return low, ceildiv(greater(lesser(low - high, low + 1), 0), -step), step


def _from_front(place: Dim, size: Dim, first: int) -> Dim:
    """The index counted from the front; beyond the ends, the size or `first`."""
    if isinstance(place, int):
        if place >= _BEYOND or (place > 0 and _means_end(place, size)):
            return size
        if place <= -_BEYOND or (place < 0 and _means_end(place, size)):
            return first
    if is_nonnegative(place, {}):
        return place
    if is_nonnegative(-place - 1, {}):
        return size + place
    # One where the place counts from the end, as only the run knows.
    return place + size * minimum(1, maximum(0, -place))


def gather(node: Node) -> Result:
    """The slice along an axis for every index; a negative index counts from the end."""
    axis = node.normalize(node.integer("axis"), node.rank(0))
    x = node.operand(0)
    if (run := run_of(node, 1, shape_of(x)[axis], wraps=True)) is None:
        return IndexSelectOp(x, node.operand(1), axis=axis, wraps=True)
    shape = shape_of(x)
    after = [*shape[:axis], *node.shape(1), *shape[axis + 1 :]]
    return reshaped(cut(x, {axis: run}), after)


def run_of(node: Node, place: int, size: Dim, wraps: bool) -> Cut | None:
    """
    The cut of an axis of this size that the indices at an input select, if they are
    known and follow each other in steps of one length; it costs no look-up, no check
    and mostly no kernel.
    """
    known = node.known_input(place)
    if known is None or known.is_symbolic or not isinstance(size, int):
        return None
    indices, least = known.array.reshape(-1), -size if wraps else 0
    if not indices.size or indices.min() < least or indices.max() >= size:
        return None
    indices = indices % size
    steps = np.diff(indices)
    step = int(steps[0]) if steps.size else 1
    is_run = step != 0 and bool((steps == step).all())
    return (int(indices[0]), indices.size, step) if is_run else None


def pad(node: Node) -> Result:
    """The tensor padded along each axis, or cropped for negative amounts."""
    rank = node.rank(0)
    is_old = "pads" in node.signature.attributes
    pads: Sequence[Dim] | None = (
        node.integers("pads") if is_old else run_time_sizes(node, 1, "pad")
    )
    axes = range(rank)
    if node.has(3):
        axes = [node.normalize(each, rank) for each in node.whole_numbers(3)]
    if pads is None or len(pads) != 2 * len(axes):
        raise node.error(f"expected {2 * len(axes)} pads, got {pads}")
    low: list[Dim] = [0] * rank
    high: list[Dim] = [0] * rank
    for axis, before, after in zip(axes, pads, pads[len(axes) :], strict=False):
        low[axis], high[axis] = before, after
    mode = node.text("mode")
    if mode not in ("constant", *padding.AROUND):
        wanted = ", ".join(("constant", *padding.AROUND))
        raise node.error(f"expected a mode {wanted}, got {mode!r}")
    value = _padding(node) if mode == "constant" and any((*low, *high)) else 0.0
    return padding.padded(node.operand(0), low, high, mode, value)


def _padding(node: Node) -> float:
    """The value of the padding elements."""
    if "value" in node.signature.attributes:
        return node.number("value")
    if not node.has(2):
        return 0.0
    if (value := node.scalar(2)) is None:
        raise NeedsValue(
            [node.operand(2)], "a constant_value that is computed when the model runs"
        )
    return float(value)


HANDLERS: dict[str, Handler] = {
    "Concat": concat,
    "Gather": gather,
    "Pad": pad,
    "Slice": _slice_,
    "Split": split,
}
