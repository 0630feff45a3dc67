"""
How a contraction is computed in panels and blocks: what a `loop.tile` may carry.

    #loop.schedule<panels = 16, rows = 60, columns = 128, depth = 512 of 0,
        copies = "rows and columns">

The operand that moves with the columns is read from panels, so many columns wide, in
which the columns lie side by side and the reduced index runs over the rows. A block is
so many rows and columns of the result, and so many steps of one reduced index, counted
from 0: accumulators are stored between blocks, and go on from there. What is named
under `copies` is copied for each block: the columns into panels, the rows side by side.
With `over = 2` the two loops around the tile, along which columns stay the same, run
inside of a block of columns and steps, around its rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

COPIES = ("", "rows", "columns", "rows and columns")
"""What a schedule may copy."""


@irdl_attr_definition
class ScheduleAttr(ParametrizedAttribute):
    """The width of panels, the sizes of a block, and what is copied for each."""

    name = "loop.schedule"

    panels: IntAttr = param_def()
    rows: IntAttr = param_def()
    columns: IntAttr = param_def()
    depth: IntAttr = param_def()
    axis: IntAttr = param_def()
    """The reduced index that `depth` counts steps of; 0 is the outermost."""
    copies: StringAttr = param_def()
    over: IntAttr = param_def()

    @staticmethod
    def of(
        panels: int,
        rows: int,
        columns: int,
        depth: int,
        axis: int,
        copies: str,
        over: int = 0,
    ) -> ScheduleAttr:
        """The schedule of these sizes."""
        return ScheduleAttr(
            IntAttr(panels),
            IntAttr(rows),
            IntAttr(columns),
            IntAttr(depth),
            IntAttr(axis),
            StringAttr(copies),
            IntAttr(over),
        )

    def verify(self) -> None:
        """Blocks are whole panels, and at least one step deep."""
        if self.columns.data % self.panels.data or self.depth.data < 1:
            raise VerifyException(
                f"expected blocks of whole panels and one step or more, got "
                f"{self.columns.data} columns, panels of {self.panels.data} and "
                f"{self.depth.data} steps"
            )
        if self.copies.data not in COPIES:
            known = ", ".join(COPIES[1:])
            raise VerifyException(f"expected {known}, got {self.copies.data}")

    def copies_of(self, operand: str) -> bool:
        """Whether the operand that moves with the rows, or columns, is copied."""
        return operand in self.copies.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def number(name: str) -> IntAttr:
            parser.parse_keyword(name)
            parser.parse_punctuation("=")
            return IntAttr(parser.parse_integer(allow_negative=False))

        with parser.in_angle_brackets():
            numbers: list[Attribute] = []
            for name in ("panels", "rows", "columns", "depth"):
                numbers.append(number(name))
                if name != "depth":
                    parser.parse_punctuation(",")
            parser.parse_keyword("of")
            numbers.append(IntAttr(parser.parse_integer(allow_negative=False)))
            copies, over = "", 0
            while parser.parse_optional_punctuation(",") is not None:
                if parser.parse_optional_keyword("over") is not None:
                    parser.parse_punctuation("=")
                    over = parser.parse_integer(allow_negative=False)
                    continue
                parser.parse_keyword("copies")
                parser.parse_punctuation("=")
                copies = parser.parse_str_literal()
            return [*numbers, StringAttr(copies), IntAttr(over)]

    def print_parameters(self, printer: Printer) -> None:
        copies = f', copies = "{self.copies.data}"' if self.copies.data else ""
        over = f", over = {self.over.data}" if self.over.data else ""
        printer.print_string(
            f"<panels = {self.panels.data}, rows = {self.rows.data}, "
            f"columns = {self.columns.data}, depth = {self.depth.data} of "
            f"{self.axis.data}{copies}{over}>"
        )
