"""`graph.rearrange`: axes split, moved, repeated and joined, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import Dim, dim, product
from ...shape import Array, Tensor, sizes, tensor
from ..nest import Linear, Nest, Read, axis, same
from ..op import SingleResultOp


@irdl_op_definition
class RearrangeOp(SingleResultOp):
    """
    The elements of the input at the points of a grid of these `sizes`.

    Each axis of the input, and of the result, is made of some axes of the grid, and the
    last of these moves by one element: `reads` and `writes` name them. The result has
    every axis in order; along one that the input does not have, its elements are
    repeated. A reshape, a permutation, an expansion and another reshape are together one
    such op.

    ```mlir
    %1 = graph.rearrange %0 {sizes = ["2", "3", "5", "7"], reads = [array<i64: 0>, array<i64: 2, 1, 3>], writes = [array<i64: 0, 1>, array<i64: 2, 3>]} : tensor<2x105xf32> -> tensor<6x35xf32>
    %2 = graph.rearrange %0 {sizes = ["3", "2", "5"], reads = [array<i64: 2>, array<i64: 0>], writes = [array<i64: 0, 1>, array<i64: 2>]} : tensor<5x3xf32> -> tensor<6x5xf32>
    ```
    """

    name = "graph.rearrange"
    DIM_PROPERTIES: ClassVar = ("sizes",)

    input = operand_def(TensorType)
    sizes_ = prop_def(ArrayAttr[StringAttr], prop_name="sizes")
    reads = prop_def(ArrayAttr.constr(DenseArrayBase.constr(i64)))
    writes = prop_def(ArrayAttr.constr(DenseArrayBase.constr(i64)))

    @classmethod
    def infer(
        cls,
        input: Tensor,
        sizes: tuple[str, ...],
        reads: tuple[tuple[int, ...], ...],
        writes: tuple[tuple[int, ...], ...],
    ) -> Tensor:
        grid, shape = [dim(each) for each in sizes], _sizes(input)
        if any(isinstance(each, int) and each < 0 for each in grid):
            raise VerifyException(
                f"expected sizes that are not negative, got {', '.join(sizes)}"
            )
        if [each for group in writes for each in group] != [*range(len(grid))]:
            raise VerifyException(
                f"expected every axis of the grid once and in order, got {writes}"
            )
        read = [each for group in reads for each in group]
        if len({*read}) < len(read) or not {*read} <= {*range(len(grid))}:
            raise VerifyException(
                f"expected axes of a grid of {len(grid)} at most once, got {reads}"
            )
        found = [_count(grid, group) for group in reads]
        if len(found) != len(shape) or not all(map(agree, found, shape)):
            raise VerifyException(
                f"expected axes of {input} made of axes of the grid, got sizes "
                f"{', '.join(map(str, found))}"
            )
        return tensor(input.element_type, *(_count(grid, group) for group in writes))

    def reference(
        self,
        input: Array,
        sizes: tuple[Any, ...],
        reads: tuple[tuple[int, ...], ...],
        writes: tuple[tuple[int, ...], ...],
    ) -> Array:
        grid = [int(each) for each in sizes]
        read = [each for group in reads for each in group]
        apart = input.reshape([grid[each] for each in read])
        repeated = [each for each in range(len(grid)) if each not in read]
        moved = np.transpose(apart, np.argsort(read))
        whole = np.broadcast_to(np.expand_dims(moved, repeated), grid)
        return whole.reshape([_count(grid, group) for group in writes])

    def nests(self) -> Sequence[Nest]:
        values = self.values()
        grid = tuple(dim(each) for each in values["sizes"])
        read = tuple(_position(grid, group) for group in values["reads"])
        write = tuple(_position(grid, group) for group in values["writes"])
        return [Nest(grid, (Read(0, read),), same, write)]


_sizes = sizes
"""The sizes of a tensor, where a property has that name."""


def _count(grid: Sequence[Dim], group: Sequence[int]) -> Any:
    """The number of points along some axes of a grid."""
    return product(grid[each] for each in group)


def _position(grid: Sequence[Dim], group: Sequence[int]) -> Linear:
    """The position along an axis that is made of some axes of a grid."""
    position = Linear()
    for each in group:
        position = position * grid[each] + axis(each)
    return position
