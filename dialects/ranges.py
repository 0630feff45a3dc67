"""Bounds of dimensions whose symbols have ranges, as sizes that only a run knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from .dims import (
    FUNCTIONS,
    Atom,
    Dim,
    Polynomial,
    Symbol,
    floordiv,
    is_nonnegative,
    maximum,
    product,
    symbols_of,
    total,
)

Ranges: TypeAlias = Mapping[str, tuple[Dim, Dim]]
"""The least and the greatest value of each symbol."""


def greatest(value: Dim, ranges: Ranges) -> Dim:
    """An upper bound of `value` for symbols in `ranges`; other symbols remain."""
    return _limit(value, ranges, 1)


def least(value: Dim, ranges: Ranges) -> Dim:
    """A lower bound of `value` for symbols in `ranges`; other symbols remain."""
    return _limit(value, ranges, 0)


def resolved(ranges: Ranges) -> Ranges:
    """
    Ranges that may depend on the symbols of those before, without these symbols. No
    symbol is below zero, even one that no value is in the range of.
    """
    found: dict[str, tuple[Dim, Dim]] = {}
    for name, (low, high) in ranges.items():
        most = greatest(high, found)
        if not is_nonnegative(most, {}):
            most = maximum(most, 0)
        found[name] = least(low, found), most
    return found


def _limit(value: Dim, ranges: Ranges, upper: int) -> Dim:
    """A bound of `value`: products grow with each symbol, as none is negative."""
    if isinstance(value, int) or not symbols_of(value) & {*ranges}:
        return value

    def limits() -> Iterator[Dim]:
        for monomial, factor in value.terms:
            side = upper if factor > 0 else 1 - upper
            yield product(_limit_atom(a, ranges, side) for a in monomial) * factor

    return total(limits())


def _limit_atom(atom: Atom, ranges: Ranges, upper: int) -> Dim:
    if isinstance(atom, Symbol):
        known = ranges.get(atom.name)
        return Polynomial((((atom,), 1),)) if known is None else known[upper]
    a, b = atom.arguments
    whole = _limit(a, ranges, upper)
    if atom.function == "floordiv":
        return _limit_quotient(whole, _limit(b, ranges, 1 - upper), upper)
    function = atom.function
    if function == "broadcast":
        function = "max" if upper else "min"
    return FUNCTIONS[function](whole, _limit(b, ranges, upper))


def _limit_quotient(whole: Dim, by: Dim, upper: int) -> Dim:
    """A bound of a quotient, which is zero where the divisor is."""
    if upper and not is_nonnegative(by - 1, {}):
        # Of all divisors that are not zero, 1 makes the most of it.
        by = maximum(by, 1)
    return 0 if by == 0 else floordiv(whole, by)
