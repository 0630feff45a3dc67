"""
The range of an index, as ops print it: `below 1000`, or `wraps below "rows"`.

An index that wraps may be negative, and is counted from the end then.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.parser import Parser
from xdsl.printer import Printer

from ..dims import Dim, dim
from .subscript import parse_number, print_number


def print_range(printer: Printer, bound: StringAttr, wraps: bool) -> None:
    """Prints the range of indices below a bound."""
    printer.print_string(" wraps below " if wraps else " below ")
    print_number(printer, bound)


def parse_range(parser: Parser) -> tuple[Dim, bool]:
    """Reads what `print_range` prints: the bound, and whether an index wraps."""
    wraps = parser.parse_optional_keyword("wraps") is not None
    parser.parse_keyword("below")
    return dim(parse_number(parser).data), wraps
