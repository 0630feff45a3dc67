"""
Convolutions of fewer products are as exact as the report says, for all sizes, paddings
and orders of axes; those that do not fit are computed as ever.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import Block, Region, SSAValue

import static_runtime as sr
from static_runtime.dialects import Dim, dim, tensor
from static_runtime.dialects.graph.ops.activation import ReluOp
from static_runtime.dialects.graph.ops.binary import AddOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.conv import ConvOp
from static_runtime.dialects.shape import Array

from ....dialects.graph.samples import make_inputs, static_cases

TILES = {"fast": "F(2x2, 3x3)", "fastest": "F(4x4, 3x3)"}
"""What an option makes of a convolution."""

MOST = 1e-4
"""The error that is promised of a result, relative to its largest element."""

WINDOW: dict[str, Any] = {
    "strides": (1, 1),
    "padding": (1, 1, 1, 1),
    "dilation": (1, 1),
    "groups": 1,
}
"""A convolution that is transformed where it has channels enough."""

SHAPES = (
    *((1, 32, 1, 1), (2, 32, 2, 3), (1, 40, 4, 4), (3, 33, 5, 7), (1, 64, 13, 8)),
    *((0, 32, 5, 5), (1, 32, 17, 30)),
)
"""Batches, channels, rows and columns of images."""

ALGORITHMS = pytest.mark.parametrize("algorithms", TILES)


def random(shape: tuple[int, ...], seed: int) -> Array:
    """Numbers as weights and activations have them."""
    numbers = np.random.default_rng(seed).standard_normal(shape)
    return np.asarray(numbers, np.float32)


def model(shape: tuple[Dim, ...], *weights: Array, **window: Any) -> str:
    """The text of some convolutions, one after the other, each with what follows it."""
    block = Block(arg_types=[tensor(f32, *shape)])
    with ImplicitBuilder(block):
        x: SSAValue = block.args[0]
        for weight in weights:
            made = ConvOp(x, ConstantOp(value=weight), **(WINDOW | window)).result
            x = ReluOp(AddOp(made, x)).result if made.type == x.type else made
        func.ReturnOp(x)
    type = ([block.args[0].type], [x.type])
    return str(ModuleOp([func.FuncOp("model", type, Region(block))]))


def compiled(text: str, algorithms: str, **options: Any) -> sr.StaticModule:
    """A model by an algorithm."""
    return sr.compile(text, options=sr.Options(algorithms=algorithms, **options))


def exact(x: Array, weight: Array, **window: Any) -> Array:
    """The convolution in f64."""
    block = Block(arg_types=[tensor(f64, *each.shape) for each in (x, weight)])
    op = ConvOp(*block.args, **(WINDOW | window))
    return op.run_reference([x.astype(np.float64), weight.astype(np.float64)], {})[0]


def error(got: Array, want: Array) -> float:
    """How far a result is from another, relative to the largest element of that."""
    assert got.shape == want.shape
    largest = float(np.abs(want).max(initial=0)) or 1.0
    return float(np.abs(got - want).max(initial=0)) / largest


@pytest.mark.sampled(every=28)
@ALGORITHMS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("padding", [(1, 1, 1, 1), (0, 2, 3, 1)], ids=str)
def test_results_are_as_exact_as_the_report_says(
    algorithms: str, shape: tuple[int, int, int, int], padding: tuple[int, ...]
):
    _, channels, *spatial = shape
    if min(spatial) + 2 < 3:
        padding = (1, 1, 1, 1)
    weight, x = random((36, channels, 3, 3), 1), random(shape, 2)
    module = compiled(model(shape, weight, padding=padding), algorithms)
    ((source, algorithm, most),) = module.report.fewer_products
    assert algorithm == TILES[algorithms]
    assert source.startswith("graph.conv")
    got = module(x)
    assert error(got, exact(x, weight, padding=padding)) <= most <= MOST
    open_sizes = dim("n"), channels, dim("h"), dim("w")
    any_size = compiled(model(open_sizes, weight, padding=padding), algorithms)
    np.testing.assert_array_equal(any_size(x), got)


@pytest.mark.full(beside="test_results_are_as_exact_as_the_report_says")
@ALGORITHMS
@pytest.mark.parametrize("part", range(4))
def test_every_sample_of_a_convolution_is_within_its_bound(algorithms: str, part: int):
    for case in [*static_cases(ConvOp)][part::4]:
        arrays = make_inputs(case, 1, special=False)
        if arrays is None or arrays[0].dtype != np.float32:
            continue
        block = Block(arg_types=case.operands[:1])
        with ImplicitBuilder(block):
            made = case.build([block.args[0], ConstantOp(value=arrays[1]).result])
            func.ReturnOp(made.results[0])
        type = ([block.args[0].type], [made.results[0].type])
        text = str(ModuleOp([func.FuncOp("model", type, Region(block))]))
        module = compiled(text, algorithms)
        wide = [each.astype(np.float64) for each in arrays]
        (want,) = (made.reference(*wide, **made.values()),)
        assert error(module(arrays[0]), want) <= MOST, str(case)


@pytest.mark.sampled(every=9)
@ALGORITHMS
@pytest.mark.parametrize(
    ("weight", "window"),
    [
        ((32, 32, 3, 3), {"strides": (2, 2)}),
        ((32, 32, 3, 3), {"strides": (1, 2)}),
        ((32, 32, 3, 3), {"dilation": (2, 1)}),
        ((32, 16, 3, 3), {"groups": 2}),
        ((32, 1, 3, 3), {"groups": 32}),
        ((32, 32, 3, 1), {}),
        ((32, 32, 5, 5), {}),
        ((16, 32, 3, 3), {}),
    ],
    ids=str,
)
def test_what_does_not_fit_has_the_bits_of_exact(
    algorithms: str, weight: tuple[int, ...], window: dict[str, Any]
):
    shape, w = (1, 32, 9, 10), random(weight, 3)
    text, x = model(shape, w, **window), random(shape, 4)
    module = compiled(text, algorithms)
    assert module.report.fewer_products == ()
    np.testing.assert_array_equal(module(x), compiled(text, "exact")(x))


@pytest.mark.sampled(every=2)
@ALGORITHMS
def test_exact_and_weights_of_bf16_have_all_products(algorithms: str):
    text = model((1, 32, 9, 10), random((32, 32, 3, 3), 3))
    x = random((1, 32, 9, 10), 4)
    assert compiled(text, "exact").report.fewer_products == ()
    narrow = compiled(text, algorithms, precision="bf16")
    assert narrow.report.fewer_products == ()
    usual = sr.compile(text, options=sr.Options(precision="bf16"))
    np.testing.assert_array_equal(narrow(x), usual(x))


@pytest.mark.sampled(every=2)
@ALGORITHMS
def test_what_follows_is_computed_with_the_tiles(algorithms: str):
    weights = [random((32, 32, 3, 3), seed) for seed in range(3)]
    module = compiled(model((1, 32, 12, 12), *weights), algorithms)
    usual = compiled(model((1, 32, 12, 12), *weights), "exact")
    # A convolution becomes two transforms and a product, which has the tail.
    more = 2 * len(weights)
    assert module.report.kernels == usual.report.kernels + more
    x = random((1, 32, 12, 12), 4)
    assert error(module(x), usual(x)) <= MOST


@pytest.mark.sampled(every=2)
@ALGORITHMS
def test_an_infinity_spreads_over_its_tiles_alone(algorithms: str):
    weight, x = random((36, 32, 3, 3), 1), random((1, 32, 20, 20), 2)
    module = compiled(model(x.shape, weight), algorithms)
    usual = module(x)
    x[0, 3, 1, 1] = np.inf
    got = module(x)
    assert not np.isfinite(got[..., :3, :3]).any()
    assert np.isfinite(got[..., 8:, :]).all()
    np.testing.assert_array_equal(got[..., 8:, 8:], usual[..., 8:, 8:])


@pytest.mark.sampled(every=3)
@ALGORITHMS
@pytest.mark.parametrize("value", [np.inf, np.nan, np.float32(3e38)], ids=str)
def test_weights_that_transforms_lose_stay(algorithms: str, value: float):
    weight = random((32, 32, 3, 3), 1)
    weight[1] = value
    module = compiled(model((1, 32, 6, 6), weight), algorithms)
    if algorithms == "fast" or not np.isfinite(value):
        assert module.report.fewer_products == ()


@pytest.mark.sampled(every=2)
@ALGORITHMS
def test_a_report_of_what_is_on_disk_says_it_too(
    algorithms: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path))
    text = model((1, 32, 6, 6), random((32, 32, 3, 3), 1))
    cold, warm = (compiled(text, algorithms).report for _ in range(2))
    assert (cold.warm, warm.warm) == (False, True)
    assert warm.fewer_products == cold.fewer_products != ()
    assert not compiled(text, "exact").report.warm
