"""`graph.reshape`: the same elements in the same order, with another shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import Block
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import Dim, dim, guess, product
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..literal import to_names
from ..op import SingleResultOp
from ..order import Carried, Order, ordered


@irdl_op_definition
class ReshapeOp(SingleResultOp):
    """
    The elements in the same order, with the dimensions `shape`. It is a view.

    ```mlir
    %1 = graph.reshape %0 {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
    %2 = graph.reshape %0 {shape = ["2", "1", "35", "3"]} : tensor<2x5x7x3xf32> -> tensor<2x1x35x3xf32>
    ```
    """

    name = "graph.reshape"
    DIM_PROPERTIES: ClassVar = ("shape",)
    IS_VIEW: ClassVar = True

    input = operand_def(TensorType)
    shape_ = prop_def(ArrayAttr[StringAttr], prop_name="shape")

    @classmethod
    def infer(cls, input: Tensor, shape: tuple[str, ...]) -> Tensor:
        wanted = [dim(each) for each in shape]
        if not agree(product(sizes(input)), product(wanted)):
            raise VerifyException(
                f"expected as many elements as {input}, got shape {', '.join(shape)}"
            )
        return tensor(input.element_type, *wanted)

    def carry(self, operand: int, order: Order) -> Carried | None:
        before, after = sizes(tensor_type(self.input)), self.shape
        moved = [each for each in order if before[each] != 1]
        result: list[int] = []
        parts = _together(before, after)
        while moved:
            # The axes of one group must stay contiguous.
            part = next((each for each in parts if each[0][:1] == moved[:1]), None)
            if part is None or moved[: len(part[0])] != part[0]:
                return None
            del moved[: len(part[0])]
            result += part[1]
        ones = [each for each, size in enumerate(after) if size == 1]
        for each in ones:
            # An axis of size one may stand anywhere, and stays where it is.
            result.insert(each, each)
        return Carried(
            (order,), tuple(result), {"shape": to_names(ordered(after, tuple(result)))}
        )

    def carry_back(self, order: Order) -> Order | None:
        """The order of the input with which the result is in this one, if any."""
        wide = Block(arg_types=[self.type]).args[0]
        undone = ReshapeOp(wide, shape=to_names(sizes(tensor_type(self.input))))
        carried = undone.carry(0, order)
        undone.erase()
        return None if carried is None else carried.result

    def reference(self, input: Array, shape: tuple[Any, ...]) -> Array:
        return input.reshape([int(each) for each in shape])


def _together(
    before: Sequence[Dim], after: Sequence[Dim]
) -> list[tuple[list[int], list[int]]]:
    """
    The smallest groups of axes that hold the same elements before and after.

    Axes of size one are in no group.
    """
    old = [each for each, size in enumerate(before) if size != 1]
    new = [each for each, size in enumerate(after) if size != 1]
    groups: list[tuple[list[int], list[int]]] = []
    while old and new:
        a, b = [old.pop(0)], [new.pop(0)]
        groups.append((a, b))
        while (old or new) and (x := count(before, a)) != (y := count(after, b)):
            if old and (not new or guess(x) < guess(y)):
                a.append(old.pop(0))
            else:
                b.append(new.pop(0))
    if groups:
        # Axes are left over only when the tensor is empty.
        groups[-1][0].extend(old)
        groups[-1][1].extend(new)
    return groups


def count(shape: Sequence[Dim], axes: Sequence[int]) -> Dim:
    """The number of elements along some axes."""
    return product(shape[each] for each in axes)
