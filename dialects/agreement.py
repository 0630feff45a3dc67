"""
Sizes that must agree for an op to be valid, where that cannot be proven.

An op of sizes `a` and `b` is built as if they agreed, and the assumption becomes a
requirement of the op, which is checked before a run, or in it:

    agree         a = b, as of the rows of one factor and the columns of the other
    broadcast     a = b, or one of them is 1; between sizes of the same symbols, such as
                  `n` and `2 * floordiv(n, 2)`, only equality is meant, unless one of
                  them is at most 1, such as `min(1, n)`
    stretch       a = b, or a is 1

Sizes that differ whatever their symbols are, such as `n` and `n + 1`, do not agree. A
size of zero is left out of this: `n` and `2 * n` do not agree either.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache

from xdsl.utils.exceptions import VerifyException

from .dims import (
    Dim,
    is_nonnegative,
    maximum,
    minimum,
    symbols_of,
    terms_of,
)
from .dims import broadcast as broadcast_size
from .shape import Tensor, shorter, sizes


@dataclass(frozen=True)
class Agreement:
    """The assumption that two sizes are equal, or that one of them is 1."""

    sizes: tuple[Dim, Dim]
    ones: tuple[Dim, ...] = ()
    """Which of the two may be 1 instead."""

    @property
    def quantity(self) -> Dim:
        """What is zero where the sizes agree, and negative elsewhere."""
        result = _zero_where_equal(*self.sizes)
        for each in self.ones:
            result = maximum(result, _zero_where_equal(each, 1))
        return result

    @property
    def message(self) -> str:
        """The assumption in words."""
        a, b = (shorter(str(each)) for each in self.sizes)
        match self.ones:
            case ():
                return f"expected equal sizes {a} and {b}"
            case (only,):
                return f"expected equal sizes {a} and {b}, or {shorter(str(only))} of 1"
            case _:
                return f"expected equal sizes {a} and {b}, or one of them 1"


_MAX_CACHED_SIZES = 1 << 12
"""Sizes, at most, whose symbols are remembered."""

_noted: ContextVar[list[Agreement] | None] = ContextVar("agreements", default=None)
"""The assumptions since `noting` was entered; None outside of it."""


@contextmanager
def noting() -> Generator[list[Agreement]]:
    """The assumptions that are made while the context is open, in order."""
    found: list[Agreement] = []
    before = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(before)


def agreed(a: Dim, b: Dim) -> Dim | None:
    """The size that `a` and `b` both are, in its simpler form; None if they differ."""
    if a == b:
        return a
    if differ(a, b):
        return None
    _note(Agreement((a, b)))
    return min(a, b, key=_complexity)


def agree(a: Dim, b: Dim) -> bool:
    """Whether two sizes may be equal, which is then assumed."""
    return agreed(a, b) is not None


def agreed_shape(a: Sequence[Dim], b: Sequence[Dim]) -> tuple[Dim, ...] | None:
    """The shape that `a` and `b` both are; None if they differ."""
    if len(a) != len(b):
        return None
    found = [agreed(x, y) for x, y in zip(a, b, strict=True)]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else None


def differ(a: Dim, b: Dim) -> bool:
    """
    Whether two sizes differ for all symbols of one or more; of none or more where one
    of the sizes is known to be zero.
    """
    least = dict.fromkeys(symbols_of(a) | symbols_of(b), 0 if 0 in (a, b) else 1)
    return is_nonnegative(a - b - 1, least) or is_nonnegative(b - a - 1, least)


def stretched(a: Dim, to: Dim) -> bool:
    """Whether an axis of size `a` may be repeated to a size, which is then assumed."""
    if a in (1, to):
        return True
    if _related(a, to):
        return agree(a, to)
    _note(Agreement((a, to), (a,)))
    return True


def broadcast(*types: Tensor) -> tuple[Dim, ...]:
    """The dimensions that tensors of these types broadcast to, by numpy's rule."""
    result: list[Dim] = []
    shapes = [sizes(type) for type in types]
    for back in range(1, max(map(len, shapes)) + 1):
        here = _joined([shape[-back] for shape in shapes if len(shape) >= back])
        if here is None:
            raise VerifyException(
                "expected operands that broadcast, got "
                + " and ".join(str(type) for type in types)
            )
        result.append(here)
    return tuple(reversed(result))


def is_open(here: Sequence[Dim]) -> bool:
    """Whether each of some sizes that broadcast may be 1 where another is not."""
    return len({_symbols(each) for each in here if each != 1}) > 1


def _joined(here: Sequence[Dim]) -> Dim | None:
    """The size that axes of these sizes broadcast to; None when they do not."""
    alike: dict[frozenset[str], Dim] = {}
    for each in here:
        if each == 1:
            continue
        key = _symbols(each)
        found = agreed(alike.get(key, each), each)
        if found is None:
            return None
        alike[key] = found
    result: Dim = 1
    for each in alike.values():
        if result == minimum(1, each):
            result = each
        elif each != minimum(1, result):
            if result != 1:
                ones = tuple(s for s in (result, each) if not isinstance(s, int))
                _note(Agreement((result, each), ones))
            result = broadcast_size(result, each)
    return result


def _related(a: Dim, b: Dim) -> bool:
    """Whether none of two sizes is meant to be 1 without the other."""
    return _symbols(a) == _symbols(b)


@lru_cache(_MAX_CACHED_SIZES)
def _symbols(size: Dim) -> frozenset[str]:
    """What a size depends on; one that is at most 1 counts as a symbol by itself."""
    if not isinstance(size, int) and is_nonnegative(1 - size, {}):
        return frozenset({str(size)})
    return frozenset(symbols_of(size))


def _complexity(size: Dim) -> tuple[int, int]:
    """How much there is to a size: a number is the simplest, then a symbol."""
    terms = terms_of(size)
    if isinstance(size, int):
        return 0, 0
    calls = str(size).count("(")
    return 1 + calls, sum(len(monomial) + (factor != 1) for monomial, factor in terms)


def _zero_where_equal(a: Dim, b: Dim) -> Dim:
    """What is zero where two sizes are equal, and negative elsewhere."""
    return minimum(a - b, b - a)


def _note(agreement: Agreement) -> None:
    """Adds an assumption to those that are noted."""
    if (found := _noted.get()) is not None:
        found.append(agreement)
