"""The example of the Static Runtime post computes what numpy does, to the bit."""

from pathlib import Path

import numpy as np

import static_runtime as sr

POST = Path(__file__).parent / "static_runtime_post.mlir"


def test_computes_what_numpy_does():
    random = np.random.default_rng(0)
    inputs = [random.standard_normal((64, 32)).astype(np.float32) for _ in range(5)]
    i0, i1, i2, i3, i4 = inputs
    expected = np.concatenate([(i0 + i1) * i2 * i3, i4], 1)
    np.testing.assert_array_equal(sr.compile(POST)(*inputs), expected)
