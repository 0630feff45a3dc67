"""
`loop.program`: the whole model as a straight list of calls, and the memory they use.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ..subscript import DIM
from .memory import buffer_type

REGIONS = ("inputs", "constants", "activations", "outputs")


@irdl_op_definition
class ProgramOp(IRDLOperation):
    """
    The model: its inputs and outputs, the memory that it needs, and the calls in order.

    The entries say all that the runtime must know: `inputs` and `outputs` are tensor
    types with `input_names` and `output_names`, `symbols` the names that calls use with
    their ranges, `slots` the sizes of the activations in bytes and `lifetimes` the
    calls between which each lives, `constants` where in the block of constants each
    weight is.

    ```mlir
    loop.program @main {inputs = [tensor<4xf32>], outputs = [tensor<4xf32>]} {
      %0 = loop.view inputs 0 : memref<?xf32>
      %1 = loop.view outputs 0 : memref<?xf32>
      loop.call @relu(%0, %1) symbols [] : memref<?xf32>, memref<?xf32>
    }
    ```
    """

    name = "loop.program"

    sym_name = prop_def(StringAttr)
    entries = prop_def(DictionaryAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(self, name: str, entries: dict[str, Attribute], body: Block):
        """The program of this name."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "entries": DictionaryAttr(entries),
            },
            regions=[Region(body)],
        )

    def print(self, printer: Printer) -> None:
        """Prints the name, the entries and the body."""
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" ")
        printer.print_attribute(self.entries)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> ProgramOp:
        """Reads what `print` prints."""
        name = parser.parse_symbol_name()
        entries = parser.parse_optional_dictionary_attr_dict()
        body = parser.parse_region([])
        return cls.create(
            properties={"sym_name": name, "entries": DictionaryAttr(entries)},
            regions=[body],
        )


@irdl_op_definition
class ViewOp(IRDLOperation):
    """
    Memory of a region: an input, an output, or bytes of the constants or activations.

    The number is which input, which output, the byte in the constants, or which slot.

    ```mlir
    %0 = loop.view inputs 0 : memref<?xf32>
    %1 = loop.view constants 256 : memref<?xf32>
    %2 = loop.view activations 3 at 4096 : memref<?xf32>
    %3 = loop.view activations 4 at ? : memref<?xf32>
    ```
    """

    name = "loop.view"

    region = prop_def(StringAttr)
    number = prop_def(IntegerAttr.constr(i64))
    offset = prop_def(IntegerAttr.constr(i64))
    """The byte at which the slot begins, or -1 when the program looks it up."""
    result = result_def(MemRefType)

    def __init__(self, region: str, number: int, offset: int, element: Attribute):
        """The memory `number` of `region`, as a buffer of elements."""
        super().__init__(
            properties={
                "region": StringAttr(region),
                "number": IntegerAttr(number, i64),
                "offset": IntegerAttr(offset, i64),
            },
            result_types=[buffer_type(element)],
        )

    def verify_(self) -> None:
        """The region is one of the four."""
        if self.region.data not in REGIONS:
            raise VerifyException(
                f"expected a region of {', '.join(REGIONS)}, got {self.region.data}"
            )

    def print(self, printer: Printer) -> None:
        """Prints the region, the number, the offset of a slot, and the type."""
        printer.print_string(f" {self.region.data} {self.number.value.data}")
        if self.region.data == "activations":
            offset = self.offset.value.data
            printer.print_string(f" at {'?' if offset < 0 else offset}")
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ViewOp:
        """Reads what `print` prints."""
        region, number, offset = parser.parse_identifier(), parser.parse_integer(), 0
        if parser.parse_optional_keyword("at") is not None:
            unknown = parser.parse_optional_punctuation("?") is not None
            offset = -1 if unknown else parser.parse_integer()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        if not isa(type, MemRefType):
            parser.raise_error(f"expected a memref, got {type}")
        return cls(region, number, offset, type.element_type)


@irdl_op_definition
class CallOp(IRDLOperation):
    """
    Runs a kernel on buffers; its symbols get the values of these dimensions.

    ```mlir
    loop.call @k0(%0, %1) symbols ["batch"] : memref<?xf32>, memref<?xf32>
    ```
    """

    name = "loop.call"

    callee = prop_def(FlatSymbolRefAttrConstr)
    symbols = prop_def(ArrayAttr.constr(DIM))
    buffers = var_operand_def(MemRefType)

    assembly_format = (
        "$callee `(` $buffers `)` `symbols` $symbols attr-dict `:` type($buffers)"
    )

    def __init__(
        self, callee: str, buffers: Sequence[SSAValue], symbols: Sequence[str]
    ):
        """The call of the kernel `callee` on `buffers`."""
        super().__init__(
            operands=[buffers],
            properties={
                "callee": SymbolRefAttr(callee),
                "symbols": ArrayAttr([StringAttr(each) for each in symbols]),
            },
        )


@irdl_op_definition
class CallOutOp(IRDLOperation):
    """
    Runs the numpy reference of a graph op on buffers, inputs first, outputs last.

    `number` is its place among the fallback ops of the model; `op` holds its text, from
    which the runtime's owner makes the function to call.

    ```mlir
    loop.call_out 0 (%0, %1) {inputs = […], op = "…", outputs = […]}
        : memref<?xf32>, memref<?xi64>
    ```
    """

    name = "loop.call_out"

    number = prop_def(IntegerAttr.constr(i64))
    buffers = var_operand_def(MemRefType)

    assembly_format = "$number `(` $buffers `)` attr-dict `:` type($buffers)"

    def __init__(self, number: int, buffers: Sequence[SSAValue]):
        """The call of the fallback op `number` on `buffers`."""
        super().__init__(
            operands=[buffers], properties={"number": IntegerAttr(number, i64)}
        )


def symbol_name(callee: SymbolRefAttr) -> str:
    """The name that a reference to a kernel holds."""
    return callee.root_reference.data
