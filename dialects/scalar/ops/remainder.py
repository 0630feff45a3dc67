"""`scalar.remainder`: what a quotient of floats rounded towards zero leaves."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from ...op_class import OpClass


@irdl_op_definition
class RemainderOp(IRDLOperation, metaclass=OpClass):
    """
    The rest of a division, exactly; MLIR calls it `arith.remf`, which xDSL lacks.

    It has the sign of the dividend, and is NaN of a division by zero.

    ```mlir
    %z = scalar.remainder %x, %y : f32
    ```
    """

    name = "scalar.remainder"

    T: ClassVar = VarConstraint("T", AnyFloatConstr)

    dividend = operand_def(T)
    divisor = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$dividend `,` $divisor attr-dict `:` type($result)"

    def __init__(self, dividend: SSAValue, divisor: SSAValue):
        """The rest of one number divided by another of its type."""
        super().__init__(operands=[dividend, divisor], result_types=[dividend.type])
