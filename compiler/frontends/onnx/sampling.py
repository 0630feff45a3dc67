"""ONNX ops of computed places in images: `AffineGrid`, `DeformConv`, `RoiAlign`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects import greater, product
from ....dialects.graph import AddOp, DivOp, MulOp
from ....dialects.graph.compose import (
    counted,
    part,
    plus,
    quantity,
    reshaped,
    sampling,
    times,
    with_bias,
)
from ..unsupported import Unsupported
from .node import Handler, Node, Result
from .window import window_of


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
    if ratio < 1:
        raise Unsupported("a sampling_ratio of 0, by which regions count samples")
    counts = node.integer("output_height"), node.integer("output_width")
    if min(counts) < 1:
        raise node.error(
            f"expected an output of one element or more, got {list(counts)}"
        )
    has_mode = "coordinate_transformation_mode" in node.signature.attributes
    place = node.text("coordinate_transformation_mode") if has_mode else ""
    is_moved = place == "half_pixel"
    regions = sampling.Regions(counts, ratio, node.number("spatial_scale"), is_moved)
    x, boxes, batch = node.operand(0), node.operand(1), node.operand(2)
    return sampling.aligned(x, boxes, batch, regions, mode == "max")


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
