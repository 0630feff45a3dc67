"""
Quick code and full code compute equal bits: each op on the host and another target, and
chains of products, convolutions, norms and softmaxes, at sizes that a run knows.
"""

from __future__ import annotations

import random
from itertools import chain as joined
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import SrContext, context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.dims import symbol
from static_runtime.dialects.graph.op import GraphOp

from ..as_host import skip_unless_runs
from ..dialects.graph.samples import make_inputs
from ..dialects.graph.test_every_op import (
    BOUNDED,
    OPS,
    TARGETS,
    cases_of,
    chosen,
    module_of,
    several,
)
from ..models.test_equal_bits import chain

CASES = 4
"""The most cases of an op."""

CHAINS = 12
"""How many chains each run of the tests has; `make soak` has eight times as many."""

SIZES = ({"n": 1, "m": 9}, {"n": 13, "m": 64}, {"n": 37, "m": 1})
"""The sizes of calls of one module."""

PRODUCT = """
func.func @product(%x: tensor<?x70xTYPE, ["n"]>, %y: tensor<70x?xTYPE, ["m"]>)
    -> tensor<?x?xTYPE, ["n", "m"]> {
  %0 = graph.matmul %x, %y : tensor<?x70xTYPE, ["n"]>, tensor<70x?xTYPE, ["m"]>
    -> tensor<?x?xTYPE, ["n", "m"]>
  %1 = graph.relu %0 : tensor<?x?xTYPE, ["n", "m"]> -> tensor<?x?xTYPE, ["n", "m"]>
  return %1 : tensor<?x?xTYPE, ["n", "m"]>
}
"""
"""A product of inputs whose sizes a run knows, with an epilogue."""

TYPES = {
    **{"f32": np.float32, "f64": np.float64, "f16": np.float16},
    **{"i32": np.int32, "ui8": np.uint8},
}
"""The types of its elements that numpy has."""

WEIGHTS = {
    **{"w": (32, 32, 3, 3), "d": (32, 1, 3, 3), "p": (40, 32, 1, 1)},
    **{"f": (40, 24), "wide": (256, 192)},
}
"""The shapes of weights."""

WIDE = """
func.func @wide(%x: tensor<?x256xf32, ["n"]>) -> tensor<?x192xf32, ["n"]> {
  %w = graph.weight "wide" : tensor<256x192xf32>
  %0 = graph.matmul %x, %w : tensor<?x256xf32, ["n"]>, tensor<256x192xf32>
    -> tensor<?x192xf32, ["n"]>
  %1 = graph.tanh %0 : tensor<?x192xf32, ["n"]> -> tensor<?x192xf32, ["n"]>
  return %1 : tensor<?x192xf32, ["n"]>
}
"""
"""A product that is large enough for registers of tiles, and its epilogue."""

LAYERS = """
func.func @layers(%x: tensor<?x32x20x20xf32, ["n"]>) -> tensor<?x24xf32, ["n"]> {
  %w = graph.weight "w" : tensor<32x32x3x3xf32>
  %d = graph.weight "d" : tensor<32x1x3x3xf32>
  %p = graph.weight "p" : tensor<40x32x1x1xf32>
  %f = graph.weight "f" : tensor<40x24xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>,
    dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x32x20x20xf32, ["n"]>, tensor<32x32x3x3xf32>
    -> tensor<?x32x20x20xf32, ["n"]>
  %1 = graph.relu %0 : tensor<?x32x20x20xf32, ["n"]> -> tensor<?x32x20x20xf32, ["n"]>
  %2 = graph.conv %1, %d {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>,
    dilation = array<i64: 1, 1>, groups = 32 : i64}
    : tensor<?x32x20x20xf32, ["n"]>, tensor<32x1x3x3xf32>
    -> tensor<?x32x10x10xf32, ["n"]>
  %3 = graph.conv %2, %p {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
    dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x32x10x10xf32, ["n"]>, tensor<40x32x1x1xf32>
    -> tensor<?x40x10x10xf32, ["n"]>
  %4 = graph.mean %3 {axes = array<i64: 2, 3>, keepdims = false}
    : tensor<?x40x10x10xf32, ["n"]> -> tensor<?x40xf32, ["n"]>
  %5 = graph.matmul %4, %f : tensor<?x40xf32, ["n"]>, tensor<40x24xf32>
    -> tensor<?x24xf32, ["n"]>
  %6 = graph.softmax %5 {axis = 1 : i64}
    : tensor<?x24xf32, ["n"]> -> tensor<?x24xf32, ["n"]>
  return %6 : tensor<?x24xf32, ["n"]>
}
"""
"""Convolutions, of all channels and of each, a mean, a product and a softmax."""

WEIGHTED: tuple[dict[str, Any], ...] = (
    *({}, {"precision": "bf16"}, {"weights": "int8"}, {"weights": "int4"}),
    {"weights": "int4", "activations": "int8"},
    *({"algorithms": "fast"}, {"algorithms": "fastest"}),
    *({"enable_tensorexpr_fusion": False}, {"inter_op_threads": 2, "threads": 2}),
)
"""Options by which products with weights are computed in other ways."""


def both(
    module: ModuleOp, target: str, options: dict[str, Any], ctx: SrContext
) -> tuple[StaticModule, StaticModule]:
    """The module of quick code, and that of full code, of one program."""
    driver = Driver(ctx, Options(cache=False, **options), target, None)
    lowered = driver.lower(module)
    quick, report = driver.finish(lowered.copy(), quick=True)
    full, _ = driver.finish(lowered)
    assert quick.program == full.program
    assert quick.objects != full.objects, "the code is another"
    skip_unless_runs(target)
    return make_module(quick, report), make_module(full, report)


def assert_equal_bits(modules: tuple[StaticModule, StaticModule], *inputs: Any):
    """Raises unless two modules compute the same bits of inputs, NaN's apart."""
    results: Any = [several(each(*inputs)) for each in modules]
    for quick, full in zip(*results, strict=True):
        assert quick.dtype == full.dtype
        a, b = quick.tobytes(), full.tobytes()
        if a != b:
            np.testing.assert_array_equal(quick, full)
            assert (np.signbit(quick) == np.signbit(full))[~np.isnan(full)].all()


@pytest.mark.sampled(every=72)
@pytest.mark.parametrize(
    ("op", "target"),
    [*zip(OPS, cycle(TARGETS), strict=False)],
    ids=lambda each: each if isinstance(each, str) else each.name,
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_each_op_has_equal_bits(op: type[GraphOp], target: str):
    cases = [
        case
        for case in chosen(cases_of(op), CASES, target)
        if make_inputs(case, 1, False) is not None
    ]
    made = both(module_of(cases), target, {}, context())
    for special in {False, op.name not in BOUNDED}:
        arrays = [make_inputs(case, 1, special) or [] for case in cases]
        assert_equal_bits(made, *joined.from_iterable(arrays))


@pytest.mark.sampled(every=15)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", TYPES)
def test_products_of_open_sizes_have_equal_bits(element: str, target: str):
    ctx = context()
    text = PRODUCT.replace("TYPE", element)
    made = both(read_mlir(text, ctx), target, {}, ctx)
    chance = np.random.default_rng(0)
    for sizes in SIZES:
        shapes = (sizes["n"], 70), (70, sizes["m"])
        numbers = [chance.standard_normal(each) * 9 for each in shapes]
        if element == "ui8":
            numbers = [np.abs(each) for each in numbers]
        assert_equal_bits(made, *(each.astype(TYPES[element]) for each in numbers))


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize("options", WEIGHTED, ids=str)
def test_products_with_weights_have_equal_bits(options: dict[str, Any]):
    ctx = context()
    chance = np.random.default_rng(0)
    for name, shape in WEIGHTS.items():
        numbers = chance.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        ctx.weights.put(name, numbers.astype(np.float32))
    for text, shape in ((LAYERS, (32, 20, 20)), (WIDE, (256,))):
        made = both(read_mlir(text, ctx), "host", options, ctx)
        for batch in (1, 3, 50):
            x = chance.standard_normal((batch, *shape)).astype(np.float32)
            assert_equal_bits(made, x)


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize(
    "seed",
    [
        *range(CHAINS),
        *(pytest.param(n, marks=pytest.mark.soak) for n in range(CHAINS, 8 * CHAINS)),
    ],
)
def test_chains_have_equal_bits(seed: int):
    chance = random.Random(seed)
    rank = chance.choice((2, 3, 4, 4))
    known = [chance.choice((1, 2, 3, 17)) for _ in range(rank)]
    is_open = [axis != 1 and chance.random() < 0.6 for axis in range(rank)]
    shape = [
        symbol(f"n{axis}") if later else known[axis]
        for axis, later in enumerate(is_open)
    ]
    ctx = context()
    text, _ = chain(shape, seed, range(chance.randint(1, 6)))
    made = both(read_mlir(text, ctx), "host", {}, ctx)
    for _ in range(2):
        values = [
            chance.choice((1, 2, 20)) if later else known[axis]
            for axis, later in enumerate(is_open)
        ]
        x = np.random.default_rng(seed).standard_normal(values).astype(np.float32)
        assert_equal_bits(made, x)
