"""Regions of known boxes have as many samples as in ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest

from .beside import both
from .test_sampling import ROIS, of_known

pytestmark = pytest.mark.torch

BOXES = np.concatenate(
    [ROIS, np.array([[3, 3, 1, 1], [0, 0, 5, 60], [1, 0, 7.9, 3]], np.float32)]
)


@pytest.mark.parametrize("place", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("mode", ["avg", "max"])
def test_known_boxes_count_samples_as_in_onnx_runtime(mode: str, place: str):
    source = of_known(BOXES, mode=mode)
    node = source.graph.node[0]
    for each in node.attribute:
        if each.name == "spatial_scale":
            each.f = 0.7
    node.attribute.add(
        name="coordinate_transformation_mode", type="STRING", s=place.encode()
    )
    x = np.random.default_rng(0).standard_normal((2, 2, 6, 5)).astype(np.float32)
    batch = np.array([0, 1, 1, 0, 1, 0, 1])
    got, wanted = both(source, {"x": x, "batch": batch})
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=2e-6)


def test_no_boxes_have_no_regions():
    source = of_known(BOXES[:0])
    x = np.ones((1, 2, 6, 5), np.float32)
    got, wanted = both(source, {"x": x, "batch": np.zeros(0, np.int64)})
    assert got.shape == wanted.shape == (0, 2, 3, 2)
