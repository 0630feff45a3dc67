"""`graph.descend`: the places at which walks through a table end, as of decision trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..descent import Descent
from ..families.elementwise import require
from ..op import Requirement, SingleResultOp

_WAYS = (1, 2, 3)

_BLOCK = 16
"""The walks that rows take together: as many as one or two vectors hold."""


@irdl_op_definition
class DescendOp(SingleResultOp):
    """
    For each row the places at which walks end that begin at the places `starts`.

    In each step the element of the row whose number is in `features` at the place is
    compared with the one of `limits`: the next place is the first of `next` if it is
    not above, else the second, and if it is NaN the third, where there is one. If there
    is only a first, the second is the place after it.
    `walks` walks after each other take `steps` steps. What is no place, or no
    element of the row, counts as the last one.

    ```mlir
    %5 = graph.descend %0, %1, %2, %3, %4 {walks = array<i64: 2, 3>, steps = array<i64: 1, 3>} : tensor<7x4xf32>, tensor<9xi32>, tensor<9xf32>, tensor<9x2xi32>, tensor<5xi32> -> tensor<7x5xi32>
    %6 = graph.descend %0, %1, %2, %3, %4 {walks = array<i64: 20>, steps = array<i64: 3>} : tensor<7x4xf32>, tensor<9xi32>, tensor<9xf32>, tensor<9x1xi32>, tensor<20xi32> -> tensor<7x20xi32>
    %7 = graph.descend %0, %1, %2, %3, %4 {walks = array<i64: 5>, steps = array<i64: 2>} : tensor<7x4xf64>, tensor<9xi64>, tensor<9xf64>, tensor<9x3xi64>, tensor<5xi64> -> tensor<7x5xi64>
    ```
    """

    name = "graph.descend"

    rows = operand_def(TensorType)
    features = operand_def(TensorType)
    limits = operand_def(TensorType)
    next = operand_def(TensorType)
    starts = operand_def(TensorType)
    walks = prop_def(DenseArrayBase.constr(i64))
    steps = prop_def(DenseArrayBase.constr(i64))

    @classmethod
    def infer(
        cls,
        rows: Tensor,
        features: Tensor,
        limits: Tensor,
        next: Tensor,
        starts: Tensor,
        walks: tuple[int, ...],
        steps: tuple[int, ...],
    ) -> Tensor:
        require(rows, "float")
        require(features, "integer")
        number = features.element_type
        if limits.element_type != rows.element_type or any(
            each.element_type != number for each in (next, starts)
        ):
            raise VerifyException(
                f"expected limits as the rows {rows} and places as {features}, got "
                f"{limits}, {next} and {starts}"
            )
        if len(walks) != len(steps) or min((*walks, *steps), default=0) < 0:
            raise VerifyException(
                f"expected steps of each group of walks, got {walks} and {steps}"
            )
        match sizes(rows), sizes(features), sizes(limits), sizes(next), sizes(starts):
            case (n, width), (places,), (other,), (third, ways), (count,) if (
                0 not in (width, places)
                and ways in _WAYS
                and agree(places, other)
                and agree(places, third)
                and count == sum(walks)
            ):
                return tensor(number, n, count)
            case _:
                raise VerifyException(
                    f"expected rows, a feature, a limit and 1 to 3 next places for each "
                    f"place, and {sum(walks)} starts, got {rows}, {features}, {limits}, "
                    f"{next} and {starts}"
                )

    def requirements(self) -> Sequence[Requirement]:
        found = {
            "an element in each row": sizes(tensor_type(self.rows))[1],
            "a place": sizes(tensor_type(self.features))[0],
        }
        return [
            Requirement(size - 1, f"expected {what} of {self.name}")
            for what, size in found.items()
        ]

    def reference(
        self,
        rows: Array,
        features: Array,
        limits: Array,
        next: Array,
        starts: Array,
        walks: tuple[int, ...],
        steps: tuple[int, ...],
    ) -> Array:
        result = np.empty((len(rows), len(starts)), starts.dtype)
        begin = 0
        for count, number in zip(walks, steps, strict=True):
            place = np.broadcast_to(starts[begin : begin + count], (len(rows), count))
            for _ in range(number):
                at = _inside(place, len(features))
                element = _inside(features[at], rows.shape[1])
                x = np.take_along_axis(rows, element, 1)
                way = np.where(x <= limits[at], 0, 1)
                if next.shape[1] == 1:
                    place = next[at, 0] + way.astype(next.dtype)
                    continue
                if next.shape[1] > 2:
                    way = np.where(np.isnan(x), 2, way)
                place = next[at, way]
            result[:, begin : begin + count] = place
            begin += count
        return result

    def descent(self) -> Descent:
        """The walks of each row, in their groups."""
        values = self.values()
        n, width = sizes(tensor_type(self.rows))
        places, ways = sizes(tensor_type(self.next))
        assert isinstance(ways, int), "there are three at most"
        groups = zip(values["walks"], values["steps"], strict=True)
        return Descent(n, width, places, ways, tuple(groups), _BLOCK)


def _inside(numbers: Array, count: int) -> Array:
    """Numbers below a count; one that is not, or is negative, becomes the last."""
    return np.where((numbers < 0) | (numbers >= count), count - 1, numbers)
