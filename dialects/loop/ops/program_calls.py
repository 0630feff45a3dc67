"""What a program does with memory and kernels: views, calls, and calls of references."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ...dims import Dim, dim
from ...op_class import OpClass
from ...shape import tensor_type
from ..subscript import DIM, parse_number, print_number
from .memory import buffer_type

TRACED = "loop.traced"
"""The name of a call's attribute: the number of the mark that it sets when it runs."""

_REGIONS = ("inputs", "constants", "activations", "outputs")
"""What memory a program works on."""


@irdl_op_definition
class ViewOp(IRDLOperation, metaclass=OpClass):
    """
    Memory of the program, as a buffer: an input, a constant, a slot or an output.

    The number is which of them, in the order in which the program lists them. The view
    may begin some elements after the memory does.

    ```mlir
    %0 = loop.view inputs 0 : memref<?xf32>
    %1 = loop.view constants 2 : memref<?xf32>
    %2 = loop.view activations 3 : memref<?xf32>
    %3 = loop.view activations 3 from "4 * n" : memref<?xf32>
    ```
    """

    name = "loop.view"

    region = prop_def(StringAttr)
    number = prop_def(IntegerAttr.constr(i64))
    start = prop_def(DIM, default_value=StringAttr("0"))
    result = result_def(MemRefType)

    def __init__(self, region: str, number: int, element: Attribute, start: Dim = 0):
        """The memory `number` of `region` from `start` on, as a buffer of elements."""
        super().__init__(
            properties={
                "region": StringAttr(region),
                "number": IntegerAttr(number, i64),
                "start": StringAttr(str(start)),
            },
            result_types=[buffer_type(element)],
        )

    def verify_(self) -> None:
        """The region is one of the four."""
        if self.region.data not in _REGIONS:
            raise VerifyException(
                f"expected a region of {', '.join(_REGIONS)}, got {self.region.data}"
            )

    def print(self, printer: Printer) -> None:
        """Prints the region, the number, the first element, and the type."""
        printer.print_string(f" {self.region.data} {self.number.value.data}")
        if self.start.data != "0":
            printer.print_string(" from ")
            print_number(printer, self.start)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ViewOp:
        """Reads what `print` prints."""
        region, number = parser.parse_identifier(), parser.parse_integer()
        start: Dim = 0
        if parser.parse_optional_keyword("from") is not None:
            start = dim(parse_number(parser).data)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        if not isa(type, MemRefType):
            parser.raise_error(f"expected a memref, got {type}")
        return cls(region, number, type.element_type, start)


@irdl_op_definition
class CallOp(IRDLOperation, metaclass=OpClass):
    """
    Runs a kernel on buffers; its symbols get the values of these dimensions.

    ```mlir
    loop.call @k0(%0, %1) symbols ["batch"] : memref<?xf32>, memref<?xf32>
    loop.call @copy(%0, %1) symbols [] unless_same : memref<?xf32>, memref<?xf32>
    loop.call @permute(%0, %1) symbols ["b"] skip 0 : memref<?xf32>, memref<?xf32>
    ```

    With `unless_same` the kernel copies the first buffer to the last unchanged, and is
    not run where both are the same memory. With `skip` it is not run where that skip of
    the program is taken.
    """

    name = "loop.call"

    callee = prop_def(FlatSymbolRefAttrConstr)
    symbols = prop_def(ArrayAttr.constr(DIM))
    unless_same = opt_prop_def(UnitAttr)
    skip = opt_prop_def(IntegerAttr.constr(i64))
    buffers = var_operand_def(MemRefType)

    assembly_format = (
        "$callee `(` $buffers `)` `symbols` $symbols (`unless_same` $unless_same^)? "
        "(`skip` $skip^)? attr-dict `:` type($buffers)"
    )

    def __init__(
        self,
        callee: str,
        buffers: Sequence[SSAValue],
        symbols: Sequence[str],
        unless_same: bool = False,
        skip: int | None = None,
    ):
        """The call of the kernel `callee` on `buffers`."""
        super().__init__(
            operands=[buffers],
            properties={
                "callee": SymbolRefAttr(callee),
                "symbols": ArrayAttr([StringAttr(each) for each in symbols]),
                "unless_same": UnitAttr() if unless_same else None,
                "skip": None if skip is None else IntegerAttr(skip, i64),
            },
        )

    def verify_(self) -> None:
        """Only what copies one buffer to another depends on their being the same."""
        if self.unless_same is not None and len(self.buffers) != 2:
            raise VerifyException(
                f"expected two buffers with unless_same, got {len(self.buffers)}"
            )

    @property
    def kernel_name(self) -> str:
        """The name of the kernel."""
        return self.callee.root_reference.data

    @property
    def sizes(self) -> tuple[Dim, ...]:
        """What the symbols of the kernel are in this call."""
        return tuple(dim(each.data) for each in self.symbols)


@irdl_op_definition
class CallOutOp(IRDLOperation, metaclass=OpClass):
    """
    Runs the numpy reference of a graph op on buffers, inputs first, outputs last.

    `number` counts the fallback ops of the model; `op` holds its text, from which the
    runtime's owner makes the function to call, and `inputs` and `outputs` the types of
    its tensors. `framework` is what runs it, where that is no reference of ours.

    ```mlir
    loop.call_out 0 (%0, %1) {inputs = […], op = "…", outputs = […]}
        : memref<?xf32>, memref<?xi64>
    ```
    """

    name = "loop.call_out"

    number = prop_def(IntegerAttr.constr(i64))
    op = prop_def(StringAttr)
    inputs = prop_def(ArrayAttr)
    outputs = prop_def(ArrayAttr)
    framework = opt_prop_def(StringAttr)
    buffers = var_operand_def(MemRefType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$number `(` $buffers `)` attr-dict `:` type($buffers)"

    def __init__(
        self,
        number: int,
        op: str,
        buffers: Sequence[SSAValue],
        inputs: Sequence[Attribute],
        outputs: Sequence[Attribute],
        framework: StringAttr | None = None,
    ):
        """The call of the fallback op `number` on `buffers`, tensors of these types."""
        super().__init__(
            operands=[buffers],
            properties={
                "number": IntegerAttr(number, i64),
                "op": StringAttr(op),
                "inputs": ArrayAttr(inputs),
                "outputs": ArrayAttr(outputs),
                "framework": framework,
            },
        )

    def verify_(self) -> None:
        """There is a buffer for each tensor, of its elements."""
        types = [tensor_type(each) for each in (*self.inputs, *self.outputs)]
        expected = [buffer_type(each.element_type) for each in types]
        if [*self.buffers.types] != expected:
            raise VerifyException(
                f"expected buffers {', '.join(map(str, expected))}, got "
                f"{', '.join(map(str, self.buffers.types))}"
            )
