"""`graph.pack`: a tensor in panels, as a contraction reads it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, product
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from .. import scalar
from ..nest import Linear, Nest, Read, axis, same
from ..op import SingleResultOp


@irdl_op_definition
class PackOp(SingleResultOp):
    """
    The columns of a tensor, which are along an axis, in panels of a width: each has its
    columns of every row, row after row, with zeros after the last column. The result
    has panels x rows x columns (`PanelsAttr`).

    ```mlir
    %1 = graph.pack %0 {axis = 1 : i64, width = 16 : i64} : tensor<64x120xf32> -> tensor<8x64x16xf32>
    ```
    """

    name = "graph.pack"

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    width = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(cls, input: Tensor, axis: int, width: int) -> Tensor:
        shape = sizes(input)
        if not 0 <= axis < len(shape) or width < 1:
            raise VerifyException(
                f"expected an axis of {input} and a width, got {axis} and {width}"
            )
        columns = shape[axis]
        if not isinstance(columns, int):
            raise VerifyException(f"expected a known number of columns, got {columns}")
        rows = product([*shape[:axis], *shape[axis + 1 :]])
        return tensor(input.element_type, -(-columns // width), rows, width)

    def reference(self, input: Array, axis: int, width: int) -> Array:
        *outer, columns = np.moveaxis(input, axis, -1).shape
        panels, rows = -(-columns // width), prod(outer)
        result = np.zeros((rows, panels * width), input.dtype)
        result[:, :columns] = np.moveaxis(input, axis, -1).reshape(rows, columns)
        return result.reshape(rows, panels, width).swapaxes(0, 1)

    def nests(self) -> Sequence[Nest]:
        shape, element = sizes(tensor_type(self.input)), self.type.element_type
        along: int = self.values()["axis"]
        width: int = self.values()["width"]
        columns = shape[along]
        assert isinstance(columns, int), "the number of columns is known"
        rows = [*shape[:along], *shape[along + 1 :]]
        whole, rest = divmod(columns, width)

        def zero() -> SSAValue:
            return scalar.constant(0, element)

        # What is read is read in its order, so that memory is near when it is needed.
        by_rows = along == len(rows)
        panel = axis(len(rows) if by_rows else 0)
        row = [axis(number + (not by_rows)) for number in range(len(rows))]
        inside = axis(len(rows) + 1)

        def moved(first: int, panels: int, count: int) -> Nest:
            """The nest of some panels, each of `count` columns."""
            at = [*row]
            at.insert(along, panel * width + inside + first * width)
            bounds = (*rows, panels) if by_rows else (panels, *rows)
            place = panel + first, _number(row, rows), inside
            return Nest((*bounds, count), (Read(0, tuple(at)),), same, place)

        nests = [moved(0, whole, width)] if whole or not rest else []
        if rest:
            place = Linear(offset=whole), axis(0), axis(1) + rest
            nests.append(Nest((self.shape[1], width - rest), (), zero, place))
            nests.append(moved(whole, 1, rest))
        return nests


def _number(row: Sequence[Linear], rows: Sequence[Dim]) -> Linear:
    """The number of a row, of its place along each axis."""
    number = Linear()
    for place, size in zip(row, rows, strict=True):
        number = number * size + place
    return number
