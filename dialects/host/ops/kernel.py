"""`host.kernel`: calls a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    var_operand_def,
)


@irdl_op_definition
class KernelOp(IRDLOperation):
    """
    Calls a kernel with the addresses of its buffers, and its sizes.

    A status of it that is not zero ends the function around, after the number of the
    call was noted in the context.

    ```mlir
    host.kernel @add_0(%x, %out, %n) in %context number 2
    ```
    """

    name = "host.kernel"

    arguments = var_operand_def(i64)
    context = operand_def(i64)
    kernel = prop_def(FlatSymbolRefAttrConstr)
    number = prop_def(IntegerAttr[I64])

    assembly_format = (
        "$kernel `(` $arguments `)` `in` $context `number` $number attr-dict"
    )

    def __init__(
        self, name: str, number: int, context: SSAValue, arguments: Sequence[SSAValue]
    ):
        """The call of a kernel by its name."""
        super().__init__(
            operands=[arguments, context],
            properties={
                "kernel": SymbolRefAttr(name),
                "number": IntegerAttr(number, i64),
            },
        )
