"""Operators of the package torchvision, by their meaning: it need not be there."""

from __future__ import annotations

from math import inf

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from ....dialects import Dim, Element, tensor_type
from ....dialects.graph import MaximumOp, NonMaxSuppressionOp
from ....dialects.graph.compose import (
    Window,
    at_index,
    cut,
    joined,
    number,
    part,
    quantity,
    reshaped,
    sampling,
    shape_of,
    with_bias,
)
from ..unsupported import Unsupported
from .call import Call, Reader
from .data_dependent import define


def _suppressed(
    call: Call, boxes: SSAValue, scores: SSAValue, overlap: float
) -> SSAValue:
    """
    The numbers of the boxes that overlap no chosen box of a higher score by more than
    `overlap`, by falling score.
    """
    if not overlap >= 0:
        raise Unsupported(f"an iou_threshold below 0, by which all overlap: {overlap}")
    (count,) = shape_of(scores)
    element = tensor_type(boxes).element_type
    # A box whose second corner is before its first one overlaps none: no area does.
    low, high = part(boxes, 1, 0, 2), part(boxes, 1, 2, 2)
    ordered = joined([low, MaximumOp(low, high).result], 1)
    found = NonMaxSuppressionOp(
        reshaped(ordered, [1, count, 4]),
        reshaped(scores, [1, 1, count]),
        quantity(count, i64),
        number(_at_most(overlap, element), element),
        number(-inf, element),
        most=str(count),
        center=False,
        strict=False,
    ).result
    foreseen = call.node.meta["val"].shape[0]
    chosen = define(call.sizes, foreseen, at_index(found, 0, 0), 0, count)
    return cut(found, {0: (1, chosen, 1)})


def _at_most(value: float, element: Element) -> float:
    """
    The greatest element that is not above a number: torchvision compares elements with
    the number itself, in f64.
    """
    if element != f32:
        return value
    single = np.float32(value)
    if float(single) > value:
        single = np.nextafter(single, np.float32(-inf))
    return float(single)


def _deformed_conv(
    call: Call,
    x: SSAValue,
    filters: SSAValue,
    offsets: SSAValue,
    mask: SSAValue,
    bias: SSAValue,
    *geometry: int,
) -> SSAValue:
    """A convolution whose taps are moved by offsets, and may be weighted by a mask."""
    *windows, groups, offset_groups, has_mask = geometry
    strides, low, dilation = zip(windows[::2], windows[1::2], strict=True)
    sizes = shape_of(filters)[2:]
    kernel = tuple(each for each in sizes if isinstance(each, int))
    if len(kernel) < len(sizes):
        raise Unsupported(f"weights of a size that varies: {tensor_type(filters)}")
    window = Window(kernel, strides, dilation, low, low, (0, 0))
    weights = mask if has_mask else None
    result = sampling.deformed(
        x, filters, offsets, weights, window, groups, offset_groups
    )
    return with_bias(result, bias)


def _aligned_regions(
    call: Call,
    x: SSAValue,
    rows: SSAValue,
    scale: float,
    height: Dim,
    width: Dim,
    ratio: int,
    is_moved: bool,
) -> SSAValue:
    """The means of samples of regions; a row is a number of an image and a region."""
    if ratio < 1:
        raise Unsupported(
            f"a sampling_ratio of {ratio}, by which regions count samples"
        )
    if not isinstance(height, int) or not isinstance(width, int):
        raise Unsupported("an output_size that varies")
    regions = sampling.Regions((height, width), (ratio, ratio), scale, is_moved)
    batch, boxes = at_index(rows, 1, 0), part(rows, 1, 1, 4)
    return sampling.aligned(x, boxes, batch, regions, most=False)


READERS: dict[str, Reader] = {
    "torchvision.deform_conv2d.default": _deformed_conv,
    "torchvision.nms.default": _suppressed,
    "torchvision.roi_align.default": _aligned_regions,
}
