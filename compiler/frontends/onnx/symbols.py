"""The dimensions of a model's inputs: numbers, and symbols for those that are not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ....dialects.dims import (
    FUNCTIONS,
    Atom,
    Call,
    Dim,
    Polynomial,
    Symbol,
    dim,
    evaluate,
    maximum,
    minimum,
    symbol,
    symbols_of,
)

IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
LONGEST = 256
"""Characters of a dimension's text that is read as an expression."""

GREATEST = 2**63 - 1
"""The upper bound of a symbol of which nothing is known."""


def is_nonnegative(value: Dim, least: Mapping[str, int]) -> bool:
    """Whether `value` is at least zero for symbols from `least` up; no if unclear."""
    moved = evaluate(value, {name: symbol(name) + low for name, low in least.items()})
    if isinstance(moved, int):
        return moved >= 0
    for monomial, factor in moved.terms:
        match monomial:
            case (Call("min" | "max" as function, arguments),):
                # One of the arguments is the value, which one is not known.
                enough = any if (function == "max") == (factor > 0) else all
                rest = moved - Polynomial(((monomial, factor),))
                return enough(
                    is_nonnegative(rest + each * factor, {}) for each in arguments
                )
            case _:
                pass
    return all(
        factor > 0 and all(map(_is_nonnegative, monomial))
        for monomial, factor in moved.terms
    )


def _is_nonnegative(atom: Atom) -> bool:
    if isinstance(atom, Symbol):
        return True
    enough = any if atom.function == "max" else all
    return enough(is_nonnegative(each, {}) for each in atom.arguments)


class Symbols:
    """The symbols of one model by the names that it has for them, and their bounds."""

    def __init__(self, names: Iterable[str] = ()):
        """The symbols of those among `names` that are identifiers."""
        self.least: dict[str, int] = {}
        self.defined: set[str] = set()
        """Symbols to which the run gives a value, and not its inputs."""
        self._named: dict[str, Dim] = {}
        for name in names:
            if IDENTIFIER.fullmatch(name) and name not in self._named:
                self._named[name] = self.fresh(name)

    def fresh(self, name: str) -> Polynomial:
        """A new symbol, called `name` as far as that is free and an identifier."""
        base = re.sub(r"[^\w.]", "_", name, flags=re.ASCII)
        if not IDENTIFIER.fullmatch(base):
            base = f"_{base}"
        free, number = base, 0
        while free in self.least or free in FUNCTIONS:
            number += 1
            free = f"{base}_{number}"
        self.least[free] = 0
        return symbol(free)

    def define(self, name: str) -> Polynomial:
        """A new symbol that the run gives a value."""
        made = self.fresh(name)
        self.defined.add(str(made))
        return made

    def read(self, text: str, otherwise: str) -> Dim:
        """
        The dimension that an input calls `text`.

        That is a symbol of this name, an expression over symbols that other dimensions
        are, or, for text without a letter such as `?`, a new symbol.
        """
        if text in self._named:
            return self._named[text]
        if (expression := self._expression(text)) is not None:
            return expression
        if not re.search(r"[^\W\d_]", text):
            return self.fresh(otherwise)
        self._named[text] = self.fresh(text)
        return self._named[text]

    def _expression(self, text: str) -> Dim | None:
        """What `text` describes if it has known symbols only, and is not negative."""
        if not text or len(text) > LONGEST:
            return None
        try:
            value = dim(text)
        except ValueError:
            return None
        if not symbols_of(value) <= set(self._named):
            return None
        value = evaluate(value, self._named)
        return None if isinstance(value, int) and value < 0 else value

    def is_nonnegative(self, value: Dim) -> bool:
        """Whether `value` is at least zero in every run; no when that is unclear."""
        return is_nonnegative(value, self.least)

    def assume_nonnegative(self, value: Dim) -> bool:
        """
        Whether `value` is at least zero when no size that it depends on is zero.

        If it takes that, runs with a size of zero are excluded from here on, so that a
        slice such as `x[1:]` has the size `n - 1` and not the greater of that and zero.
        """
        if self.is_nonnegative(value):
            return True
        raised = {name: max(1, self.least[name]) for name in symbols_of(value)}
        if not is_nonnegative(value, self.least | raised):
            return False
        self.least.update(raised)
        return True

    def lesser(self, a: Dim, b: Dim) -> Dim:
        """The lesser of two dimensions, without `min` where one of them always is."""
        if self.assume_nonnegative(b - a):
            return a
        return b if self.assume_nonnegative(a - b) else minimum(a, b)

    def greater(self, a: Dim, b: Dim) -> Dim:
        """The greater of two dimensions, without `max` where one of them always is."""
        if self.assume_nonnegative(a - b):
            return a
        return b if self.assume_nonnegative(b - a) else maximum(a, b)
