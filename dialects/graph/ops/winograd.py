"""
`graph.winograd_input` and `graph.winograd_output`: the transforms before and after the
products of a convolution by Winograd's algorithm (`families/winograd.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import Dim, ceildiv, dim, product
from ...shape import Array, Tensor, sizes, tensor
from ..families.winograd import (
    TILES,
    build_results,
    build_tile,
    expected_error,
    transform_products,
    transform_tiles,
    transformed_windows,
)
from ..nest import Linear, Nest, Read, axis, tile_nest
from ..op import Requirement, SingleResultOp


@irdl_op_definition
class WinogradInputOp(SingleResultOp):
    """
    The tiles of an image NxHxWxC, `tile + 2` rows and columns each and `tile` from each
    other, transformed: for each position of a tile a matrix of tiles and channels. The
    last tiles of a row and of a column may reach beyond the image, where its last
    elements stand again: no result depends on them.

    ```mlir
    %1 = graph.winograd_input %0 {tile = 2 : i64} : tensor<2x5x7x3xf32> -> tensor<16x12x3xf32>
    %2 = graph.winograd_input %0 {tile = 4 : i64} : tensor<1x6x9x2xf32> -> tensor<36x2x2xf32>
    ```
    """

    name = "graph.winograd_input"

    TILES: ClassVar = TILES
    """The rows and columns of results that tiles may have."""

    @staticmethod
    def windows(weight: Array, tile: int) -> Array:
        """Windows 3x3xCxO as the matrices that tiles are multiplied with."""
        return transformed_windows(weight, tile)

    @staticmethod
    def expected_error(weight: Array, tile: int) -> float:
        """How far results are from exact ones, relative to the largest one."""
        return expected_error(weight, tile)

    input = operand_def(TensorType)
    tile = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, input: Tensor, tile: int) -> Tensor:
        _require_tile(tile)
        match sizes(input):
            case (n, h, w, c) if input.element_type == f32 and _fits(h) and _fits(w):
                tiles = product([n, *_tiles((h - 2, w - 2), tile)])
                return tensor(f32, (tile + 2) ** 2, tiles, c)
            case _:
                raise VerifyException(
                    "expected an image NxHxWxC of f32 with two rows and columns or more, "
                    f"got {input}"
                )

    def requirements(self) -> Sequence[Requirement]:
        (_, h, w, _), *_ = self.operand_sizes()
        message = f"expected a window that fits {self.input.type}"
        return [Requirement(each - 2, message) for each in (h, w)]

    def reference(self, input: Array, tile: int) -> Array:
        n, h, w, c = input.shape
        rows, columns = (_positions(each - 2, tile, tile + 2, each) for each in (h, w))
        tiles = input[:, rows[:, None, :, None], columns[None, :, None, :]]
        first = np.transpose(tiles, (3, 4, 0, 1, 2, 5))
        width = (tile + 2) ** 2
        count = n * len(rows) * len(columns)
        return transform_tiles(first.reshape(width, count, c), tile)

    def nests(self) -> Sequence[Nest]:
        ((n, h, w, c),), tile = self.operand_sizes(), self.values()["tile"]
        rows, columns = _tiles((h - 2, w - 2), tile)
        grid = _Grid((n, rows, columns, c), tile)
        image, row, column, channel = map(axis, range(4))
        across = [grid.at(2, each, w - 2, w) for each in range(tile + 2)]
        down = [grid.at(1, each, h - 2, h) for each in range(tile + 2)]
        sources = [Read(0, (image, y, x, channel)) for y in down for x in across]
        number = (image * rows + row) * columns + column
        writes = [(Linear(offset=at), number, channel) for at in range(len(sources))]

        def bodies(*elements: SSAValue) -> Sequence[SSAValue]:
            return build_tile(tile, elements)

        return [tile_nest(grid.bounds, grid.clamped, sources, bodies, writes)]


@irdl_op_definition
class WinogradOutputOp(SingleResultOp):
    """
    The image NxHxWxO of dimensions `shape` whose tiles, of `tile` rows and columns, are
    transformed sums of products: for each position of a tile a matrix of tiles and
    channels.

    ```mlir
    %1 = graph.winograd_output %0 {tile = 2 : i64, shape = ["2", "3", "5", "7"]} : tensor<16x12x7xf32> -> tensor<2x3x5x7xf32>
    %2 = graph.winograd_output %0 {tile = 4 : i64, shape = ["1", "4", "7", "5"]} : tensor<36x2x5xf32> -> tensor<1x4x7x5xf32>
    ```
    """

    name = "graph.winograd_output"
    DIM_PROPERTIES: ClassVar = ("shape",)

    input = operand_def(TensorType)
    tile = prop_def(IntegerAttr.constr(i64))
    shape_ = prop_def(ArrayAttr[StringAttr], prop_name="shape")

    @classmethod
    def infer(cls, input: Tensor, tile: int, shape: tuple[str, ...]) -> Tensor:
        _require_tile(tile)
        match sizes(input), [dim(each) for each in shape]:
            case (positions, tiles, c), [n, h, w, o] if (
                input.element_type == f32
                and positions == (tile + 2) ** 2
                and agree(c, o)
                and agree(tiles, product([n, *_tiles((h, w), tile)]))
            ):
                return tensor(f32, n, h, w, o)
            case _:
                raise VerifyException(
                    f"expected {(tile + 2) ** 2} matrices of f32, with a row for each "
                    f"tile of an image NxHxWxO and a column for each channel, got {input} "
                    f"and {', '.join(shape)}"
                )

    def reference(self, input: Array, tile: int, shape: tuple[Any, ...]) -> Array:
        n, h, w, c = map(int, shape)
        rows, columns = (-(-each // tile) for each in (h, w))
        made = transform_products(input, tile)
        tiles = made.reshape(tile, tile, n, rows, columns, c)
        image = np.transpose(tiles, (2, 3, 0, 4, 1, 5))
        return image.reshape(n, rows * tile, columns * tile, c)[:, :h, :w]

    def nests(self) -> Sequence[Nest]:
        (n, h, w, c), tile = self.shape, self.values()["tile"]
        rows, columns = _tiles((h, w), tile)
        grid = _Grid((n, rows, columns, c), tile)
        image, row, column, channel = map(axis, range(4))
        number = (image * rows + row) * columns + column
        sources = [
            Read(0, (Linear(offset=each), number, channel))
            for each in range((tile + 2) ** 2)
        ]
        down = [grid.at(1, each, h, h) for each in range(tile)]
        across = [grid.at(2, each, w, w) for each in range(tile)]
        # What is beyond the image is written to its last element before that is.
        writes = [
            (image, y, x, channel) for y in reversed(down) for x in reversed(across)
        ]

        def bodies(*products: SSAValue) -> Sequence[SSAValue]:
            return build_results(tile, products)[::-1]

        return [tile_nest(grid.bounds, grid.clamped, sources, bodies, writes)]


def _fits(size: Dim) -> bool:
    """Whether a window may fit an image of this many rows or columns."""
    return not isinstance(size, int) or size >= 2


class _Grid:
    """Tiles of images, and the clamped coordinates of their rows and columns."""

    def __init__(self, bounds: tuple[Dim, ...], tile: int):
        """The tiles of some images, rows and columns of them, and channels."""
        self.bounds, self.tile = bounds, tile
        self.clamped: list[tuple[Linear, Dim]] = []

    def at(self, along: int, step: int, covered: Dim, size: Dim) -> Linear:
        """
        The row or column `step` of a tile, the last where it is beyond `size`; tiles
        have results for as many as are `covered`.
        """
        position = axis(along) * self.tile + step
        beyond = step - (size - covered)
        if isinstance(beyond, int) and beyond <= 0:
            return position
        if isinstance(covered, int) and covered % self.tile == 0:
            return position
        self.clamped.append((position, size))
        return axis(len(self.bounds) + len(self.clamped) - 1)


def _require_tile(tile: int) -> None:
    """Raises `VerifyException` for tiles that there are not."""
    if tile not in TILES:
        known = " or ".join(map(str, TILES))
        raise VerifyException(f"expected tiles of {known}, got {tile}")


def _tiles(image: Sequence[Dim], tile: int) -> Iterator[Dim]:
    """How many tiles cover the rows and the columns of an image."""
    return (ceildiv(each, tile) for each in image)


def _positions(covered: int, tile: int, width: int, size: int) -> Array:
    """The row or column of an image that is at each place of each tile."""
    first = np.arange(-(-covered // tile)) * tile
    return np.minimum(first[:, None] + np.arange(width), size - 1)
