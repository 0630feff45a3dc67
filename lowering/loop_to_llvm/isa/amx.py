"""
Write what is done in registers that hold a matrix: eight, of 16 rows of 64 bytes each.

A row of totals is 16 f32. A row of what is multiplied is 32 steps of bf16, or, in the
other factor, a pair of steps of 16 columns; so one multiplication adds 32 steps to
16 x 16 totals. It sums the even steps and the odd ones for themselves, and then adds
both to the total. Source: Intel's manual, TDPBF16PS.

`Amx` are the registers that a processor has, which each thread sets up before it uses
them. `InMemory` computes the same on any machine, slowly: for tests.
"""

from __future__ import annotations

from typing import Protocol

from xdsl.dialects.builtin import f32, i32

from ....dialects.loop.target import SIDE, TargetAttr
from ..text.function import FunctionWriter
from ..text.scalar_op import half, multiply_add
from ..text.types import Value

COUNT = 8
"""How many registers there are."""

ROW = 64
"""Bytes of a row."""

PALETTE = (1, 0, *[ROW * 0x0001_0001_0001_0001] * 2, 0, 0, SIDE * 0x0101_0101_0101_0101)
"""
What registers are set up with, in words of 64 bits: the palette, then from byte 16 on
the bytes of the rows of each, from byte 48 on how many rows each has.
"""


def write_zeros(w: FunctionWriter, address: str, rows: int) -> None:
    """Writes zeros into so many rows of 64 bytes, one after the other."""

    def row(at: str, _: list[Value]) -> list[Value]:
        place = w.emit(f"getelementptr i8, ptr {address}, i64 {w.mul(at, str(ROW))}")
        w.do(f"store <16 x i32> zeroinitializer, ptr {place}, align 4")
        return []

    w.loop("0", str(rows), 1, (), row)


class MatrixRegisters(Protocol):
    """What can be done with a register: addresses are LLVM's, as is what is apart."""

    def clear(self, number: int) -> None:
        """Writes zeros into a register."""
        ...

    def load(self, number: int, address: str, apart: str) -> None:
        """Writes the load of a register, whose rows are so many bytes apart."""
        ...

    def store(self, number: int, address: str, apart: str) -> None:
        """Writes the store of a register, to rows so many bytes apart."""
        ...

    def multiply(self, totals: int, rows: int, columns: int) -> None:
        """Writes that the product of rows and columns is added to totals."""
        ...


def registers_of(w: FunctionWriter, target: TargetAttr) -> MatrixRegisters:
    """The registers of a target, set up in the function that is being written."""
    if target.dots.data == "amx":
        return Amx(w)
    return InMemory(w, bool(target.fma.data))


class Amx:
    """The registers of a processor with AMX-BF16."""

    def __init__(self, w: FunctionWriter):
        self.w = w
        if w.leave:
            return
        palette = w.entered("alloca [8 x i64], align 64")
        for number, word in enumerate((*PALETTE, 0)):
            place = w.entered(f"getelementptr i64, ptr {palette}, i64 {number}")
            w.entry.append(f"  store i64 {word}, ptr {place}, align 8")
        w.entry.append(f"  call void @llvm.x86.ldtilecfg(ptr {palette})")
        # Else the kernel of the system saves them at each change of threads.
        w.leave.append("call void @llvm.x86.tilerelease()")

    def clear(self, number: int) -> None:
        """Writes zeros into a register."""
        self.w.do(f"call void @llvm.x86.tilezero(i8 {number})")

    def load(self, number: int, address: str, apart: str) -> None:
        """Writes the load of a register, whose rows are so many bytes apart."""
        self.move("tileloadd64", number, address, apart)

    def store(self, number: int, address: str, apart: str) -> None:
        """Writes the store of a register, to rows so many bytes apart."""
        self.move("tilestored64", number, address, apart)

    def move(self, name: str, number: int, address: str, apart: str) -> None:
        """Writes an instruction that moves a register."""
        arguments = f"i8 {number}, ptr {address}, i64 {apart}"
        self.w.do(f"call void @llvm.x86.{name}({arguments})")

    def multiply(self, totals: int, rows: int, columns: int) -> None:
        """Writes that the product of rows and columns is added to totals."""
        arguments = f"i8 {totals}, i8 {rows}, i8 {columns}"
        self.w.do(f"call void @llvm.x86.tdpbf16ps({arguments})")


class InMemory:
    """Registers of matrices in memory, for machines that have none."""

    def __init__(self, w: FunctionWriter, fma: bool):
        self.w, self.fma = w, fma
        self.base = w.entered(f"alloca [{COUNT * SIDE * ROW} x i8], align 64")

    def row(self, number: int, row: str) -> str:
        """The address of a row of a register."""
        place = self.w.add(str(number * SIDE * ROW), self.w.mul(row, str(ROW)))
        return self.w.emit(f"getelementptr i8, ptr {self.base}, i64 {place}")

    def clear(self, number: int) -> None:
        """Writes zeros into a register."""
        write_zeros(self.w, self.row(number, "0"), SIDE)

    def load(self, number: int, address: str, apart: str) -> None:
        """Writes the load of a register, whose rows are so many bytes apart."""
        self.move(number, address, apart, is_load=True)

    def store(self, number: int, address: str, apart: str) -> None:
        """Writes the store of a register, to rows so many bytes apart."""
        self.move(number, address, apart, is_load=False)

    def move(self, number: int, address: str, apart: str, is_load: bool) -> None:
        """Writes a copy of the rows of a register from memory, or to it."""

        def row(at: str, _: list[Value]) -> list[Value]:
            there = self.w.mul(at, apart)
            there = self.w.emit(f"getelementptr i8, ptr {address}, i64 {there}")
            here = self.row(number, at)
            source, to = (there, here) if is_load else (here, there)
            line = self.w.emit(f"load <16 x i32>, ptr {source}, align 2")
            self.w.do(f"store <16 x i32> {line}, ptr {to}, align 2")
            return []

        self.w.loop("0", str(SIDE), 1, (), row)

    def multiply(self, totals: int, rows: int, columns: int) -> None:
        """Writes that the product of rows and columns is added to totals."""
        w = self.w

        def row(at: str, _: list[Value]) -> list[Value]:
            down, so_far = self.row(rows, at), self.row(totals, at)

            def pair(number: str, sums: list[Value]) -> list[Value]:
                here = w.emit(f"getelementptr i32, ptr {down}, i64 {number}")
                one = w.splat(w.value(f"load i32, ptr {here}, align 4", i32), SIDE)
                line = self.row(columns, number)
                both = w.value(f"load <16 x i32>, ptr {line}, align 4", i32, SIDE)
                return [
                    multiply_add(w, [half(w, one, n), half(w, both, n), each], self.fma)
                    for n, each in enumerate(sums)
                ]

            zero = w.splat(Value("0.0", f32), SIDE)
            even, odd = w.loop("0", str(SIDE), 1, (zero, zero), pair)
            total = w.emit(f"load <16 x float>, ptr {so_far}, align 4")
            both = w.emit(f"fadd {even.typed}, {odd.text}")
            total = w.emit(f"fadd <16 x float> {total}, {both}")
            w.do(f"store <16 x float> {total}, ptr {so_far}, align 4")
            return []

        w.loop("0", str(SIDE), 1, (), row)
