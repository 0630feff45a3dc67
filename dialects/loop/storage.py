"""
The memory of a program: its constants, the slots of its activations, and their plan.

    #loop.constant<"fc.weight", offset = 256, size = 1024>
    #loop.slot<size = "4096", offset = 128, live = 2 to 5>
    #loop.slot<size = "4 * batch", offset = ?, live = 3 to 4>
    #loop.plan<"conflict-driven", steps = 9, bytes = 4224, lower_bound = 4224>

Sizes and offsets are in bytes, each from the beginning of the block of constants or of
activations. A slot lives from one step to another: steps are numbered as the ops of the
function were that the program computes. An offset that depends on symbols is `?`, and
with it the bytes of the plan: the runtime plans once it knows the symbols.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim

_UNKNOWN = -1
"""An offset, or a number of bytes, that depends on symbols."""


@irdl_attr_definition
class ConstantAttr(ParametrizedAttribute):
    """A constant: its key in the weight store, and its bytes."""

    name = "loop.constant"

    key: StringAttr = param_def()
    offset: IntAttr = param_def()
    size: IntAttr = param_def()

    @staticmethod
    def of(key: str, offset: int, size: int) -> ConstantAttr:
        """The constant of `size` bytes at `offset`."""
        return ConstantAttr(StringAttr(key), IntAttr(offset), IntAttr(size))

    @property
    def end(self) -> int:
        """The byte after its last."""
        return self.offset.data + self.size.data

    def verify(self) -> None:
        """It lies within a block."""
        if self.offset.data < 0 or self.size.data < 0:
            raise VerifyException(
                f"expected an offset and a size of zero or more, got {self}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            key = StringAttr(parser.parse_str_literal())
            return [key, _next(parser, "offset"), _next(parser, "size")]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.key)
            printer.print_string(
                f", offset = {self.offset.data}, size = {self.size.data}"
            )


@irdl_attr_definition
class SlotAttr(ParametrizedAttribute):
    """Memory of activations: its size, its offset, and the steps in which it lives."""

    name = "loop.slot"

    bytes: StringAttr = param_def()
    offset: IntAttr = param_def()
    first: IntAttr = param_def()
    last: IntAttr = param_def()

    @staticmethod
    def of(size: Dim, offset: int, first: int, last: int) -> SlotAttr:
        """The slot of `size` bytes that lives from the step `first` to `last`."""
        return SlotAttr(
            StringAttr(str(size)), IntAttr(offset), IntAttr(first), IntAttr(last)
        )

    @property
    def size(self) -> Dim:
        """The size in bytes."""
        return dim(self.bytes.data)

    @property
    def is_planned(self) -> bool:
        """Whether the offset is known already."""
        return self.offset.data != _UNKNOWN

    def verify(self) -> None:
        """It has bytes, at an offset that is known or not, and lives for a step."""
        try:
            size = self.size
        except ValueError as error:
            raise VerifyException(str(error)) from error
        if self.offset.data < _UNKNOWN or (isinstance(size, int) and size < 0):
            raise VerifyException(
                f"expected an offset and a size of zero or more, got {self}"
            )
        if not 0 <= self.first.data <= self.last.data:
            raise VerifyException(
                f"expected a slot to live from one step to the same or a later one, "
                f"got {self}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            parser.parse_keyword("size")
            parser.parse_punctuation("=")
            size = StringAttr(parser.parse_str_literal())
            offset = _next(parser, "offset")
            first = _next(parser, "live")
            parser.parse_keyword("to")
            return [size, offset, first, IntAttr(parser.parse_integer())]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(
            f'<size = "{self.bytes.data}", offset = {_shown(self.offset)}, '
            f"live = {self.first.data} to {self.last.data}>"
        )


@irdl_attr_definition
class PlanAttr(ParametrizedAttribute):
    """How slots share memory: the planner, the bytes it takes, their lower bound."""

    name = "loop.plan"

    planner: StringAttr = param_def()
    steps: IntAttr = param_def()
    """How many steps lifetimes count."""
    bytes: IntAttr = param_def()
    lower_bound: IntAttr = param_def()

    @staticmethod
    def of(
        planner: str, steps: int, bytes: int = _UNKNOWN, lower_bound: int = _UNKNOWN
    ) -> PlanAttr:
        """The plan of a planner; without bytes while they depend on symbols."""
        numbers = (steps, bytes, lower_bound)
        return PlanAttr.new([StringAttr(planner), *map(IntAttr, numbers)])

    def verify(self) -> None:
        """No plan takes less than the lower bound."""
        if not _UNKNOWN <= self.lower_bound.data <= self.bytes.data:
            raise VerifyException(f"expected as much as the lower bound, got {self}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            planner = StringAttr(parser.parse_str_literal())
            names = ("steps", "bytes", "lower_bound")
            return [planner, *(_next(parser, each) for each in names)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.planner)
            printer.print_string(
                f", steps = {self.steps.data}, bytes = {_shown(self.bytes)}, "
                f"lower_bound = {_shown(self.lower_bound)}"
            )


def _next(parser: AttrParser, name: str) -> IntAttr:
    """Reads `, name = 3`, or `, name = ?`."""
    parser.parse_punctuation(",")
    parser.parse_keyword(name)
    parser.parse_punctuation("=")
    if parser.parse_optional_punctuation("?") is not None:
        return IntAttr(_UNKNOWN)
    return IntAttr(parser.parse_integer())


def _shown(number: IntAttr) -> str:
    return "?" if number.data == _UNKNOWN else str(number.data)
