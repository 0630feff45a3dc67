"""Inputs of textual IR that are given as constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import static_runtime as sr

ROWS, TWICE = 'tensor<?x3xf32, ["n"]>', 'tensor<?xf32, ["2 * n"]>'
TEXT = f"""
func.func @main(%x: {ROWS}, %w: {ROWS}, %b: {TWICE}) -> ({ROWS}, {TWICE}) {{
  %0 = graph.mul %x, %w : {ROWS}, {ROWS} -> {ROWS}
  return %0, %b : {ROWS}, {TWICE}
}}"""


def test_a_constant_is_no_input_and_binds_symbols():
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    module = sr.compile(TEXT, constants={"w": w})
    assert module.input_names == ("x", "b")
    assert [each.shape for each in module.program.inputs] == [(2, 3), (4,)]
    x, b = np.ones((2, 3), np.float32) * 2, np.arange(4, dtype=np.float32)
    product, same = module(x, b)
    np.testing.assert_array_equal(product, w * 2)
    np.testing.assert_array_equal(same, b)


def test_lists_and_large_constants():
    w = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
    for value in (w, w.tolist()):
        module = sr.compile(TEXT, constants={"w": value, "b": [0.5] * 100})
        assert module.input_names == ("x",)
        product, same = module(np.ones((50, 3), np.float32))
        np.testing.assert_array_equal(product, w)
        assert (same == 0.5).all()


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"v": 1}, r"constants for inputs of the model \(x, w, b\), got v"),
        ({"w": [1]}, r"constant 'w': expected shape \[1, 3\], got \[1\]"),
        ({"w": [[1, 2]]}, r"constant 'w': expected shape \[1, 3\], got \[1, 2\]"),
        ({"w": [[1, 2, 3]], "x": [[1, 2, 3]] * 2}, r"constant 'x': expected shape"),
        ({"b": [1]}, r"constant 'b': expected shape \[2 \* n\], got \[1\]"),
        ({"w": [[True, 2, "z"]]}, "constant for input w: expected an array of float32"),
    ],
)
def test_refuses_what_does_not_fit(constants: Any, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(TEXT, constants=constants)
