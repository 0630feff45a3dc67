"""
Write the dimensions that a function computes from its symbols, each once.

They are computed at the entry of the function, where every block can use them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....dialects import (
    Atom,
    Dim,
    Polynomial,
    Symbol,
    as_word,
    is_long_sum,
    is_nonnegative,
    short_difference,
    value_of,
)


class DimensionWriter:
    """The entry of a function, and the names of its values."""

    def __init__(self, symbols: Mapping[str, str]):
        """A function in which each symbol is the i64 that `symbols` names."""
        self.symbols = symbols
        self.entry: list[str] = []
        self.count = 0
        self.sizes: dict[Dim, str] = {}
        """The dimensions that the function computes, parts of others among them."""
        self.calls: dict[Atom, str] = {}
        """The functions of dimensions that are computed: sizes share many."""
        self.last_sum: Polynomial | None = None
        """The last long one: offsets of a concatenation differ by little."""

    def fresh(self, stem: str = "v") -> str:
        """A name that nothing has yet."""
        self.count += 1
        return f"{stem}{self.count}"

    def size(self, size: Dim) -> str:
        """The i64 that a dimension is in this call."""
        if isinstance(size, int):
            return str(as_word(size))
        if size not in self.sizes:
            self.sizes[size] = self.sum(size)
            if is_long_sum(size):
                self.last_sum = size
        return self.sizes[size]

    def sum(self, size: Polynomial) -> str:
        """The i64 that a polynomial is; a long one from the last long one, if alike."""
        last = self.last_sum
        more = short_difference(size, last)
        if last is not None and more is not None:
            return self.at_entry("add nsw", self.sizes[last], self.size(more))
        total = "0"
        for monomial, factor in size.terms:
            term = str(factor)
            for atom in monomial:
                term = self.at_entry("mul nsw", term, self.atom(atom))
            total = self.at_entry("add nsw", total, term)
        return total

    def atom(self, atom: Atom) -> str:
        """The i64 that a symbol, or a function of dimensions, is in this call."""
        if isinstance(atom, Symbol):
            return value_of(atom, self.symbols)
        if atom not in self.calls:
            self.calls[atom] = self.call(atom.function, atom.arguments)
        return self.calls[atom]

    def call(self, function: str, arguments: tuple[Dim, Dim]) -> str:
        """The i64 that a function of two dimensions is."""
        a, b = map(self.size, arguments)
        match function, arguments:
            case "broadcast", _:
                one = self.entered(f"icmp eq i64 {a}, 1")
                return self.entered(f"select i1 {one}, i64 {b}, i64 {a}")
            case "floordiv", (whole, int(by)) if by > 0:
                return self.quotient(whole, a, b)
            case "floordiv", _:
                return self.safe_quotient(a, b)
            case _:
                return self.entered(f"call i64 @llvm.s{function}.i64(i64 {a}, i64 {b})")

    def quotient(self, whole: Dim, a: str, b: str) -> str:
        """The quotient of a dimension, as `a`, by a positive number, rounded down."""
        if is_nonnegative(whole, {}):
            return self.entered(f"udiv i64 {a}, {b}")
        quotient = self.entered(f"sdiv i64 {a}, {b}")
        rest = self.entered(f"srem i64 {a}, {b}")
        negative = self.entered(f"icmp slt i64 {rest}, 0")
        less = self.entered(f"sext i1 {negative} to i64")
        return self.entered(f"add nsw i64 {quotient}, {less}")

    def safe_quotient(self, a: str, b: str) -> str:
        """
        The quotient rounded down: C's, less one where that was rounded up. A divisor
        that is zero at run time gives zero; the prologue refuses sizes which it would
        matter for.
        """
        zero = self.entered(f"icmp eq i64 {b}, 0")
        safe = self.entered(f"select i1 {zero}, i64 1, i64 {b}")
        quotient = self.entered(f"sdiv i64 {a}, {safe}")
        rest = self.entered(f"srem i64 {a}, {safe}")
        differs = self.entered(f"xor i64 {rest}, {safe}")
        negative = self.entered(f"icmp slt i64 {differs}, 0")
        inexact = self.entered(f"icmp ne i64 {rest}, 0")
        both = self.entered(f"and i1 {negative}, {inexact}")
        less = self.entered(f"sext i1 {both} to i64")
        floor = self.entered(f"add nsw i64 {quotient}, {less}")
        return self.entered(f"select i1 {zero}, i64 0, i64 {floor}")

    def at_entry(self, op: str, a: str, b: str) -> str:
        """Adds an op on two integers at the entry, unless it does nothing."""
        if op.startswith("add") and "0" in (a, b):
            return b if a == "0" else a
        if op.startswith("mul") and "1" in (a, b):
            return b if a == "1" else a
        return self.entered(f"{op} i64 {a}, {b}")

    def entered(self, instruction: str) -> str:
        """Adds an instruction at the entry; the name of its result."""
        name = f"%{self.fresh('n')}"
        self.entry.append(f"  {name} = {instruction}")
        return name


def is_multiple(value: Dim, unit: int) -> bool:
    """Whether a dimension is a number of whole units, whatever its symbols are."""
    factors = [value] if isinstance(value, int) else [each for _, each in value.terms]
    return all(each % unit == 0 for each in factors)
