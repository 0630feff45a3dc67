"""`host.call_address`: calls a function by its address."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    var_operand_def,
)


@irdl_op_definition
class CallAddressOp(IRDLOperation):
    """
    Calls the function at an address, which takes integers and returns one.

    ```mlir
    %status = host.call_address %function(%context, %number, %buffers)
    ```
    """

    name = "host.call_address"

    function = operand_def(i64)
    arguments = var_operand_def(i64)
    result = result_def(i64)

    assembly_format = "$function `(` $arguments `)` attr-dict"

    def __init__(self, function: SSAValue, arguments: Sequence[SSAValue]):
        """The call of a function at an address."""
        super().__init__(operands=[function, arguments], result_types=[i64])
