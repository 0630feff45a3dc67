"""ONNX ops of computed places in images: `AffineGrid`, `DeformConv`, `RoiAlign`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product as pairs

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import (
    Array,
    Dim,
    Element,
    floordiv,
    greater,
    product,
    tensor_type,
)
from ....dialects.graph import (
    AddOp,
    CeilOp,
    DivOp,
    GeOp,
    IndexSelectOp,
    LeOp,
    LogicalAndOp,
    MatmulOp,
    MaximumOp,
    MeanOp,
    MinimumOp,
    MulOp,
    NegOp,
    ReduceMaxOp,
    ResampleOp,
    SubOp,
    WhereOp,
    to_elements,
)
from ....dialects.graph.compose import (
    along,
    convert,
    counted,
    number,
    part,
    permuted,
    plus,
    quantity,
    reshaped,
    shape_of,
    stacked,
    times,
    with_bias,
)
from ..known import Known
from ..unsupported import Unsupported
from .node import Handler, Node, Result
from .window import window_of


@dataclass(frozen=True)
class _Ends:
    """The elements before and after places along one axis, and their weights."""

    places: tuple[SSAValue, SSAValue]
    weights: tuple[SSAValue, SSAValue]

    @classmethod
    def of(cls, place: SSAValue, size: Dim, inside: Sequence[SSAValue]) -> _Ends:
        """
        The ends around places, each with a weight of zero where it is not `inside`; a
        place counts as one in the image, which has `size` elements.
        """
        kind = _kind(place)
        zero, top = number(0, kind), quantity(size - 1, kind)
        before = NegOp(CeilOp(NegOp(place))).result
        rest = SubOp(place, before).result
        weights = SubOp(number(1, kind), rest).result, rest
        near, far = (
            WhereOp(is_in, weight, zero).result
            for is_in, weight in zip(inside, weights, strict=True)
        )
        places = before, plus(before, 1)
        first, second = (convert(_between(each, zero, top), i64) for each in places)
        return cls((first, second), (near, far))

    def shaped(self, shape: Sequence[Dim]) -> _Ends:
        """The same in another shape."""
        before, after = (reshaped(each, shape) for each in self.places)
        near, far = (reshaped(each, shape) for each in self.weights)
        return _Ends((before, after), (near, far))


def _kind(x: SSAValue) -> Element:
    """The element type of a tensor."""
    return tensor_type(x).element_type


def _between(x: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
    """Builds numbers that are brought between two others."""
    return MinimumOp(MaximumOp(x, low), high).result


def _is_between(x: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
    """Builds whether numbers are between two others."""
    return LogicalAndOp(GeOp(x, low), LeOp(x, high)).result


def _corners(
    ends: Sequence[_Ends], spatial: Sequence[Dim]
) -> tuple[SSAValue, SSAValue]:
    """
    Builds the elements of the image around each place, and their weights, with an axis
    for the corners at the end.
    """
    places: list[SSAValue] = []
    weights: list[SSAValue] = []
    for corner in pairs((0, 1), repeat=len(ends)):
        at, weight = quantity(0, i64), number(1, _kind(ends[0].weights[0]))
        for axis, (which, each) in enumerate(zip(corner, ends, strict=True)):
            step = times(each.places[which], product(spatial[axis + 1 :]))
            at = step if axis == 0 else AddOp(at, step).result
            own = each.weights[which]
            weight = own if axis == 0 else MulOp(weight, own).result
        places.append(at)
        weights.append(weight)
    rank = len(shape_of(places[0]))
    return stacked(places, rank), stacked(weights, rank)


def _zeros_outside(place: SSAValue, size: Dim) -> _Ends:
    """The elements around places of an axis, beyond whose ends lie zeros."""
    kind = _kind(place)
    # All that is farther away is zero as well, and a number of elements.
    place = _between(place, number(-2, kind), quantity(size + 1, kind))
    zero, top = number(0, kind), quantity(size - 1, kind)
    before = NegOp(CeilOp(NegOp(place))).result
    inside = [_is_between(each, zero, top) for each in (before, plus(before, 1))]
    return _Ends.of(place, size, inside)


def _deformed_conv(node: Node) -> Result:
    """A convolution whose taps are moved by offsets, and weighted by a mask."""
    if node.rank(0) < 3 or node.rank(1) != node.rank(0):
        raise node.error(f"expected NxCx... and weights, got {node.type(0)}")
    n, channels, *spatial = node.shape(0)
    outputs, depth, *sizes = node.shape(1)
    kernel = tuple(each for each in sizes if isinstance(each, int))
    if len(kernel) < len(sizes):
        raise Unsupported(f"weights of a size that varies: {node.type(1)}")
    window = window_of(node, spatial, kernel)
    groups, offset_groups = node.integer("group"), node.integer("offset_group")
    count, taps, points = len(spatial), product(kernel), node.shape(2)[2:]
    wanted = offset_groups * taps * count
    node.agreed(node.shape(2)[1], wanted, f"expected {wanted} offsets of a point")
    batch = n * offset_groups
    offsets = reshaped(node.operand(2), [batch, *kernel, count, *points])
    ends: list[_Ends] = []
    rank = 1 + 2 * count
    for axis, size in enumerate(spatial):
        own = reshaped(part(offsets, 1 + count, axis, 1), [batch, *kernel, *points])
        tap = np.arange(kernel[axis]) * window.dilation[axis] - window.low[axis]
        place = AddOp(own, along(_numbers(node, tap), 1 + axis, rank))
        steps = counted(points[axis], 1 + count + axis, rank, node.element(0))
        place = AddOp(place, times(steps, window.strides[axis]))
        ends.append(_zeros_outside(place.result, size))
    places, weights = _corners(ends, spatial)
    if node.has(4):
        mask = reshaped(node.operand(4), [batch, *kernel, *points, 1])
        weights = MulOp(weights, mask).result
    total, corners = product([taps, *points]), 2**count
    image = reshaped(
        node.operand(0),
        [batch, floordiv(channels, offset_groups), product(spatial)],
    )
    rows = [batch, total, corners]
    columns = ResampleOp(
        image, reshaped(places, rows), reshaped(weights, rows), axis=2, skips=True
    ).result
    inside = depth * taps
    columns = reshaped(columns, [n, groups, inside, product(points)])
    filters = [groups, floordiv(outputs, groups), inside]
    result = MatmulOp(reshaped(node.operand(1), filters), columns).result
    result = reshaped(result, [n, outputs, *points])
    return with_bias(result, node.operand(3) if node.has(3) else None)


def _numbers(node: Node, values: Array) -> SSAValue:
    """A vector of numbers, of the elements of the image."""
    return node.tensor(Known.of(to_elements(values, node.element(0))))


def _aligned_regions(node: Node) -> Result:
    """
    The mean, or the maximum, of samples that are taken at equal distances in each part
    of each region.
    """
    if (node.rank(0), node.rank(1)) != (4, 2):
        raise node.error(f"expected NxCxHxW and Rx4, got {node.type(0)}")
    mode, ratio = node.text("mode"), node.integer("sampling_ratio")
    if mode not in ("avg", "max"):
        raise node.error(f"expected a mode avg or max, got {mode!r}")
    if ratio < 1:
        raise Unsupported("a sampling_ratio of 0, by which regions count samples")
    n, channels, *spatial = node.shape(0)
    regions = node.shape(1)[0]
    counts = [node.integer(f"output_{each}") for each in ("height", "width")]
    if min(counts) < 1:
        raise node.error(f"expected an output of one element or more, got {counts}")
    ends: list[_Ends] = []
    for axis, (size, count) in enumerate(zip(spatial, counts, strict=True)):
        shape = [regions, *[1] * axis, count * ratio, *[1] * (1 - axis)]
        ends.append(_samples(node, axis, size, count, ratio).shaped(shape))
    places, weights = _corners(ends, spatial)
    batch = times(convert(node.operand(2), i64), product(spatial))
    places = AddOp(places, along(batch, 0, 4)).result
    wide = permuted(node.operand(0), [1, 0, 2, 3])
    image = reshaped(wide, [channels, product([n, *spatial])])
    height, width = counts
    rows = [product([regions, height, ratio, width, ratio]), 4]
    places, weights = reshaped(places, rows), reshaped(weights, rows)
    apart = [channels, regions, height, ratio, width, ratio]
    if mode == "avg":
        found = ResampleOp(image, places, weights, axis=1, skips=True).result
        result = MeanOp(reshaped(found, apart), axes=(3, 5), keepdims=False).result
    else:
        # The maximum is that of all corners, each times its weight.
        corners = IndexSelectOp(image, places, axis=1, wraps=False)
        found = reshaped(MulOp(corners, weights).result, [*apart, 4])
        result = ReduceMaxOp(found, axes=(3, 5, 6), keepdims=False).result
    return permuted(result, [1, 0, 2, 3])


def _samples(node: Node, axis: int, size: Dim, count: int, ratio: int) -> _Ends:
    """The elements around the samples of each region along an axis of the image."""
    kind, scale = node.element(0), node.number("spatial_scale")
    has_mode = "coordinate_transformation_mode" in node.signature.attributes
    mode = node.text("coordinate_transformation_mode") if has_mode else ""
    is_moved = mode == "half_pixel"
    # A region has x before y, first those of one corner, then of the other.
    start, end = (
        plus(times(part(node.operand(1), 1, column, 1), scale), -0.5 * is_moved)
        for column in (1 - axis, 3 - axis)
    )
    extent = SubOp(end, start).result
    if not is_moved:
        extent = MaximumOp(extent, number(1, kind)).result
    steps = _numbers(node, (np.arange(count * ratio) + 0.5) / ratio)
    step = DivOp(extent, number(count, kind)).result
    place = AddOp(start, MulOp(step, along(steps, 1, 2))).result
    is_near = _is_between(place, number(-1, kind), quantity(size, kind))
    inside = _between(place, number(0, kind), quantity(size - 1, kind))
    return _Ends.of(inside, size, [is_near, is_near])


def _affine_grid(node: Node) -> Result:
    """
    The places, from -1 to 1 along each axis, that affine maps give to the elements of
    images. ONNX's definition removes a batch of one.
    """
    batch, size = node.shape(0)[0], node.dims(1)
    rank = len(size) - 2
    if rank not in (2, 3) or node.shape(0)[1:] != (rank, rank + 1):
        raise node.error(
            f"expected a map of 2 or 3 axes for each image, and sizes NxCx..., got "
            f"{node.type(0)} and {len(size)} sizes"
        )
    batch = node.agreed(batch, size[0])

    def column(place: int) -> SSAValue:
        rows = part(node.operand(0), 2, place, 1)
        return reshaped(rows, [batch, *[1] * rank, rank])

    result, kind = column(rank), _kind(node.operand(0))
    for place, length in enumerate(reversed(size[2:])):
        numbers = counted(length, rank - place, rank + 2, kind)
        if node.flag("align_corners"):
            steps = DivOp(numbers, quantity(greater(length - 1, 1), kind)).result
        else:
            steps = DivOp(plus(numbers, 0.5), quantity(length, kind)).result
        along_axis = plus(times(steps, 2.0), -1.0)
        result = AddOp(result, MulOp(column(place), along_axis)).result
    return result


HANDLERS: dict[str, Handler] = {
    "AffineGrid": _affine_grid,
    "DeformConv": _deformed_conv,
    "RoiAlign": _aligned_regions,
}
