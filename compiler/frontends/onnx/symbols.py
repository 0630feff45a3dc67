"""The dimensions of a model's inputs: numbers and symbols."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping

from ....dialects import (
    FUNCTIONS,
    Dim,
    Polynomial,
    affine,
    dim,
    evaluate,
    symbol,
    symbols_of,
)
from ...session import CompileError

_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
_MAX_EXPRESSION = 256
"""The most characters of a dimension's text that is parsed as an expression."""

_LONGEST_NAME = 64
"""The most characters of a dimension's text that are used in the name of a symbol."""

GREATEST = 2**63 - 1
"""The upper bound of a symbol without a known bound."""


class Symbols:
    """The symbols of one model by the model's names, and their bounds."""

    def __init__(
        self, names: Iterable[str] = (), bounds: Mapping[str, int] | None = None
    ):
        """
        The symbols of those among `names` that are identifiers; the user gives some
        symbols `bounds`.
        """
        self.bounds = bounds or {}
        self.names: dict[str, None] = {}
        """The names of all symbols, in order."""
        self.defined: set[str] = set()
        """Symbols that are defined at run time, and not by an input."""
        self.slices: dict[Hashable, tuple[Dim, Dim]] = {}
        """The start and size of each slice between values that only a run knows."""
        self.run_time: dict[Hashable, Polynomial] = {}
        """The size of each element that nodes read as a size in a run."""
        self._named: dict[str, Dim] = {}
        self._numbers: dict[str, int] = {}
        """The last number that was appended to a name to make it unique."""
        for name in names:
            if _IDENTIFIER.fullmatch(name) and name not in self._named:
                self._named[name] = self.fresh(name)

    def fresh(self, name: str) -> Polynomial:
        """A new symbol called `name`, changed to an unused identifier if needed."""
        base = re.sub(r"[^\w.]", "_", name[:_LONGEST_NAME], flags=re.ASCII)
        if not _IDENTIFIER.fullmatch(base):
            base = f"_{base}"
        free, number = base, self._numbers.get(base, 0)
        while free in self.names or free in FUNCTIONS:
            number += 1
            free = f"{base}_{number}"
        self._numbers[base] = number
        self.names[free] = None
        return symbol(free)

    def bind(self, name: str, size: int) -> None:
        """The dimension called `name` is a number in every run."""
        known = self._named.setdefault(name, size)
        if isinstance(known, Polynomial):
            self.names.pop(str(known), None)
            self._named[name] = size
        elif known != size:
            raise CompileError(f"expected one size {name}, got {known} and {size}")

    def define(self, name: str) -> Polynomial:
        """A new symbol that is defined at run time."""
        made = self.fresh(name)
        self.defined.add(str(made))
        return made

    def read(self, text: str, otherwise: str) -> Dim:
        """
        The dimension with the text `text` in an input.

        It is a symbol of this name, an expression over symbols of other dimensions, a
        multiple of a symbol that no other dimension is, or a new symbol for text
        without a letter such as `?` or `-1`. It is never a number, since numbers stand
        in `dim_value`.
        """
        if text in self._named:
            return self._named[text]
        if (expression := self._expression(text)) is not None:
            return expression
        if not re.search(r"[^\W\d_]", text):
            return self.fresh(otherwise)
        self._named[text] = self.fresh(text)
        return self._named[text]

    def of_name(self, text: str) -> Dim | None:
        """The size that a text of the model means by known names; None without one."""
        if text in self._named:
            return self._named[text]
        return self._evaluated(text, self._named)

    def of_text(self, text: str) -> Dim | None:
        """The size that our own text of one means."""
        return self._evaluated(text, {each: symbol(each) for each in self.names})

    def _evaluated(self, text: str, known: Mapping[str, Dim]) -> Dim | None:
        """A text as an expression over what is known; None where it is none."""
        if not text or len(text) > _MAX_EXPRESSION:
            return None
        try:
            size = dim(text)
            return evaluate(size, known) if symbols_of(size) <= known.keys() else None
        except ValueError:
            return None

    def _expression(self, text: str) -> Polynomial | None:
        """
        The dimension that `text` describes if it depends on known symbols only, or is
        the first to tell what a symbol is.
        """
        if not text or len(text) > _MAX_EXPRESSION:
            return None
        try:
            value = dim(text)
            if (name := _determined(value)) is not None and name not in self._named:
                self._named[name] = self.fresh(name)
            if not symbols_of(value) <= self._named.keys():
                return None
            value = evaluate(value, self._named)
        except ValueError:
            return None
        return value if isinstance(value, Polynomial) else None


def _determined(size: Dim) -> str | None:
    """
    The symbol of a size such as `2 * n` or `n + 1`; None for one that may be a name,
    such as `n - 1`.
    """
    match affine(size):
        case (name, factor, offset) if factor > 0 and offset >= 0:
            return name
        case _:
            return None
