"""`MaxRoiPool` is ONNX Runtime's."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.compiler.session.errors import CompileError

from .beside import both, contributed
from .interpreter import read

pytestmark = pytest.mark.torch

POOLED = """float[{image}] x, float[r,{columns}] b |
y = MaxRoiPool<pooled_shape=[{sizes}], spatial_scale={scale}>(x, b)"""

BOXES = np.array(
    [
        [0, 0, 0, 5, 4],
        [1, 1, 1, 3, 3],
        [0, -2, -3, 2, 1],
        [1, 4, 3, 2, 1],
        [0.7, 2.5, 1.5, 9, 8],
        [1, 7, 7, 9, 9],
        [-0.5, 0.5, 0.5, 3.5, 2.5],
        [1.9, -0.5, -1.5, 3.5, 2.5],
    ],
    np.float32,
)


@pytest.mark.parametrize("scale", ["1.0", "0.5", "0.3"])
@pytest.mark.parametrize("sizes", ["2,3", "1,1", "7,6"])
@pytest.mark.parametrize("image", ["2,3,5,6", "n,c,h,w"])
def test_maxima_are_onnx_runtimes(image: str, sizes: str, scale: str):
    """Corners are rounded, parts may lie outside, and numbers of images are cut."""
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 6)).astype(np.float32)
    text = POOLED.format(image=image, sizes=sizes, scale=scale, columns=5)
    got, wanted = both(contributed(text), {"x": x, "b": BOXES})
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("image", [-1, 2])
def test_a_box_of_no_image_is_an_error(image: int):
    text = POOLED.format(image="2,3,5,6", sizes="1,1", scale="1.0", columns=5)
    x, boxes = np.ones((2, 3, 5, 6), np.float32), BOXES[:1].copy()
    boxes[0, 0] = image
    with pytest.raises(IndexError):
        read(contributed(text)).run(x, boxes)


@pytest.mark.parametrize(
    ("sizes", "columns", "message"),
    [
        ("1", 5, r"expected a height and a width of 1 or more, got \[1\]"),
        ("1,0", 5, r"expected a height and a width of 1 or more, got \[1, 0\]"),
        ("1,1", 4, "expected boxes Rx5, got"),
    ],
)
def test_what_is_no_box_is_refused(sizes: str, columns: int, message: str):
    text = POOLED.format(image="n,c,h,w", sizes=sizes, scale="1.0", columns=columns)
    with pytest.raises(CompileError, match=message):
        read(contributed(text))
