"""`loop.split_index`: an index over two axes as an index for each."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)

from ...dims import Dim, dim
from ...op_class import OpClass
from ..subscript import DIM, Number


@irdl_op_definition
class SplitIndexOp(IRDLOperation, metaclass=OpClass):
    """
    The indices along two axes of a point that one index counts, row after row.

    The inner axis has `width` points, one at least.

    ```mlir
    %i, %j = loop.split_index %k by 3
    %y, %x = loop.split_index %k by "width"
    ```
    """

    name = "loop.split_index"

    index = operand_def(IndexType)
    width = prop_def(DIM)
    outer = result_def(IndexType)
    inner = result_def(IndexType)

    custom_directives = (Number,)
    assembly_format = "$index `by` custom<Number>($width) attr-dict"

    def __init__(self, index: SSAValue, width: Dim):
        """The indices of `index` along an outer axis, and one of `width` points."""
        super().__init__(
            operands=[index],
            properties={"width": StringAttr(str(width))},
            result_types=[IndexType(), IndexType()],
        )

    @property
    def size(self) -> Dim:
        """The points of the inner axis."""
        return dim(self.width.data)
