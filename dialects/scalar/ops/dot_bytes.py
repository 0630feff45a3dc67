"""`scalar.dot_bytes`: the products of the bytes of two words, added to a sum."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32, i64
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
from xdsl.utils.exceptions import VerifyException

from ...op_class import OpClass

BYTE_BITS = 8
"""Bits of a byte."""


def words_that_fit(bits: int) -> int:
    """
    How many words can be added up in 16 bits, where each adds two products of a byte of
    some bits, without a sign, and a byte with a sign.
    """
    greatest = ((1 << bits) - 1) << (BYTE_BITS - 1)
    return ((1 << 15) - 1) // (2 * greatest)


@irdl_op_definition
class DotBytesOp(IRDLOperation, metaclass=OpClass):
    """
    `sum` plus the four products of a byte of `a`, which has no sign, and the byte of
    `b` at the same place, which has one; the sum wraps.

    Bytes of `a` have as few `bits` as is said, else eight: some machines multiply faster
    where the sum of two products has 16 bits, whatever `b` is.

    ```mlir
    %1 = scalar.dot_bytes %sum, %a, %b : i32
    ```
    """

    name = "scalar.dot_bytes"

    sum = operand_def(i32)
    a = operand_def(i32)
    b = operand_def(i32)
    bits = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(i32)

    traits = traits_def(Pure())

    assembly_format = "$sum `,` $a `,` $b (`bits` $bits^)? attr-dict `:` type($result)"

    def __init__(self, sum: SSAValue, a: SSAValue, b: SSAValue, bits: int = BYTE_BITS):
        """The sum with products of words of bytes."""
        super().__init__(
            operands=[sum, a, b],
            properties={"bits": None if bits == BYTE_BITS else IntegerAttr(bits, i64)},
            result_types=[i32],
        )

    def verify_(self) -> None:
        """A byte has one to eight bits."""
        if self.bits is not None and not 0 < self.bits.value.data <= BYTE_BITS:
            raise VerifyException(
                f"expected bytes of 1 to {BYTE_BITS} bits, got {self.bits.value.data}"
            )

    @property
    def fits(self) -> int:
        """How many such words can be added up in 16 bits (`words_that_fit`)."""
        return words_that_fit(BYTE_BITS if self.bits is None else self.bits.value.data)
