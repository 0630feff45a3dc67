"""
Sizes that a program computes from others by floats, as of an image scaled by 0.7: each
run computes them as torch does, at its beginning.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint

from ....dialects import Dim, ceildiv, floordiv, is_nonnegative, symbol
from ....dialects.graph import DefineSymbolOp
from ....dialects.graph.compose import convert
from ..unsupported import Unsupported
from .float_numbers import computed
from .sizes import GREATEST, Expression, Sizes

_FINEST = 1024
"""The denominator of the fractions that factors are rounded up to."""


class FloatSizes:
    """The sizes of a program that floats compute, each defined once."""

    def __init__(self, sizes: Sizes, block: Block):
        """The sizes of a program, which are computed at the beginning of its block."""
        self.sizes = sizes
        self.block = block
        self._found: dict[Expression, Dim] = {}
        self._last: Operation | None = None

    def __call__(self, expression: Expression) -> Dim:
        """The size that an expression describes; raises `Unsupported` without bound."""
        if expression not in self._found:
            self._found[expression] = self._defined(expression)
        return self._found[expression]

    def _defined(self, expression: Expression) -> Dim:
        most = self._most(expression.args[0])
        if most is None:
            kind = expression.func.__name__
            raise Unsupported(f"a size computed by {kind}, {expression}")
        name = self.sizes.fresh("size", 0, GREATEST)
        self.sizes.defined.add(name)
        point = InsertPoint.at_start(self.block)
        if self._last is not None:
            point = InsertPoint.after(self._last)
        with ImplicitBuilder(Builder(point)):
            value = convert(computed(expression, self.sizes), i64)
            self._last = DefineSymbolOp(value, symbol=name, low="0", high=str(most))
        return symbol(name)

    def _most(self, expression: Expression) -> Dim | None:
        """The most that a float is, with room for how it is rounded."""
        kind = expression.func.__name__
        if kind == "FloatPow" and expression.args[1] == 0.5:
            return floordiv(self.sizes.read(expression.args[0].args[0]), 2) + 2
        scale, size = Fraction(1), None
        parts = expression.args if kind == "Mul" else (expression,)
        for each in parts:
            factor, more = self._factor(each)
            if more is not None and size is not None:
                return None
            scale, size = scale * factor, size if more is None else more
        if size is None:
            return None
        if scale < 0:
            if is_nonnegative(size, {}):
                return None
            scale, size = -scale, size * -1
        return ceildiv(size * (ceil(scale * _FINEST) + 1), _FINEST) + 1

    def _factor(self, expression: Expression) -> tuple[Fraction, Dim | None]:
        """A factor of a product: a number, and a size if there is one."""
        match expression.func.__name__:
            case "ToFloat":
                return Fraction(1), self.sizes.read(expression.args[0])
            case "FloatTrueDiv" | "IntTrueDiv" if expression.args[1].is_number:
                factor, size = self._factor(expression.args[0])
                return factor / Fraction(float(expression.args[1])), size
            case _ if expression.is_number:
                return Fraction(float(expression)), None
            case _:
                return Fraction(1), self.sizes.read(expression)
