"""`loop.parallel`: lists of calls of a program that may run at once."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def, var_region_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from ...op_class import OpClass


@irdl_op_definition
class ParallelOp(IRDLOperation, metaclass=OpClass):
    """
    Runs all of its lists of calls, each in its order: at once, or one after the other.

    What one of them writes, no other reads or writes.

    ```mlir
    loop.parallel {
      loop.call @a(%1) symbols [] : memref<?xf32>
    } {
      loop.call @b(%2) symbols [] : memref<?xf32>
    }
    ```
    """

    name = "loop.parallel"

    branches = var_region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(self, blocks: Sequence[Block]):
        """The lists of calls."""
        super().__init__(regions=[[Region(each) for each in blocks]])

    @property
    def blocks(self) -> list[Block]:
        """The lists of calls."""
        return [region.block for region in self.regions]

    def verify_(self) -> None:
        """There are two lists or more."""
        if len(self.regions) < 2:
            raise VerifyException(
                f"expected two lists of calls or more, got {len(self.regions)}"
            )

    def print(self, printer: Printer) -> None:
        """Prints the lists of calls."""
        for region in self.regions:
            printer.print_string(" ")
            printer.print_region(region)

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        """Reads what `print` prints; a list of calls may be empty."""
        blocks: list[Block] = []
        while (read := parser.parse_optional_region()) is not None:
            if read.blocks:
                blocks.append(read.detach_block(0))
            else:
                blocks.append(Block())
        return cls(blocks)
