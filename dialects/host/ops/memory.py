"""`host.load` and the like: memory at addresses."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSetConstraint,
    IRDLOperation,
    MessageConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)

_WIDTHS = {1: IntegerType(8), 4: IntegerType(32), 8: i64}
"""The integers in memory, by their bytes."""

_STORED = MessageConstraint(
    AttrSetConstraint(frozenset(_WIDTHS.values())),
    "expected memory of i8, i32 or i64",
)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """
    What memory holds some bytes after an address: an unsigned integer, as 64 bits.

    A volatile load is done once, since another thread may write to the memory.

    ```mlir
    %x = host.load %context[24] : i64
    %y = host.load volatile %flag[0] : i8
    ```
    """

    name = "host.load"

    address = operand_def(i64)
    offset = prop_def(IntegerAttr[I64])
    stored = prop_def(_STORED)
    is_volatile = opt_prop_def(UnitAttr)
    result = result_def(i64)

    assembly_format = (
        "(`volatile` $is_volatile^)? $address `[` $offset `]` attr-dict `:` $stored"
    )

    def __init__(
        self, address: SSAValue, offset: int, width: int, is_volatile: bool = False
    ):
        """The load of an integer of some bytes."""
        super().__init__(
            operands=[address],
            properties={
                "offset": IntegerAttr(offset, i64),
                "stored": _WIDTHS[width],
                "is_volatile": UnitAttr() if is_volatile else None,
            },
            result_types=[i64],
        )


@irdl_op_definition
class StoreOp(IRDLOperation):
    """
    Writes an integer, cut to the bits that memory has, some bytes after an address.

    ```mlir
    host.store %x, %context[24] : i64
    ```
    """

    name = "host.store"

    value = operand_def(i64)
    address = operand_def(i64)
    offset = prop_def(IntegerAttr[I64])
    stored = prop_def(_STORED)

    assembly_format = "$value `,` $address `[` $offset `]` attr-dict `:` $stored"

    def __init__(self, value: SSAValue, address: SSAValue, offset: int, width: int):
        """The store of an integer of some bytes."""
        super().__init__(
            operands=[value, address],
            properties={"offset": IntegerAttr(offset, i64), "stored": _WIDTHS[width]},
        )


@irdl_op_definition
class AllocaOp(IRDLOperation):
    """
    The address of an array of some integers, which is there until the function ends.

    ```mlir
    %tried = host.alloca %count : i64
    ```
    """

    name = "host.alloca"

    count = operand_def(i64)
    stored = prop_def(_STORED)
    result = result_def(i64)

    assembly_format = "$count attr-dict `:` $stored"

    def __init__(self, count: SSAValue, width: int):
        """An array of integers of some bytes."""
        super().__init__(
            operands=[count],
            properties={"stored": _WIDTHS[width]},
            result_types=[i64],
        )


@irdl_op_definition
class WordsOp(IRDLOperation):
    """
    The address of these words in memory, which is there until the function ends.

    ```mlir
    %arguments = host.words(%count, %orders, %size)
    ```
    """

    name = "host.words"

    values = var_operand_def(i64)
    result = result_def(i64)

    assembly_format = "`(` $values `)` attr-dict"

    def __init__(self, values: Sequence[SSAValue]):
        """Memory with some words."""
        super().__init__(operands=[values], result_types=[i64])


@irdl_op_definition
class TableOp(IRDLOperation):
    """
    The address of a constant array.

    ```mlir
    %orders = host.table array<i32: 0, 2, 1>
    ```
    """

    name = "host.table"

    numbers = prop_def(DenseArrayBase)
    result = result_def(i64)

    assembly_format = "qualified($numbers) attr-dict"

    def __init__(self, width: int, numbers: Sequence[int]):
        """An array of integers of some bytes."""
        super().__init__(
            properties={"numbers": DenseArrayBase.from_list(_WIDTHS[width], numbers)},
            result_types=[i64],
        )
