"""What a microkernel asks of the instructions of a set: converting and multiplying."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

from xdsl.ir import Attribute

from ....dialects.loop import VNNI_WORD_BITS, Isa
from ..text.function import FunctionWriter
from ..text.types import Value


class TileRegisters(Protocol):
    """
    Registers that hold a matrix each, in the function that is being written.

    An address is LLVM's, and so is a pitch: the bytes from one row to the next.
    """

    def configure(self, words: int = ...) -> None:
        """
        Writes how large tiles are in all of the function: A and B have this many words
        of k (`TileGeometry.shapes`), all that fit if none are given.
        """
        ...

    def clear(self, tile: int) -> None:
        """Writes zeros into a tile."""
        ...

    def load(self, tile: int, address: str, pitch: str) -> None:
        """Writes the load of a tile from rows in memory."""
        ...

    def store(self, tile: int, address: str, pitch: str) -> None:
        """Writes the store of a tile to rows in memory."""
        ...

    def multiply(self, accumulators: int, a: int, b: int) -> None:
        """Writes that the product of two tiles is added to a tile of accumulators."""
        ...


class PairProducts(Protocol):
    """Products of words of bytes in two steps; the first may add up several words."""

    def pairs(self, w: FunctionWriter, a: Value, b: Value) -> Value:
        """Writes the sums of two products of bytes of words, in 16 bits."""
        ...

    def add_pairs(
        self, w: FunctionWriter, pairs: Value, accumulators: Value, up: int = 0
    ) -> Value:
        """Writes accumulators plus both sums of 16 bits of each word, times 2**up."""
        ...


@dataclass(frozen=True)
class Instructions(ABC):
    """
    The instructions of a set, for a target that has fused multiply-adds or not, and for
    factors of two types.
    """

    isa: ClassVar[Isa]
    fma: bool
    a: Attribute
    b: Attribute

    @property
    def zeros(self) -> Value | None:
        """
        The word of A, as it is multiplied, that stands for zeros, if that is not 0.
        Then what a row of them comes to is no part of the sum, and is subtracted.
        """
        return None

    def narrow(self, w: FunctionWriter, value: Value) -> Value:
        """
        Writes the conversion of f32 to the element of factors, if it is one of f32.
        """
        raise NotImplementedError(f"expected factors of f32, got {self.isa.name}")

    @abstractmethod
    def unpack(self, w: FunctionWriter, words: Value, k: int) -> Value:
        """Writes the values that are the k-th elements of words of B."""

    def take_a(self, w: FunctionWriter, words: Value, part: int) -> Value:
        """Writes a part of words of A, as it is packed and multiplied."""
        return words

    def take_b(self, w: FunctionWriter, words: Value, part: int) -> Value:
        """Writes a part of words of B, as it is multiplied."""
        return words

    @abstractmethod
    def multiply(
        self, w: FunctionWriter, a: Value, b: Value, accumulators: Value
    ) -> Value:
        """
        Writes accumulators plus the products of the elements of two words each, or of
        parts of them.
        """

    def by_pairs(self, lanes: int) -> PairProducts | None:
        """How words of some lanes are multiplied in two steps, if they can be."""
        return None

    def tiles(self, w: FunctionWriter) -> TileRegisters:
        """Its tile registers; only a set that has some is asked."""
        raise NotImplementedError(f"expected tile registers, got {self.isa.name}")


def write_zeros(w: FunctionWriter, address: str, rows: int, row_bytes: int) -> None:
    """Writes zeros into rows that lie one after the other."""
    words = row_bytes * 8 // VNNI_WORD_BITS

    def row(at: str, _: list[Value]) -> list[Value]:
        offset = w.mul(at, str(row_bytes))
        line = w.emit(f"getelementptr i8, ptr {address}, i64 {offset}")
        w.do(f"store <{words} x i32> zeroinitializer, ptr {line}, align 4")
        return []

    w.loop("0", str(rows), 1, (), row)
