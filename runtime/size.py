"""
Sizes that a call determines: evaluate the text of a dimension for the call's symbols.

The text is what the compiler writes, such as `2 * batch` or `floordiv(n + 1, 2)`. Only
sums, products and three functions are read; all else is refused.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

Symbols: TypeAlias = Mapping[str, int]
Size: TypeAlias = int | str
"""A number, or the text of a dimension."""

FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "floordiv": lambda a, b: a // b if b else 0,
    "min": min,
    "max": max,
}

OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}

NAME = re.compile(r"[A-Za-z_][\w.]*")
TOKEN = re.compile(rf"[0-9]+|{NAME.pattern}|\S")

Expression: TypeAlias = "int | str | tuple[str, Expression, Expression]"
"""A number, a symbol, or a function of two expressions."""


def evaluate(size: Size, symbols: Symbols) -> int:
    """The number that `size` is; raises `ValueError` for text that is no dimension."""
    if isinstance(size, int):
        return size
    try:
        return _value(_parsed(size), symbols)
    except RecursionError as error:
        raise ValueError(f"expected a dimension, got {size[:80]!r}...") from error


def symbols_in(size: Size) -> frozenset[str]:
    """The symbols that `size` is computed from; raises `ValueError` as `evaluate`."""
    found = set[str]()
    pending: list[Expression] = [_parsed(size) if isinstance(size, str) else size]
    while pending:
        match pending.pop():
            case str(name):
                found.add(name)
            case (_, left, right):
                pending += left, right
            case _:
                pass
    return frozenset(found)


def _value(expression: Expression, symbols: Symbols) -> int:
    match expression:
        case int(number):
            return number
        case str(name):
            if name not in symbols:
                known = ", ".join(symbols) or "none"
                raise ValueError(f"expected a symbol among {known}, got {name!r}")
            return symbols[name]
        case (function, left, right):
            apply = OPERATORS.get(function) or FUNCTIONS[function]
            return apply(_value(left, symbols), _value(right, symbols))


@cache
def _parsed(text: str) -> Expression:
    try:
        return _Reader(text).whole()
    except RecursionError as error:
        raise ValueError(f"expected a dimension, got {text[:80]!r}...") from error


class _Reader:
    """A recursive-descent reader of dimensions."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = TOKEN.findall(text)[::-1]

    def whole(self) -> Expression:
        value = self.sum()
        if self.tokens:
            raise self.error()
        return value

    def sum(self) -> Expression:
        value = self.product()
        while self.next in ("+", "-"):
            value = (self.tokens.pop(), value, self.product())
        return value

    def product(self) -> Expression:
        value = self.atom()
        while self.next == "*":
            value = (self.tokens.pop(), value, self.atom())
        return value

    def atom(self) -> Expression:
        token = self.tokens.pop() if self.tokens else ""
        if token == "-":
            return ("-", 0, self.atom())
        if token == "(":
            value = self.sum()
            self.expect(")")
            return value
        if token in FUNCTIONS and self.next == "(":
            self.expect("(")
            left = self.sum()
            self.expect(",")
            right = self.sum()
            self.expect(")")
            return (token, left, right)
        if NAME.fullmatch(token):
            return token
        if token.isascii() and token.isdigit():
            return int(token)
        raise self.error()

    @property
    def next(self) -> str:
        """The next token; nothing at the end."""
        return self.tokens[-1] if self.tokens else ""

    def expect(self, token: str) -> None:
        if self.next != token:
            raise self.error()
        self.tokens.pop()

    def error(self) -> ValueError:
        return ValueError(f"expected a dimension, got {self.text!r}")
