"""
Sizes that a call determines: evaluate the text of a dimension for the call's symbols.

The text is what the compiler writes, such as `2 * batch` or `floordiv(n + 1, 2)`. Only
sums, products and four functions are read; all else is refused.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from ..files import shortened

Symbols: TypeAlias = Mapping[str, int]
Size: TypeAlias = int | str
"""A number, or the text of a dimension."""

FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "floordiv": lambda a, b: a // b if b else 0,
    "min": min,
    "max": max,
    "broadcast": lambda a, b: b if a == 1 else a,
}

_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}

NAME = re.compile(r"[A-Za-z_][\w.]*")
_TOKEN = re.compile(rf"[0-9]+|{NAME.pattern}|\S")

_MOST_TEXT = 1 << 19
"""Characters of a text that is read: twice those of the compiler's longest."""

MOST_DIGITS = 40
"""Digits of a number, some more than the compiler writes."""

_MAX_DEPTH = 128
"""Parentheses inside each other: twice as many as the compiler writes."""

_MAX_CACHED_TEXTS = 1 << 12
"""Texts whose steps are cached."""

_Step: TypeAlias = int | str | Callable[[int, int], int]
"""
A number, a symbol, or a function of the last two values that steps before it left.
"""


def integer(value: Any, what: str) -> int:
    """`value` as an integer; raises `TypeError`, which says `what` was expected."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeError(f"expected {what}, got {value!r}") from error


def evaluate(size: Size, symbols: Symbols) -> int:
    """The number that `size` is; raises `ValueError` for text that is no dimension."""
    if isinstance(size, int):
        return size
    values: list[int] = []
    for step in _steps(size):
        if isinstance(step, int):
            values.append(step)
        elif isinstance(step, str):
            if step not in symbols:
                known = ", ".join(symbols) or "none"
                raise ValueError(f"expected a symbol among {known}, got {step!r}")
            values.append(symbols[step])
        else:
            right = values.pop()
            values.append(step(values.pop(), right))
    return values.pop()


def symbols_in(size: Size) -> frozenset[str]:
    """The symbols that `size` is computed from; raises `ValueError` as `evaluate`."""
    if isinstance(size, int):
        return frozenset()
    return frozenset(step for step in _steps(size) if isinstance(step, str))


@lru_cache(_MAX_CACHED_TEXTS)
def _steps(text: str) -> tuple[_Step, ...]:
    """What computes the dimension of a text, one step after the other."""
    if len(text) > _MOST_TEXT:
        raise ValueError(
            f"expected a dimension of at most {_MOST_TEXT} characters, got {len(text)}"
        )
    return tuple(_Reader(text).whole())


class _Reader:
    """A recursive-descent reader of dimensions."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = _TOKEN.findall(text)[::-1]
        self.steps: list[_Step] = []
        self.depth = 0

    def whole(self) -> list[_Step]:
        self.sum()
        if self.tokens:
            raise self.error()
        return self.steps

    def sum(self) -> None:
        self.product()
        while self.next in ("+", "-"):
            apply = _OPERATORS[self.tokens.pop()]
            self.product()
            self.steps.append(apply)

    def product(self) -> None:
        self.atom()
        while self.next == "*":
            self.tokens.pop()
            self.atom()
            self.steps.append(operator.mul)

    def atom(self) -> None:
        if negative := self.next == "-":
            self.tokens.pop()
            self.steps.append(0)
        token = self.next
        if token == "(":
            self.inside(1)
        elif NAME.fullmatch(token):
            self.tokens.pop()
            if token in FUNCTIONS and self.next == "(":
                self.inside(2)
                self.steps.append(FUNCTIONS[token])
            else:
                self.steps.append(token)
        elif token.isascii() and token.isdigit() and len(token) <= MOST_DIGITS:
            self.steps.append(int(self.tokens.pop()))
        else:
            raise self.error()
        if negative:
            self.steps.append(operator.sub)

    def inside(self, count: int) -> None:
        """`count` sums in parentheses."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.error()
        for before in ("(", ",")[:count]:
            self.expect(before)
            self.sum()
        self.expect(")")
        self.depth -= 1

    @property
    def next(self) -> str:
        """The next token; nothing at the end."""
        return self.tokens[-1] if self.tokens else ""

    def expect(self, token: str) -> None:
        if self.next != token:
            raise self.error()
        self.tokens.pop()

    def error(self) -> ValueError:
        return ValueError(f"expected a dimension, got {shortened(self.text)!r}")
