"""Build the dimensions that a program computes: the one place where they become ops."""

from __future__ import annotations

from collections.abc import Iterable

from ...dialects import (
    Atom,
    Dim,
    Polynomial,
    Symbol,
    Tensor,
    as_word,
    dtype,
    is_long_sum,
    short_difference,
    sizes,
    value_of,
)
from ...runtime.hostcode import Builder, Value


class SizeBuilder:
    """Builds dimensions from the values that symbols have at the moment."""

    def __init__(self, b: Builder, symbols: dict[str, Value]):
        """A builder of dimensions of these symbols and of others that are added."""
        self.b, self.symbols = b, symbols
        self.computed: dict[Dim, None] = {}
        """The dimensions that were computed, parts of others among them."""
        self.last: tuple[Polynomial, Value] | None = None
        """
        The last long sum: offsets of a concatenation differ by little. None while a
        difference is computed, in which a function may have the size itself.
        """

    def size(self, size: Dim) -> Value:
        """The integer that a dimension is in this call."""
        if isinstance(size, int):
            return as_word(size)
        self.computed[size] = None
        if not is_long_sum(size):
            return self.sum(size)
        last, value = self.last or (None, 0)
        self.last = None
        more = short_difference(size, last)
        found = self.sum(size) if more is None else self.b.add(value, self.size(more))
        self.last = size, found
        return found

    def sum(self, size: Polynomial) -> Value:
        """The integer that a polynomial is."""
        total: Value = 0
        for monomial, factor in size.terms:
            term: Value = factor
            for atom in monomial:
                term = self.b.mul(self.atom(atom), term)
            total = self.b.add(total, term)
        return total

    def atom(self, atom: Atom) -> Value:
        """The integer that a symbol, or a function of dimensions, is in this call."""
        if isinstance(atom, Symbol):
            return value_of(atom, self.symbols)
        one, other = map(self.size, atom.arguments)
        if atom.function == "broadcast":
            return self.b.select(self.b.eq(one, 1), other, one)
        return self.b.binary(atom.function, one, other)

    def product(self, factors: Iterable[Dim]) -> Value:
        """The product of non-negative dimensions, or the limit."""
        result: Value = 1
        for each in map(self.size, factors):
            result = self.b.binary("mul_capped", result, each)
        return result

    def bytes(self, type: Tensor) -> Value:
        """How many bytes a tensor has, of sizes that were checked."""
        total: Value = dtype(type).itemsize
        for each in sizes(type):
            total = self.b.mul(total, self.size(each))
        return total
