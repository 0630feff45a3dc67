"""
Build ops on integers of 64 bits, each once.

Those without effects stand in the outermost block that has their operands, where all
that is inside can use them; an operation on constants is a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..abi import LIMIT
from .function import BIT, Block, Function, Op, Signature, Value, type_of

_BITS = 2**64


def _wrapped(number: int) -> int:
    """A number as the 64 bits that it is cut to."""
    return (number + _BITS // 2) % _BITS - _BITS // 2


def _capped(number: int) -> int:
    """A number that is not negative, or the limit where that is less."""
    return min(number, LIMIT)


FOLDED: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: _wrapped(a + b),
    "sub": lambda a, b: _wrapped(a - b),
    "mul": lambda a, b: _wrapped(a * b),
    "floordiv": lambda a, b: _wrapped(a // b) if b else 0,
    "min": min,
    "max": max,
    "umin": lambda a, b: _wrapped(min(a % _BITS, b % _BITS)),
    "umax": lambda a, b: _wrapped(max(a % _BITS, b % _BITS)),
    "add_capped": lambda a, b: _capped(a + b),
    "mul_capped": lambda a, b: _capped(a * b),
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "ult": lambda a, b: a % _BITS < b % _BITS,
    "ule": lambda a, b: a % _BITS <= b % _BITS,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: _wrapped(a << b),
    "lshr": lambda a, b: _wrapped(a % _BITS >> b),
}
"""What the ops of two operands compute, of numbers of 64 bits."""

COMPARISONS = frozenset(("eq", "ne", "lt", "le", "ult", "ule"))
"""The ops whose result is a bit."""

_UNCHANGED = {
    **dict.fromkeys(("add", "sub", "or", "xor", "shl", "lshr", "add_capped"), 0),
    **dict.fromkeys(("mul", "floordiv", "mul_capped"), 1),
}
"""The right operand with which an op has the left as its result."""

_COMMUTES = frozenset(("add", "mul", "or", "xor", "add_capped", "mul_capped", "and"))


class ArithmeticBuilder:
    """Builds ops; they are added where the last open block of the function ends."""

    def __init__(self, signature: Signature, attributes: str = "", linkage: str = ""):
        """A function without ops."""
        parameters = [
            Op("parameter", type=each, data=at)
            for at, each in enumerate(signature.parameters)
        ]
        self.function = Function(signature, parameters, Block(), attributes)
        self.function.linkage = linkage
        self.open = [self.function.body]

    @property
    def parameters(self) -> tuple[Op, ...]:
        """The values that the function is called with."""
        return tuple(self.function.parameters)

    def pure(
        self, name: str, operands: tuple[Value, ...], type: str, data: Any = None
    ) -> Op:
        """An op without effects, built where its operands are unless it is there."""
        depth = 0
        for each in operands:
            if isinstance(each, Op) and each.depth > depth:
                depth = each.depth
        depth = min(depth, len(self.open) - 1)
        block = self.open[depth]
        key = name, operands, type, data
        found = block.known.get(key)
        if found is None:
            found = Op(name, operands, type, data, depth=depth)
            block.known[key] = found
            block.ops.append(found)
        return found

    def do(
        self,
        name: str,
        operands: tuple[Value, ...] = (),
        type: str | None = None,
        data: Any = None,
        blocks: tuple[Block, ...] = (),
    ) -> Op:
        """An op with effects, built here."""
        made = Op(name, operands, type, data, blocks, len(self.open) - 1)
        self.open[-1].ops.append(made)
        return made

    def binary(self, name: str, a: Value, b: Value) -> Value:
        """An op of two integers, or of two bits."""
        if not isinstance(a, Op):
            if not isinstance(b, Op):
                return FOLDED[name](a, b)
            if name in _COMMUTES:
                a, b = b, a
        if not isinstance(b, Op) and isinstance(a, Op):
            if b == _UNCHANGED.get(name) and not isinstance(b, bool):
                return a
            if name in ("mul", "and") and b == 0 and not isinstance(b, bool):
                return 0
            if name in ("and", "or") and isinstance(b, bool):
                return a if b is (name == "and") else b
        type = BIT if name in COMPARISONS else type_of(a)
        return self.pure(name, (a, b), type)

    def add(self, a: Value, b: Value) -> Value:
        """The sum."""
        return self.binary("add", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        """The difference."""
        return self.binary("sub", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        """The product."""
        return self.binary("mul", a, b)

    def floordiv(self, a: Value, b: Value) -> Value:
        """The quotient rounded down; zero where the divisor is zero."""
        return self.binary("floordiv", a, b)

    def min(self, a: Value, b: Value) -> Value:
        """The lesser."""
        return self.binary("min", a, b)

    def max(self, a: Value, b: Value) -> Value:
        """The greater."""
        return self.binary("max", a, b)

    def eq(self, a: Value, b: Value) -> Value:
        """Whether both are equal."""
        return self.binary("eq", a, b)

    def ne(self, a: Value, b: Value) -> Value:
        """Whether both differ."""
        return self.binary("ne", a, b)

    def lt(self, a: Value, b: Value) -> Value:
        """Whether one is less than another."""
        return self.binary("lt", a, b)

    def le(self, a: Value, b: Value) -> Value:
        """Whether one is not greater than another."""
        return self.binary("le", a, b)

    def both(self, *bits: Value) -> Value:
        """Whether all bits are set."""
        result: Value = True
        for each in bits:
            result = self.binary("and", result, each)
        return result

    def either(self, *bits: Value) -> Value:
        """Whether a bit is set."""
        result: Value = False
        for each in bits:
            result = self.binary("or", result, each)
        return result

    def select(self, bit: Value, one: Value, other: Value) -> Value:
        """One value where a bit is set, another where it is not."""
        if not isinstance(bit, Op):
            return one if bit else other
        if one is other or (not isinstance(one, Op) and one == other):
            return one
        return self.pure("select", (bit, one, other), type_of(one))

    def rounded(self, size: Value, unit: int) -> Value:
        """The least multiple of a power of two that is not less."""
        return self.binary("and", self.add(size, unit - 1), -unit)
