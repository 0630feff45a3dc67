"""
Polynomials over named symbols, in one canonical form: dimensions that are not numbers.

The number of terms and factors, the size of coefficients, the depth of nested functions
and the length of the text are bounded. So arithmetic on sizes ends soon whatever a
model asks for; exceeding a bound raises `SizeError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TypeAlias

from xdsl.utils.exceptions import VerifyException

MOST_TERMS = 1 << 12
"""The most terms of a sum; a concatenation adds one size per tensor."""

_MOST_PRODUCTS = 1 << 16
"""The most products of terms that one multiplication computes."""

_MOST_FACTORS = 128
"""The most symbols in one term, with repetition; twice the axes of a tensor."""

GREATEST_FACTOR = 1 << 64
"""The bound of a coefficient: no size that fits into memory has a greater one."""

MOST_TEXT = 1 << 18
"""The most characters of a polynomial's text."""

DEEPEST = 64
"""The deepest nesting of functions and parentheses."""

_LONGEST_NAME = 1 << 10
"""The most characters of a symbol's name."""

_MOST_STEPS = 64
"""The most terms of a quotient by a sum before it counts as not exact."""


class SizeError(VerifyException, ValueError):
    """A size that is too large for the compiler."""


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

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The call as text."""
        return f"{self.function}({self.arguments[0]}, {self.arguments[1]})"

    @cached_property
    def depth(self) -> int:
        """The depth of nested functions, this one included."""
        return 1 + max(map(depth, self.arguments))


Atom: TypeAlias = Symbol | Call
Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, in the order of their text; a power is a repeated atom."""


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials with coefficients that are not zero; never a plain number."""

    terms: tuple[tuple[Monomial, int], ...]

    def __hash__(self) -> int:
        return hash(self.text)

    def __add__(self, other: Dim) -> Dim:
        if not isinstance(other, int):
            return sum_of((*self.terms, *other.terms))
        # The number is the last of the terms.
        terms, has_number = self.terms, not self.terms[-1][0]
        number = other + (terms[-1][1] if has_number else 0)
        kept = (*terms[: len(terms) - has_number], *terms_of(number))
        check(len(kept), MOST_TERMS, "terms")
        return _bounded(kept)

    def __mul__(self, other: Dim) -> Dim:
        if isinstance(other, int):
            if other in (0, 1):
                return self if other else 0
            # The terms stay in their order.
            return _bounded(tuple((each, by * other) for each, by in self.terms))
        check(len(self.terms) * len(other.terms), _MOST_PRODUCTS, "products of terms")
        return sum_of(
            (tuple(sorted((*a, *b), key=str)) if a and b else a or b, p * q)
            for a, p in self.terms
            for b, q in other.terms
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
        return self.text

    @cached_property
    def text(self) -> str:
        """The polynomial as text."""
        parts: list[str] = []
        for monomial, factor in self.terms:
            factors = [str(atom) for atom in monomial]
            if abs(factor) != 1 or not factors:
                factors.insert(0, str(abs(factor)))
            if parts:
                parts.append(" - " if factor < 0 else " + ")
            elif factor < 0:
                parts.append("-")
            parts.append(" * ".join(factors))
        return "".join(parts)

    def __repr__(self) -> str:
        return f"dim({str(self)!r})"


Dim: TypeAlias = int | Polynomial
"""A size, or a quantity computed from sizes."""


def check(count: int, most: int, what: str) -> None:
    """Raises `SizeError` when `count` exceeds a bound."""
    if count > most:
        raise SizeError(
            f"expected a size of at most {most} {what}, got {count}; give the model "
            "fewer symbols, or numbers for some of them"
        )


def depth(value: Dim) -> int:
    """The depth of nested functions in a dimension."""
    calls = (a for each, _ in terms_of(value) for a in each if isinstance(a, Call))
    return max((each.depth for each in calls), default=0)


def symbol(name: str) -> Polynomial:
    """The dimension that is the symbol `name`."""
    if len(name) > _LONGEST_NAME:
        raise ValueError(
            f"expected a symbol of at most {_LONGEST_NAME} characters, got "
            f"{name[:77]!r}..."
        )
    if not re.fullmatch(r"[A-Za-z_][\w.]*", name):
        raise ValueError(f"expected a symbol such as batch, got {name!r}")
    return Polynomial((((Symbol(name),), 1),))


def floordiv(a: Dim, b: Dim) -> Dim:
    """
    The quotient of `a` and `b` rounded down, simplified when the division is exact.
    """
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


def broadcast(a: Dim, b: Dim) -> Dim:
    """
    The size that axes of the sizes `a` and `b` broadcast to: `b` where `a` is 1, else
    `a`.

    It is defined where the sizes broadcast. There it is commutative, associative and
    idempotent; a number other than 1 is the result.
    """
    kept = sorted({*_broadcast_parts(a), *_broadcast_parts(b)} - {1}, key=str)
    if numbers := [each for each in kept if isinstance(each, int)]:
        return numbers[0]
    return reduce(lambda a, b: _call("broadcast", a, b), kept) if kept else 1


def _broadcast_parts(value: Dim) -> set[Dim]:
    """The sizes that `value` is the broadcast of; itself when it is of none."""
    match terms_of(value):
        case ((((Call("broadcast", (a, b)),), 1)),):
            return _broadcast_parts(a) | _broadcast_parts(b)
        case _:
            return {value}


def product(dims: Iterable[Dim]) -> Dim:
    """The product of dimensions, 1 when there are none."""
    return reduce(lambda a, b: a * b, dims, 1)


def total(dims: Iterable[Dim]) -> Dim:
    """The sum of dimensions, in time linear in the number of their terms."""
    return sum_of(term for each in dims for term in terms_of(each))


def terms_of(value: Dim) -> tuple[tuple[Monomial, int], ...]:
    """The terms of a dimension; zero has none."""
    if isinstance(value, int):
        return (((), value),) if value else ()
    return value.terms


def sum_of(terms: Iterable[tuple[Monomial, int]]) -> Dim:
    """The canonical sum: by length and text, the number last; raises `SizeError`."""
    found: dict[Monomial, int] = {}
    for monomial, factor in terms:
        found[monomial] = found.get(monomial, 0) + factor
    left = [each for each in found.items() if each[1]]
    if not left or (len(left) == 1 and not left[0][0]):
        return left[0][1] if left else 0
    kept = [(-len(each[0]), [str(atom) for atom in each[0]], each) for each in left]
    kept.sort(key=lambda each: each[:2])
    check(len(kept), MOST_TERMS, "terms")
    check(-kept[0][0], _MOST_FACTORS, "symbols in a term")
    check(sum(sum(map(len, texts)) for _, texts, _ in kept), MOST_TEXT, "characters")
    return _bounded(tuple(term for _, _, term in kept))


def _bounded(terms: tuple[tuple[Monomial, int], ...]) -> Polynomial:
    if (greatest := max(abs(factor) for _, factor in terms)) > GREATEST_FACTOR:
        bits = greatest.bit_length()
        raise SizeError(f"expected numbers of a size up to 2**64, got {bits} bits")
    return Polynomial(terms)


def _call(function: str, a: Dim, b: Dim) -> Polynomial:
    check(1 + max(depth(a), depth(b)), DEEPEST, "functions inside each other")
    call = Call(function, (a, b))
    check(len(call.text), MOST_TEXT, "characters")
    return Polynomial((((call,), 1),))


def _divide(a: Dim, b: Dim) -> Dim | None:
    """The quotient when it is exact for all nonzero values of the symbols."""
    if a == b:
        return 1
    if isinstance(b, Polynomial) and len(b.terms) > 1:
        return _divide_by_sum(a, b)
    ((divisor, by),) = terms_of(b)
    quotients: list[tuple[Monomial, int]] = []
    for monomial, factor in terms_of(a):
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if factor % by:
            return None
        quotients.append((tuple(rest), factor // by))
    return sum_of(quotients)


def _divide_by_sum(a: Dim, b: Polynomial) -> Dim | None:
    """
    The quotient by long division on leading terms, or None when a remainder is left.
    """
    first = Polynomial(b.terms[:1])
    quotient: list[Dim] = []
    try:
        while a != 0 and len(quotient) < _MOST_STEPS:
            part = _divide(sum_of(terms_of(a)[:1]), first)
            if part is None:
                return None
            quotient.append(part)
            a = a - b * part
    except SizeError:
        return None
    return total(quotient) if a == 0 else None


def _quotient(a: Polynomial, b: int) -> Dim:
    """
    The quotient of `a` and a positive number in its canonical form.

    Exact parts move out, `floordiv(n + 5, 2) = floordiv(n + 1, 2) + 2`, and nested
    quotients are joined, `floordiv(floordiv(n, 2), 3) = floordiv(n, 6)`.
    """
    whole = sum_of((monomial, factor // b) for monomial, factor in a.terms)
    rest = sum_of((monomial, factor % b) for monomial, factor in a.terms)
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
