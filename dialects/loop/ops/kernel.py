"""`loop.kernel`: loops over buffers that the program calls."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerType, StringAttr
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface
from xdsl.utils.hints import isa

from ...dims import Dim, dim
from ...op_class import OpClass
from .check_index import CheckIndexOp

WORK = "work"
"""The attribute of a kernel that threads may share: how much work it is."""

FEW_PASSES = "few_passes"
"""The attribute of a kernel whose loops are unrolled: LLVM need not try to."""

LEAVES_IF_IDLE = "leaves_if_idle"
"""
The attribute of a kernel that returns at once where it would store nothing, since its
other loops may then be long.
"""

MAY_SHARE = "may_share"
"""
The attribute of a kernel with the numbers of the buffers that may be the memory of the
last one, which the kernel stores to.
"""


@irdl_op_definition
class KernelOp(IRDLOperation, metaclass=OpClass):
    """
    Loops over the buffers that are its arguments, and over sizes that are its symbols.

    No two arguments overlap, unless both are only read or `may_share`. A program calls a kernel with a
    value for each symbol; kernels of the same text are one.

    ```mlir
    loop.kernel @add(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
    }
    ```
    """

    name = "loop.kernel"

    sym_name = prop_def(StringAttr)
    symbols = prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(self, name: str, symbols: Sequence[str], body: Block):
        """The kernel of this name; `body` takes the buffers."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "symbols": ArrayAttr([StringAttr(each) for each in symbols]),
            },
            regions=[Region(body)],
        )

    @property
    def may_fail(self) -> bool:
        """Whether a call can end in an error."""
        return any(isinstance(op, CheckIndexOp) for op in self.body.block.ops)

    @property
    def may_share(self) -> frozenset[int]:
        """The numbers of the buffers that may be the memory of the last one."""
        found = self.attributes.get(MAY_SHARE)
        if found is None or not isa(found, DenseArrayBase[IntegerType]):
            return frozenset()
        return frozenset(found.get_values())

    @property
    def work(self) -> Dim | None:
        """How much work there is for threads to share; None when they may not."""
        found = self.attributes.get(WORK)
        return dim(found.data) if isinstance(found, StringAttr) else None

    def print(self, printer: Printer) -> None:
        """Prints the name, the buffers, the symbols and the body."""
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(")")
        if self.symbols.data:
            printer.print_string(" symbols ")
            printer.print_attribute(self.symbols)
        if self.attributes:
            printer.print_string(" attributes ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        """Reads what `print` prints."""
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_argument
        )
        symbols: Attribute = ArrayAttr([])
        if parser.parse_optional_keyword("symbols") is not None:
            symbols = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            properties={"sym_name": name, "symbols": symbols},
            attributes={} if attributes is None else attributes.data,
            regions=[parser.parse_region(arguments)],
        )
