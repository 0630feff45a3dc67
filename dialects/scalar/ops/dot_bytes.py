"""`scalar.dot_bytes`: the products of the bytes of two words, added to a sum."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class DotBytesOp(IRDLOperation):
    """
    `sum` plus the four products of a byte of `a`, which has no sign, and the byte of
    `b` at the same place, which has one; the sum wraps.

    With `fits` no two of the products add up to more than 16 bits hold, whatever `b`
    is: some machines have an instruction for that.

    ```mlir
    %1 = scalar.dot_bytes %sum, %a, %b : i32
    ```
    """

    name = "scalar.dot_bytes"

    sum = operand_def(i32)
    a = operand_def(i32)
    b = operand_def(i32)
    fits = opt_prop_def(UnitAttr)
    result = result_def(i32)

    traits = traits_def(Pure())

    assembly_format = "$sum `,` $a `,` $b (`fits` $fits^)? attr-dict `:` type($result)"

    def __init__(self, sum: SSAValue, a: SSAValue, b: SSAValue, fits: bool = False):
        """The sum with products of words of bytes."""
        super().__init__(
            operands=[sum, a, b],
            properties={"fits": UnitAttr() if fits else None},
            result_types=[i32],
        )
