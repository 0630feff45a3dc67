"""Operators of torchvision, which are defined here where that package is not there."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped  # noqa: E402

AUTO = torch.export.Dim.AUTO


def suppressed(boxes: Any, scores: Any, overlap: float) -> Any:
    """The boxes that torchvision chooses, whose threshold is a number of f64."""
    order = torch.argsort(scores, descending=True, stable=True).tolist()
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    kept: list[int] = []
    for at in order:
        low = torch.maximum(boxes[kept, :2], boxes[at, :2])
        high = torch.minimum(boxes[kept, 2:], boxes[at, 2:])
        shared = (high - low).clamp(min=0).prod(1)
        share = shared / (areas[kept] + areas[at] - shared)
        if not (share.double() > overlap).any():
            kept.append(at)
    return torch.tensor(kept, dtype=torch.int64)


def any_number(boxes: Any, scores: Any, overlap: float) -> Any:
    """A result whose size is not known."""
    size = torch.library.get_ctx().new_dynamic_size()
    return boxes.new_empty(size, dtype=torch.int64)


def places(size: int, count: int, ratio: int, low: float, extent: float) -> Any:
    """How much each element of an axis counts in each part of a region."""
    at = low + (torch.arange(count * ratio) + 0.5) / (count * ratio) * extent
    is_near = (at >= -1) & (at <= size)
    at = at.clamp(0, size - 1)[:, None]
    shares = (1 - (at - torch.arange(size)).abs()).clamp(min=0) * is_near[:, None]
    return shares.view(count, ratio, size).mean(1)


def means(
    x: Any, rows: Any, scale: float, high: int, wide: int, ratio: int, moved: bool
) -> Any:
    """The mean of samples at equal distances in each part of a region."""
    found: list[Any] = []
    for image, *corners in rows.tolist():
        x1, y1, x2, y2 = (each * scale - 0.5 * moved for each in corners)
        extents = [each if moved else max(each, 1.0) for each in (y2 - y1, x2 - x1)]
        rows_of = places(x.shape[2], high, ratio, y1, extents[0])
        columns_of = places(x.shape[3], wide, ratio, x1, extents[1])
        both = torch.einsum("chw,ph,qw->cpq", x[int(image)], rows_of, columns_of)
        found.append(both)
    return torch.stack(found)


def deformed(
    x: Any, filters: Any, offsets: Any, mask: Any, bias: Any, *geometry: int
) -> Any:
    """A convolution of samples of each tap."""
    down, right, top, left, low, wide, groups, offset_groups, has_mask = geometry
    taps = [*np.ndindex(*filters.shape[2:])]
    high, long = offsets.shape[2:]
    images = x.reshape(-1, x.shape[1] // offset_groups, *x.shape[2:])
    moves = offsets.reshape(len(images), len(taps), 2, high, long)
    weights = mask.reshape(len(images), len(taps), 1, high, long) if has_mask else None
    size = torch.tensor(x.shape[:1:-1])
    result = bias[:, None, None]
    for number, (i, j) in enumerate(taps):
        y = (torch.arange(high) * down - top + i * low)[:, None] + moves[:, number, 0]
        z = torch.arange(long) * right - left + j * wide + moves[:, number, 1]
        grid = torch.stack([z, y], -1) / (size - 1) * 2 - 1
        found = torch.nn.functional.grid_sample(images, grid, align_corners=True)
        found = found if weights is None else found * weights[:, number]
        found = found.reshape(*x.shape[:2], high, long)
        tap = filters[:, :, i, j, None, None]
        result = result + torch.conv2d(found, tap, groups=groups)
    return result


SCHEMAS = {
    "nms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align": "(Tensor input, Tensor rois, float spatial_scale, SymInt "
    "pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
    "deform_conv2d": "(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor "
    "bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt "
    "dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool "
    "use_mask) -> Tensor",
}
"""Operators as torchvision defines them."""


def new_regions(x: Any, rows: Any, _: float, high: int, wide: int, *__: Any) -> Any:
    """What `roi_align` returns, without numbers."""
    return x.new_empty((rows.shape[0], x.shape[1], high, wide))


def new_image(x: Any, filters: Any, offsets: Any, *_: Any) -> Any:
    """What `deform_conv2d` returns, without numbers."""
    return x.new_empty((x.shape[0], filters.shape[0], *offsets.shape[2:]))


SIZES: dict[str, Callable[..., Any]] = {
    "nms": any_number,
    "roi_align": new_regions,
    "deform_conv2d": new_image,
}

if find_spec("torchvision"):
    import_module("torchvision")
else:
    for name, run in (
        ("nms", suppressed),
        ("roi_align", means),
        ("deform_conv2d", deformed),
    ):
        torch.library.define(f"torchvision::{name}", SCHEMAS[name])
        torch.library.impl(f"torchvision::{name}", "CPU", run)
        torch.library.register_fake(f"torchvision::{name}", SIZES[name])

OPERATORS = torch.ops.torchvision


def compiled(function: Any, inputs: Any, *shapes: Any) -> Any:
    """The module of a function."""
    dynamic = (shapes,) if shapes else None
    program = torch.export.export(Wrapped(function), inputs, dynamic_shapes=dynamic)
    return sr.compile(program, options=sr.Options(cache=False))


def detections(count: int) -> tuple[Any, Any]:
    """Boxes, many of them above others, and scores, some of them equal."""
    torch.manual_seed(count)
    corner = torch.rand(count, 2) * 40
    boxes = torch.cat([corner, corner + 5 + torch.rand(count, 2) * 30], 1)
    return boxes, (torch.rand(count) * 8).round() / 8


def test_boxes_of_any_number_are_chosen_by_falling_score():
    def chosen(boxes: Any, scores: Any) -> Any:
        kept = OPERATORS.nms(boxes, scores, 0.3)
        return boxes[kept], scores[kept], kept

    module = compiled(chosen, detections(9), {0: AUTO}, {0: AUTO})
    for count in (9, 70, 2, 33):
        given = detections(count)
        wanted = chosen(*given)
        assert len(wanted[2]) < count or count == 2
        for got, each in zip(module(*given), wanted, strict=True):
            np.testing.assert_array_equal(got, each.numpy())


@pytest.mark.parametrize("element", ["float32", "float64"])
@pytest.mark.parametrize("overlap", [0.1, 0.7, 0.25])
def test_a_share_is_compared_with_the_threshold_in_f64(overlap: float, element: str):
    """One tenth is above itself once it is rounded to f32, and seven tenths below."""

    def chosen(boxes: Any, scores: Any) -> Any:
        return OPERATORS.nms(boxes, scores, overlap)

    kind = getattr(torch, element)
    wide = torch.tensor([[0.0, 0, 20, 1], [0, 0, 20 * overlap, 1]], dtype=kind)
    given = wide, torch.tensor([0.9, 0.8], dtype=kind)
    got = compiled(chosen, given)(*given)
    np.testing.assert_array_equal(got, suppressed(*given, overlap).numpy())


def test_boxes_and_scores_that_are_none():
    """Corners in the other order, no area, far outside; scores that are NaN."""

    def chosen(boxes: Any, scores: Any) -> Any:
        return OPERATORS.nms(boxes, scores, 0.0)

    rows = [
        [4.0, 4, 0, 0],
        [0, 0, 4, 4],
        [3, 0, 1, 4],
        [2, 2, 2, 2],
        [-90, -90, -80, 0],
    ]
    boxes = torch.tensor([*rows, [1, 1, 3, 3], [1, 1, 5, 5]])
    module = compiled(chosen, (boxes, torch.rand(7)))
    scores = torch.tensor([0.9, 0.8, torch.nan, 0.7, torch.inf, torch.nan, 0.6])
    for given in (scores, scores.flip(0), scores.nan_to_num(0.5)):
        wanted = suppressed(boxes, given, 0.0).numpy()
        np.testing.assert_array_equal(module(boxes, given), wanted)


def test_a_negative_threshold_is_refused():
    def chosen(boxes: Any, scores: Any) -> Any:
        return OPERATORS.nms(boxes, scores, -0.5)

    with pytest.raises(sr.CompileError, match="an iou_threshold below 0"):
        compiled(chosen, detections(3))


@pytest.mark.parametrize("moved", [False, True])
def test_regions_of_any_number_of_images(moved: bool):
    def aligned(x: Any, rows: Any) -> Any:
        return OPERATORS.roi_align(x, rows, 0.5, 3, 2, 2, moved)

    corners = [[0.0, 0, 9, 11], [-7, -9, 3, 2], [4, 4, 4, 4], [3, 2, 40, 50]]
    boxes = torch.tensor([[each % 2, *box] for each, box in enumerate(corners)])
    given = torch.randn(2, 3, 6, 5), boxes
    module = compiled(aligned, given, {0: AUTO}, {0: AUTO})
    for x, rows in (given, (torch.randn(4, 3, 6, 5), boxes[:2])):
        wanted = means(x, rows, 0.5, 3, 2, 2, moved).numpy()
        np.testing.assert_allclose(module(x, rows), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("ratio", [-1, 0])
def test_regions_that_count_samples_are_refused(ratio: int):
    def aligned(x: Any, rows: Any) -> Any:
        return OPERATORS.roi_align(x, rows, 0.5, 3, 2, ratio, False)

    with pytest.raises(sr.CompileError, match=f"a sampling_ratio of {ratio}"):
        compiled(aligned, (torch.randn(2, 3, 6, 5), torch.zeros(1, 5)))


@pytest.mark.parametrize("has_mask", [False, True])
def test_a_deformed_convolution_of_groups(has_mask: bool):
    geometry = 2, 1, 1, 0, 1, 2, 2, 2, has_mask

    def convolved(x: Any, offsets: Any, mask: Any) -> Any:
        return OPERATORS.deform_conv2d(x, filters, offsets, mask, bias, *geometry)

    torch.manual_seed(0)
    filters, bias = torch.randn(6, 2, 3, 2), torch.randn(6)

    def made(count: int) -> tuple[Any, Any, Any]:
        offsets = torch.randn(count, 24, 4, 4) * 3
        return torch.randn(count, 4, 7, 6), offsets, torch.rand(count, 12, 4, 4)

    module = compiled(convolved, made(2), {0: AUTO}, {0: AUTO}, {0: AUTO})
    for count in (2, 3):
        x, offsets, mask = made(count)
        wanted = deformed(x, filters, offsets, mask, bias, *geometry).numpy()
        got = module(x, offsets, mask)
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
