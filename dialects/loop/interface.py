"""
What a caller of a program must know: its tensors, its symbols, and what it checks.

    #loop.tensor<"x" : tensor<?x4xf32, ["batch"]>>
    #loop.symbol<"batch" from 1 to 8>
    #loop.check<"batch - 2", "graph.slice: expected a slice inside the tensor">
    #loop.donation<input = 1, output = 0>

The memory of a donated input may be that of the output too. A symbol without a range
may be any size that memory has room for. A check is a quantity that a call must not
make negative, and what is said to the caller whose call does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim, product, symbol
from ..entries import NAMES, TEXT, EntriesAttr, bare, entry
from ..shape import Tensor, sizes, tensor_type, verified_dim


@irdl_attr_definition
class TensorAttr(ParametrizedAttribute):
    """An input or an output of a program: its name and its type."""

    name = "loop.tensor"

    label: StringAttr = param_def()
    type: Attribute = param_def()

    @staticmethod
    def of(name: str, type: Attribute) -> TensorAttr:
        """The tensor of this name and type."""
        return TensorAttr(StringAttr(name), type)

    @property
    def tensor(self) -> Tensor:
        """The type."""
        return tensor_type(self.type)

    def verify(self) -> None:
        """The type is that of a tensor."""
        tensor_type(self.type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            label = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(":")
            return [label, parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.label)
            printer.print_string(" : ")
            printer.print_attribute(self.type)


@irdl_attr_definition
class SymbolAttr(ParametrizedAttribute):
    """A symbol that calls give a value: its name, and its range if there is one."""

    name = "loop.symbol"

    label: StringAttr = param_def()
    range: ArrayAttr[IntAttr] = param_def()
    """The least and the greatest value, or nothing."""

    @staticmethod
    def of(name: str, range: Sequence[int] = ()) -> SymbolAttr:
        """The symbol of this name, whose values are in the range if there is one."""
        return SymbolAttr(StringAttr(name), ArrayAttr([IntAttr(at) for at in range]))

    @property
    def limits(self) -> tuple[int, int] | None:
        """The least and the greatest value, where they are known."""
        match self.range.data:
            case (least, most):
                return least.data, most.data
            case _:
                return None

    def verify(self) -> None:
        """The name is that of a symbol, and the range begins at zero or above."""
        try:
            symbol(self.label.data)
        except ValueError as error:
            raise VerifyException(str(error)) from error
        numbers = [each.data for each in self.range]
        if numbers and (len(numbers) != 2 or not 0 <= numbers[0] <= numbers[1]):
            raise VerifyException(
                f"expected the range of {self.label.data} to be from zero or more to "
                f"as much or more, got {numbers}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            label = StringAttr(parser.parse_str_literal())
            numbers: list[int] = []
            if parser.parse_optional_keyword("from") is not None:
                numbers.append(parser.parse_integer())
                parser.parse_keyword("to")
                numbers.append(parser.parse_integer())
            return [label, ArrayAttr([IntAttr(each) for each in numbers])]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.label)
            if self.limits is not None:
                least, most = self.limits
                printer.print_string(f" from {least} to {most}")


@irdl_attr_definition
class CheckAttr(EntriesAttr):
    """A quantity that must be zero or more in each call, and what was expected."""

    name = "loop.check"

    quantity: StringAttr = param_def()
    message: StringAttr = param_def()
    shown: ArrayAttr[StringAttr] = param_def()
    """The sizes whose values the message shows."""

    FORM: ClassVar = (
        bare("quantity", TEXT),
        bare("message", TEXT),
        entry("shown", NAMES, default=()),
    )

    @staticmethod
    def of(quantity: Dim, message: str, shown: Sequence[Dim] = ()) -> CheckAttr:
        """The check that a quantity is not negative; `message` says of what."""
        texts = ArrayAttr([StringAttr(str(each)) for each in shown])
        return CheckAttr(StringAttr(str(quantity)), StringAttr(message), texts)

    @property
    def size(self) -> Dim:
        """The quantity."""
        return dim(self.quantity.data)

    def verify(self) -> None:
        """The quantity is computed from symbols."""
        verified_dim(self.quantity.data)


@irdl_attr_definition
class DonationAttr(EntriesAttr):
    """An input and an output that a call may give the same memory for."""

    name = "loop.donation"

    input: IntAttr = param_def()
    output: IntAttr = param_def()

    FORM: ClassVar = (entry("input"), entry("output"))

    @staticmethod
    def of(input: int, output: int) -> DonationAttr:
        """The donation of an input, by its number, to an output."""
        return DonationAttr(IntAttr(input), IntAttr(output))


def may_be_one(given: Tensor, made: Tensor) -> bool:
    """Whether an input has as many elements as an output, of the same type."""
    counts = {product(sizes(each)) for each in (given, made)}
    return given.element_type == made.element_type and len(counts) == 1
