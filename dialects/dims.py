"""
Dimensions: a number, or a polynomial over named symbols, bound to values at each run.

    dim("2 * seq + 1")           the polynomial
    4 * dim("batch") // 4        = dim("batch"): arithmetic keeps one canonical form
    str(dim("seq*2+1"))          = "2 * seq + 1"

Two dimensions are equal when their canonical forms are, so `==` on types and on text is
enough everywhere. Besides sums and products there are four functions: `floordiv(a, b)`,
`min(a, b)`, `max(a, b)` and `broadcast(a, b)`. All symbols are at least zero; where a
divisor is zero for their values, the quotient is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from .polynomial import (
    DEEPEST,
    GREATEST_FACTOR,
    MOST_TEXT,
    Atom,
    Call,
    Dim,
    Monomial,
    Polynomial,
    SizeError,
    Symbol,
    broadcast,
    ceildiv,
    floordiv,
    maximum,
    minimum,
    product,
    symbol,
    terms_of,
    total,
)
from .proof import is_proven

__all__ = [
    "Atom",
    "Call",
    "Dim",
    "Monomial",
    "Polynomial",
    "SizeError",
    "Symbol",
    "broadcast",
    "ceildiv",
    "dim",
    "evaluate",
    "floordiv",
    "greater",
    "guess",
    "is_nonnegative",
    "lesser",
    "maximum",
    "minimum",
    "product",
    "symbol",
    "symbols_of",
    "terms_of",
    "total",
]

FUNCTIONS = {
    "floordiv": floordiv,
    "min": minimum,
    "max": maximum,
    "broadcast": broadcast,
}

MOST_DIGITS = 32
"""The most digits of a number in text: more than any allowed number has."""

_MAX_CACHED_DIMENSIONS = 1 << 12
"""Entries in the cache of parsed dimensions."""


def evaluate(value: Dim, symbols: Mapping[str, Dim]) -> Dim:
    """`value` with some symbols replaced by their values; the others remain."""
    if isinstance(value, int) or not symbols:
        return value
    return total(
        product(_evaluate(atom, symbols) for atom in monomial) * factor
        for monomial, factor in value.terms
    )


def symbols_of(value: Dim) -> set[str]:
    """The names of the symbols that `value` depends on."""
    if isinstance(value, int):
        return set()
    found = set[str]()
    for monomial, _ in value.terms:
        for atom in monomial:
            if isinstance(atom, Symbol):
                found.add(atom.name)
            else:
                found |= symbols_of(atom.arguments[0]) | symbols_of(atom.arguments[1])
    return found


def guess(value: Dim) -> int:
    """An estimate for cost models: `value` with each symbol set to one large number."""
    known = evaluate(value, dict.fromkeys(symbols_of(value), 997))
    assert isinstance(known, int), "a size without symbols is a number"
    return known


def is_nonnegative(value: Dim, least: Mapping[str, int]) -> bool:
    """
    Whether `value` is provably not negative when each symbol is at least its `least`.
    """
    if isinstance(value, int):
        return value >= 0
    if least:
        low = {name: symbol(name) + most for name, most in least.items()}
        value = evaluate(value, low)
    return is_proven(value)


def lesser(a: Dim, b: Dim) -> Dim:
    """The lesser of two dimensions; one of them where that one is always the lesser."""
    if is_nonnegative(b - a, {}):
        return a
    return b if is_nonnegative(a - b, {}) else minimum(a, b)


def greater(a: Dim, b: Dim) -> Dim:
    """The greater of two dimensions; one of them where that one is always so."""
    if is_nonnegative(a - b, {}):
        return a
    return b if is_nonnegative(b - a, {}) else maximum(a, b)


@lru_cache(_MAX_CACHED_DIMENSIONS)
def dim(text: str) -> Dim:
    """The dimension that `text` describes; raises `ValueError` on other text."""
    if len(text) > MOST_TEXT:
        raise SizeError(
            f"dimension {text[:32]!r}...: expected at most {MOST_TEXT} characters, got "
            f"{len(text)}"
        )
    return _Reader(text).whole()


def _evaluate(atom: Atom, symbols: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return symbols.get(atom.name, Polynomial((((atom,), 1),)))
    a, b = (evaluate(argument, symbols) for argument in atom.arguments)
    if atom.function == "floordiv" and b == 0:
        return 0
    return FUNCTIONS[atom.function](a, b)


class _Reader:
    """A recursive-descent reader of dimensions."""

    def __init__(self, text: str):
        self.text = text
        self.depth = 0
        tokens = re.findall(r"[0-9]+|[A-Za-z_][\w.]*|//|\S", text)
        self.tokens = tokens[::-1]

    def whole(self) -> Dim:
        value = self.sum()
        if self.tokens:
            raise self.error("the end")
        return value

    def sum(self) -> Dim:
        # Added up at once, since a sum may have as many terms as a model has inputs.
        values = [self.product()]
        while self.next in ("+", "-"):
            sign = 1 if self.tokens.pop() == "+" else -1
            values.append(self.product() * sign)
        return total(values)

    def product(self) -> Dim:
        value = self.atom()
        while self.next in ("*", "//"):
            by_product = self.tokens.pop() == "*"
            right = self.atom()
            value = value * right if by_product else floordiv(value, right)
            if isinstance(value, int):
                self.check(value)
        return value

    def atom(self) -> Dim:
        sign = 1
        while self.next == "-":
            self.tokens.pop()
            sign = -sign
        return self.unsigned() * sign

    def unsigned(self) -> Dim:
        token = self.next
        if token.isascii() and token.isdigit():
            # Python refuses to read a number of several thousand digits.
            number = int(self.tokens.pop().lstrip("0")[:MOST_DIGITS] or "0")
            self.check(number)
            return number
        if token == "(":
            return self.inside(1)[0]
        if re.fullmatch(r"[A-Za-z_][\w.]*", token):
            self.tokens.pop()
            if token in FUNCTIONS and self.next == "(":
                a, b = self.inside(2)
                return FUNCTIONS[token](a, b)
            return symbol(token)
        raise self.error("a number or a symbol")

    def inside(self, count: int) -> list[Dim]:
        """Parses an expression inside `count` parentheses."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"at most {DEEPEST} parentheses inside each other")
        self.expect("(")
        values = [self.sum()]
        for _ in range(count - 1):
            self.expect(",")
            values.append(self.sum())
        self.expect(")")
        self.depth -= 1
        return values

    @property
    def next(self) -> str:
        """The next token, or the empty string at the end."""
        return self.tokens[-1] if self.tokens else ""

    def check(self, number: int) -> None:
        """Raises `SizeError` for a number that is too large for a size."""
        if abs(number) > GREATEST_FACTOR:
            raise SizeError(f"dimension {self.shown}: expected numbers up to 2**64")

    def expect(self, token: str) -> None:
        if self.next != token:
            raise self.error(f"`{token}`")
        self.tokens.pop()

    def error(self, what: str) -> ValueError:
        got = self.next[:80] or "the end"
        return ValueError(f"dimension {self.shown}: expected {what}, got {got}")

    @property
    def shown(self) -> str:
        """The text, shortened for a message."""
        return repr(self.text if len(self.text) <= 80 else f"{self.text[:77]}...")
