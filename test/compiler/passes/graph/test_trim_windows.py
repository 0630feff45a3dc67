"""
Convolutions whose taps see only padding have the bits of those that keep all taps, as
they do where sizes are open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper, parser
from onnx.numpy_helper import from_array

import static_runtime as sr

IMAGES = ((1, 1), (1, 5), (3, 3), (5, 2), (6, 7), (13, 13))
"""Rows and columns; a window is spread over 13 rows at most."""

WINDOWS = (
    "pads=[6,6,6,6], dilations=[6,6]",
    "pads=[1,1,1,1]",
    "pads=[5,4,3,6], dilations=[3,4]",
    "pads=[6,6,6,6], dilations=[6,6], strides=[2,3]",
    "pads=[2,7,6,0], dilations=[4,3], strides=[3,1]",
)


def model(window: str, rows: int | str, columns: int | str, channels: int) -> bytes:
    """A convolution by 3x3 taps, of some channels to eight, and what follows it."""
    made = parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[1,{channels},{rows},{columns}] x) => (float[1,8,r,s] y) {{
            c = Conv<{window}>(x, w, b) y = Relu(c) }}"""
    )
    random = np.random.default_rng(0)
    shapes = {"w": (8, channels, 3, 3), "b": (8,)}
    made.graph.initializer.extend(
        from_array(random.standard_normal(shape).astype(np.float32), name)
        for name, shape in shapes.items()
    )
    del made.graph.output[0].type.tensor_type.shape.dim[:]
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", 1, None))
    return made.SerializeToString()


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("image", IMAGES, ids=str)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(
    ("options", "channels"),
    [
        ({}, 3),
        ({"algorithms": "fast"}, 32),
        ({"precision": "bf16"}, 6),
        ({"precision": "bf16"}, 5),
    ],
    ids=["exact", "fast", "bf16", "bf16 odd"],
)
def test_bits_are_those_of_open_sizes(
    image: tuple[int, int], window: str, options: dict[str, Any], channels: int
):
    if "precision" in options and image == (1, 1):
        pytest.skip("weights of products of one row are not rounded to bf16")
    known, open_sizes = (
        sr.compile(model(window, *sides, channels), options=sr.Options(**options))
        for sides in (image, ("h", "w"))
    )
    x = np.random.default_rng(1).standard_normal((1, channels, *image))
    x = x.astype(np.float32)
    np.testing.assert_array_equal(known(x), open_sizes(x))
