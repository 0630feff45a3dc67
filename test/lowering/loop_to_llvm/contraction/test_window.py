"""
Depthwise convolutions: where rows share in registers what their windows read, they have
the results of sums in f64, and the bits of tiles of one row, which share nothing.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

Array = np.ndarray[Any, Any]

TYPES = {"f32": 1e-6, "f16": 1e-3, "bf16": 8e-3}
"""The types of elements, and how far a result may be from the largest."""


def text(
    x: tuple[int, ...],
    window: tuple[int, int],
    steps: tuple[int, int, int, int],
    type: str,
    preference: str,
) -> tuple[str, tuple[int, ...]]:
    """A convolution of each channel, and the sizes of its result."""
    _, height, width, channels = x
    *strides, down, across = steps
    out = [
        (size - (taps - 1) * apart - 1) // stride + 1
        for size, taps, apart, stride in zip(
            (height, width), window, (down, across), strides, strict=True
        )
    ]
    image = f"tensor<{x[0]}x{height}x{width}x{channels}x{type}>"
    weight = f"tensor<{window[0]}x{window[1]}x1x{channels}x{type}>"
    result = f"tensor<{x[0]}x{out[0]}x{out[1]}x{channels}x{type}>"
    return (
        f"""func.func @main(%x: {image}, %w: {weight}) -> {result} {{
      %0 = graph.conv %x, %w {{
        strides = array<i64: {strides[0]}, {strides[1]}>,
        padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: {down}, {across}>,
        groups = {channels} : i64, channels_last{preference}}}
        : {image}, {weight} -> {result}
      func.return %0 : {result}
    }}""",
        (x[0], *out, channels),
    )


def rounded(array: Array, type: str) -> tuple[Array, Array]:
    """An array with the values of a type, in f64, and as a module takes it."""
    if type == "bf16":
        words = (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return widened(words, type), words
    narrow = array.astype({"f32": np.float32, "f16": np.float16}[type])
    return narrow.astype(np.float64), narrow


def widened(array: Array, type: str) -> Array:
    """An array of a type in f64."""
    if type == "bf16":
        array = (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def expected(x: Array, w: Array, steps: tuple[int, ...], out: tuple[int, ...]) -> Array:
    """The convolution in f64."""
    stride_y, stride_x, down, across = steps
    total = np.zeros(out)
    for ky, kx in product(range(w.shape[0]), range(w.shape[1])):
        y, z = ky * down, kx * across
        places = x[:, y : y + (out[1] - 1) * stride_y + 1 : stride_y]
        total += (
            places[:, :, z : z + (out[2] - 1) * stride_x + 1 : stride_x] * w[ky, kx]
        )
    return total


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("channels", [3, 16, 40, 144])
@pytest.mark.parametrize(
    ("window", "steps"),
    [
        ((3, 3), (1, 1, 1, 1)),
        ((3, 3), (2, 2, 1, 1)),
        ((3, 3), (1, 1, 2, 2)),
        ((3, 3), (1, 3, 1, 1)),
        ((3, 3), (2, 2, 3, 3)),
        ((5, 5), (1, 1, 1, 1)),
        ((5, 5), (2, 2, 1, 1)),
        ((1, 7), (1, 1, 1, 1)),
        ((4, 2), (1, 1, 1, 1)),
        ((2, 9), (1, 4, 1, 2)),
    ],
    ids=str,
)
@pytest.mark.parametrize("width", [19, 33, 64])
def test_windows_that_slide(
    window: tuple[int, int],
    steps: tuple[int, int, int, int],
    width: int,
    channels: int,
    type: str,
):
    rng = np.random.default_rng(width)
    size = (2, 11, width, channels)
    exact_x, x = rounded(rng.standard_normal(size), type)
    exact_w, w = rounded(rng.standard_normal((*window, 1, channels)), type)
    results: list[Array] = []
    for preference in ("", ", preference = #loop.preference<mr = 1>"):
        model, out = text(size, window, steps, type, preference)
        found = sr.compile(model, options=sr.Options(cache=False))(x, w)
        results.append(np.asarray(found))
    assert results[0].tobytes() == results[1].tobytes()
    wanted = expected(exact_x, exact_w, steps, out)
    error = np.abs(widened(results[0], type) - wanted).max() / np.abs(wanted).max()
    assert error <= TYPES[type]


@pytest.mark.parametrize(
    ("window", "steps"), [((3, 3), (1, 1, 1, 1)), ((5, 3), (2, 1, 1, 2))]
)
def test_windows_of_bytes(window: tuple[int, int], steps: tuple[int, int, int, int]):
    size, channels = (1, 13, 40, 48), 48
    model, out = text(size, window, steps, "i32", "")
    image, weight = "1x13x40x48x", f"{window[0]}x{window[1]}x1x48x"
    casts = f"""
      %x = graph.cast %bytes {{to = i32}} : tensor<{image}ui8> -> tensor<{image}i32>
      %w = graph.cast %f {{to = i32}} : tensor<{weight}si8> -> tensor<{weight}i32>"""
    head, _, rest = model.partition(f"%x: tensor<{image}i32>, %w: tensor<{weight}i32>")
    opened, brace, body = rest.partition("{")
    model = f"{head}%bytes: tensor<{image}ui8>, %f: tensor<{weight}si8>"
    model += f"{opened}{brace}{casts}{body}"
    rng = np.random.default_rng(channels)
    x = rng.integers(0, 256, size).astype(np.uint8)
    w = rng.integers(-128, 128, (*window, 1, channels)).astype(np.int8)
    found = sr.compile(model, options=sr.Options(cache=False))(x, w)
    wanted = expected(x.astype(np.float64), w.astype(np.float64), steps, out)
    np.testing.assert_array_equal(found, wanted.astype(np.int32))
