"""
What an epilogue reads is prefetched before the k-loop of a product, but not from places
that the epilogue computes: of rows that are looked up, or of an image that grows. Each
line of a panel is in the k-loop, if the first cache does not hold the panel.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.parser import Parser

import static_runtime as sr
from bench.onnx_graph import Graph
from static_runtime.compiler.ir.context import context
from static_runtime.lowering.loop_to_llvm import lower_kernels

pytestmark = pytest.mark.usefixtures("runs_host")

Array = npt.NDArray[np.float32]


def random(*shape: int) -> Array:
    """Numbers, the same each time."""
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


def with_step(batch: int | str, index: int) -> Any:
    """A product, and what a step of a sequence adds to it."""
    g = Graph()
    steps = g.input("x", (9, batch, 32))
    step = g.add("Gather", steps, g.weight(np.array(index)), axis=0)
    whole = g.add("MatMul", g.input("h", (batch, 8)), g.weight(random(8, 32)))
    return g.model(g.add("Add", step, whole))


def with_rows() -> Any:
    """A product, and the row that an index of the run names."""
    g = Graph()
    index = g.add("Cast", g.input("i", (4,)), to=7)
    row = g.add("Gather", g.weight(random(50, 32)), index, axis=0)
    whole = g.add("MatMul", g.input("h", (4, 8)), g.weight(random(8, 32)))
    return g.model(g.add("Add", row, whole))


def with_image(channels: int, kernel: int, size: int, batch: int | str) -> Any:
    """A convolution, and an image of half its sides, as in a pyramid of features."""
    g = Graph()
    half = g.input("x", (batch, channels, size, size))
    scales = g.weight(np.array([1, 1, 2, 2], np.float32))
    grown = g.add(
        *("Resize", half, "", scales),
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    image = g.input("z", (batch, channels, 2 * size, 2 * size))
    weight = g.weight(random(channels, channels, kernel, kernel) / 8)
    whole = g.add("Conv", image, weight, pads=[kernel // 2] * 4)
    return g.model(g.add("Add", grown, whole))


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("batch", ["batch", 4])
@pytest.mark.parametrize("index", [0, 3, -1])
def test_a_step_is_added(batch: int | str, index: int):
    module = sr.compile(with_step(batch, index), options=sr.Options(cache=False))
    x, h = random(9, 4, 32), random(4, 8)
    expected = x[index] + h @ random(8, 32)
    np.testing.assert_allclose(module(x, h), expected, rtol=1e-5, atol=1e-5)


def test_rows_are_added():
    module = sr.compile(with_rows(), options=sr.Options(cache=False))
    i, h = np.array([7, 0, 49, 7], np.float32), random(4, 8)
    expected = random(50, 32)[i.astype(int)] + h @ random(8, 32)
    np.testing.assert_allclose(module(i, h), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("channels", "kernel", "size", "batch"),
    [(64, 1, 8, 1), (64, 1, 8, "batch"), (16, 3, 6, 2)],
)
def test_an_image_is_added(channels: int, kernel: int, size: int, batch: int | str):
    model = with_image(channels, kernel, size, batch)
    module = sr.compile(model, options=sr.Options(cache=False))
    count = batch if isinstance(batch, int) else 1
    x = random(count, channels, size, size)
    z = random(count, channels, 2 * size, 2 * size)
    grown = x.repeat(2, 2).repeat(2, 3)
    without = module(np.zeros_like(x), z)
    np.testing.assert_allclose(module(x, z), grown + without, rtol=1e-5, atol=1e-5)


def kernel(
    element: str, lanes: int, ahead: str = "", rows: int = 12, nr: int = 32
) -> str:
    """Some rows by 64 columns in panels, 32 at a time, as the passes leave it."""
    at = f"%k * {nr} + %j blocked {nr} * {256 * nr}"
    return f"""
    builtin.module attributes {{loop.target = #loop.target<"x86-64-v4",
        vector = 512, registers = 32, fma = true>}} {{
      loop.kernel @k(%x: memref<?xf32>, %w: memref<?x{element}>, %y: memref<?xf32>) {{
        %zero = arith.constant 0.0 : f32
        loop.tile %i to {rows}, %j to 64, reduce %k to 256 from %zero : f32
            by 12, 32, {lanes} as #loop.schedule<nr = {nr}, mc = 12, nc = 64,
            kc = 256 of 0> unroll 4 {ahead} k_loop (%sum) {{
          %a = loop.load %x[%i * 256 + %k] : memref<?xf32>
          %b = loop.load %w[{at}] : memref<?x{element}>
          {"" if element == "f32" else f"%c = arith.extf %b : {element} to f32"}
          %next = math.fma %a, {"%b" if element == "f32" else "%c"}, %sum : f32
          loop.yield %next : f32
        }} epilogue (%row, %column, %accumulator) {{
          loop.store %accumulator, %y[%row * 64 + %column] : memref<?xf32>
          loop.yield
        }}
      }}
    }}"""


def text_of(module: str) -> str:
    """The LLVM text of the one kernel of a module."""
    parsed = Parser(context(), module).parse_module()
    ((_, lowered),) = lower_kernels(parsed).items()
    return lowered.text


@pytest.mark.parametrize(
    ("element", "lanes", "nr", "lines"),
    [
        *(("f32", 16, 32, 2), ("f32", 8, 32, 2), ("f16", 16, 32, 1)),
        # Several panels, whose rows are a line, or half of one.
        *(("f32", 16, 16, 2), ("f16", 16, 16, 2), ("f32", 4, 8, 4)),
    ],
)
def test_each_line_of_a_row_of_panels_is_prefetched(
    element: str, lanes: int, nr: int, lines: int
):
    text = text_of(kernel(element, lanes, "ahead 24", nr=nr))
    found = re.findall(r"prefetch\.p0\(ptr (%\w+), i32 0, i32 3, i32 1\)", text)
    # Four k, written once with a rest of none.
    assert len(found) == 4 * lines
    assert len({*found}) == len(found)
    assert "prefetch" not in text_of(kernel(element, lanes, nr=nr))
    # What lies beyond the panels has no `inbounds` address.
    for here in found:
        (line,) = re.findall(rf"{here} = (.*)", text)
        assert line.startswith("getelementptr ")
        assert "inbounds" not in line


def test_few_rows_left_prefetch_no_rows_of_panels():
    assert "prefetch" not in text_of(kernel("f32", 16, "ahead 24", rows=3))
