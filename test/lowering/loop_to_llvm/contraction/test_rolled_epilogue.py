"""
An epilogue of long functions is a loop over the rows of a register tile: its text has
eight vectors, however many there are, and its results are those of the functions alone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from bench.llvm_text import lower
from bench.onnx_graph import Graph

Array = npt.NDArray[np.float32]


def random(*shape: int) -> Array:
    """Numbers, the same each time."""
    return np.random.default_rng(5).standard_normal(shape).astype(np.float32)


def dense(rows: int | str, columns: int, function: str) -> Any:
    """A product with a constant, and a function of each element."""
    g = Graph()
    x = g.input("x", (rows, 96))
    whole = g.add("MatMul", x, g.weight(random(96, columns) / 8))
    return g.model(g.add(function, whole))


def calls_of(model: Any, name: str, folder: Path) -> int:
    """The calls of a function in the text of the kernels of a model."""
    path = folder / "model.onnx"
    path.write_bytes(model)
    text = "\n".join(each.text for each in lower(path, "sapphirerapids", "f32").kernels)
    return len(re.findall(rf"call <\d+ x float> @sr\.{name}\.v\d+f32", text))


@pytest.mark.parametrize("columns", [64, 60])
def test_is_written_once_for_all_rows(columns: int, tmp_path: Path):
    # A tile of 12 rows has 24 vectors, written again for the columns that are left.
    rolled = calls_of(dense(96, columns, "Sigmoid"), "exp", tmp_path)
    assert 1 <= rolled <= 16
    assert not calls_of(dense(96, columns, "Relu"), "exp", tmp_path)


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("rows", ["rows", 1, 5, 96, 97])
@pytest.mark.parametrize("columns", [64, 60, 7])
def test_has_the_results_of_the_function_alone(rows: int | str, columns: int):
    x = random(rows if isinstance(rows, int) else 53, 96)
    module = sr.compile(dense(rows, columns, "Tanh"), options=sr.Options(cache=False))
    product = x.astype(np.float64) @ (random(96, columns) / 8)
    np.testing.assert_allclose(module(x), np.tanh(product), rtol=2e-6, atol=2e-6)
