"""A long program computes what its ops do, and says which of its calls failed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from bench.depth import WIDTH, model
from static_runtime.lowering.program_to_host.outlining import MOST_CALLS

LAYERS = 2 * MOST_CALLS + 3


def layers(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """What the linear layers of the benchmark compute."""
    for at in range(LAYERS):
        x = np.maximum(x @ np.full((WIDTH, WIDTH), 1 / (at + 2), np.float32), 0)
    return x


def test_a_long_program_computes_what_its_layers_do():
    x = np.random.default_rng(1).random((4, WIDTH), np.float32) / np.float32(2**20)
    module = sr.compile(model("linear", LAYERS), options=sr.Options(cache=False))
    assert module.report.kernels >= LAYERS
    np.testing.assert_allclose(module(x), layers(x), rtol=1e-4)


def test_a_call_that_fails_late_is_the_one_that_is_told():
    row = f"tensor<4x{WIDTH}xf32>"
    head = f"func.func @model(%0: {row}"
    text = model("linear", LAYERS).replace(head, f"{head}, %i: tensor<4xi64>")
    text = text.replace(
        f"return %{LAYERS}",
        f"%r = graph.index_select %{LAYERS}, %i {{axis = 0 : i64, wraps = true}} : "
        f"{row}, tensor<4xi64> -> {row}\n  return %r",
    )
    module = sr.compile(text, options=sr.Options(cache=False))
    x = np.zeros((4, WIDTH), np.float32)
    assert module(x, np.zeros(4, np.int64)).shape == (4, WIDTH)
    with pytest.raises(IndexError, match=r"graph\.index_select"):
        module(x, np.full(4, 9))
