"""
Random convolutions and products of matrices: their sizes, windows, element types, what
follows them, and the machine that they are compiled for.

Where the blocks of a contraction end depends on element types, registers and caches
together; so each of them is drawn for itself, and caches that no machine at hand has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, TypeAlias

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32, f64, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from static_runtime.compiler.ir.context import SrContext
from static_runtime.compiler.ir.target import TARGETS, find_target
from static_runtime.dialects import symbol, tensor
from static_runtime.dialects.element_type import Element, si8, ui8
from static_runtime.dialects.graph.element_array import to_elements, to_numbers
from static_runtime.dialects.graph.op import SingleResultOp
from static_runtime.dialects.graph.ops.activation import ReluOp
from static_runtime.dialects.graph.ops.binary import AddOp
from static_runtime.dialects.graph.ops.conv import ConvOp
from static_runtime.dialects.graph.ops.conv_transpose import ConvTransposeOp
from static_runtime.dialects.graph.ops.matmul import MatmulOp
from static_runtime.dialects.graph.ops.permute import PermuteOp
from static_runtime.dialects.graph.ops.weight import WeightOp
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.dialects.shape import Array

Shape: TypeAlias = tuple[int, ...]

_CACHES = ((32, 256), (32, 512), (32, 1024), (48, 1024), (48, 2048), (64, 1024))
"""KiB of the first two caches of machines."""

_FLOATS = (f32, f16, bf16, f16, bf16, f64)
_BYTES = (si8, ui8)

_ROUNDING: dict[Attribute, float] = {
    f16: 2.0**-11,
    bf16: 2.0**-8,
    f32: 2.0**-24,
    f64: 2.0**-53,
}
"""How far one rounding moves a number, as a part of it, at most."""

_DEVIATIONS = 8
"""How many standard deviations the sum of many roundings may be."""

_CHANNELS = (1, 3, 8, 20, 48, 64, 128, 256)

_MOST_WEIGHTS = 1 << 20


def _machine(chance: Random) -> TargetAttr:
    """The host or a machine that has a name, with its caches or with others."""
    names = [name for name in TARGETS if name.startswith("x86")]
    found = find_target(chance.choice(("host", "host", "host", *names)))
    if chance.random() < 0.4:
        return found
    return TargetAttr.of(
        *(found.cpu.data, found.vector.data, found.registers.data),
        bool(found.fma.data),
        found.features.data,
        chance.choice(_CACHES),
        [each.data for each in found.isas],
    )


@dataclass(frozen=True)
class _Drawn:
    """A contraction of an image or a matrix with a weight."""

    op: type[SingleResultOp]
    image: Shape
    weight: Shape
    filters: int
    attributes: dict[str, Any]

    @property
    def channels(self) -> int:
        """The axis of the operand over which products are added up."""
        return len(self.image) - 1 if self.op is MatmulOp else 1


def _window(chance: Random, op: type[SingleResultOp]) -> _Drawn:
    # One of two is as most models have them, and adds up more products.
    is_usual = chance.random() < 0.5
    rank = 2 if is_usual else chance.choice((1, 2, 2, 3))
    groups = 1 if is_usual else chance.choice((1, 1, 2, 4))
    inputs = chance.choice((128, 256, 512, 640) if is_usual else _CHANNELS)
    outputs = chance.choice((1, 4, 16, 24, 32, 64, 96))
    side = chance.choice((1, 3, 3, 3, 5))
    sides = (1, 2, 3, 3, 5) if chance.random() < 0.3 else (side,)
    kernel = tuple(chance.choice(sides) for _ in range(rank))
    while groups * inputs * outputs * np.prod(kernel) > _MOST_WEIGHTS:
        inputs //= 2
    steps = (1,) if is_usual else (1, 1, 2)
    dilation = tuple(chance.choice(steps) for _ in range(rank))
    strides = tuple(chance.choice((1, *steps)) for _ in range(rank))
    most = {1: 70, 2: 20, 3: 7}[rank]
    reach = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    image = tuple(each + chance.randint(1, most) for each in reach)
    padding = [k // 2 for k in kernel * 2]
    if chance.random() < 0.3:
        padding = [chance.randint(0, each) for each in padding]
    attributes: dict[str, Any] = {
        "strides": strides,
        "padding": tuple(padding),
        "dilation": dilation,
        "groups": groups,
    }
    weight = (outputs * groups, inputs, *kernel)
    if op is ConvTransposeOp:
        attributes["output_padding"] = (0,) * rank
        weight = (inputs * groups, outputs, *kernel)
    n = chance.choice((1, 1, 2, 3))
    sides = (n, inputs * groups, *image)
    return _Drawn(op, sides, weight, outputs * groups, attributes)


def _product(chance: Random) -> _Drawn:
    m = chance.choice((1, 2, 5, 12, 33, 64, 150, 197))
    k = chance.choice((1, 3, 17, 64, 100, 300, 512, 777, 1024, 2048))
    n = chance.choice((1, 5, 16, 33, 64, 100, 256, 384))
    stack = chance.choice(((), (), (2,), (3, 2)))
    weight = (*(stack if chance.random() < 0.5 else ()), k, n)
    return _Drawn(MatmulOp, (*stack, m, k), weight, n, {})


class RandomContraction:
    """A contraction and what follows it, its operands, and what it computes."""

    def __init__(self, seed: int):
        """Draws the model of a seed."""
        chance = Random(seed)
        self.machine = _machine(chance)
        kind = chance.choice((ConvOp, ConvOp, ConvOp, ConvTransposeOp, MatmulOp))
        self.element: Element = chance.choice(_FLOATS)
        self.weight_element = self.element
        if kind is not ConvTransposeOp and chance.random() < 0.2:
            self.element, self.weight_element = chance.choices(_BYTES, k=2)
        is_product = kind is MatmulOp
        self.drawn = _product(chance) if is_product else _window(chance, kind)
        self.is_added, self.is_rectified = (chance.random() < 0.5 for _ in range(2))
        self.is_stored = chance.random() < 0.8
        """Whether the weight is a constant, and not an input."""
        self.is_turned = is_product and chance.random() < 0.3
        """Whether the weight comes with its last two axes in the other order."""
        self.is_open = [
            axis != self.drawn.channels and chance.random() < 0.3
            for axis in range(len(self.drawn.image))
        ]
        self.threads = chance.choice((1, 2))
        self.numbers = np.random.default_rng(seed)
        self.image = self._elements(self.drawn.image, self.element)
        self.weight = self._elements(self.drawn.weight, self.weight_element)
        self.bias = self._elements(self._bias_sizes, self.sums)

    @property
    def sums(self) -> Element:
        """The type of the result."""
        return i32 if self.element in _BYTES else self.element

    @property
    def has_rows(self) -> bool:
        """Whether the first axis is that of a batch, of any size."""
        return self.is_open[0] and (
            self.drawn.op is not MatmulOp or len(self.drawn.weight) == 2
        )

    def module(self, ctx: SrContext) -> ModuleOp:
        """The model, with its weights in the context."""
        types = [tensor(self.element, *self._open_sizes)]
        if not self.is_stored:
            types.append(tensor(self.weight_element, *self._given(self.weight).shape))
        block = Block(arg_types=types)
        with ImplicitBuilder(block):
            result = self._build(ctx, list(block.args))
            func.ReturnOp(result)
        function = func.FuncOp("model", (types, [result.type]), Region(block))
        return ModuleOp([function])

    def inputs(self) -> list[Array]:
        """The operands of a call."""
        weight = [] if self.is_stored else [self._given(self.weight)]
        return [self.image, *weight]

    def wanted(self) -> Array:
        """The result in f64, or with the bits of i32."""
        wide = i32 if self.sums == i32 else f64
        operands = [
            to_numbers(array, element).astype(np.int32 if wide == i32 else np.float64)
            for array, element in (
                (self.image, self.element),
                (self.weight, self.weight_element),
            )
        ]
        types = [tensor(wide, *each.shape) for each in operands]
        op = self.drawn.op(*Block(arg_types=types).args, **self.drawn.attributes)
        (result,) = op.run_reference(operands, {})
        if self.is_added:
            result = result + to_numbers(self.bias, self.sums)
        return np.maximum(result, 0) if self.is_rectified else result

    @property
    def tolerance(self) -> float:
        """How far a number may be from that, for each element that is rounded."""
        if self.sums == i32:
            return 0
        terms = np.prod(self.drawn.weight) / self.drawn.filters
        added = _ROUNDING[f64 if self.element == f64 else f32] * terms**0.5
        # The sum, what is added to it, and the sum of both are rounded.
        return float(2 * _ROUNDING[self.element] + _DEVIATIONS * added)

    def _elements(self, shape: Shape, element: Element) -> Array:
        if element in (*_BYTES, i32):
            least = 0 if element == ui8 else -128
            numbers = self.numbers.integers(least, least + 256, shape)
        else:
            numbers = self.numbers.standard_normal(shape)
        return to_elements(numbers, element)

    @property
    def _bias_sizes(self) -> Shape:
        if self.drawn.op is MatmulOp:
            return (self.drawn.filters,)
        return (self.drawn.filters, *(1 for _ in self.drawn.image[2:]))

    @cached_property
    def _open_sizes(self) -> list[Any]:
        return [
            symbol(f"n{axis}") if is_open else size
            for axis, (size, is_open) in enumerate(
                zip(self.drawn.image, self.is_open, strict=True)
            )
        ]

    def _given(self, weight: Array) -> Array:
        """The weight as it comes."""
        return np.ascontiguousarray(
            weight.swapaxes(-1, -2) if self.is_turned else weight
        )

    def _build(self, ctx: SrContext, values: list[SSAValue]) -> SSAValue:
        image, *rest = values
        weight = (
            rest[0] if rest else self._stored(ctx, "weight", self._given(self.weight))
        )
        if self.is_turned:
            *stack, rows, columns = range(self.weight.ndim)
            weight = PermuteOp(weight, order=(*stack, columns, rows)).result
        to = {"to": i32} if self.sums == i32 else {}
        result = self.drawn.op(image, weight, **self.drawn.attributes, **to).results[0]
        if self.is_added:
            result = AddOp(result, self._stored(ctx, "bias", self.bias)).result
        return ReluOp(result).result if self.is_rectified else result

    def _stored(self, ctx: SrContext, name: str, array: Array) -> SSAValue:
        element = self.weight_element if name == "weight" else self.sums
        return WeightOp(
            key=ctx.weights.put(name, array), type=tensor(element, *array.shape)
        ).result
