"""Sizes of an exported program: sympy expressions become dimensions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from torch import SymInt, Tensor
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, i64
from xdsl.ir import SSAValue

from ....dialects import (
    FUNCTIONS,
    Dim,
    affine,
    floordiv,
    greater,
    lesser,
    product,
    shape,
    symbol,
)
from ...session import CompileError
from ..scaled_size import scaled_size
from ..unsupported import Unsupported
from .dtypes import element_of, is_complex, part_of
from .rounded_size import rounded_size

Expression = Any
"""An expression of sympy, which has no type annotations."""

GREATEST = 2**63 - 1
"""The upper bound of a size without a known bound."""


def _remainder(a: Dim, b: Dim) -> Dim:
    return a - floordiv(a, b) * b


_OF_TWO: dict[str, Callable[[Dim, Dim], Dim]] = {
    "FloorDiv": floordiv,
    "CleanDiv": floordiv,
    "Mod": _remainder,
    "PythonMod": _remainder,
}
"""Binary functions of torch's sizes, by the names of their classes."""

_OF_MANY: dict[str, Callable[[Dim, Dim], Dim]] = {
    "Add": lambda a, b: a + b,
    "Mul": lambda a, b: a * b,
    "Min": lesser,
    "Max": greater,
}
"""Functions of two or more sizes."""


_TO_INTEGER = ("CeilToInt", "FloorToInt", "RoundToInt", "TruncToInt")
"""Functions of floats that give sizes."""


class Sizes:
    """The symbols of an exported program: their names and ranges."""

    def __init__(self) -> None:
        """No symbols yet."""
        self.names: dict[Expression, str] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        self.given: set[Expression] = set()
        self.defined: set[str] = set()
        """The symbols that are defined at run time, and not by an input."""
        self.mistaken: set[Expression] = set()
        """
        What torch asserts of numbers of true elements, by a tensor that a mask is yet
        to broadcast.
        """
        self.items: dict[Expression, SSAValue] = {}
        """The numbers of a run, by torch's symbols, that assertions are about."""
        self.held: dict[Expression, Dim] = {}
        """The numbers of tensors that hold sizes, by torch's symbols."""
        self.bounds: Mapping[Expression, Any] = {}
        """The ranges of symbols that torch knows."""
        self.environment: Any = None
        self.of_run: Callable[[Expression], Dim] | None = None
        """What defines the sizes that floats compute, as each run does."""
        self.most: Mapping[str, int] = {}
        """The most that the user says that sizes are, by their names."""

    @property
    def known(self) -> set[Expression]:
        """The symbols of sizes, and of numbers that a run computes."""
        return {*self.names, *self.items, *self.held}

    def define(self, expression: Expression, name: str, least: int, most: int) -> None:
        """Names a symbol of torch; a name that is taken gets a suffix."""
        self.names[expression] = self.fresh(name, least, most)

    def fresh(self, name: str, least: int, most: int) -> str:
        """A name that no other symbol has, for one of this range."""
        base = name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"_{name}"
        base = re.sub(r"\W", "_", base)
        free, number = base, 0
        while free in self.ranges or free in FUNCTIONS:
            number += 1
            free = f"{base}_{number}"
        self.ranges[free] = (least, most)
        return free

    def define_at_run(self, expression: Expression, low: Dim, high: Dim) -> Dim:
        """
        Names a symbol of torch that is defined at run time within limits.

        Torch's own range of it comes from assertions of the program, and does not hold
        before they are checked.
        """
        known = [
            limit if isinstance(limit, int) else other
            for limit, other in ((low, 0), (high, GREATEST))
        ]
        self.define(expression, str(expression), *known)
        self.defined.add(self.names[expression])
        return symbol(self.names[expression])

    def is_new(self, size: int | SymInt) -> bool:
        """Whether torch has a symbol for a size, and nothing is known of it yet."""
        expression: Expression = None if isinstance(size, int) else size.node.expr
        return getattr(expression, "is_Symbol", False) and expression not in self.known

    def hold(self, foreseen: int | SymInt, make: Callable[[], Dim]) -> None:
        """Notes what torch has a symbol for, where it is one of data, and a new one."""
        if not isinstance(foreseen, int) and self.is_new(foreseen):
            self.held[foreseen.node.expr] = make()

    def limits(self, expression: Expression) -> tuple[int, int]:
        """The least and the greatest value that torch knows for a number."""
        return _bounds(self.bounds.get(expression), True)

    def dim(self, size: int | SymInt) -> Dim:
        """The dimension of a size; raises `Unsupported`."""
        return size if isinstance(size, int) else self.read(size.node.expr)

    def read(self, expression: Expression) -> Dim:
        """The dimension that an expression describes; raises `Unsupported`."""
        if expression.is_Integer:
            return int(expression)
        if expression in self.held:
            return self.held[expression]
        if expression.is_Symbol:
            if expression not in self.names:
                raise Unsupported(f"a size that depends on data, {expression}")
            return symbol(self.names[expression])
        kind = expression.func.__name__
        if kind in _OF_MANY:
            return reduce(_OF_MANY[kind], map(self.read, expression.args))
        if kind in _OF_TWO:
            a, b = map(self.read, expression.args)
            return _OF_TWO[kind](a, b)
        if kind == "Pow" and expression.args[1].is_Integer and expression.args[1] > 0:
            base, power = expression.args
            return product([self.read(base)] * int(power))
        if kind == "TruncToInt" and (found := self._scaled(expression.args[0])):
            return found
        if kind in _TO_INTEGER and expression.free_symbols <= {*self.names}:
            if (found := rounded_size(expression, self.read)) is not None:
                return found
        if kind in _TO_INTEGER and self.of_run is not None:
            return self.of_run(expression)
        raise Unsupported(f"a size computed by {kind}, {expression}")

    def _scaled(self, expression: Expression) -> Dim | None:
        """A size times a float, rounded down, if the float is a simple fraction."""
        scale, size = Fraction(1), None
        # Of a root or a quotient a number is an argument too, and no factor.
        if expression.func.__name__ != "Mul":
            return None
        for each in expression.args:
            if each.is_Float:
                scale *= Fraction(float(each))
            elif each.func.__name__ == "ToFloat" and size is None:
                size = self.read(each.args[0])
            else:
                return None
        return None if size is None else scaled_size(size, scale)

    def type(self, tensor: Tensor) -> shape.Tensor:
        """The type of a tensor that torch infers; raises `Unsupported`."""
        if str(tensor.layout) != "torch.strided" or tensor.is_quantized:
            raise Unsupported(f"a tensor of layout {tensor.layout}, not a dense one")
        return shape.tensor(element_of(tensor.dtype), *self.shape(tensor))

    def part_type(self, tensor: Tensor) -> shape.Tensor:
        """The type of a tensor, or of the parts of a complex one."""
        if not is_complex(tensor.dtype):
            return self.type(tensor)
        return shape.tensor(part_of(tensor.dtype), *self.shape(tensor))

    def shape(self, tensor: Tensor) -> tuple[Dim, ...]:
        """The dimensions of a tensor that torch infers; raises `Unsupported`."""
        return tuple(self.dim(size) for size in sizes_in(tensor))

    def require(self, amount: Dim) -> None:
        """
        Ensures that `amount` is not negative, as torch assumed.

        Torch traces with sizes of two or more, but allows the whole range: a slice of
        the last two rows has two rows even when there is only one row. Such sizes are
        removed from the range here. Raises `Unsupported` when none is left.
        """
        if isinstance(amount, int):
            if amount < 0:
                raise Unsupported(f"a size of {amount}")
            return
        if (form := affine(amount)) is None:
            return  # other conditions are checked at run time
        name, factor, offset = form
        if name in self.defined:
            return  # it is checked once it is known
        low, high = self.ranges[name]
        if factor > 0:
            low = max(low, -(offset // factor))
        else:
            high = min(high, offset // -factor)
        if low > high:
            raise Unsupported(f"sizes {name} for which {amount} is negative")
        self.ranges[name] = (low, high)

    def attribute(self) -> DictionaryAttr:
        """The symbols and their ranges, as an attribute of a function."""
        return DictionaryAttr(
            {
                name: ArrayAttr([IntegerAttr(bound, i64) for bound in bounds])
                for name, bounds in self.ranges.items()
                if name not in self.defined
            }
        )


def sizes_of_inputs(
    inputs: Iterable[tuple[str, Tensor]], ranges: Mapping[Expression, Any]
) -> Sizes:
    """
    The sizes of a program with these inputs and torch's `ranges` of symbols.

    A symbol is named by the user's `Dim`, or `x_dim0` after the first input and axis
    with this size; a symbol that occurs only in a multiple, after torch. Raises
    `CompileError` when no size of an input determines a symbol.
    """
    sizes = Sizes()
    sizes.bounds = ranges
    inputs = list(inputs)
    for name, tensor in inputs:
        for axis, size in enumerate(sizes_in(tensor)):
            if isinstance(size, int) or not size.node.expr.is_Symbol:
                continue
            expression = size.node.expr
            if expression not in sizes.names:
                sizes.environment = size.node.shape_env
                given = _name_given(size)
                if given is not None:
                    sizes.given.add(expression)
                least, most = _bounds(ranges.get(expression), given is not None)
                sizes.define(expression, given or f"{name}_dim{axis}", least, most)
    for name, tensor in inputs:
        for axis, size in enumerate(sizes_in(tensor)):
            if isinstance(size, int):
                continue
            for each in size.node.expr.free_symbols:
                if each in sizes.names:
                    continue
                if not _determines(size.node.expr):
                    raise CompileError(
                        f"input {name!r}: expected a size along axis {axis} that is a "
                        f"dimension by itself, or a multiple of one, got {size}; make "
                        f"{each} the size of some input, or fix the size"
                    )
                sizes.environment = size.node.shape_env
                sizes.define(each, str(each), *_bounds(ranges.get(each), False))
    return sizes


def _determines(size: Expression) -> bool:
    """Whether a size is a multiple of its only symbol, and maybe some more."""
    if len(size.free_symbols) != 1:
        return False
    (only,) = size.free_symbols
    factor = size.diff(only)
    return bool(factor.is_Integer and factor > 0)


def sizes_in(tensor: Tensor) -> Sequence[int | SymInt]:
    """The sizes of a tensor under tracing; some are symbols."""
    return tensor.shape


def _name_given(size: SymInt) -> str | None:
    """The name of the user's `Dim` of a symbol, if it is still known."""
    environment = size.node.shape_env
    names: Mapping[str, str] = getattr(environment, "source_name_to_debug_name", {})
    sources: Mapping[Expression, Any] = getattr(environment, "var_to_sources", {})
    for source in sources.get(size.node.expr, ()):
        if source.name in names:
            return names[source.name]
    return None


def _bounds(values: Any, is_named: bool) -> tuple[int, int]:
    """The least and the greatest value of a `ValueRanges` of torch."""
    if values is None:
        return 1, GREATEST
    least = int(values.lower) if values.lower.is_Integer else -GREATEST - 1
    if least == 2 and not is_named:
        least = 1  # torch assumes this minimum for every unnamed size, but allows 1
    most = int(values.upper) if values.upper.is_Integer else GREATEST
    # torch says of a size that has no bound that it is less than the greatest number.
    return least, GREATEST if most == GREATEST - 1 else most
