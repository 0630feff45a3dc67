"""
Prove that a dimension is not negative, whatever its symbols are.

Not all is proven that holds; what is proven depends on the dimension alone. The steps
of a proof are bounded, since sizes that models compute nest functions of functions.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from .polynomial import Atom, Call, Dim, Polynomial, SizeError, Symbol

_MOST_PARTS = 1 << 8
"""The most dimensions that a proof looks at."""

_MOST_CACHED = 1 << 12
"""Dimensions for which it is kept whether they are negative."""


@lru_cache(_MOST_CACHED)
def is_proven(value: Dim) -> bool:
    """Whether a dimension is provably not negative, in a bounded number of steps."""
    try:
        return Proof().holds(value)
    except SizeError:
        return False


class Proof:
    """A proof that a dimension is not negative, and the parts that it has by now."""

    def __init__(self) -> None:
        self.known: dict[Dim, bool] = {}

    def holds(self, value: Dim) -> bool:
        """Whether it is proven; each part counts as not proven while it is tried."""
        if isinstance(value, int):
            return value >= 0
        if value not in self.known:
            if len(self.known) >= _MOST_PARTS:
                return False
            self.known[value] = False
            self.known[value] = self.found(value)
        return self.known[value]

    def found(self, value: Polynomial) -> bool:
        """The same, from what is proven of simpler dimensions."""
        for monomial, factor in value.terms:
            match monomial:
                case (Call("min" | "max" | "broadcast" as function, arguments),):
                    # The call equals one of its arguments, but it is not known which.
                    better = "max" if factor > 0 else "min"
                    enough = any if function == better else all
                    rest = value - Polynomial(((monomial, factor),))
                    return enough(self.holds(rest + e * factor) for e in arguments)
                case (Call("floordiv", (whole, int(by))),) if by > 0:
                    # Times its divisor, a quotient is less than one divisor off; and
                    # an integer is not negative if some times of it, plus less than
                    # that many, is not.
                    times = by // gcd(factor, by)
                    bound = (whole - (by - 1) if factor > 0 else whole) * (
                        factor * times // by
                    )
                    rest = (value - Polynomial(((monomial, factor),))) * times
                    if self.holds(rest + bound + (times - 1)):
                        return True
                case _:
                    pass
        return all(
            factor > 0 and all(map(self.of_atom, monomial))
            for monomial, factor in value.terms
        )

    def of_atom(self, atom: Atom) -> bool:
        """Whether a symbol or a call is proven to be not negative."""
        if isinstance(atom, Symbol):
            return True
        enough = any if atom.function == "max" else all
        return enough(self.holds(each) for each in atom.arguments)
