"""`CropAndResize` of `com.microsoft` is ONNX Runtime's."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.compiler.session.errors import CompileError

from .beside import both, contributed
from .interpreter import read

pytestmark = pytest.mark.torch

CROPS = """float[{image}] x, float[r,4] b, int32[r] i |
s = Constant<value = int32[2] {{{sizes}}}>()
y = com.microsoft.CropAndResize<mode="{mode}", extrapolation_value=2.5>(x, b, i, s)"""

BOXES = np.array(
    [
        [0, 0, 1, 1],
        [0.1, 0.2, 0.9, 0.7],
        [-0.3, 0.4, 1.4, 0.8],
        [0.8, 0.9, 0.2, 0.1],
        [0.5, 0.5, 0.5, 0.5],
    ],
    np.float32,
)


@pytest.mark.parametrize("sizes", ["3,4", "1,1", "5,1", "9,10"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("image", ["2,3,5,6", "n,c,h,w"])
def test_crops_are_onnx_runtimes(image: str, mode: str, sizes: str):
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 6)).astype(np.float32)
    given = {"x": x, "b": BOXES, "i": np.array([0, 1, 1, 0, 1], np.int32)}
    source = contributed(CROPS.format(image=image, mode=mode, sizes=sizes))
    got, wanted = both(source, given)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=2e-6)


def test_a_box_without_numbers_is_outside():
    x = np.ones((1, 1, 2, 2), np.float32)
    source = contributed(CROPS.format(image="1,1,2,2", mode="bilinear", sizes="2,2"))
    boxes = np.array([[np.nan, 0, 1, 1], [0, 0, np.inf, 1]], np.float32)
    (got,) = read(source).run(x, boxes, np.zeros(2, np.int32))
    np.testing.assert_array_equal(got, np.full((2, 1, 2, 2), 2.5, np.float32))


@pytest.mark.parametrize("image", [-1, 2])
def test_a_crop_of_no_image_is_an_error(image: int):
    source = contributed(CROPS.format(image="2,3,5,6", mode="bilinear", sizes="2,2"))
    x = np.ones((2, 3, 5, 6), np.float32)
    with pytest.raises(IndexError):
        read(source).run(x, BOXES[:1], np.array([image], np.int32))


@pytest.mark.parametrize(
    ("mode", "sizes", "message"),
    [
        ("bilinear", "1,0", r"a height and a width of 1 or more, got \[1, 0\]"),
        ("cubic", "1,1", "expected a mode bilinear or nearest, got 'cubic'"),
    ],
)
def test_what_is_no_crop_is_refused(mode: str, sizes: str, message: str):
    with pytest.raises(CompileError, match=message):
        read(contributed(CROPS.format(image="2,3,5,6", mode=mode, sizes=sizes)))
