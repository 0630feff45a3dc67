"""
Write sums and products of i64, constants reassociated to the end, none twice in a
block.

    (i + 2) * 64 + j + 1    becomes    (i * 64 + j) + 129

So all elements of a register tile have one address with different numbers added, which
an x86-64 instruction has room for. LLVM's passes would find that too, but few of them
run for most kernels.
"""

from __future__ import annotations

from collections.abc import Mapping

from .dimensions import DimensionWriter

_SIGN = 1 << 63
"""What the first bit of an i64 counts, below zero."""


class IndexWriter(DimensionWriter):
    """The lines of a function, and the arithmetic of its indices."""

    def __init__(self, symbols: Mapping[str, str]):
        """A function in which each symbol is the i64 that `symbols` names."""
        super().__init__(symbols)
        self.lines: list[str] = []
        self.sums: dict[str, tuple[str, int]] = {}
        """Of each i64 that is another and a number, these two."""
        self.written: dict[str, str] = {}
        """The names of what the present block has computed."""
        self.divisors: dict[str, str] = {}

    def emit(self, instruction: str) -> str:
        """Adds an instruction; the name of its result."""
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def forget(self) -> None:
        """Begins a block, which has computed nothing."""
        self.written.clear()

    def add(self, a: str, b: str) -> str:
        """The sum of two i64."""
        (x, more), (y, most) = self.split_constant(a), self.split_constant(b)
        if "0" in (x, y):
            return self.plus(y if x == "0" else x, more + most)
        return self.plus(self.once(f"add nsw i64 {x}, {y}"), more + most)

    def mul(self, a: str, b: str) -> str:
        """The product of two i64."""
        if is_number(a):
            a, b = b, a
        if not is_number(b):
            return self.once(f"mul nsw i64 {a}, {b}")
        (x, more), factor = self.split_constant(a), int(b)
        if x == "0" or factor == 0:
            return self.plus("0", more * factor)
        product = x if factor == 1 else self.once(f"mul nsw i64 {x}, {factor}")
        return self.plus(product, more * factor)

    def minus(self, a: str, b: str) -> str:
        """The difference of two i64."""
        return "0" if a == b else self.add(a, self.mul(b, "-1"))

    def split_constant(self, a: str) -> tuple[str, int]:
        """An i64 as another, or zero, and a number that is added to it."""
        return ("0", int(a)) if is_number(a) else self.sums.get(a, (a, 0))

    def plus(self, x: str, number: int) -> str:
        """An i64 and a number added to it."""
        # Where there are no elements to address, strides may be as large as an i64.
        number = (number + _SIGN) % (2 * _SIGN) - _SIGN
        if x == "0" or number == 0:
            return str(number) if x == "0" else x
        name = self.once(f"add nsw i64 {x}, {number}")
        self.sums[name] = x, number
        return name

    def positive(self, size: str) -> str:
        """A size, or one where it is zero, computed once at the entry."""
        if size not in self.divisors:
            text = f"call i64 @llvm.smax.i64(i64 {size}, i64 1)"
            self.divisors[size] = self.entered(text)
        return self.divisors[size]

    def once(self, instruction: str) -> str:
        """Adds an instruction without effects, unless the block has it already."""
        if instruction not in self.written:
            self.written[instruction] = self.emit(instruction)
        return self.written[instruction]


def is_number(text: str) -> bool:
    """Whether an i64 is written as a number."""
    return text.lstrip("-").isdigit()
