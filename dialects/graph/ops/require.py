"""`graph.require`: a condition on sizes, as asserted by a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, prop_def, traits_def
from xdsl.traits import MemoryWriteEffect

from ...dims import dim
from ...shape import Array
from ..op import GraphOp, Requirement


@irdl_op_definition
class RequireOp(GraphOp):
    """
    Ends a run with a `ValueError` when a quantity computed from sizes is negative.

    ```mlir
    graph.require {amount = "batch - count", message = "count <= batch"}
    ```
    """

    name = "graph.require"

    DIM_PROPERTIES: ClassVar = ("amount",)

    amount = prop_def(StringAttr)
    message = prop_def(StringAttr)

    # It has no result, but must not be removed.
    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def infer(cls, amount: str, message: str) -> tuple[()]:
        dim(amount)
        return ()

    def requirements(self) -> Sequence[Requirement]:
        message = f"expected {self.message.data}"
        return [Requirement(dim(self.amount.data), message)]

    def reference(self, amount: tuple[int, ...], message: str) -> tuple[Array, ...]:
        if amount[0] < 0:
            raise ValueError(f"expected {message}")
        return ()
