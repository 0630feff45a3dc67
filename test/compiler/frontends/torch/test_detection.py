"""Operators of torchvision, which are defined here where that package is not there."""

from __future__ import annotations

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


if find_spec("torchvision"):
    import_module("torchvision")
else:
    torch.library.define(
        "torchvision::nms",
        "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    )
    torch.library.impl("torchvision::nms", "CPU", suppressed)
    torch.library.register_fake("torchvision::nms", any_number)


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
        kept = torch.ops.torchvision.nms(boxes, scores, 0.3)
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
        return torch.ops.torchvision.nms(boxes, scores, overlap)

    kind = getattr(torch, element)
    wide = torch.tensor([[0.0, 0, 20, 1], [0, 0, 20 * overlap, 1]], dtype=kind)
    given = wide, torch.tensor([0.9, 0.8], dtype=kind)
    got = compiled(chosen, given)(*given)
    np.testing.assert_array_equal(got, suppressed(*given, overlap).numpy())
