"""
Models that are large along one axis compile, and what that takes grows as they do.

What it takes is counted in calls of functions and characters of LLVM text, which are
the same on every machine, and not in seconds.
"""

from __future__ import annotations

import cProfile
import inspect
import sys
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pytest

import static_runtime as sr
from bench import growth
from bench.axes import AXES
from bench.grown_flow import elementwise, operands, outputs, residuals, steps
from bench.onnx_graph import SHAPE, Graph, Model
from static_runtime.compiler.driver.describe import describe, program_of
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.pipeline import pipeline
from static_runtime.compiler.session.options import Options
from static_runtime.lowering.host_to_llvm import LlvmProgram, lower_program

Array = npt.NDArray[np.float32]

X = np.linspace(-1, 1, 64, dtype=np.float32).reshape(SHAPE)

MOST = 2.5
"""How many times as much twice the size may take: two, and something for logarithms."""

# Below the most ops of a fusion its size grows too, and each op looks at all others.
LARGE = {
    "a value added to itself",
    "calls of a function",
    "constants",
    "diamonds",
    "elementwise ops in a chain",
    "functions",
    "initialisers",
    "operands of Max",
    "operands of Sum",
    "users of one value",
}

# Each place in the sum is a sum of the sizes before it, in the text of a call.
SQUARE = {"symbols in a sum"}


def lowered(model: Model) -> LlvmProgram:
    """The LLVM text of a model, all but compiled."""
    ctx = context()
    module = read_mlir(model, ctx) if isinstance(model, str) else read_onnx(model, ctx)
    for each in pipeline(Options(), "x86-64-v3"):
        each.apply(ctx, module)
    describe(program_of(module))
    return lower_program(module)


def cost(model: Model) -> tuple[int, int]:
    """The calls of functions until a model is LLVM text, and the length of that."""
    profile = cProfile.Profile(subcalls=False)
    profile.enable()
    try:
        program = lowered(model)
    finally:
        profile.disable()
    calls = sum(each.callcount for each in profile.getstats())
    return calls, sum(len(each.text) for each in program.modules)


def check(name: str, size: int) -> None:
    """Checks that a model of an axis takes no more than in proportion."""
    make, _ = AXES[name]
    # What is imported, and found once for a process, is no part of either.
    lowered(make(2))
    for what, small, large in zip(
        ("calls", "characters"), cost(make(size)), cost(make(2 * size)), strict=True
    ):
        ratio = large / small
        assert ratio <= MOST, f"{what} for {2 * size} of {name}: {ratio:.2f} times"


@pytest.mark.sampled(every=12, start=1)
@pytest.mark.parametrize("name", sorted({*AXES} - LARGE - SQUARE))
def test_twice_as_much_takes_twice_as_much(name: str):
    check(name, max(AXES[name][1] // 8, 4))


def test_kernels_do_not_grow_with_a_sum_of_symbols():
    make, _ = AXES["symbols in a sum"]
    small, large = (lowered(make(many)).kernels for many in (9, 17))
    assert [each.text for each in small] == [each.text for each in large]


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted({*AXES} - SQUARE))
def test_twice_as_much_takes_twice_as_much_when_it_is_much(name: str):
    check(name, AXES[name][1])


def compiled(model: Model) -> sr.StaticModule:
    """A model compiled anew."""
    return sr.compile(model, options=sr.Options(cache=False))


@pytest.mark.full(beside="test_twice_as_much_takes_twice_as_much")
def test_a_sum_of_a_thousand_operands():
    expected = X * sum(np.float32(1 / (at + 2)) for at in range(1000))
    np.testing.assert_allclose(compiled(operands("Sum")(1000))(X), expected, rtol=1e-4)


@pytest.mark.full(beside="test_twice_as_much_takes_twice_as_much")
def test_a_concatenation_of_many_operands():
    count = 300
    result = compiled(operands("Concat", axis=0)(count))(X)
    expected = [X * np.float32(1 / (at + 2)) for at in range(count)]
    np.testing.assert_allclose(result, np.concatenate(expected), rtol=1e-6)


@pytest.mark.soak
def test_a_concatenation_of_thousands_of_operands():
    count = 5000
    result = compiled(operands("Concat", axis=0)(count))(X)
    expected = [X * np.float32(1 / (at + 2)) for at in range(count)]
    np.testing.assert_allclose(result, np.concatenate(expected), rtol=1e-6)


@pytest.mark.full(beside="test_twice_as_much_takes_twice_as_much")
def test_a_thousand_outputs():
    module = compiled(outputs(1000))
    expected = [X * np.float32(1 / (at + 2)) for at in range(1000)]
    out = tuple(np.zeros_like(X) for _ in expected)
    for _ in range(2):
        # The first call is Python's, which finds the plan; the second is compiled.
        found: tuple[Array, ...] = module(X)
        assert len(found) == len(expected)
        for got, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)
    assert module(X, out=out) is out
    np.testing.assert_array_equal(out[-1], expected[-1])


@contextmanager
def frames(count: int) -> Generator[None]:
    """Python may go `count` frames deeper than here, and no further."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + count)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def unfused(count: int) -> Model:
    """A fusion of `count` ops, as text may have it."""
    row = "tensor<4xf32>"
    ops = "\n".join(
        f"    %{at + 1} = graph.{('neg', 'abs')[at % 2]} %{at} : {row} -> {row}"
        for at in range(count)
    )
    return f"""func.func @main(%x: {row}) -> {row} {{
  %y = graph.fusion %x : {row} -> {row} {{
  ^bb0(%0: {row}):
{ops}
    graph.yield %{count} : {row}
  }}
  return %y : {row}
}}"""


def pads(count: int) -> Model:
    """A convolution of what is padded often, which layouts go back through."""
    g = Graph()
    x, by = g.input("x", (1, 16, 4, 4)), g.weight(np.array([0, 0, 0, 0, 0, 0, 0, 1]))
    for _ in range(count):
        x = g.add("Pad", x, by)
    return g.model(g.add("Conv", x, g.scale(0, 16, 16, 3, 3)))


def biases(count: int) -> Model:
    """A product to which constants are added, one after the other."""
    g = Graph()
    x = g.add("MatMul", g.input(), g.scale(0, 16, 16))
    for at in range(count):
        x = g.add("Add", x, g.scale(at, 16))
    return g.model(x)


def doubled_softmax(count: int) -> Model:
    """A softmax of a value that is added to itself, so that ways to it double."""
    g = Graph()
    x = g.input()
    for _ in range(count):
        x = g.add("Add", x, x)
    return g.model(g.add("Softmax", x))


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(elementwise(150), id="elementwise"),
        pytest.param(residuals(150), id="residuals"),
        pytest.param(steps(80), id="steps"),
        pytest.param(unfused(600), id="fusion"),
        pytest.param(pads(150), id="pads"),
        pytest.param(biases(150), id="biases"),
        pytest.param(doubled_softmax(60), id="doubled"),
    ],
)
def test_depth_of_a_model_is_none_of_pythons_stack(model: Model):
    lowered(elementwise(1))
    with frames(120):
        lowered(model)


def test_the_bench_prints_a_row_for_an_axis(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(growth, "AXES", {"residual blocks": (residuals, 1)})
    growth.main([])
    heading, _, row = capsys.readouterr().out.splitlines()
    assert heading.startswith("| what grows | n |")
    assert row.startswith("| residual blocks | 1 |")
    assert row.count("|") == heading.count("|")
