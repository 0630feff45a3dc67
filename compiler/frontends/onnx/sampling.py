"""ONNX ops of computed places in images: `AffineGrid`, `DeformConv`, `RoiAlign`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import Array, dtype, greater, product
from ....dialects.graph import AddOp, DivOp, IndexSelectOp, MulOp, to_numbers
from ....dialects.graph.compose import (
    convert,
    counted,
    filled,
    joined,
    part,
    plus,
    quantity,
    reshaped,
    sampling,
    times,
    with_bias,
)
from ..known import Known
from ..unsupported import NeedsValue, Unsupported
from .node import Handler, Node, Result
from .window import window_of

_MOST_KINDS = 32
"""The most counts of samples that boxes of one node may have."""

_MOST_SAMPLES = 1 << 12
"""The most samples along an axis of an element, where boxes count them."""


def _deformed_conv(node: Node) -> Result:
    """A convolution whose taps are moved by offsets, and weighted by a mask."""
    if node.rank(0) < 3 or node.rank(1) != node.rank(0):
        raise node.error(f"expected NxCx... and weights, got {node.type(0)}")
    spatial, sizes = node.shape(0)[2:], node.shape(1)[2:]
    kernel = tuple(each for each in sizes if isinstance(each, int))
    if len(kernel) < len(sizes):
        raise Unsupported(f"weights of a size that varies: {node.type(1)}")
    groups, offset_groups = node.integer("group"), node.integer("offset_group")
    wanted = offset_groups * product(kernel) * len(spatial)
    node.agreed(node.shape(2)[1], wanted, f"expected {wanted} offsets of a point")
    result = sampling.deformed(
        node.operand(0),
        node.operand(1),
        node.operand(2),
        node.operand(4) if node.has(4) else None,
        window_of(node, spatial, kernel),
        groups,
        offset_groups,
    )
    return with_bias(result, node.operand(3) if node.has(3) else None)


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
    if ratio < 0:
        raise node.error(f"expected a sampling_ratio of 0 or more, got {ratio}")
    counts = node.integer("output_height"), node.integer("output_width")
    if min(counts) < 1:
        raise node.error(
            f"expected an output of one element or more, got {list(counts)}"
        )
    has_mode = "coordinate_transformation_mode" in node.signature.attributes
    place = node.text("coordinate_transformation_mode") if has_mode else ""
    scale, is_most = node.number("spatial_scale"), mode == "max"
    regions = sampling.Regions(counts, (ratio, ratio), scale, place == "half_pixel")
    if ratio < 1:
        return _of_own_ratios(node, regions, is_most)
    x, boxes, batch = node.operand(0), node.operand(1), node.operand(2)
    return sampling.aligned(x, boxes, batch, regions, is_most)


def _of_own_ratios(node: Node, regions: sampling.Regions, is_most: bool) -> Result:
    """
    Builds aligned regions of known boxes: each has as many samples as an element of it
    covers elements of the image, and boxes of as many are taken together.
    """
    boxes = _known_boxes(node)
    ratios, which = np.unique(
        _ratios_of(node, boxes, regions), axis=0, return_inverse=True
    )
    if len(ratios) > _MOST_KINDS or ratios.max(initial=0) > _MOST_SAMPLES:
        raise Unsupported(
            f"boxes of more than {_MOST_KINDS} counts of samples, or more than "
            f"{_MOST_SAMPLES} along an axis of an element"
        )
    x, batch = node.operand(0), node.operand(2)
    node.agreed(node.shape(2)[0], len(boxes))
    empty = [0, node.shape(0)[1], *regions.counts]
    parts = [filled(np.zeros((), dtype(node.type(0))), empty)]
    order = np.argsort(which, kind="stable")
    for kind, (rows, columns) in enumerate(ratios.tolist()):
        own = np.flatnonzero(which == kind)
        if min(rows, columns) < 1:  # a box that ends before it begins
            parts.append(
                filled(np.zeros((), dtype(node.type(0))), [len(own), *empty[1:]])
            )
            continue
        images = IndexSelectOp(batch, node.tensor(Known.of(own)), axis=0, wraps=False)
        here = convert(node.tensor(Known.of(boxes[own])), node.element(1))
        these = replace(regions, ratios=(rows, columns))
        parts.append(sampling.aligned(x, here, images.result, these, is_most))
    back = node.tensor(Known.of(np.argsort(order, kind="stable")))
    return IndexSelectOp(joined(parts, 0), back, axis=0, wraps=False)


def _known_boxes(node: Node) -> Array:
    """The boxes of regions, which must be finite numbers."""
    known = node.known_input(1)
    if known is None or known.is_symbolic:
        raise NeedsValue(
            [node.operand(1)],
            "a sampling_ratio of 0, by which boxes that the run computes count samples",
        )
    boxes = to_numbers(known.array, known.element)
    if boxes.shape[1:] != (4,) or not np.isfinite(boxes).all():
        raise node.error(f"expected finite boxes Rx4, got {node.type(1)}")
    return boxes


def _ratios_of(node: Node, boxes: Array, regions: sampling.Regions) -> Array:
    """How many samples an element of each box has along each axis of the image."""
    of = boxes.dtype.type
    with np.errstate(all="ignore"):
        moved = boxes * of(regions.scale) - of(0.5 * regions.is_moved)
        extents = moved[:, [3, 2]] - moved[:, [1, 0]]
        if not regions.is_moved:
            extents = np.maximum(extents, of(1))
        ratios = np.ceil(extents / np.array(regions.counts, boxes.dtype))
    return np.clip(np.nan_to_num(ratios), 0, _MOST_SAMPLES + 1).astype(np.int64)


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

    result, kind = column(rank), node.element(0)
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
