"""`scalar.scale_difference`: a difference times a scale, as one multiply-add."""

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
class ScaleDifferenceOp(IRDLOperation, metaclass=OpClass):
    """
    `x - least` times `scale`, rounded once; a zero is 0.0, never -0.0.

    The difference is exact, and `shift` is `-least * scale`, exactly: so it is
    `x * scale + shift`, which is one instruction where a target has it. Elsewhere the
    difference is multiplied.

    ```mlir
    %y = scalar.scale_difference %x, %least, %scale, %shift : f32
    ```
    """

    name = "scalar.scale_difference"

    T: ClassVar = VarConstraint("T", AnyFloatConstr)

    x = operand_def(T)
    least = operand_def(T)
    scale = operand_def(T)
    shift = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$x `,` $least `,` $scale `,` $shift attr-dict `:` type($result)"

    def __init__(self, x: SSAValue, least: SSAValue, scale: SSAValue, shift: SSAValue):
        """The scaled difference of numbers of one type."""
        operands = [x, least, scale, shift]
        super().__init__(operands=operands, result_types=[x.type])
