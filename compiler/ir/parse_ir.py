"""
Parse textual IR, in time and memory bounded by its length.

Every text gives a module, or a `ParseError` with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, overload

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation, Region, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.parser import AttrParser, Parser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.hints import isa

from ...runtime.files import shortened
from ..session import how_to_register
from .ir_text import MOST_AXES, MOST_NESTED, check_text

MOST_SHOWN = 400
"""Characters of the text, or of what is said of it, that an error shows."""

_MOST_BITS = (1 << 24) - 1
"""Bits of an integer, as in MLIR."""

_MOST_ELEMENTS = 1 << 24
"""Elements of a literal, which one number may stand for."""

_MOST_EXPANDED = 1 << 24
"""Characters that a text may have once its aliases are put in."""

_MOST_AFFINE = 1000
"""Dimensions of an affine map, whose names are looked up one after the other."""

_OPERATOR = re.compile(r"[+*-]|mod|div")

_ALIAS = re.compile(r"[#!][A-Za-z_][\w$]*")

_REFUSED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What xDSL raises for text that no attribute or op can have, besides `ParseError`."""


class _IRError(ParseError):
    """An error in a text, shown with the line when that is short."""

    def __str__(self) -> str:
        start = self.span.input.get_start_of_line(self.span.start)
        end = self.span.input.get_end_of_line(max(self.span.start, self.span.end - 1))
        if end - start + len(self.msg) <= MOST_SHOWN:
            return super().__str__()
        return f"{self.span.get_location()}: {shortened(self.msg, MOST_SHOWN)}"


def parse_module(
    ctx: Context, text: str, name: str, implicit_module: bool = True
) -> ModuleOp:
    """The module in a text called `name`, not verified; raises `ParseError`."""
    try:
        check_text(text, name)
        return _IRParser(ctx, text, name).parse_whole(implicit_module)
    except ParseError as error:
        raise _IRError(error.span, error.msg) from error


class _Scope(dict[str, tuple[SSAValue, ...]]):
    """The values of a region by name, which sees those of the region around it."""

    def __init__(self, outer: Mapping[str, tuple[SSAValue, ...]]):
        """The scope inside `outer`, with no values of its own yet."""
        super().__init__()
        self.outer = outer

    def __missing__(self, name: str) -> tuple[SSAValue, ...]:
        return self.outer[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.outer

    def get(self, name: str, default: Any = None) -> Any:
        """The values of a name, here or outside."""
        return self[name] if name in self else default


_XDSL_ELEMENT: Any = vars(AttrParser)["_TensorLiteralElement"]
"""What xDSL's parser makes of an element of a literal before it knows the type."""


@dataclass
class _LiteralElement(_XDSL_ELEMENT):
    """An element; `0xff800000` as a float has these bits, as in MLIR."""

    def to_type(self, parser: AttrParser, type: Any) -> Any:
        """The element as a number of a type."""
        digits = self.span.text.lower()
        if not isinstance(type, AnyFloat) or "0x" not in digits:
            return _XDSL_ELEMENT.to_type(self, parser, type)
        if digits[0] == "-" or len(digits) - 2 != type.bitwidth // 4:
            parser.raise_error(
                f"expected {type.bitwidth // 4} digits, which are the bits of an "
                f"element of {type}, got {shortened(digits, MOST_SHOWN)}",
                at_position=self.span,
            )
        bits = bytes.fromhex(digits[2:])[::-1]
        return type.unpack(bits, 1)[0]


class _IRParser(Parser):
    """
    xDSL's parser, with bounds where a short text can mean much, and with the floats of
    a literal that are written as bits.
    """

    _TensorLiteralElement = _LiteralElement

    def __init__(self, ctx: Context, text: str, name: str):
        """The parser of a text that `check_text` has passed."""
        self.sizes: dict[str, int] = {}
        self.depths: dict[str, int] = {}
        self.expanded = 0
        super().__init__(ctx, text, name)

    def parse_whole(self, implicit_module: bool) -> ModuleOp:
        """The module; raises `ParseError` whatever is wrong."""
        try:
            return self.parse_module(implicit_module)
        except _REFUSED as error:
            said, *_ = str(error).splitlines() or [type(error).__name__]
            self.raise_error(f"expected valid IR, got an error: {said}")

    def _get_op_by_name(self, name: str) -> type[Operation]:
        """The op of a name, which may be one that a user registered."""
        try:
            return super()._get_op_by_name(name)
        except ParseError as error:
            if "." in name:
                error.msg += f"; {how_to_register(name)}"
            raise

    def parse_optional_region(
        self, arguments: Iterable[Parser.Argument] | None = None
    ) -> Region | None:
        """A region, for which the names that it sees need not be copied."""
        outer, self.ssa_values = self.ssa_values, _Scope(self.ssa_values)
        region = super().parse_optional_region(arguments)
        self.ssa_values = outer
        return region

    def parse_dimension_list(self) -> list[int]:
        """The sizes of a shape."""
        dims = super().parse_dimension_list()
        if len(dims) > MOST_AXES:
            self.raise_error(
                f"expected at most {MOST_AXES} dimensions, got {len(dims)}"
            )
        return dims

    def parse_affine_map(self) -> AffineMap:
        """A map, of few dimensions and of short sums."""
        begin = self.pos
        self.check_space(begin, "->")
        result = super().parse_affine_map()
        self.check_sums(begin)
        return result

    def parse_affine_set(self) -> AffineSet:
        """A set, of few dimensions and of short sums."""
        begin = self.pos
        self.check_space(begin, ":")
        result = super().parse_affine_set()
        self.check_sums(begin)
        return result

    def check_space(self, begin: int, end: str) -> None:
        """Raises `ParseError` for a space, up to `end`, that is looked up for long."""
        content = self.lexer.input.content
        stop = content.find(end, begin)
        commas = content.count(",", begin, stop if stop >= 0 else len(content))
        if commas > _MOST_AFFINE:
            self.raise_error(
                f"expected at most {_MOST_AFFINE} dimensions, got {commas}"
            )

    def check_sums(self, begin: int) -> None:
        """Raises `ParseError` for an expression that is a tree of many levels."""
        for each in self.lexer.input.content[begin : self.pos].split(","):
            if (count := len(_OPERATOR.findall(each))) > MOST_NESTED:
                self.raise_error(
                    f"expected at most {MOST_NESTED} affine operators, got {count}"
                )

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        """A type of numbers, of no more bits than there can be."""
        type = super()._parse_optional_integer_or_float_type()
        if isa(type, IntegerType) and type.width.data > _MOST_BITS:
            self.raise_error(
                f"expected an integer of at most {_MOST_BITS} bits, got {type}"
            )
        return type

    def _parse_dense_literal_type(self) -> Any:
        """The type of a literal that is no larger than its elements can be."""
        type = super()._parse_dense_literal_type()
        if (count := prod(type.get_shape())) > _MOST_ELEMENTS:
            self.raise_error(
                f"expected a literal of at most {_MOST_ELEMENTS} elements, got {count}"
                "; keep it in a file of weights"
            )
        return type

    def _parse_alias_def(self) -> None:
        """Notes how large an alias is once those that it names are put in."""
        begin, name = self.pos, self._current_token.text
        super()._parse_alias_def()
        text = self.lexer.input.content[begin : self.pos]
        named = [each for each in _ALIAS.findall(text) if each in self.sizes]
        size = len(text) + sum(self.sizes[each] for each in named)
        depth = 1 + max((self.depths[each] for each in named), default=0)
        if depth > MOST_NESTED:
            self.raise_error(f"expected aliases at most {MOST_NESTED} deep")
        self.sizes[name], self.depths[name] = size, depth

    @overload
    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: Literal[False]
    ) -> Attribute: ...

    @overload
    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: Literal[True]
    ) -> TypeAttribute: ...

    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Attribute:
        """A type or an attribute by its name, which may be an alias."""
        alias = ("!" if is_type else "#") + attr_or_dialect_name
        self.expanded += self.sizes.get(alias, 0)
        if self.expanded > _MOST_EXPANDED:
            self.raise_error(
                f"expected a text of at most {_MOST_EXPANDED} characters once its "
                "aliases are put in"
            )
        if is_type:
            return super()._parse_extended_type_or_attribute(attr_or_dialect_name, True)
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, False)
