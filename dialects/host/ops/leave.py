"""`host.leave`: ends a function from anywhere inside."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def


@irdl_op_definition
class LeaveOp(IRDLOperation):
    """
    Ends the function around it, however deep inside it stands, with a result.

    It does not return, but is no terminator: as after a `cf.assert` of false, nothing
    behind it is run.

    ```mlir
    scf.if %bad {
      host.leave %status
    }
    ```
    """

    name = "host.leave"

    value = operand_def(i64)

    assembly_format = "$value attr-dict"

    def __init__(self, value: SSAValue):
        """The end of a function with a result."""
        super().__init__(operands=[value])
