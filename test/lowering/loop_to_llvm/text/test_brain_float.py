"""Conversions of bf16 round as it is defined, and once."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

import static_runtime as sr

Array: TypeAlias = np.ndarray[Any, Any]

SIZE = 1 << 14


def floats() -> Array:
    """Numbers of each exponent, between two of bf16, halfway, subnormal, and none."""
    upper = np.arange(0, 1 << 16, 5, dtype=np.uint32) << 16
    lower = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    bits = (upper[:, None] | lower).ravel()
    return np.resize(bits, (len(bits) // SIZE + 1) * SIZE).view(np.float32)


def rounded(x: Array) -> Array:
    """The bits of the nearest bf16, of two the even one; a NaN stays one, and quiet."""
    bits = x.view(np.uint32).astype(np.uint64)
    found = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = (bits >> 16) | 0x40
    return np.where(np.isnan(x), quiet, found).astype(np.uint16)


def model(*ops: str) -> sr.StaticModule:
    """A model of these lines, from f32 to bf16."""
    text = "\n".join(ops)
    return sr.compile(
        f"""
func.func @main(%x: tensor<{SIZE}xf32>) -> tensor<{SIZE}xbf16> {{
{text}
  return %y : tensor<{SIZE}xbf16>
}}
""",
        options=sr.Options(cache=False, threads=1),
    )


CAST = f"graph.cast %x {{to = bf16}} : tensor<{SIZE}xf32> -> tensor<{SIZE}xbf16>"
UNARY = f": tensor<{SIZE}xbf16> -> tensor<{SIZE}xbf16>"


@pytest.mark.usefixtures("runs_host")
def test_a_cast_is_the_nearest():
    module = model(f"%y = {CAST}")
    for x in floats().reshape(-1, SIZE):
        found = np.asarray(module(x)).view(np.uint16)
        np.testing.assert_array_equal(found, rounded(x))


@pytest.mark.usefixtures("runs_host")
def test_what_is_rounded_is_not_rounded_again():
    """A Relu and a negation of a bf16 leave all bits but the sign, or are zero."""
    module = model(
        f"%0 = {CAST}", f"%1 = graph.relu %0 {UNARY}", f"%y = graph.neg %1 {UNARY}"
    )
    for x in floats().reshape(-1, SIZE):
        x = x[~np.isnan(x)]
        x = np.resize(x, SIZE)
        bits = rounded(x)
        kept = np.where(bits < 0x8000, bits, 0)
        found = np.asarray(module(x)).view(np.uint16)
        np.testing.assert_array_equal(found & 0x7FFF, kept)


def test_the_second_conversion_is_a_shift():
    """Of two in a row one rounds: the other has no comparison with NaN."""
    from xdsl.parser import Parser

    from static_runtime.compiler.ir.context import context
    from static_runtime.compiler.passes.loop.set_target import SetTarget
    from static_runtime.lowering.loop_to_llvm import lower_kernels

    ctx = context()
    module = Parser(
        ctx,
        """
loop.kernel @relu(%a: memref<?xf32>, %b: memref<?xbf16>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 4 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = arith.truncf %x : f32 to bf16
    %z = arith.extf %y : bf16 to f32
    %m = arith.maximumf %z, %zero : f32
    %n = arith.truncf %m : f32 to bf16
    loop.store %n, %b[%i] : memref<?xbf16>
    loop.yield
  }
}
""",
    ).parse_module()
    SetTarget(cpu="x86-64-v3").apply(ctx, module)
    text = lower_kernels(module)["relu"].text
    assert text.count("fcmp uno") == 1
