"""An image interpolated at computed places: deformed convolutions, aligned regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product as pairs
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ...dims import Dim, floordiv, product
from ...element_type import Element
from ...shape import Array, tensor_type
from ..element_array import to_elements
from ..families.interpolation import Interpolation
from ..ops.arithmetic import NegOp
from ..ops.binary import AddOp, DivOp, MaximumOp, MinimumOp, MulOp, SubOp
from ..ops.compare import GeOp, LeOp
from ..ops.constant import ConstantOp
from ..ops.index_select import IndexSelectOp
from ..ops.logical import LogicalAndOp
from ..ops.matmul import MatmulOp
from ..ops.reduce import MeanOp, ReduceMaxOp
from ..ops.resample import ResampleOp
from ..ops.resize import position_type, resized
from ..ops.rounding import CeilOp
from ..ops.where import WhereOp
from . import rounding
from .counting import counted
from .number import convert, element_of, number, plus, quantity, times
from .parts import part, stacked
from .pooling import Window
from .shaping import along, permuted, reshaped, shape_of


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
        kind = element_of(place)
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
        at, weight = quantity(0, i64), number(1, element_of(ends[0].weights[0]))
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
    kind = element_of(place)
    # All that is farther away is zero as well, and a number of elements.
    place = _between(place, number(-2, kind), quantity(size + 1, kind))
    zero, top = number(0, kind), quantity(size - 1, kind)
    before = NegOp(CeilOp(NegOp(place))).result
    inside = [_is_between(each, zero, top) for each in (before, plus(before, 1))]
    return _Ends.of(place, size, inside)


def deformed(
    x: SSAValue,
    filters: SSAValue,
    offsets: SSAValue,
    mask: SSAValue | None,
    window: Window,
    groups: int,
    offset_groups: int,
) -> SSAValue:
    """
    Builds a convolution of NxCx... whose taps are moved by offsets, and weighted by a
    mask: for each group of channels, tap, axis and point an offset.
    """
    n, channels, *spatial = shape_of(x)
    outputs, depth = shape_of(filters)[:2]
    kernel, points = window.kernel, shape_of(offsets)[2:]
    count, taps, element = len(spatial), product(kernel), element_of(x)
    batch = n * offset_groups
    moves = reshaped(offsets, [batch, *kernel, count, *points])
    ends: list[_Ends] = []
    rank = 1 + 2 * count
    for axis, size in enumerate(spatial):
        own = reshaped(part(moves, 1 + count, axis, 1), [batch, *kernel, *points])
        tap = np.arange(kernel[axis]) * window.dilation[axis] - window.low[axis]
        place = AddOp(own, along(_numbers(tap, element), 1 + axis, rank))
        steps = counted(points[axis], 1 + count + axis, rank, element)
        place = AddOp(place, times(steps, window.strides[axis]))
        ends.append(_zeros_outside(place.result, size))
    places, weights = _corners(ends, spatial)
    if mask is not None:
        weights = MulOp(weights, reshaped(mask, [batch, *kernel, *points, 1])).result
    rows = [batch, product([taps, *points]), 2**count]
    image = reshaped(x, [batch, floordiv(channels, offset_groups), product(spatial)])
    columns = ResampleOp(
        image, reshaped(places, rows), reshaped(weights, rows), axis=2, skips=True
    ).result
    inside = depth * taps
    columns = reshaped(columns, [n, groups, inside, product(points)])
    parts = [groups, floordiv(outputs, groups), inside]
    result = MatmulOp(reshaped(filters, parts), columns).result
    return reshaped(result, [n, outputs, *points])


@dataclass(frozen=True)
class Regions:
    """How regions of an image become images of one size."""

    counts: tuple[int, int]
    """The height and the width of the results."""

    ratios: tuple[int, int]
    """How many samples are taken along each axis of an element: rows and columns."""

    scale: float
    """The size of an element of the image, beside that of the regions."""

    is_moved: bool
    """Whether the middle of the first element is at 0.5, not at 0 (half-pixel)."""


def aligned(
    x: SSAValue, boxes: SSAValue, batch: SSAValue, regions: Regions, most: bool
) -> SSAValue:
    """
    Builds the mean, or with `most` the maximum, of samples that are taken at equal
    distances in each part of the boxes Rx4; `batch` has the number of the image of each
    box.
    """
    _, channels, *spatial = shape_of(x)
    many = shape_of(boxes)[0]
    (height, width), (rows, columns) = regions.counts, regions.ratios
    ends: list[_Ends] = []
    for axis, (size, count) in enumerate(zip(spatial, regions.counts, strict=True)):
        along_axis = count * regions.ratios[axis]
        shape = [many, *[1] * axis, along_axis, *[1] * (1 - axis)]
        ends.append(_samples(boxes, axis, size, regions).shaped(shape))
    places, weights = _corners(ends, spatial)
    image, places = _in_images(x, batch, places)
    samples = [product([many, height, rows, width, columns]), 4]
    places, weights = reshaped(places, samples), reshaped(weights, samples)
    apart = [channels, many, height, rows, width, columns]
    if most:
        # The maximum is that of all corners, each times its weight.
        corners = IndexSelectOp(image, places, axis=1, wraps=False)
        found = reshaped(MulOp(corners, weights).result, [*apart, 4])
        result = ReduceMaxOp(found, axes=(3, 5, 6), keepdims=False).result
    else:
        found = ResampleOp(image, places, weights, axis=1, skips=True).result
        result = MeanOp(reshaped(found, apart), axes=(3, 5), keepdims=False).result
    return permuted(result, [1, 0, 2, 3])


def _numbers(values: Array, element: Element) -> SSAValue:
    """Builds a vector of numbers."""
    return ConstantOp(value=to_elements(values, element)).result


def _in_images(
    x: SSAValue, batch: SSAValue, places: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """
    Builds images NxCxHxW as one of CxNHW, and the places of it that `places` are in the
    image whose number `batch` has for each box.
    """
    n, channels, *spatial = shape_of(x)
    images = times(convert(batch, i64), product(spatial))
    image = reshaped(permuted(x, [1, 0, 2, 3]), [channels, product([n, *spatial])])
    return image, AddOp(places, along(images, 0, 4)).result


def _samples(boxes: SSAValue, axis: int, size: Dim, regions: Regions) -> _Ends:
    """The elements around the samples of each region along an axis of the image."""
    element, count, many = element_of(boxes), regions.counts[axis], shape_of(boxes)[0]
    # A region is x and y of one corner, then x and y of the opposite one.
    start, end = (
        plus(times(part(boxes, 1, column, 1), regions.scale), -0.5 * regions.is_moved)
        for column in (1 - axis, 3 - axis)
    )
    extent = SubOp(end, start).result
    if not regions.is_moved:
        extent = MaximumOp(extent, number(1, element)).result
    # Rounded as by torchvision and ONNX Runtime: a sample at the edge of the image
    # counts, one behind it does not.
    ratio = regions.ratios[axis]
    parts, steps = counted(count, 1, 3, element), counted(ratio, 2, 3, element)
    step = reshaped(DivOp(extent, number(count, element)).result, [many, 1, 1])
    corner = AddOp(reshaped(start, [many, 1, 1]), MulOp(step, parts)).result
    within = DivOp(MulOp(step, plus(steps, 0.5)), number(ratio, element))
    place = reshaped(AddOp(corner, within).result, [many, count * ratio])
    is_near = _is_between(place, number(-1, element), quantity(size, element))
    inside = _between(place, number(0, element), quantity(size - 1, element))
    return _Ends.of(inside, size, [is_near, is_near])


def cropped(
    x: SSAValue,
    boxes: SSAValue,
    batch: SSAValue,
    counts: tuple[Dim, Dim],
    outside: float,
    is_nearest: bool,
) -> SSAValue:
    """
    Builds images of one size, `counts`, of the boxes Rx4 of images: y and x of one
    corner, then of the opposite one, each from 0 to 1. Elements between are
    interpolated, or with `is_nearest` the nearest is taken; places that are not in the
    image have the number `outside`. `batch` has the number of the image of each box.
    """
    _, channels, *spatial = shape_of(x)
    many = shape_of(boxes)[0]
    ends: list[_Ends] = []
    is_in: SSAValue | None = None
    for axis, (size, count) in enumerate(zip(spatial, counts, strict=True)):
        shape = [many, *[1] * axis, count, *[1] * (1 - axis)]
        place = _crop_places(boxes, axis, size, count)
        kind = element_of(place)
        zero, top = number(0, kind), quantity(size - 1, kind)
        here = _is_between(place, zero, top)
        place = _between(WhereOp(here, place, zero).result, zero, top)
        if is_nearest:
            place = NegOp(CeilOp(NegOp(plus(place, 0.5)))).result
        ends.append(_Ends.of(place, size, [here, here]).shaped(shape))
        here = reshaped(here, shape)
        is_in = here if is_in is None else LogicalAndOp(is_in, here).result
    assert is_in is not None, "an image has axes"
    places, weights = _corners(ends, spatial)
    image, places = _in_images(x, batch, places)
    rows = [product([many, *counts]), 4]
    places, weights = reshaped(places, rows), reshaped(weights, rows)
    found = ResampleOp(image, places, weights, axis=1, skips=True).result
    found = permuted(reshaped(found, [channels, many, *counts]), [1, 0, 2, 3])
    inside = reshaped(is_in, [many, 1, *counts])
    return WhereOp(inside, found, number(outside, element_of(x))).result


def resized_crop(
    x: SSAValue,
    axis: int,
    size: Dim,
    ends: tuple[SSAValue, SSAValue],
    how: Mapping[str, Any],
) -> SSAValue:
    """
    Builds `size` points along an axis between two ends, tensors of rank 0 that have
    them in parts of the axis; `how` is as of `graph.resize`.
    """
    way = Interpolation(**how)
    wide = x if way.is_nearest else rounding.widened(x)
    kind = position_type(tensor_type(wide), way)
    start, end = (convert(each, kind) for each in ends)
    return convert(resized(wide, axis, size, way, (start, end)), element_of(x))


def _crop_places(boxes: SSAValue, axis: int, size: Dim, count: Dim) -> SSAValue:
    """Builds the places, Rx`count`, of elements of crops along an axis of the image."""
    start, end = (part(boxes, 1, column, 1) for column in (axis, axis + 2))
    reach = quantity(size - 1, element_of(boxes))
    if count == 1:
        return MulOp(times(AddOp(start, end).result, 0.5), reach).result
    step = MulOp(SubOp(end, start), reach).result
    step = DivOp(step, quantity(count - 1, element_of(boxes))).result
    numbers = counted(count, 1, 2, element_of(boxes))
    return AddOp(MulOp(start, reach), MulOp(numbers, step)).result
