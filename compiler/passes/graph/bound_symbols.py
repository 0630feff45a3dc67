"""
Limit symbols to what the user says is the most that they are.

Before:

    func.func @main(...) attributes {graph.symbols = {n = [1, 4096]}} {
      graph.define_symbol %1 {symbol = "count", low = "0", high = "n"}

After:

    func.func @main(...) attributes {graph.symbols = {n = [1, 64]}} {
      graph.define_symbol %1 {symbol = "count", low = "0", high = "min(8, n)"}

There the bounds are `n=64` and `count=8`. A call with a greater size ends with an
error. Memory for what a run computes is planned for the most that it can be, so a bound
makes it smaller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ....dialects import minimum, sizes, symbols_of, tensor_type
from ....dialects.graph import DefineSymbolOp
from ...ir import SYMBOLS
from ..symbol_ranges import tensors_of


@dataclass(frozen=True)
class BoundSymbols(ModulePass):
    """Lowers the greatest value of symbols."""

    name = "bound-symbols"

    bounds: tuple[str, ...] = ()
    """Bounds of symbols, such as `batch=8`."""

    @classmethod
    def of(cls, bounds: Mapping[str, int]) -> BoundSymbols:
        """The pass that gives symbols these bounds."""
        return cls(tuple(f"{name}={most}" for name, most in bounds.items()))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bounds = dict(_parse(each) for each in self.bounds)
        if not bounds:
            return
        functions = [each for each in op.walk() if isinstance(each, func.FuncOp)]
        known = {name for each in functions for name in _bound(each, bounds)}
        if unknown := [name for name in bounds if name not in known]:
            raise VerifyException(
                f"expected bounds of symbols of the model ({_listed(known)}), got one "
                f"of {', '.join(unknown)}"
            )


def _parse(text: str) -> tuple[str, int]:
    """The symbol and the bound that `batch=8` names."""
    name, _, most = text.partition("=")
    if not most.strip().isdecimal():
        raise VerifyException(f"expected a bound such as batch=8, got {text}")
    return name.strip(), int(most)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _bound(function: func.FuncOp, bounds: Mapping[str, int]) -> set[str]:
    """Bounds the symbols of a function, and returns all that it has."""
    known = function.attributes.get(SYMBOLS)
    ranges = dict(known.data) if isinstance(known, DictionaryAttr) else {}
    free = {
        name
        for each in tensors_of(function)
        for size in sizes(tensor_type(each))
        for name in symbols_of(size)
    }
    for name in sorted(free & bounds.keys()):
        low, high = 0, bounds[name]
        match ranges.get(name):
            case ArrayAttr(data=(IntegerAttr() as least, IntegerAttr() as most)):
                low, high = least.value.data, min(high, most.value.data)
            case _:
                pass
        if low > high:
            raise VerifyException(
                f"expected a bound of {name} that is {low} or more, got {high}"
            )
        ranges[name] = ArrayAttr([IntegerAttr(low, i64), IntegerAttr(high, i64)])
    if ranges:
        function.attributes[SYMBOLS] = DictionaryAttr(ranges)
    for op in function.walk():
        if isinstance(op, DefineSymbolOp):
            name, (_, high) = op.symbol.data, op.range
            free.add(name)
            if name in bounds:
                op.high = StringAttr(str(minimum(high, bounds[name])))
    return free
