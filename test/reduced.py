"""What tests of products with factors of bf16 share: targets, models, numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.graph.bf16 import narrow, widen
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.dialects.shape import Array

from .as_host import skip_unless_runs

PAIRS = {
    "pairs": TargetAttr.of("x86-64-v3", 256, 16, True, isas=["portable"]),
    "old pairs": TargetAttr.of("x86-64", 128, 16, False, isas=["portable"]),
    "matrices": TargetAttr.of("x86-64-v3", 256, 16, True, isas=["portable_amx"]),
    "old matrices": TargetAttr.of("x86-64", 128, 16, False, isas=["portable_amx"]),
}
"""
Machines that multiply pairs of bf16, and have no instructions for it: so what others
have an instruction for runs here.
"""


def build(
    text: str,
    weights: Mapping[str, Array],
    precision: str = "bf16",
    target: str = "host",
    threads: int = 1,
) -> StaticModule:
    """The model of a text with these weights."""
    ctx = context()
    for key, array in weights.items():
        ctx.weights.put(key, array)
    options = Options(cache=False, precision=precision)
    driver = Driver(ctx, options, target, None)
    artifact, report = driver.compile(read_mlir(text, ctx))
    # Of `PAIRS` the processor is what names a target.
    skip_unless_runs(PAIRS[target].cpu.data if target in PAIRS else target)
    return make_module(artifact, report, threads)


def numbers(*shape: int) -> Array:
    """Numbers at random."""
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def rounded(array: Array) -> Array:
    """The array with its elements rounded to bf16, in f64."""
    return widen(narrow(array)).astype(np.float64)


def check(got: Array, expected: Array, terms: int) -> None:
    """Compares sums of `terms` terms with their exact values, as f32 should be."""
    tolerance = 2e-6 * max(terms, 1) ** 0.5 * max(np.abs(expected).max(), 1)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)
