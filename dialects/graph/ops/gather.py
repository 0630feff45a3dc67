"""`graph.gather`: elements selected along one axis by a tensor of indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim
from ...shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type
from ..families.elementwise import require
from ..nest import Lookup, Nest, Position, Read, axes, same
from ..op import Requirement, SingleResultOp


def _spare_sizes(input: Tensor, indices: Tensor, axis: int) -> list[Dim]:
    """The size of `input` minus that of `indices` along every axis but `axis`."""
    outer, inner = sizes(input), sizes(indices)
    along = normalize_axis(axis, len(outer))
    if len(inner) != len(outer):
        raise VerifyException(f"expected as many axes, got {input} and {indices}")
    return [outer[each] - inner[each] for each in range(len(outer)) if each != along]


def require_fit(input: Tensor, indices: Tensor, axis: int) -> None:
    """
    Raises `VerifyException` when `indices` is larger than `input` along another axis.
    """
    require(indices, "integer")
    if any(
        isinstance(each, int) and each < 0
        for each in _spare_sizes(input, indices, axis)
    ):
        raise VerifyException(
            f"expected indices that fit off axis {axis}, got {input} and {indices}"
        )


def fit(input: Tensor, indices: Tensor, axis: int) -> list[Requirement]:
    """The conditions of `require_fit` on sizes that are known only at run time."""
    message = f"expected indices that fit off axis {axis}, got {input} and {indices}"
    return [Requirement(each, message) for each in _spare_sizes(input, indices, axis)]


def line(input: Tensor, axis: int, wraps: bool) -> tuple[Position, ...]:
    """The position of each point, with the coordinate along `axis` looked up."""
    shape = sizes(input)
    along, here = normalize_axis(axis, len(shape)), axes(len(shape))
    looked_up = Lookup(1, here, shape[along], wraps)
    return (*here[:along], looked_up, *here[along + 1 :])


def along(indices: Array, axis: int, bound: int, wraps: bool) -> tuple[Array, ...]:
    """
    The index arrays for numpy's advanced indexing, one for each axis.

    Raises `IndexError` when an index is out of range.
    """
    check_range(indices, bound, wraps)
    grid: list[Array] = list(np.indices(indices.shape, sparse=True))
    grid[axis] = indices
    return tuple(grid)


def check_range(indices: Array, bound: int, wraps: bool) -> None:
    """Raises `IndexError` when an index is out of range."""
    least = -bound if wraps else 0
    if indices.size and not least <= indices.min() <= indices.max() < bound:
        raise IndexError(f"expected indices from {least} to {bound - 1}")


@irdl_op_definition
class GatherOp(SingleResultOp):
    """
    The elements at `indices` along `axis`; other coordinates are those of the index.

    The indices have as many axes as the input, and may be fewer along the others. An
    index beyond the axis is an `IndexError` when the model runs. One below zero counts
    from the end when `wraps`, else it is an error too.

    ```mlir
    %2 = graph.gather %0, %1 {axis = 1 : i64, wraps = true} : tensor<3x7x4xf32>, tensor<3x5x4xi64> -> tensor<3x5x4xf32>
    %3 = graph.gather %0, %1 {axis = 0 : i64, wraps = false} : tensor<7x5xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
    ```
    """

    name = "graph.gather"

    input = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    wraps = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(cls, input: Tensor, indices: Tensor, axis: int, wraps: bool) -> Tensor:
        require_fit(input, indices, axis)
        return tensor(input.element_type, *sizes(indices))

    def requirements(self) -> Sequence[Requirement]:
        axis = self.values()["axis"]
        return fit(tensor_type(self.input), tensor_type(self.indices), axis)

    def reference(self, input: Array, indices: Array, axis: int, wraps: bool) -> Array:
        return input[along(indices, axis, input.shape[axis], wraps)]

    def nests(self) -> Sequence[Nest]:
        at = line(tensor_type(self.input), **self.values())
        return [Nest(self.shape, (Read(0, at),), same, axes(len(at)))]
