"""Rows by a constant column have the same bits whether their size is known or open."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser
from onnx.numpy_helper import from_array

import static_runtime as sr


def model(sizes: str) -> bytes:
    """Rows by one column of 64."""
    made = parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[{sizes}] x) => (float[m,1] y) {{ y = MatMul(x, w) }}"""
    )
    w = np.random.default_rng(0).standard_normal((64, 1)).astype(np.float32)
    made.graph.initializer.append(from_array(w, "w"))
    return made.SerializeToString()


def test_rows_of_an_open_size():
    x = np.random.default_rng(1).standard_normal((9, 64)).astype(np.float32)
    known, open_size = (sr.compile(model(each)) for each in ("m,64", "m,k"))
    np.testing.assert_array_equal(known(x), open_size(x))
    for size in (1, 63):
        with pytest.raises(ValueError, match=r"graph\.matmul at y: expected equal"):
            open_size(x[:, :size])
