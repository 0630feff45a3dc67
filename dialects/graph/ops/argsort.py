"""`graph.argsort`: the indices of the elements that come first along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim
from ...shape import Array, Tensor, normalize_axis, sizes, tensor, tensor_type
from ..literal import to_names
from ..nest import Read, axes
from ..op import Requirement, SingleResultOp
from ..ranking import Ranking
from .gather import GatherOp
from .permute import PermuteOp
from .slice import SliceOp

_SHARE = 16
"""
The share of a row, as 1 / SHARE, from which on sorting the whole row takes less
time than selecting that share; measured.
"""


@irdl_op_definition
class ArgsortOp(SingleResultOp):
    """
    The indices along `axis` of the `count` elements that come first there in ascending
    or descending order. The axis becomes the last one of the result.

    Of equal elements the first come first. NaN is greater than every number.

    ```mlir
    %1 = graph.argsort %0 {axis = 1 : i64, count = "5", descending = false} : tensor<2x5xf32> -> tensor<2x5xi64>
    %2 = graph.argsort %0 {axis = 0 : i64, count = "3", descending = true} : tensor<7x2xf32> -> tensor<2x3xi64>
    ```
    """

    name = "graph.argsort"
    DIM_PROPERTIES: ClassVar = ("count",)

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    count = prop_def(StringAttr)
    descending = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(cls, input: Tensor, axis: int, count: str, descending: bool) -> Tensor:
        rows, size = _split(input, axis)
        first = dim(count)
        if any(isinstance(each, int) and each < 0 for each in (first, size - first)):
            raise VerifyException(
                f"expected {count} elements along {axis}, got {input}"
            )
        return tensor(i64, *rows, first)

    def requirements(self) -> Sequence[Requirement]:
        type, count = tensor_type(self.input), self.count.data
        _, size = _split(type, self.axis.value.data)
        message = f"expected {count} elements or more in {type}"
        return [Requirement(size - dim(count), message)]

    def reference(
        self, input: Array, axis: int, count: str | tuple[int, ...], descending: bool
    ) -> Array:
        first = int(count) if isinstance(count, str) else count[0]
        found = np.take(order(input, axis, descending), range(first), axis)
        return np.ascontiguousarray(np.moveaxis(found, axis, -1))

    def below(self) -> Dim:
        """Indices are below the size of the axis."""
        return _split(tensor_type(self.input), self.axis.value.data)[1]

    def ranking(self) -> Ranking:
        """Of each row along the axis the first, by the elements themselves."""
        type, values = tensor_type(self.input), self.values()
        rows, size = _split(type, values["axis"])
        along = normalize_axis(values["axis"], len(rows) + 1)
        here = axes(len(rows))
        at = (*here[:along], *axes(1, len(rows)), *here[along:])
        count, descending = dim(values["count"]), bool(values["descending"])
        return Ranking(rows, size, count, Read(0, at), descending)


def order(input: Array, axis: int, descending: bool) -> Array:
    """The indices that stably sort the elements along an axis."""
    if not descending:
        return np.argsort(input, axis, kind="stable")
    # The axis is reversed before and after, so that equal elements keep their order.
    last = input.shape[axis] - 1
    turned = np.argsort(np.flip(input, axis), axis, kind="stable")
    return np.ascontiguousarray(last - np.flip(turned, axis))


def first_in_order(
    input: SSAValue, axis: int, count: Dim, descending: bool
) -> list[SSAValue]:
    """Builds the elements that come first along an axis, and their indices."""
    rows, size = _split(tensor_type(input), axis)
    along, rank = normalize_axis(axis, len(rows) + 1), len(rows) + 1
    sorts = isinstance(size, int) and isinstance(count, int) and count * _SHARE >= size
    wanted = size if sorts else count
    indices = ArgsortOp(
        input, axis=along, count=str(wanted), descending=descending
    ).result
    if wanted != count:
        indices = SliceOp(
            indices,
            starts=("0",) * rank,
            sizes=to_names([*rows, count]),
            steps=(1,) * rank,
        ).result
    if along != rank - 1:
        back = [*range(along), rank - 1, *range(along, rank - 1)]
        indices = PermuteOp(indices, order=tuple(back)).result
    return [GatherOp(input, indices, axis=along, wraps=False).result, indices]


def _split(type: Tensor, axis: int) -> tuple[tuple[Dim, ...], Dim]:
    """The dimensions of a tensor but for one, and that one."""
    shape = sizes(type)
    along = normalize_axis(axis, len(shape))
    return (*shape[:along], *shape[along + 1 :]), shape[along]
