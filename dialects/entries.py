"""
Attributes written as entries in angle brackets, parsed and printed from one table.

    #loop.schedule<nr = 16, mc = 96, nc = 512, kc = 256 of 0, pack = "a">

An attribute lists its entries in `FORM`. Those without a default come first, in their
order; those with one may be left out, and stand in any order. The table is needed
because xDSL's declarative assembly format for attributes has no parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, TypeAlias

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Value: TypeAlias = (
    int
    | str
    | tuple[str, ...]
    | tuple[tuple[int, ...], ...]
    | tuple[tuple[str, ...], ...]
)
"""
The value of an entry: a number or a flag, a text, or a list of texts or of lists.
"""


@dataclass(frozen=True)
class Kind:
    """How one value is parsed and printed, and the attribute that holds it."""

    attribute: Callable[[Any], Attribute]
    read: Callable[[AttrParser], Any]
    print: Callable[[Printer, Any], None]
    value_of: Callable[[Any], Value] = lambda attribute: attribute.data
    """The value that an attribute of this kind holds."""


def _print_plain(printer: Printer, value: object) -> None:
    printer.print_string(str(value))


_NUMBER = Kind(
    IntAttr,
    lambda parser: parser.parse_integer(allow_boolean=False, allow_negative=False),
    _print_plain,
)
"""An integer of zero or more."""

UNKNOWN = -1
"""What an integer that is not known yet is held as."""


def _read_known(parser: AttrParser) -> int:
    """Parses `256`, or `?`."""
    if parser.parse_optional_punctuation("?") is not None:
        return UNKNOWN
    return _NUMBER.read(parser)


MAYBE = Kind(
    IntAttr,
    _read_known,
    lambda printer, value: printer.print_string(
        "?" if value == UNKNOWN else f"{value}"
    ),
)
"""An integer of zero or more, or `?` while it is not known."""

FLAG = Kind(
    lambda value: IntAttr(int(value)),
    lambda parser: parser.parse_boolean(),
    lambda printer, value: printer.print_string("true" if value else "false"),
)
"""`true` or `false`, held as 1 or 0."""

TEXT = Kind(
    StringAttr,
    lambda parser: parser.parse_str_literal(),
    lambda printer, value: printer.print_string_literal(value),
)
"""A string in quotes."""

IDENTIFIER = Kind(StringAttr, lambda parser: parser.parse_identifier(), _print_plain)
"""A string without quotes."""


def _listed(texts: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{each}"' for each in texts) + "]"


NAMES = Kind(
    lambda value: ArrayAttr([StringAttr(each) for each in value]),
    lambda parser: parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_str_literal
    ),
    lambda printer, value: printer.print_string(_listed(value)),
    lambda attribute: tuple(each.data for each in attribute),
)
"""A list of strings in square brackets."""

LISTS = Kind(
    lambda value: ArrayAttr([NAMES.attribute(each) for each in value]),
    lambda parser: parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: NAMES.read(parser)
    ),
    lambda printer, value: printer.print_string(f"[{', '.join(map(_listed, value))}]"),
    lambda attribute: tuple(tuple(q.data for q in each) for each in attribute),
)
"""A list of lists of strings in square brackets."""


def _read_rows(parser: AttrParser) -> list[list[int]]:
    """Parses `[[2, 0, 1], [0, 1, 2]]`."""

    def row() -> list[int]:
        return parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: _NUMBER.read(parser)
        )

    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, row)


def _rows(value: Sequence[Sequence[int]]) -> Attribute:
    return ArrayAttr([ArrayAttr([IntAttr(one) for one in each]) for each in value])


ROWS = Kind(
    _rows,
    _read_rows,
    lambda printer, value: printer.print_string(str([list(each) for each in value])),
    lambda attribute: tuple(tuple(one.data for one in each) for each in attribute),
)
"""A list of lists of integers of zero or more, in square brackets."""


@dataclass(frozen=True)
class Entry:
    """`name = value` or `name = value word value`; an empty `name` is not written."""

    name: str
    parameters: tuple[str, ...]
    kind: Kind
    word: str
    """The word between two values."""
    default: tuple[Value, ...] | None
    """The values that need not be written; None when the entry is required."""

    def read(self, parser: AttrParser) -> dict[str, Attribute]:
        """Parses the values; returns them by parameter name."""
        found: dict[str, Attribute] = {}
        for number, parameter in enumerate(self.parameters):
            if number:
                parser.parse_keyword(self.word)
            found[parameter] = self.kind.attribute(self.kind.read(parser))
        return found

    def values(self, attribute: ParametrizedAttribute) -> tuple[Value, ...]:
        """The values of this entry in an attribute."""
        held = (getattr(attribute, each) for each in self.parameters)
        return tuple(map(self.kind.value_of, held))

    def defaults(self) -> dict[str, Attribute]:
        """The default values by parameter name."""
        assert self.default is not None, "the entry may be left out"
        pairs = zip(self.parameters, self.default, strict=True)
        return {name: self.kind.attribute(value) for name, value in pairs}

    def print(self, printer: Printer, attribute: ParametrizedAttribute) -> None:
        """Prints the entry."""
        if self.name:
            printer.print_string(f"{self.name} = ")
        for number, value in enumerate(self.values(attribute)):
            if number:
                printer.print_string(f" {self.word} ")
            self.kind.print(printer, value)


def entry(
    name: str, kind: Kind = _NUMBER, *, of: str = "", default: Value | None = None
) -> Entry:
    """
    The entry `name = value`, stored in the parameter `name` unless another is given.
    """
    defaults = None if default is None else (default,)
    return Entry(name, (of or name,), kind, "", defaults)


def pair(
    name: str,
    first: str,
    word: str,
    second: str,
    *,
    default: tuple[int, int] | None = None,
) -> Entry:
    """The entry `name = first word second`, stored in two integer parameters."""
    return Entry(name, (first, second), _NUMBER, word, default)


def bare(parameter: str, kind: Kind, *, default: str | None = None) -> Entry:
    """The entry of a value that is written without a name."""
    defaults = None if default is None else (default,)
    return Entry("", (parameter,), kind, "", defaults)


class EntriesAttr(ParametrizedAttribute):
    """An attribute whose `FORM` defines its syntax."""

    FORM: ClassVar[tuple[Entry, ...]]
    """The entries, in the order in which they are printed."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        required = [each for each in cls.FORM if each.default is None]
        optional = [each for each in cls.FORM if each.default is not None]
        found: dict[str, Attribute] = {}
        for each in optional:
            found |= each.defaults()

        def read() -> None:
            if required:
                each = required.pop(0)
                if each.name:
                    parser.parse_keyword(each.name)
            else:
                each = _chosen(parser, optional)
                optional.remove(each)
            if each.name:
                parser.parse_punctuation("=")
            found.update(each.read(parser))

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, read)
        if required:
            parser.raise_error(f"expected {_names(required)}, got the end")
        names = (name for name, _ in cls.get_irdl_definition().parameters)
        return [found[name] for name in names]

    def print_parameters(self, printer: Printer) -> None:
        shown = [each for each in self.FORM if each.values(self) != each.default]
        with printer.in_angle_brackets():
            printer.print_list(shown, lambda each: each.print(printer, self))


def _chosen(parser: AttrParser, optional: Sequence[Entry]) -> Entry:
    """The entry whose name comes next in the text, else the entry without a name."""

    def refuse(got: str) -> NoReturn:
        parser.raise_error(
            f"expected one of {_names(optional)}, got {got}"
            if optional
            else f"expected no more entries, got {got}"
        )

    name = parser.parse_optional_identifier() or ""
    for each in optional:
        if each.name == name:
            return each
    refuse(name or "no name")


def _names(entries: Sequence[Entry]) -> str:
    """The names of entries; an entry without a name is shown by its parameters."""
    return ", ".join(each.name or each.parameters[0] for each in entries)
