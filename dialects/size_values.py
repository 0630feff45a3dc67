"""
What both builders of sizes share (`program_to_host`, `loop_to_llvm`): the values that
symbols have, and which long sum is computed from the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from xdsl.utils.exceptions import VerifyException

from .dims import Dim, Polynomial, SizeError, Symbol

_LONG_SUM = 8
"""Terms of a sum, at least, that the next long sum may be computed from."""

_Value = TypeVar("_Value")


def is_long_sum(size: Polynomial) -> bool:
    """Whether a sum has enough terms that the next long one is computed from it."""
    return len(size.terms) >= _LONG_SUM


def short_difference(size: Polynomial, other: Polynomial | None) -> Dim | None:
    """
    The difference between two long sums, when it has less than half of the terms of
    `size`; None when it has more, or one of the sums is not long.
    """
    if other is None or not is_long_sum(size):
        return None
    # Counted first: the difference of two sums may be greater than any size may be.
    apart = {monomial for monomial, _ in {*size.terms} ^ {*other.terms}}
    if 2 * len(apart) >= len(size.terms):
        return None
    try:
        return size - other
    except SizeError:
        return None


def as_word(number: int) -> int:
    """The number, which has 64 bits; raises `SizeError` for a greater one."""
    if abs(number) >= 2**63:
        raise SizeError(f"expected numbers of 64 bits, got {number}")
    return number


def value_of(symbol: Symbol, values: Mapping[str, _Value]) -> _Value:
    """The value of a symbol; raises `VerifyException` when it has none yet."""
    if symbol.name not in values:
        known = ", ".join(values) or "none"
        raise VerifyException(
            "expected every symbol to be a dimension of an input by itself, or defined "
            f"before it is used ({known}), got {symbol.name}"
        )
    return values[symbol.name]
