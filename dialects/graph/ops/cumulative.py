"""Prefix reductions: `graph.cumsum`, `cumprod`, `cummax`, `cummin`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.irdl import irdl_op_definition

from ...shape import Array, normalize_axis
from ..families.elementwise import Accepts
from ..nest import Combiner, Nest, Read, same
from ..nest import axis as index
from .softmax import AlongAxisOp


class CumulativeOp(AlongAxisOp, ABC):
    """An op that combines each element with all elements before it along an axis."""

    ACCEPTS: ClassVar[Accepts] = "number"

    COMBINE: ClassVar[Combiner]
    """How elements are combined."""

    NUMPY: ClassVar[np.ufunc]
    """The function of numpy that does the same."""

    def reference(self, input: Array, axis: int) -> Array:
        with np.errstate(all="ignore"):
            return self.NUMPY.accumulate(input, axis, dtype=input.dtype)

    def nests(self) -> Sequence[Nest]:
        rank = len(self.shape)
        along = normalize_axis(self.values()["axis"], rank)
        order = [*(each for each in range(rank) if each != along), along]
        at = tuple(index(order.index(each)) for each in range(rank))
        bounds = tuple(self.shape[each] for each in order)
        return [
            Nest(
                bounds,
                (Read(0, at),),
                same,
                at,
                1,
                self.COMBINE,
                keeps_accumulators=True,
            )
        ]


@irdl_op_definition
class CumsumOp(CumulativeOp):
    """
    The prefix sum along `axis`, each element included.

    ```mlir
    %1 = graph.cumsum %0 {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.cumsum %0 {axis = 0 : i64} : tensor<3x2x5xf32> -> tensor<3x2x5xf32>
    ```
    """

    name = "graph.cumsum"
    COMBINE: ClassVar = "add"
    NUMPY: ClassVar = np.add


@irdl_op_definition
class CumprodOp(CumulativeOp):
    """
    The prefix product along `axis`, each element included.

    ```mlir
    %1 = graph.cumprod %0 {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.cumprod"
    COMBINE: ClassVar = "mul"
    NUMPY: ClassVar = np.multiply


@irdl_op_definition
class CummaxOp(CumulativeOp):
    """
    The running maximum along `axis`; NaN from the first NaN on.

    ```mlir
    %1 = graph.cummax %0 {axis = -2 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.cummax"
    ACCEPTS: ClassVar = "any"
    COMBINE: ClassVar = "max"
    NUMPY: ClassVar = np.maximum


@irdl_op_definition
class CumminOp(CumulativeOp):
    """
    The running minimum along `axis`; NaN from the first NaN on.

    ```mlir
    %1 = graph.cummin %0 {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.cummin"
    ACCEPTS: ClassVar = "any"
    COMBINE: ClassVar = "min"
    NUMPY: ClassVar = np.minimum
