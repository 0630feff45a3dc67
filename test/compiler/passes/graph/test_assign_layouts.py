"""Bits do not depend on where a chain of permuted ops begins, as sizes decide."""

from __future__ import annotations

import numpy as np
from onnx import helper, parser
from onnx.numpy_helper import from_array

import static_runtime as sr


def model(sizes: str) -> bytes:
    """A convolution of few taps and channels before one that prefers channels last."""
    made = parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[{sizes}] x) => (float[a] y) {{
            c = Conv<pads=[6,5], strides=[3], dilations=[3], group=2>(x, w)
            r = Relu(c)
            y = Conv<pads=[1,1]>(r, v) }}"""
    )
    random = np.random.default_rng(0)
    made.graph.initializer.extend(
        from_array(random.standard_normal(shape).astype(np.float32), name)
        for name, shape in {"w": (256, 3, 5), "v": (16, 256, 3)}.items()
    )
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", 1, None))
    return made.SerializeToString()


def test_sums_have_one_order_for_all_sizes():
    x = np.random.default_rng(1).standard_normal((1, 6, 33)).astype(np.float32)
    known, open_sizes = (sr.compile(model(each))(x) for each in ("1,6,33", "b,6,s"))
    np.testing.assert_array_equal(known, open_sizes)


def test_rows_that_are_permuted_times_one_column():
    made = parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[32,m] x) => (float[m,1] y) {
            t = Transpose<perm=[1, 0]>(x)
            y = MatMul(t, w) }"""
    )
    random = np.random.default_rng(0)
    w = random.standard_normal((32, 1)).astype(np.float32)
    x = random.standard_normal((32, 7)).astype(np.float32)
    made.graph.initializer.append(from_array(w, "w"))
    found = sr.compile(made.SerializeToString())(x)
    np.testing.assert_allclose(found, x.T @ w, rtol=1e-5, atol=1e-5)
