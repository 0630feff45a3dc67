"""How far from zero sizes are at most: bounds of dimensions without functions."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from .dims import (
    Atom,
    Call,
    Dim,
    Monomial,
    Polynomial,
    Symbol,
    product,
    terms_of,
    total,
)
from .polynomial import sum_of
from .proof import Proof

_MAX_CACHED = 1 << 12
"""The most bounds that are kept."""

_NO_LIMIT = 1 << 16
"""A number so great that a size that is at most it is bounded by its other sizes."""


@lru_cache(_MAX_CACHED)
def magnitude(value: Dim) -> Dim:
    """
    A polynomial without functions that bounds the absolute value of `value`.

    It also bounds every subexpression of `value` when no symbol is less than one, since
    all coefficients are positive and no factor is dropped.
    """
    return _joined(*_magnitudes(value))


def bound_of(value: Dim) -> Dim:
    """
    A polynomial without functions that bounds the absolute value of `value` alone, not
    of what is computed on the way to it.
    """
    return _magnitudes(value)[0]


def _magnitudes(value: Dim) -> tuple[Dim, Dim]:
    """The bound of a size, and of what is computed on the way to it."""
    if isinstance(value, int):
        return abs(value), 0
    wholes: list[Dim] = []
    inner: list[Dim] = []
    for monomial, factor in value.terms:
        whole, parts = _magnitudes_of_product(monomial)
        wholes.append(whole * abs(factor))
        inner.append(parts)
    return total(wholes), _joined(*inner)


def _magnitudes_of_product(monomial: Monomial) -> tuple[Dim, Dim]:
    """
    The bounds of a product. A quotient times its divisor is off the dividend by less
    than the divisor: the two together are as little as their sum.
    """
    left = Counter(monomial)
    factors: list[tuple[Dim, Dim]] = []
    for atom in monomial:
        match atom:
            case Call("floordiv", (a, Polynomial(((divisor, _),)) as b)):
                if (pair := Counter((atom, *divisor))) <= left:
                    left -= pair
                    (a, inside_a), (b, inside_b) = _magnitudes(a), _magnitudes(b)
                    factors.append((total((a, b)), _joined(inside_a, inside_b)))
            case _:
                pass
    factors += map(_magnitudes_of_atom, left.elements())
    return product(each for each, _ in factors), _joined(*(e for _, e in factors))


def _magnitudes_of_atom(atom: Atom) -> tuple[Dim, Dim]:
    if isinstance(atom, Symbol):
        return Polynomial((((atom,), 1),)), 0
    return _magnitudes_of_call(atom)


@lru_cache(_MAX_CACHED)
def _magnitudes_of_call(atom: Call) -> tuple[Dim, Dim]:
    (a, inside_a), (b, inside_b) = map(_magnitudes, atom.arguments)
    inside = _joined(inside_a, inside_b)
    if atom.function == "floordiv":
        by = b if isinstance(b, int) else 1
        return total(
            Polynomial(((monomial, -(-factor // by)),))
            if monomial
            else -(-factor // by)
            for monomial, factor in terms_of(a)
        ), inside
    if (least := _least_of_two(atom)) is not None:
        # No greater than either, though both are computed.
        bounds = [_magnitudes(each)[0] for each in least.arguments]
        return min(bounds, key=_greatest_factor), _joined(_joined(a, b), inside)
    numbers = [each for each in atom.arguments if isinstance(each, int)]
    if atom.function == "min" and numbers and Proof().of_atom(atom):
        # As a condition on sizes, it stays small whatever it is computed from; a number
        # that stands for no limit, as that of a slice to the end, is none.
        bound: Dim = max(*numbers, 1)
        if max(numbers) > _NO_LIMIT:
            bounds = [_magnitudes(each)[0] for each in atom.arguments]
            bound = min(bounds, key=_greatest_factor)
        return bound, _joined(_joined(a, b), inside)
    return _joined(a, b), inside


def _least_of_two(atom: Call) -> Call | None:
    """The minimum that a size is where it is not below zero: of `max(0, min(a, b))`."""
    if atom.function != "max" or 0 not in atom.arguments:
        return None
    for each in atom.arguments:
        match each:
            case Polynomial((((Call("min") as least,), 1),)):
                return least
            case _:
                continue
    return None


def _greatest_factor(value: Dim) -> int:
    """The greatest factor of a term."""
    return max((factor for _, factor in terms_of(value)), default=0)


def _joined(*values: Dim) -> Dim:
    """The polynomial that has for each term the greatest of its coefficients."""
    found: dict[Monomial, int] = {}
    values = tuple(each for each in values if each != 0)
    if len(values) == 1:
        return values[0]
    for value in values:
        for monomial, factor in terms_of(value):
            found[monomial] = max(factor, found.get(monomial, 0))
    return sum_of(found.items())
