"""`graph.unpack`: the tensor that panels hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import dim, product
from ...shape import Array, Tensor, sizes, tensor
from ..literal import to_names
from ..op import SingleResultOp
from ..storage.panels import PanelsAttr
from .permute import PermuteOp
from .reshape import ReshapeOp
from .slice import SliceOp


@irdl_op_definition
class UnpackOp(SingleResultOp):
    """
    The tensor of dimensions `shape` that panels hold, which `graph.pack` makes.

    In a model it is made of other ops. What `pack-operands` writes later is a view: what
    reads it reads the panels where they are, which is for contractions alone.

    ```mlir
    %1 = graph.unpack %0 {panels = #graph.panels<width = 16, rows = [64 by 120], columns = 120 by 1>, shape = ["64", "120"]} : tensor<8x64x16xf32> -> tensor<64x120xf32>
    ```
    """

    name = "graph.unpack"
    DIM_PROPERTIES: ClassVar = ("shape",)
    IS_VIEW: ClassVar = True

    input = operand_def(TensorType)
    panels = prop_def(PanelsAttr)
    shape_ = prop_def(ArrayAttr[StringAttr], prop_name="shape")

    @classmethod
    def infer(cls, input: Tensor, panels: PanelsAttr, shape: tuple[str, ...]) -> Tensor:
        wanted = [dim(each) for each in shape]
        count = product(length for length, _ in (*panels.rows, panels.columns))
        if sizes(input) != panels.shape or panels.k_group.data > 1:
            raise VerifyException(
                f"expected panels of {panels.shape} without words, got {input}"
            )
        if product(wanted) != count:
            raise VerifyException(
                f"expected {count} elements, got shape {', '.join(shape)}"
            )
        return tensor(input.element_type, *wanted)

    def decompose(self) -> Sequence[SSAValue]:
        lengths = [length for length, _ in (*self.panels.rows, self.panels.columns)]
        count, _, width = self.panels.shape
        filled = to_names([*lengths[:-1], count * width])
        starts, steps = ("0",) * len(lengths), (1,) * len(lengths)
        by_rows = PermuteOp(self.input, order=(1, 0, 2))
        rows = ReshapeOp(by_rows.result, shape=filled)
        kept = SliceOp(rows.result, starts=starts, sizes=to_names(lengths), steps=steps)
        ordered = PermuteOp(kept.result, order=_order(self.panels))
        return [ReshapeOp(ordered.result, shape=to_names(self.shape)).result]

    def reference(
        self, input: Array, panels: PanelsAttr, shape: tuple[Any, ...]
    ) -> Array:
        rows, (columns, _) = [size for size, _ in panels.rows], panels.columns
        count, _, width = panels.shape
        found = input.swapaxes(0, 1).reshape(*rows, count * width)[..., :columns]
        return found.transpose(_order(panels)).reshape([int(each) for each in shape])


def _order(panels: PanelsAttr) -> tuple[int, ...]:
    """The axes of the rows and that of the columns, the outermost first."""
    strides = [stride for _, stride in (*panels.rows, panels.columns)]
    return tuple(sorted(range(len(strides)), key=lambda each: -strides[each]))
