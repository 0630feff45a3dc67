"""
What a window sees of a border of zeros is left out of sums, and their bits are those of
sums that have it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from onnx import helper, parser
from onnx.numpy_helper import from_array

import static_runtime as sr
from static_runtime.dialects.shape import Array


@dataclass(frozen=True)
class Layer:
    """A convolution of windows of three along each axis."""

    image: tuple[int, ...]
    filters: int
    stride: int = 1
    dilation: int = 1
    padding: int = 1
    groups: int = 1
    kind: str = "float32"

    def model(self, pads: int, is_open: bool = False) -> bytes:
        """The model, for images with so much padding."""
        batch, channels, *spatial = self.image
        axes, more = len(spatial), 2 * (self.padding - pads)
        sizes = [
            "hwd"[at] if is_open else size + more for at, size in enumerate(spatial)
        ]
        given = ", ".join(map(str, (batch, channels, *sizes)))
        window = (
            f"pads={[pads] * (2 * axes)}, strides={[self.stride] * axes}, "
            f"dilations={[self.dilation] * axes}, group={self.groups}"
        )
        made = parser.parse_model(
            f"""<ir_version: 8, opset_import: ["" : 17]>
            g (float[{given}] x) => (float[a] y) {{ y = Conv<{window}>(x, w) }}"""
        )
        made.graph.initializer.append(from_array(self.weight(), "w"))
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self.kind))
        made.graph.input[0].type.tensor_type.elem_type = kind
        made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", kind, None))
        return made.SerializeToString()

    def weight(self) -> Array:
        """Filters at random."""
        _, channels, *spatial = self.image
        shape = self.filters, channels // self.groups, *(3 for _ in spatial)
        return np.random.default_rng(0).standard_normal(shape).astype(self.kind)

    def x(self) -> Array:
        """An image at random."""
        random = np.random.default_rng(1)
        return random.standard_normal(self.image).astype(self.kind)

    def surrounded(self, by: float) -> Array:
        """The image with padding of a number."""
        sides = [(0, 0), (0, 0), *((self.padding,) * 2 for _ in self.image[2:])]
        return np.pad(self.x(), sides, constant_values=by)


LAYERS = {
    "lines": Layer((1, 32, 7, 7), 32),
    "strides": Layer((1, 16, 15, 14), 64, stride=2),
    "wide windows": Layer((1, 16, 9, 9), 32, dilation=6, padding=6),
    "batch": Layer((3, 24, 8, 20), 32, dilation=2, padding=2),
    "more padding than windows": Layer((1, 24, 5, 6), 32, padding=4),
    "depth": Layer((1, 16, 3, 6, 7), 32),
    "blocks of k": Layer((1, 512, 5, 7), 64),
    "blocks of k, packed": Layer((1, 512, 7, 7), 64, kind="float16"),
    "blocks of k, packed, of six rows": Layer((1, 512, 5, 6), 64, kind="float16"),
    "groups": Layer((1, 64, 9, 10), 64, groups=2),
    "one axis": Layer((1, 32, 40), 32, dilation=3, padding=3),
    "few filters": Layer((1, 64, 6, 40), 4),
}


@pytest.mark.parametrize("is_open", [False, True], ids=["static", "open"])
@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_bits_are_those_of_an_image_that_has_its_zeros(layer: Layer, is_open: bool):
    left_out = sr.compile(layer.model(layer.padding, is_open))(layer.x())
    there = sr.compile(layer.model(0))(layer.surrounded(by=0.0))
    np.testing.assert_array_equal(left_out, there)


@pytest.mark.sampled(every=12)
@pytest.mark.parametrize("filters", [8, 16, 40])
@pytest.mark.parametrize("width", [7, 8, 12, 16])
@pytest.mark.parametrize("channels", [5, 6, 10, 16, 22, 23])
def test_any_number_of_channels_is_added_up(channels: int, width: int, filters: int):
    """Of lines that are tiles, what is unrolled divides no tap's channels."""
    image, taps = (2, 6, width, channels), (3, 3, channels, filters)
    random = np.random.default_rng(0)
    x, w = (random.integers(-4, 5, each).astype(np.float32) for each in (image, taps))
    around = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = sliding_window_view(around, (3, 3), (1, 2))
    found = channels_last(image, filters)(x, w)
    np.testing.assert_array_equal(found, np.einsum("bhwcij,ijco->bhwo", windows, w))


def channels_last(image: tuple[int, ...], filters: int) -> sr.StaticModule:
    """A convolution of windows of three, with a border of zeros, its weights given."""
    batch, height, width, channels = image
    x = f"tensor<{batch}x{height}x{width}x{channels}xf32>"
    p = f"tensor<{batch}x{height + 2}x{width + 2}x{channels}xf32>"
    w, y = f"tensor<3x3x{channels}x{filters}xf32>", f"tensor<{batch}x{height}x{width}x"
    y = f"{y}{filters}xf32>"
    return sr.compile(
        f"""func.func @main(%x: {x}, %w: {w}) -> {y} {{
          %p = graph.pad %x {{low = array<i64: 0, 1, 1, 0>,
            high = array<i64: 0, 1, 1, 0>, value = 0.0 : f64}} : {x} -> {p}
          %0 = graph.conv %p, %w {{strides = array<i64: 1, 1>,
            padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
            groups = 1 : i64, channels_last, border = array<i64: 1, 1, 1, 1>}}
            : {p}, {w} -> {y}
          func.return %0 : {y}
        }}"""
    )


def test_zeros_are_left_out():
    """A border of zeros is not read where no row of a tile needs it."""
    text = """func.func @main(%x: tensor<1x64x42x16xf32>) -> tensor<1x62x40x32xf32> {
      %w = graph.constant dense<1.0> : tensor<3x3x16x32xf32>
      %0 = graph.conv %x, %w {strides = array<i64: 1, 1>,
        padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
        groups = 1 : i64, channels_last, border = array<i64: 1, 0, 1, 0>}
        : tensor<1x64x42x16xf32>, tensor<3x3x16x32xf32> -> tensor<1x62x40x32xf32>
      func.return %0 : tensor<1x62x40x32xf32>
    }"""
    x = np.ones((1, 64, 42, 16), np.float32)
    x[:, 0] = x[:, -1] = np.nan
    y = sr.compile(text)(x)
    assert y[0, 0, 0, 0] == y[0, -1, -1, -1] == 2 * 3 * 16
    assert (y[0, 1:-1] == 3 * 3 * 16).all()


def test_an_infinity_in_the_weights_meets_the_zeros():
    layer = Layer((1, 8, 5, 5), 16)
    made = parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[1,8,5,5] x) => (float[1,16,5,5] y)
        { y = Conv<pads=[1,1,1,1]>(x, w) }"""
    )
    weight = layer.weight()
    weight[0, 0, 0, 0] = np.inf
    made.graph.initializer.append(from_array(weight, "w"))
    y = sr.compile(made.SerializeToString())(np.abs(layer.x()) + 1)
    assert np.isnan(y[0, 0, 0, 0])
    assert y[0, 0, 2, 2] == np.inf
    assert np.isfinite(y[0, 1:]).all()
