"""`graph.require`: a condition on sizes, as asserted by a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ...dims import dim
from ...shape import Array
from ..literal import to_names
from ..op import GraphOp, Requirement


@irdl_op_definition
class RequireOp(GraphOp):
    """
    Ends a run with a `ValueError` when a quantity computed from sizes is negative.

    ```mlir
    graph.require {amount = "batch - count", message = "count <= batch"}
    graph.require {amount = "min(a - b, -a + b)", message = "equal sizes a and b", shown = ["a", "b"], op = "Concat"}
    ```

    The values of `shown`, which are two sizes or none, are part of the error, as is the
    name `op`, of the op or the node that requires it.
    """

    name = "graph.require"

    DIM_PROPERTIES: ClassVar = ("amount", "shown")

    amount = prop_def(StringAttr)
    message = prop_def(StringAttr)
    shown = opt_prop_def(ArrayAttr[StringAttr])
    op = opt_prop_def(StringAttr)

    # It has no result, but must not be removed.
    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def of(cls, requirement: Requirement, op: str) -> RequireOp:
        """The op that checks what an op or a node of this name requires."""
        given: dict[str, Any] = {}
        if requirement.sizes:
            given["shown"] = to_names(requirement.sizes)
        message = requirement.message.removeprefix(_EXPECTED)
        return cls(amount=str(requirement.value), message=message, op=op, **given)

    @classmethod
    def infer(
        cls, amount: str, message: str, shown: tuple[str, ...] = (), op: str = ""
    ) -> tuple[()]:
        dim(amount)
        if len([dim(each) for each in shown]) not in (0, 2):
            raise VerifyException(f"expected two sizes or none to show, got {shown}")
        return ()

    def requirements(self) -> Sequence[Requirement]:
        shown = tuple(dim(each) for each in self.values().get("shown", ()))
        message = f"{_EXPECTED}{self.message.data}"
        return [Requirement(dim(self.amount.data), message, shown)]

    def reference(
        self,
        amount: tuple[int, ...],
        message: str,
        shown: tuple[int, ...] = (),
        op: str = "",
    ) -> tuple[Array, ...]:
        if amount[0] < 0:
            got = f", got {shown[0]} and {shown[1]}" if shown else ""
            raise ValueError(f"{_EXPECTED}{message}{got}")
        return ()


_EXPECTED = "expected "
