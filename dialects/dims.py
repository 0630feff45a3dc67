"""
Dimensions: a size is a number, or a polynomial over named symbols that each run gives a
value.

    dim("2 * seq + 1")           the polynomial
    4 * dim("batch") // 4        = dim("batch"): arithmetic keeps one canonical form
    str(dim("seq*2+1"))          = "2 * seq + 1"

Two dimensions are equal when their canonical forms are, so `==` on types and on text is
enough everywhere. Where shape arithmetic needs them there are three functions beside
sum and product: `floordiv(a, b)`, `min(a, b)` and `max(a, b)`. All values are at least
zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from typing import TypeAlias


@dataclass(frozen=True, order=True)
class Symbol:
    """A named size, such as `batch`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Call:
    """A function of two dimensions that is not a polynomial."""

    function: str
    arguments: tuple[Dim, Dim]

    def __str__(self) -> str:
        return f"{self.function}({self.arguments[0]}, {self.arguments[1]})"


Atom: TypeAlias = Symbol | Call
Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, in the order of their text; a power is a repeated atom."""


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials with coefficients that are not zero; never a plain number."""

    terms: tuple[tuple[Monomial, int], ...]

    def __add__(self, other: Dim) -> Dim:
        return _sum([*self.terms, *_terms(other)])

    def __mul__(self, other: Dim) -> Dim:
        return _sum(
            (tuple(sorted((*a, *b), key=str)), p * q)
            for a, p in self.terms
            for b, q in _terms(other)
        )

    def __neg__(self) -> Dim:
        return self * -1

    def __sub__(self, other: Dim) -> Dim:
        return self + other * -1

    def __rsub__(self, other: int) -> Dim:
        return self * -1 + other

    def __floordiv__(self, other: Dim) -> Dim:
        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> Dim:
        return floordiv(other, self)

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self) -> str:
        text = ""
        for monomial, factor in self.terms:
            parts = [str(atom) for atom in monomial]
            if abs(factor) != 1 or not parts:
                parts.insert(0, str(abs(factor)))
            if text:
                text += " - " if factor < 0 else " + "
            elif factor < 0:
                text = "-"
            text += " * ".join(parts)
        return text

    def __repr__(self) -> str:
        return f"dim({str(self)!r})"


Dim: TypeAlias = int | Polynomial
"""A size, or a quantity computed from sizes."""


def symbol(name: str) -> Polynomial:
    """The dimension that is the symbol `name`."""
    if not re.fullmatch(r"[A-Za-z_][\w.]*", name):
        raise ValueError(f"expected a symbol such as batch, got {name!r}")
    return Polynomial((((Symbol(name),), 1),))


def floordiv(a: Dim, b: Dim) -> Dim:
    """The quotient of `a` and `b` rounded down; exact division is carried out."""
    if isinstance(b, int) and b == 0:
        raise ValueError(f"expected a divisor that is not zero, got {a} // 0")
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if (exact := _divide(a, b)) is not None:
        return exact
    if isinstance(b, int) and isinstance(a, Polynomial):
        return floordiv(a * -1, -b) if b < 0 else _quotient(a, b)
    return _call("floordiv", a, b)


def ceildiv(a: Dim, b: Dim) -> Dim:
    """The quotient of `a` and `b` rounded up."""
    return floordiv(a + b - 1, b)


def minimum(a: Dim, b: Dim) -> Dim:
    """The lesser of two dimensions."""
    if isinstance(difference := a - b, int):
        return a if difference <= 0 else b
    return _call("min", *sorted((a, b), key=str))


def maximum(a: Dim, b: Dim) -> Dim:
    """The greater of two dimensions."""
    if isinstance(difference := a - b, int):
        return a if difference >= 0 else b
    return _call("max", *sorted((a, b), key=str))


def product(dims: Iterable[Dim]) -> Dim:
    """The product of dimensions, 1 when there are none."""
    return reduce(lambda a, b: a * b, dims, 1)


FUNCTIONS = {"floordiv": floordiv, "min": minimum, "max": maximum}


def evaluate(value: Dim, symbols: Mapping[str, Dim]) -> Dim:
    """`value` with symbols replaced by what they stand for; the others remain."""
    if isinstance(value, int):
        return value
    total: Dim = 0
    for monomial, factor in value.terms:
        total = total + product(_evaluate(atom, symbols) for atom in monomial) * factor
    return total


Ranges: TypeAlias = Mapping[str, tuple[Dim, Dim]]
"""The least and the greatest that symbols can be."""


def greatest(value: Dim, ranges: Ranges) -> Dim:
    """The most that `value` can be when some symbols are in ranges; others remain."""
    return _limit(value, ranges, 1)


def least(value: Dim, ranges: Ranges) -> Dim:
    """The least that `value` can be when some symbols are in ranges; others remain."""
    return _limit(value, ranges, 0)


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
    """The value were every symbol the same large number, to weigh sizes with."""
    known = evaluate(value, dict.fromkeys(symbols_of(value), 997))
    assert isinstance(known, int), "a size without symbols is a number"
    return known


@cache
def dim(text: str) -> Dim:
    """The dimension that `text` describes; raises `ValueError` on other text."""
    return _Reader(text).whole()


def _evaluate(atom: Atom, symbols: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return symbols.get(atom.name, Polynomial((((atom,), 1),)))
    a, b = (evaluate(argument, symbols) for argument in atom.arguments)
    return FUNCTIONS[atom.function](a, b)


def _limit(value: Dim, ranges: Ranges, upper: int) -> Dim:
    """The limit of `value`: symbols are not negative, so products grow with each."""
    if isinstance(value, int) or not symbols_of(value) & {*ranges}:
        return value
    total: Dim = 0
    for monomial, factor in value.terms:
        side = upper if factor > 0 else 1 - upper
        total = total + product(_limit_atom(a, ranges, side) for a in monomial) * factor
    return total


def _limit_atom(atom: Atom, ranges: Ranges, upper: int) -> Dim:
    if isinstance(atom, Symbol):
        known = ranges.get(atom.name)
        return Polynomial((((atom,), 1),)) if known is None else known[upper]
    a, b = atom.arguments
    divides = atom.function == "floordiv"
    return FUNCTIONS[atom.function](
        _limit(a, ranges, upper), _limit(b, ranges, 1 - upper if divides else upper)
    )


def _call(function: str, a: Dim, b: Dim) -> Polynomial:
    return Polynomial((((Call(function, (a, b)),), 1),))


def _terms(value: Dim) -> Iterable[tuple[Monomial, int]]:
    if isinstance(value, int):
        return [((), value)] if value else []
    return value.terms


def _sum(terms: Iterable[tuple[Monomial, int]]) -> Dim:
    """The canonical sum: longest monomials first, then by text, the number last."""
    total: dict[Monomial, int] = {}
    for monomial, factor in terms:
        total[monomial] = total.get(monomial, 0) + factor
    kept = [(monomial, factor) for monomial, factor in total.items() if factor]
    kept.sort(key=lambda term: (-len(term[0]), [str(atom) for atom in term[0]]))
    match kept:
        case []:
            return 0
        case [((), number)]:
            return number
        case _:
            return Polynomial(tuple(kept))


def _divide(a: Dim, b: Dim) -> Dim | None:
    """The quotient when it is exact whatever the symbols are (and not zero)."""
    if a == b:
        return 1
    if isinstance(b, Polynomial) and len(b.terms) > 1:
        return _divide_by_sum(a, b)
    ((divisor, by),) = _terms(b)
    quotients: list[tuple[Monomial, int]] = []
    for monomial, factor in _terms(a):
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if factor % by:
            return None
        quotients.append((tuple(rest), factor // by))
    return _sum(quotients)


def _divide_by_sum(a: Dim, b: Polynomial) -> Dim | None:
    """The quotient when nothing is left over: the first terms say the next part."""
    first = Polynomial(b.terms[:1])
    quotient: Dim = 0
    while a != 0:
        part = _divide(_sum([*_terms(a)][:1]), first)
        if part is None:
            return None
        quotient, a = quotient + part, a - b * part
    return quotient


def _quotient(a: Polynomial, b: int) -> Dim:
    """
    The quotient of `a` and a positive number in its canonical form.

    Whole parts are taken out, `floordiv(n + 5, 2) = floordiv(n + 1, 2) + 2`, and
    quotients of quotients joined, `floordiv(floordiv(n, 2), 3) = floordiv(n, 6)`.
    """
    whole = _sum((monomial, factor // b) for monomial, factor in a.terms)
    rest = _sum((monomial, factor % b) for monomial, factor in a.terms)
    if isinstance(rest, int):
        return whole
    for monomial, factor in rest.terms:
        match monomial:
            case (Call("floordiv", (inner, int(by))),) if factor == 1 and by > 0:
                others = rest - Polynomial(((monomial, 1),))
                return whole + floordiv(inner + others * by, b * by)
            case _:
                continue
    return whole + _call("floordiv", rest, b)


class _Reader:
    """A recursive-descent reader of dimensions."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = re.findall(r"\d+|[A-Za-z_][\w.]*|//|\S", text)

    def whole(self) -> Dim:
        value = self.sum()
        if self.tokens:
            raise self.error("the end")
        return value

    def sum(self) -> Dim:
        value = self.product()
        while self.tokens and self.tokens[0] in "+-":
            sign = 1 if self.tokens.pop(0) == "+" else -1
            value = value + self.product() * sign
        return value

    def product(self) -> Dim:
        value = self.atom()
        while self.tokens and self.tokens[0] in ("*", "//"):
            by_product = self.tokens.pop(0) == "*"
            right = self.atom()
            value = value * right if by_product else floordiv(value, right)
        return value

    def atom(self) -> Dim:
        token = self.tokens.pop(0) if self.tokens else ""
        if token.isdigit():
            return int(token)
        if token == "-":
            return self.atom() * -1
        if token == "(":
            value = self.sum()
            self.expect(")")
            return value
        if token in FUNCTIONS and self.tokens[:1] == ["("]:
            self.expect("(")
            a = self.sum()
            self.expect(",")
            b = self.sum()
            self.expect(")")
            return FUNCTIONS[token](a, b)
        if re.fullmatch(r"[A-Za-z_][\w.]*", token):
            return symbol(token)
        self.tokens.insert(0, token)
        raise self.error("a number or a symbol")

    def expect(self, token: str) -> None:
        if self.tokens[:1] != [token]:
            raise self.error(f"`{token}`")
        self.tokens.pop(0)

    def error(self, what: str) -> ValueError:
        got = "".join(self.tokens[:1]) or "the end"
        return ValueError(f"dimension {self.text!r}: expected {what}, got {got}")
