"""
Rows of a batch that are computed one by one have the bits of the whole batch, and take
the memory of one row.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from onnx.parser import parse_model

import static_runtime as sr
from static_runtime.compiler.passes.graph.split_batch import SplitBatch

Array = np.ndarray[Any, Any]

RANDOM = np.random.default_rng(5)

CONVOLUTIONS = """
    <ir_version: 10, opset_import: ["":22]>
    g (float[{batch},3,12,10] x, float[8] s) => (float[{batch},5] y)
    <float[8,3,3,3] w = {{{w}}}, float[8,8,3,3] v = {{{v}}}, float[8,5] m = {{{m}}}>
    {{
      a = Conv <pads = [1, 1, 1, 1]> (x, w)
      b = Relu (a)
      c = Conv <pads = [1, 1, 1, 1]> (b, v)
      d = Add (b, c)
      e = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (d)
      f = GlobalAveragePool (e)
      h = Flatten (f)
      i = Mul (h, s)
      j = MatMul (i, m)
      y = Softmax (j)
    }}"""

LOOKED_UP = """
    <ir_version: 10, opset_import: ["":22]>
    g (float[n,64] x, int64[n] i) => (float[n,64] y)
    <float[7,64] t = {{{t}}}>
    {{
      a = Gather (t, i)
      b = Softmax (x)
      c = Add (a, b)
      d = Softmax (c)
      y = Softmax (d)
    }}"""


def numbers(*shape: int) -> str:
    """Numbers of a constant."""
    many = np.random.default_rng(sum(shape)).standard_normal(np.prod(shape))
    return ", ".join(f"{each:.3f}" for each in many)


def model(text: str, **parts: str) -> Any:
    """A model of a text."""
    return parse_model(text.format(**parts))


@pytest.fixture
def splits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches are split even where that saves little."""
    pipeline = import_module("static_runtime.compiler.passes.pipeline")
    monkeypatch.setattr(pipeline, "SplitBatch", partial(SplitBatch, 0))


def convolutions(batch: str) -> Any:
    """A small network, for a batch."""
    weights = {"w": (8, 3, 3, 3), "v": (8, 8, 3, 3), "m": (8, 5)}
    parts = {name: numbers(*shape) for name, shape in weights.items()}
    return model(CONVOLUTIONS, batch=batch, **parts)


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", ["n", "6"])
def test_rows_have_the_bits_of_a_batch(
    batch: str, threads: int, request: pytest.FixtureRequest
):
    options = sr.Options(cache=False, threads=threads)
    whole = sr.compile(convolutions(batch), options=options)
    request.getfixturevalue("splits")
    split = sr.compile(convolutions(batch), options=options)
    scale = RANDOM.standard_normal(8).astype(np.float32)
    for rows in (0, 1, 2, 6) if batch == "n" else (6,):
        x = RANDOM.standard_normal((rows, 3, 12, 10)).astype(np.float32)
        np.testing.assert_array_equal(split(x, scale), whole(x, scale))
    sizes = {"n": 6} if batch == "n" else {}
    one, all_rows = (m.memory_report(**sizes).activations for m in (split, whole))
    assert one < 0.4 * all_rows
    assert split.report.constant_bytes == whole.report.constant_bytes


@pytest.mark.usefixtures("splits")
def test_an_index_of_one_row_is_refused():
    module = sr.compile(
        model(LOOKED_UP, t=numbers(7, 64)), options=sr.Options(cache=False)
    )
    x, which = np.zeros((4, 64), np.float32), np.array([0, 6, -7, 3])
    assert module(x, which).shape == (4, 64)
    which[2] = 7
    with pytest.raises(IndexError, match="from -7 to 6, got 7"):
        module(x, which)
    which[2] = 1
    assert module(x, which).shape == (4, 64)


def test_a_batch_of_large_images_is_split():
    """Without being told to."""
    text = """
        <ir_version: 10, opset_import: ["":22]>
        g (float[n,16,160,160] x) => (float[n,16,160,160] y)
        <float[16,16,3,3] w = {{{w}}}>
        {{
          a = Conv <pads = [1, 1, 1, 1]> (x, w)
          b = Conv <pads = [1, 1, 1, 1]> (a, w)
          y = Conv <pads = [1, 1, 1, 1]> (b, w)
        }}"""
    module = sr.compile(
        model(text, w=numbers(16, 16, 3, 3)), options=sr.Options(cache=False)
    )
    one, many = (module.memory_report(n=n).activations for n in (1, 64))
    assert many == one


def test_a_batch_of_large_matrices_is_not():
    """Each row would read them again."""
    text = """
        func.func @main(%x : tensor<?x8x1024xf32, ["n"]>, %w : tensor<1024x1024xf32>)
            -> tensor<?x8x1024xf32, ["n"]> {
          %v = graph.constant dense<0.5> : tensor<1024x1024xf32>
          %1 = graph.matmul %x, %v : tensor<?x8x1024xf32, ["n"]>, tensor<1024x1024xf32>
            -> tensor<?x8x1024xf32, ["n"]>
          %2 = graph.matmul %1, %v : tensor<?x8x1024xf32, ["n"]>, tensor<1024x1024xf32>
            -> tensor<?x8x1024xf32, ["n"]>
          return %2 : tensor<?x8x1024xf32, ["n"]>
        }"""
    module = sr.compile(text, options=sr.Options(cache=False))
    one, many = (module.memory_report(n=n).activations for n in (1, 64))
    assert many == 64 * one
