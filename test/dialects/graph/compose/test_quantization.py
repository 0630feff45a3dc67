"""Quantised tensors: scales of axes and blocks, and scales that a run finds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.ir import SSAValue

from static_runtime.dialects.element_type import si8, ui8
from static_runtime.dialects.graph.compose.quantization import (
    dequantized,
    dynamic_parameters,
    quantized,
    requantized,
)

from .run import Array, run, run_all

FORMS = {
    "tensor": ((), 0, 0, ()),
    "one": ((1,), 0, 0, ()),
    "axis": ((6,), 1, 0, (6, 1)),
    "first axis": ((3,), 0, 0, (3, 1, 1)),
    "blocks": ((3, 2, 5), 1, 3, (3, 2, 5)),
    "cut blocks": ((3, 2, 5), 1, 4, (3, 2, 5)),
}
"""The shape of a scale, its axis and block, and how it broadcasts."""


def repeated(given: Array, shape: tuple[int, ...], axis: int, block: int) -> Array:
    """A scale as it broadcasts to 3x6x5."""
    given = given.reshape(shape)
    return np.repeat(given, block, axis)[:, :6] if block else given


@pytest.mark.parametrize("name", FORMS)
def test_scales_of_axes_and_blocks(name: str):
    shape, axis, block, wide = FORMS[name]
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 6, 5), np.float32)
    scale = random.uniform(0.01, 0.02, shape).astype(np.float32)
    zero = random.integers(-5, 5, shape).astype(np.int8)
    q = run(lambda x, s, z: quantized(x, s, z, axis, block), x, scale, zero)
    s, z = (repeated(each, wide, axis, block) for each in (scale, zero))
    wanted = np.clip(np.rint(x / s) + z, -128, 127).astype(np.int8)
    np.testing.assert_array_equal(q, wanted)
    back = run(lambda q, s, z: dequantized(q, s, z, axis, block), q, scale, zero)
    steps = wanted.astype(np.int32) - z.astype(np.int32)
    np.testing.assert_array_equal(back, steps.astype(np.float32) * s)


@pytest.mark.parametrize(
    ("numbers", "scale", "zero"),
    [
        ([0.0, 2.0, -3.0], 5 / 255, 153),
        ([1.0, 2.55], 0.01, 0),
        ([-2.55, -1.0], 0.01, 255),
        ([0.0, -0.0], 1.0, 0),
        ([], 1.0, 0),
    ],
)
def test_dynamic_parameters(numbers: list[float], scale: float, zero: int):
    x = np.array(numbers, np.float32)

    def build(values: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
        return dynamic_parameters(values[0], ui8)

    found, place = run_all(build, x)
    np.testing.assert_allclose(found, np.float32(scale), 1e-6)
    assert (place.dtype, place) == (np.uint8, zero)


def test_dynamic_parameters_of_signed_steps():
    def build(values: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
        return dynamic_parameters(values[0], si8)

    _, place = run_all(build, np.array([0.0, 2.55], np.float32))
    assert (place.dtype, place) == (np.int8, -128)


def test_requantized_rounds_then_adds_the_zero_point():
    total = np.array([[1, 3, 5, 2000, -2000]], np.int32)
    half, zero = np.array(0.5, np.float32), np.array(1, np.uint8)
    got = run(requantized, total, half, zero)
    # 0.5, 1.5 and 2.5 are ties, which go to even before there is a zero point.
    np.testing.assert_array_equal(got, np.array([[1, 3, 3, 255, 0]], np.uint8))
