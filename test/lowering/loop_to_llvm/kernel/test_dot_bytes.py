"""Products of bytes are the instructions of a target, and have equal sums on all."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

from ....models.test_few_bits import build

TEXT = """
func.func @main(%a : tensor<3x16xi32>, %s : tensor<3x2xf32>, %o : tensor<3x2xi32>,
    %w : tensor<2x2xWx16xi32>, %ws : tensor<2x2x16xf32>) -> tensor<3x2x16xf32> {
  %0 = graph.multiply_steps %a, %s, %o, %w, %ws {bits = BITS : i64} :
    tensor<3x16xi32>, tensor<3x2xf32>, tensor<3x2xi32>, tensor<2x2xWx16xi32>,
    tensor<2x2x16xf32> -> tensor<3x2x16xf32>
  return %0 : tensor<3x2x16xf32>
}"""


@pytest.mark.sampled
@pytest.mark.parametrize("target", ["host", "x86-64-v3", "x86-64", "cooperlake"])
@pytest.mark.parametrize("bits", [4, 8])
def test_sums_are_exact_at_the_limits_of_bytes(bits: int, target: str):
    """All products of a block the greatest or the least: none of them saturates."""
    words = 8 * bits // 8
    text = TEXT.replace("BITS", str(bits)).replace("xWx", f"x{words}x")
    a = np.zeros((3, 64), np.int8)
    a[0], a[1], a[2] = -128, 127, np.arange(64) % 2 * 255 - 128
    steps = np.full((2, 2, words, 16), -1, np.int32)
    one = np.ones((3, 2), np.float32), np.ones((2, 2, 16), np.float32)
    offset = np.array([[0, 5], [-7, 1], [2, 0]], np.int32)
    got = build(text, {}, sr.Options(cache=False), target)(
        a.view(np.int32), one[0], offset, steps, one[1]
    )
    greatest = (1 << bits) - 1
    want = greatest * a.astype(np.int64).sum(1) + offset.sum(1)
    np.testing.assert_array_equal(got, np.broadcast_to(want[:, None, None], got.shape))
