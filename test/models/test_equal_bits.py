"""
One model compiled for any sizes and for these alone computes equal bits, and so does a
row of a batch of any size: random chains of reductions, norms, softmaxes, pools,
products and moves, where any of the sizes may be one; and chains of convolutions that
have fewer products. Products that share a kernel compute the bits of their own kernels.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, UnitAttr, f32
from xdsl.ir import Block, Region, SSAValue

import static_runtime as sr
from static_runtime.dialects import Dim, sizes, symbol, tensor, tensor_type
from static_runtime.dialects.graph.compose.normalization import standardized
from static_runtime.dialects.graph.compose.shaping import reshaped
from static_runtime.dialects.graph.ops.activation import SigmoidOp
from static_runtime.dialects.graph.ops.binary import AddOp, MulOp
from static_runtime.dialects.graph.ops.concat import ConcatOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.conv import ConvOp
from static_runtime.dialects.graph.ops.matmul import MatmulOp
from static_runtime.dialects.graph.ops.pad import PadOp
from static_runtime.dialects.graph.ops.permute import PermuteOp
from static_runtime.dialects.graph.ops.pool import AvgPoolOp
from static_runtime.dialects.graph.ops.reduce import (
    MeanOp,
    ProdOp,
    ReduceMaxOp,
    ReduceOp,
    SumOp,
)
from static_runtime.dialects.graph.ops.softmax import SoftmaxOp

Shape: TypeAlias = Sequence[Dim]
Step: TypeAlias = Callable[[SSAValue, random.Random], SSAValue | None]

SIZES = (1, 2, 3, 17, 64)
"""What known sizes are."""

VALUES = (1, 1, 1, 2, 3, 17, 20)
"""What the value of a symbol is."""

CHAINS = 16
"""How many chains each run of the tests has; `make soak` has eight times as many."""


def _rank(x: SSAValue) -> int:
    return len(sizes(tensor_type(x)))


def _some_axes(x: SSAValue, chance: random.Random) -> tuple[int, ...]:
    count = min(chance.choice((1, 1, 1, 2, 2, 4)), _rank(x))
    return tuple(sorted(chance.sample(range(_rank(x)), count)))


def _weight(chance: random.Random, *shape: int) -> SSAValue:
    numbers = np.random.default_rng(chance.randrange(1 << 30)).standard_normal(shape)
    return ConstantOp(value=np.asarray(numbers, np.float32)).result


def _reduced(op: type[ReduceOp]) -> Step:
    def step(x: SSAValue, chance: random.Random) -> SSAValue:
        return op(x, axes=_some_axes(x, chance), keepdims=True).results[0]

    return step


def _greatest(x: SSAValue, chance: random.Random) -> SSAValue:
    axes = _some_axes(x, chance)
    return ReduceMaxOp(x, axes=axes, keepdims=True, or_identity=UnitAttr()).result


def _plus_sum(x: SSAValue, chance: random.Random) -> SSAValue:
    return AddOp(x, SumOp(x, axes=_some_axes(x, chance), keepdims=True)).result


def _normalized(x: SSAValue, chance: random.Random) -> SSAValue:
    return standardized(x, _some_axes(x, chance), 1e-5)[0]


def _softmax(x: SSAValue, chance: random.Random) -> SSAValue:
    return SoftmaxOp(x, axis=chance.randrange(_rank(x))).result


def _sigmoid(x: SSAValue, chance: random.Random) -> SSAValue:
    return SigmoidOp(x).result


def _scaled(x: SSAValue, chance: random.Random) -> SSAValue:
    factor = ConstantOp(value=np.array(chance.uniform(0.5, 2), np.float32))
    return AddOp(MulOp(x, factor), factor).result


def _permuted(x: SSAValue, chance: random.Random) -> SSAValue:
    order = chance.sample(range(_rank(x)), _rank(x))
    return PermuteOp(x, order=tuple(order)).result


def _merged(x: SSAValue, chance: random.Random) -> SSAValue | None:
    shape = sizes(tensor_type(x))
    if len(shape) < 3:
        return None
    at = chance.randrange(len(shape) - 1)
    return reshaped(x, [*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :]])


def _padded(x: SSAValue, chance: random.Random) -> SSAValue:
    at = chance.randrange(_rank(x))
    ends = tuple(int(axis == at) for axis in range(_rank(x)))
    return PadOp(x, low=ends, high=ends, value=0.5).result


def _joined(x: SSAValue, chance: random.Random) -> SSAValue:
    return ConcatOp(x, x, axis=chance.randrange(_rank(x))).result


def _product(x: SSAValue, chance: random.Random) -> SSAValue | None:
    *_, depth = sizes(tensor_type(x))
    if not isinstance(depth, int):
        return None
    return MatmulOp(x, _weight(chance, depth, chance.choice((1, 5, 16)))).result


def _squared(x: SSAValue, chance: random.Random) -> SSAValue:
    *outer, last, but_one = range(_rank(x))
    return MatmulOp(x, PermuteOp(x, order=(*outer, but_one, last))).result


def _convolved(x: SSAValue, chance: random.Random) -> SSAValue | None:
    shape = sizes(tensor_type(x))
    if len(shape) != 4 or not isinstance(shape[1], int):
        return None
    channels, kernel = shape[1], chance.choice((1, 3))
    groups, outputs = chance.choice(((1, 4), (1, 16), (channels, channels)))
    weight = _weight(chance, outputs, channels // groups, kernel, kernel)
    strides = (chance.choice((1, 2)),) * 2
    window: dict[str, Any] = {"padding": (kernel // 2,) * 4, "dilation": (1, 1)}
    return ConvOp(x, weight, strides=strides, groups=groups, **window).result


def _pooled(x: SSAValue, chance: random.Random) -> SSAValue | None:
    if _rank(x) != 4:
        return None
    kernel, stride = chance.choice((2, 3)), chance.choice((1, 2))
    window: dict[str, Any] = {"padding": (1, 1, 1, 1), "dilation": (1, 1)}
    return AvgPoolOp(
        x,
        kernel=(kernel, kernel),
        strides=(stride, stride),
        count_padding=chance.choice((True, False)),
        **window,
    ).result


STEPS: tuple[Step, ...] = (
    *(_reduced(op) for op in (SumOp, MeanOp, ProdOp)),
    *(_greatest, _plus_sum, _normalized, _normalized, _softmax, _sigmoid, _scaled),
    *(_permuted, _merged, _padded, _joined, _product, _squared),
    *(_convolved, _convolved, _pooled, _pooled),
)


def chain(shape: Shape, seed: int, steps: Sequence[int]) -> tuple[str, list[int]]:
    """
    The text of a chain of steps on a tensor, each by chances of its own, and the steps
    that there are: others need a size that is a symbol.
    """
    block = Block(arg_types=[tensor(f32, *shape)])
    made: list[int] = []
    with ImplicitBuilder(block):
        x: SSAValue = block.args[0]
        for number in steps:
            chance = random.Random(1000 * seed + number)
            after = chance.choice(STEPS)(x, chance)
            if after is not None:
                x = after
                made.append(number)
        func.ReturnOp(x)
    type = ([block.args[0].type], [x.type])
    return str(ModuleOp([func.FuncOp("model", type, Region(block))])), made


def _numbers(shape: Sequence[int], seed: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _same_bits(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(a.view(np.int32), b.view(np.int32))


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize(
    "seed",
    [
        *range(CHAINS),
        *(pytest.param(n, marks=pytest.mark.soak) for n in range(CHAINS, 8 * CHAINS)),
    ],
)
def test_open_and_known_sizes_have_equal_bits(seed: int):
    chance = random.Random(seed)
    rank = chance.choice((2, 3, 4, 4))
    known = [chance.choice(SIZES if rank < 4 else SIZES[:4]) for _ in range(rank)]
    # An axis of channels is mostly known, from the weights.
    share = [0.2 if rank == 4 and axis == 1 else 0.6 for axis in range(rank)]
    is_open = [chance.random() < each for each in share]
    shape = [
        symbol(f"n{axis}") if known_later else known[axis]
        for axis, known_later in enumerate(is_open)
    ]
    text, steps = chain(shape, seed, range(chance.randint(1, 6)))
    any_size = sr.compile(text)
    for _ in range(2):
        values = [
            chance.choice(VALUES) if known_later else known[axis]
            for axis, known_later in enumerate(is_open)
        ]
        x = _numbers(values, seed)
        one_size = sr.compile(chain(values, seed, steps)[0])
        _same_bits(any_size(x), one_size(x))


CHANNELS = 32
"""As many as convolutions of fewer products have at the least."""

IMAGE_STEPS: tuple[Step, ...] = (_sigmoid, _scaled, _padded, _pooled)
"""What follows a convolution."""


def _images(shape: Shape, seed: int) -> str:
    """The text of a chain of convolutions that may have fewer products, and others."""
    chance = random.Random(seed)
    block = Block(arg_types=[tensor(f32, *shape)])
    with ImplicitBuilder(block):
        x: SSAValue = block.args[0]
        for _ in range(3):
            channels = sizes(tensor_type(x))[1]
            assert isinstance(channels, int), "weights have so many channels"
            weight = _weight(chance, CHANNELS + chance.choice((0, 9)), channels, 3, 3)
            x = ConvOp(
                x,
                weight,
                strides=(1, 1),
                padding=tuple(chance.choice((1, 1, 2)) for _ in range(4)),
                dilation=(1, 1),
                groups=1,
            ).result
            x = chance.choice(IMAGE_STEPS)(x, chance) or x
        func.ReturnOp(x)
    type = ([block.args[0].type], [x.type])
    return str(ModuleOp([func.FuncOp("model", type, Region(block))]))


@pytest.mark.full(
    beside="compiler/passes/graph/test_transform_convolutions.py::test_results_are_as_exact_as_the_report_says"
)
@pytest.mark.parametrize("algorithms", ["fast", "fastest"])
@pytest.mark.parametrize("seed", range(5))
def test_convolutions_of_fewer_products_have_equal_bits(algorithms: str, seed: int):
    chance = random.Random(seed)
    options = sr.Options(algorithms=algorithms)
    open_sizes = symbol("n"), CHANNELS, symbol("h"), symbol("w")
    any_size = sr.compile(_images(open_sizes, seed), options=options)
    assert len(any_size.report.fewer_products) == 3
    for threads in (1, 2):
        n, h, w = (chance.choice(VALUES) for _ in range(3))
        x = _numbers((n, CHANNELS, h, w), seed)
        one = sr.Options(algorithms=algorithms, threads=threads)
        one_size = sr.compile(_images((n, CHANNELS, h, w), seed), options=one)
        _same_bits(any_size(x), one_size(x))
        _same_bits(any_size(x[:1]), one_size(x)[:1])


PER_ROW = """
func.func @model(%x: T) -> T {
  %0 = graph.softmax %x {axis = -1 : i64} : T -> T
  %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = true} : T -> S
  %2 = graph.sub %0, %1 : T, S -> T
  return %2 : T
}
"""
"""A model whose rows are independent."""


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("length", [1, 5, 16, 70])
@pytest.mark.parametrize("width", [1, 3, 40])
def test_a_row_has_the_same_bits_in_any_batch(length: int, width: int):
    def module(batch: int) -> sr.StaticModule:
        text = PER_ROW.replace("T", f"tensor<{batch}x{length}x{width}xf32>")
        return sr.compile(text.replace("S", f"tensor<{batch}x1x{width}xf32>"))

    x = _numbers((9, length, width), length)
    _same_bits(module(9)(x)[4:5], module(1)(x[4:5]))


DEPTHS = (96, 224, 704, 832, 960, 1280, 1344, 1472, 1600, 1856)
"""Values of k: some are one block, and others several of equal size."""


def _products(depths: Sequence[int]) -> str:
    """The text of a product of each of some inputs with a constant of its own."""
    types = [tensor(f32, 96, depth) for depth in depths]
    block = Block(arg_types=types)
    with ImplicitBuilder(block):
        results = [
            MatmulOp(x, _weight(random.Random(depth), depth, 32)).result
            for x, depth in zip(block.args, depths, strict=True)
        ]
        func.ReturnOp(*results)
    type = (types, [each.type for each in results])
    return str(ModuleOp([func.FuncOp("model", type, Region(block))]))


@pytest.mark.full(beside="test_open_and_known_sizes_have_equal_bits")
def test_products_of_one_kernel_have_the_bits_of_kernels_of_their_own():
    together = sr.compile(_products(DEPTHS), options=sr.Options(cache=False))
    assert together.report.distinct_kernels < len(DEPTHS) - 1
    inputs = [_numbers((96, depth), depth) for depth in DEPTHS]
    for x, depth, got in zip(inputs, DEPTHS, together(*inputs), strict=True):
        _same_bits(got, sr.compile(_products([depth]))(x))
