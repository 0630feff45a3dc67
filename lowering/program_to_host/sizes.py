"""Build the dimensions that a program computes: the one place where they become ops."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.utils.exceptions import VerifyException

from ...dialects import Atom, Dim, Polynomial, SizeError, Symbol, Tensor, dtype, sizes
from ...runtime.hostcode import Builder, Value

_LONG = 8
"""Terms of a sum, at least, that the next long sum may be computed from."""


class SizeBuilder:
    """Builds dimensions from the values that symbols have at the moment."""

    def __init__(self, b: Builder, symbols: dict[str, Value]):
        """A builder of dimensions of these symbols and of others that are added."""
        self.b, self.symbols = b, symbols
        self.computed: dict[Dim, None] = {}
        """The dimensions that were computed, parts of others among them."""
        self.last: tuple[Polynomial, Value] | None = None
        """The last long sum: offsets of a concatenation differ by little."""

    def size(self, size: Dim) -> Value:
        """The integer that a dimension is in this call."""
        if isinstance(size, int):
            if abs(size) >= 2**63:
                raise SizeError(f"expected numbers of 64 bits, got {size}")
            return size
        self.computed[size] = None
        if len(size.terms) < _LONG:
            return self.sum(size)
        found: Value | None = None
        if self.last is not None:
            more = size - self.last[0]
            if isinstance(more, int) or 2 * len(more.terms) < len(size.terms):
                found = self.b.add(self.last[1], self.size(more))
        self.last = size, self.sum(size) if found is None else found
        return self.last[1]

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
            if atom.name not in self.symbols:
                known = ", ".join(self.symbols) or "none"
                raise VerifyException(
                    "expected every symbol to be a dimension of an input by itself, or "
                    f"defined before it is used ({known}), got {atom.name}"
                )
            return self.symbols[atom.name]
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
