"""
Write instructions: those of the entry, which run once, and those of the body.

What the entry computes has a register of its own, so that the body may use it anywhere.
A size is computed once, where its symbols are known at the entry.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...dialects import Atom, Dim, Polynomial, Symbol, symbols_of
from ...runtime import CONTEXT, WORD, Opcode, Words

_FUNCTIONS = {
    "floordiv": Opcode.DIVIDE,
    "min": Opcode.MINIMUM,
    "max": Opcode.MAXIMUM,
}


class Assembler:
    """Instructions, and the registers that they use."""

    def __init__(self) -> None:
        """No instructions yet; the context has the first register."""
        self.registers = CONTEXT + 1
        self.entry: list[tuple[int, int, int, int]] = []
        self.body: list[tuple[int, int, int, int]] = []
        self.into = self.entry
        """Where instructions go: one of both."""
        self.numbers: dict[int, int] = {}
        self.fields: dict[int, int] = {}
        self.sizes: dict[Dim, int] = {}
        self.calls: dict[Atom, int] = {}
        self.symbols: dict[str, int] = {}
        """The registers of symbols that are known at the entry."""

    def take(self, count: int = 1) -> int:
        """The first of so many registers that nothing uses."""
        self.registers += count
        return self.registers - count

    def emit(self, op: Opcode, a: int = 0, b: int = 0, c: int = 0) -> None:
        """Writes an instruction."""
        self.into.append((op, a, b, c))

    def compute(self, op: Opcode, b: int, c: int = 0) -> int:
        """Writes an instruction with a result; the register that this is in."""
        made = self.take()
        self.emit(op, made, b, c)
        return made

    def number(self, value: int) -> int:
        """The register of a number, which the entry sets."""
        if value not in self.numbers:
            made = self.numbers[value] = self.take()
            self.entry.append((Opcode.CONSTANT, made, value, 0))
        return self.numbers[value]

    def at_entry(self, op: Opcode, b: int, c: int = 0) -> int:
        """As `compute`, at the entry."""
        before, self.into = self.into, self.entry
        made = self.compute(op, b, c)
        self.into = before
        return made

    def field(self, number: int) -> int:
        """The register of a field of the context as it is at the entry."""
        if number not in self.fields:
            self.fields[number] = self.at_entry(Opcode.LOAD, CONTEXT, number * WORD)
        return self.fields[number]

    def size(self, size: Dim) -> int:
        """The register of a dimension whose symbols are known at the entry."""
        if isinstance(size, int):
            return self.number(size)
        if size not in self.sizes:
            before, self.into = self.into, self.entry
            self.sizes[size] = self._sum(size, self.symbols, self.sizes, self.calls)
            self.into = before
        return self.sizes[size]

    def size_here(self, size: Dim, symbols: Mapping[str, int]) -> int:
        """The register of a dimension of any symbols, computed here."""
        if symbols_of(size) <= self.symbols.keys():
            return self.size(size)
        assert not isinstance(size, int), "a number has no symbols"
        return self._sum(size, {**self.symbols, **symbols}, {}, {})

    def _sum(
        self,
        size: Polynomial,
        symbols: Mapping[str, int],
        sizes: dict[Dim, int],
        calls: dict[Atom, int],
    ) -> int:
        """The register of a polynomial, computed where instructions go."""
        total: int | None = None
        for monomial, factor in size.terms:
            term: int | None = None if factor == 1 and monomial else self.number(factor)
            for atom in monomial:
                each = self._atom(atom, symbols, sizes, calls)
                if term is None:
                    term = each
                else:
                    term = self.compute(Opcode.MULTIPLY, term, each)
            assert term is not None, "a term is a number or has an atom"
            total = term if total is None else self.compute(Opcode.ADD, total, term)
        return self.number(0) if total is None else total

    def _atom(
        self,
        atom: Atom,
        symbols: Mapping[str, int],
        sizes: dict[Dim, int],
        calls: dict[Atom, int],
    ) -> int:
        """The register of a symbol, or of a function of dimensions."""
        if isinstance(atom, Symbol):
            return symbols[atom.name]
        if atom not in calls:
            one, other = (
                self.number(each)
                if isinstance(each, int)
                else self._sum(each, symbols, sizes, calls)
                for each in atom.arguments
            )
            if atom.function == "broadcast":
                calls[atom] = self._broadcast(one, other)
            else:
                calls[atom] = self.compute(_FUNCTIONS[atom.function], one, other)
        return calls[atom]

    def _broadcast(self, one: int, other: int) -> int:
        """The first dimension; where it is one, the other."""
        is_one = self.compute(Opcode.EQUAL, one, self.number(1))
        more = self.compute(Opcode.SUBTRACT, other, one)
        part = self.compute(Opcode.MULTIPLY, is_one, more)
        return self.compute(Opcode.ADD, one, part)

    def branch(self, op: Opcode, register: int = 0) -> int:
        """Writes a jump, whose end is set by `land`; its place in the body."""
        self.emit(op, register, 0)
        return len(self.body) - 1

    def land(self, jump: int, at: int | None = None) -> None:
        """Lets a jump of the body go on here, or at another place of the body."""
        op, a, _, c = self.body[jump]
        self.body[jump] = op, a, len(self.body) if at is None else at, c

    def code(self) -> Words:
        """The entry, then the body, as words."""
        moved = len(self.entry)
        jumps = (Opcode.JUMP, Opcode.JUMP_IF_ZERO)
        body = [
            (op, a, b + moved if op in jumps else b, c) for op, a, b, c in self.body
        ]
        return np.array([*self.entry, *body], np.int64).reshape(-1)
