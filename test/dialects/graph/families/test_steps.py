"""Steps with a zero point that is known have the bits of those with one that is not."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.target import TARGETS
from static_runtime.dialects.shape import Array

from ....as_host import skip_unless_runs

KINDS = {
    "ui8": (np.uint8, 0, 255),
    "si8": (np.int8, -128, 127),
    "ui16": (np.uint16, 0, 65535),
    "si16": (np.int16, -32768, 32767),
}


def build(text: str, target: str) -> StaticModule:
    """The model of a text."""
    if target in TARGETS:
        skip_unless_runs(TARGETS[target].cpu.data)
    ctx, options = context(), sr.Options(cache=False)
    artifact, report = Driver(ctx, options, target, None).compile(read_mlir(text, ctx))
    return make_module(artifact, report, 1)


def chain(kind: str, zero: int | None, factor: str, returned: str) -> str:
    """
    Numbers become steps, and numbers again: with a zero point that is known, or that
    is an input. Where the numbers alone are returned, both are in one kernel.
    """
    given = "" if zero is not None else f", %p : tensor<{kind}>"
    constant = (
        "" if zero is None else f"%p = graph.constant dense<{zero}> : tensor<{kind}>"
    )
    types = f"tensor<f32>, tensor<{kind}>"
    results = f'tensor<?x{kind if returned == "q" else "f32"}, ["n"]>'
    return f"""
        func.func @main(%x : tensor<?xf32, ["n"]>{given}) -> {results} {{
          {constant}
          %s = graph.constant dense<0.25> : tensor<f32>
          %q = graph.quantize %x, %s, %p {factor} :
            tensor<?xf32, ["n"]>, {types} -> tensor<?x{kind}, ["n"]>
          %d = graph.dequantize %q, %s, %p :
            tensor<?x{kind}, ["n"]>, {types} -> tensor<?xf32, ["n"]>
          %y = graph.add %d, %x :
            tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
          return %{returned} : {results}
        }}"""


def numbers(first: int, last: int, zero: int) -> Array:
    """Ties and their neighbours about both ends and zero, and what is no number."""
    about = np.array([first - zero, last - zero, 0, zero - first], np.float32)
    near = np.arange(-3, 3.25, 0.25, dtype=np.float32)
    wild = [np.nan, np.inf, -np.inf, 3e38, -3e38, 2e9, -2e9, 1e-45, -0.0]
    found = np.concatenate([np.add.outer(about, near).ravel(), wild]) / 4
    return found.astype(np.float32)


@pytest.mark.sampled(every=48)
@pytest.mark.parametrize("factor", ["", "{reciprocal}"])
@pytest.mark.parametrize("target", ["host", "x86-64-v3", "x86-64"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("returned", ["q", "y"])
def test_a_known_zero_point_gives_the_same_bits(
    returned: str, kind: str, target: str, factor: str
):
    dtype, first, last = KINDS[kind]
    asked = build(chain(kind, None, factor, returned), target)
    for zero in (first, last, 0, 100, (first + last) // 2 + 1):
        x = numbers(first, last, zero)
        got = build(chain(kind, zero, factor, returned), target)(x)
        wanted = asked(x, np.array(zero, dtype))
        lost = np.isnan(wanted.astype(np.float32))
        assert got[~lost].tobytes() == wanted[~lost].tobytes()
        assert np.isnan(got[lost].astype(np.float32)).all()


@pytest.mark.parametrize(("known", "differences"), [(100, 0), (None, 1)])
def test_steps_of_a_known_zero_point_are_not_taken_apart(
    known: int | None, differences: int
):
    ctx = context()
    module = read_mlir(chain("ui8", known, "", "y"), ctx)
    Driver(ctx, sr.Options(cache=False), "x86-64-v3", None).run_passes(module)
    assert str(module).count("arith.subi") == differences


def test_a_zero_point_that_is_a_weight_is_known():
    text, ctx = chain("ui8", 100, "", "y"), context()
    text = text.replace("graph.constant dense<100>", 'graph.weight "p"')
    assert ctx.weights.put("p", np.array(100, np.uint8)) == "p"
    module = read_mlir(text, ctx)
    Driver(ctx, sr.Options(cache=False), "x86-64-v3", None).run_passes(module)
    assert "arith.subi" not in str(module)
    assert "arith.constant 100 : i32" in str(module)
