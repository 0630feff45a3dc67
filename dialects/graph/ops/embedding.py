"""`graph.embedding`: rows of a table, looked up by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..families.elementwise import require
from ..nest import Lookup, Nest, Read, axes, axis, same
from ..op import SingleResultOp


@irdl_op_definition
class EmbeddingOp(SingleResultOp):
    """
    The row of the table for every index.

    An index below zero or beyond the table is an `IndexError` when the model runs.

    ```mlir
    %2 = graph.embedding %0, %1 : tensor<7x3xf32>, tensor<2x5xi64> -> tensor<2x5x3xf32>
    ```
    """

    name = "graph.embedding"
    SPELLINGS: ClassVar = ("aten.embedding.default",)

    table = operand_def(TensorType)
    indices = operand_def(TensorType)

    @classmethod
    def infer(cls, table: Tensor, indices: Tensor) -> Tensor:
        require(indices, "integer")
        match sizes(table):
            case (_, width):
                return tensor(table.element_type, *sizes(indices), width)
            case _:
                raise VerifyException(f"expected a table of two axes, got {table}")

    def reference(self, table: Array, indices: Array) -> Array:
        if indices.size and not 0 <= indices.min() <= indices.max() < len(table):
            raise IndexError(f"expected indices from 0 to {len(table) - 1}")
        return (
            table[indices]
            if indices.size
            else np.empty((*indices.shape, table.shape[1]), table.dtype)
        )

    def nests(self) -> Sequence[Nest]:
        rank = len(self.shape)
        rows, _ = sizes(tensor_type(self.table))
        row = Lookup(1, axes(rank - 1), rows, wraps=False)
        return [Nest(self.shape, (Read(0, (row, axis(rank - 1))),), same, axes(rank))]
