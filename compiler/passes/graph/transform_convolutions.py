"""
Compute convolutions of 3x3 windows by Winograd's algorithm, with fewer products.

Here with `transform-convolutions{tile=2}`; C and O are 64.

Before:

    %w = graph.weight "w" : tensor<3x3x64x64xf32>
    %1 = graph.conv %0, %w {strides = array<i64: 1, 1>, …, channels_last}
        : tensor<1x18x18x64xf32>, … -> tensor<1x16x16x64xf32>

After:

    %w = graph.weight "w.winograd2" : tensor<16x64x64xf32>
    %a = graph.winograd_input %0 {tile = 2} : … -> tensor<16x64x64xf32>
    %b = graph.matmul %a, %w : … -> tensor<16x64x64xf32>
    %1 = graph.winograd_output %b {tile = 2, …} : … -> tensor<1x16x16x64xf32>

A tile of the result with m by m elements takes (m + 2)^2 products of a channel instead
of 9 m^2: 2.25 times fewer for m = 2, 4 times for m = 4 (`families/winograd.py` of the
graph dialect). Windows are transformed here, in f64, and rounded once. The pass changes
numbers, and runs only where a user asks for it (`Options(algorithms="fast")`).

Whether a convolution is transformed depends on its window, strides, dilation, groups
and channels alone, never on sizes: so bits are equal for known and open ones, for each
batch and on each machine. What has few channels stays, as transforms would take longer
than they save, and so does what has weights that are not known and finite, or other
elements than f32. The error that is to be expected is computed of the weights; where it
is more than 1e-4 of the largest result, tiles are smaller, or there are none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import Array, tensor, tensor_type
from ....dialects.graph import (
    ConvOp,
    MatmulOp,
    PermuteOp,
    WeightOp,
    WinogradInputOp,
    WinogradOutputOp,
    describe,
    to_names,
)
from ...ir import WeightStore, fewer_products_of, weights_of
from ...session import FewerProducts

_LEAST_REUSE = 16
"""
Products of a position, at least, for each element that is transformed before or after
them. With 32 channels of the image and of the result, which is just as many, a
convolution takes 0.65 of the time for tiles of 2, and 0.44 for those of 4; 0.94 and
0.78 where images are 512x512 and all comes from memory. With 16 and 16 channels it is
1.13 and 1.15 there (AMD EPYC with AVX-512, one thread).
"""

_LARGEST_ERROR = 1e-4
"""
How far results may be from exact ones, as is to be expected, relative to the largest:
windows for which it is more get smaller tiles, or none.
"""

_LAST = (0, 2, 3, 1)
"""The order of axes with channels last."""

_FIRST = (0, 3, 1, 2)
"""The order of axes with channels first."""


@dataclass(frozen=True)
class TransformConvolutions(ModulePass):
    """Computes 3x3 convolutions of many channels with tiles of this many rows."""

    name = "transform-convolutions"

    tile: int = 2
    """Rows and columns of the result that a tile has; 0 for no tiles."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.tile:
            return
        transformer = _Transformer(weights_of(ctx), self.tile)
        for each in list(op.walk()):
            if isinstance(each, ConvOp) and _suits(each):
                made = transformer.transform(each)
                if made is not None:
                    fewer_products_of(ctx).append(made)
        dce(op)
        used = {each.key.data for each in op.walk() if isinstance(each, WeightOp)}
        for key, *_ in transformer.made:
            if key in transformer.weights and key not in used:
                transformer.weights.drop(key)


def _suits(op: ConvOp) -> bool:
    """Whether a convolution has windows that are transformed, and channels enough."""
    values = op.values()
    types = tensor_type(op.input), tensor_type(op.weight), op.type
    _, (outputs, channels, kernel), _ = op.image_filter_result
    return (
        kernel == (3, 3)
        and values["strides"] == (1, 1)
        and values["dilation"] == (1, 1)
        and values["padding"] == (0, 0, 0, 0)
        and values["groups"] == 1
        and all(each.element_type == f32 for each in types)
        and isinstance(outputs, int)
        and isinstance(channels, int)
        and outputs * channels >= _LEAST_REUSE * (outputs + channels)
    )


@dataclass(frozen=True)
class _Windows:
    """Transformed windows in the store, their tiles, and the error that they make."""

    key: str
    tile: int
    error: float


@dataclass
class _Transformer:
    """Transforms convolutions, and the weights of one store."""

    weights: WeightStore
    tile: int

    def __post_init__(self) -> None:
        self.made: dict[tuple[str, bool], _Windows | None] = {}
        """The transformed windows of a weight, unless none are exact enough."""

    def transform(self, op: ConvOp) -> FewerProducts | None:
        """
        Replaces a convolution by transforms and products, if its weight is known; what
        became of it.
        """
        is_last = op.channels_last is not None
        windows = self.windows(op.weight.owner, is_last)
        if windows is None:
            return None
        key, tile = windows.key, windows.tile
        with ImplicitBuilder(built := Block()):
            image: SSAValue = op.input
            if not is_last:
                image = PermuteOp(image, order=_LAST).result
            tiles = WinogradInputOp(image, tile=tile)
            array = self.weights[key]
            products = MatmulOp(tiles, WeightOp(key, tensor(f32, *array.shape)))
            shape = op.shape if is_last else [op.shape[each] for each in _LAST]
            result = WinogradOutputOp(products, tile=tile, shape=to_names(shape)).result
            if not is_last:
                result = PermuteOp(result, order=_FIRST).result
        for each in built.ops:
            each.location = op.location
        Rewriter.inline_block(built, InsertPoint.before(op))
        Rewriter.replace_op(op, [], [result])
        return FewerProducts(describe(op), f"F({tile}x{tile}, 3x3)", windows.error)

    def windows(self, op: Operation | Block, is_last: bool) -> _Windows | None:
        """A weight's transformed windows, made once."""
        if not isinstance(op, WeightOp) or op.key.data not in self.weights:
            return None
        known = op.key.data, is_last
        if known not in self.made:
            array = self.weights[op.key.data]
            if not is_last:
                array = np.transpose(array, (2, 3, 1, 0))
            self.made[known] = self.make(op.key.data, array)
        return self.made[known]

    def make(self, key: str, array: Array) -> _Windows | None:
        """Puts transformed windows into the store, of the largest tile that may be."""
        for tile in sorted(
            (e for e in WinogradInputOp.TILES if e <= self.tile), reverse=True
        ):
            with np.errstate(over="ignore", invalid="ignore"):
                error = WinogradInputOp.expected_error(array, tile)
                made = WinogradInputOp.windows(array, tile)
            if error <= _LARGEST_ERROR and np.isfinite(made).all():
                name = self.weights.put(f"{key}.winograd{tile}", made)
                return _Windows(name, tile, error)
        return None
