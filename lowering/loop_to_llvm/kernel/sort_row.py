"""
Write the keys of a row that is sorted, as integers whose order is that of the keys.

    f32    the bits: a negative number has all flipped, others the sign alone;
           zero for both zeros, and the greatest number for every NaN
    i32    the bits with the sign flipped
    u64    the bits
    i1     a byte of 0 or 1

They are unsigned. In descending order all bits are flipped, so that what comes first is
always less. A key decides about order only: whatever other threads write to the keys or
to the numbers meanwhile, a number that is read from memory is held to its range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, FixedBitwidthType, IntegerType, i1, i8
from xdsl.ir import Operation

from ....dialects.graph import scalar
from ....dialects.loop import ArgsortOp, LoadOp, byte_count
from ..text.function import FunctionWriter
from ..text.memory_access import MemoryAccess
from ..text.scope import SCALAR, Lanes
from ..text.types import Value, type_text

_INFINITY = {32: 0x7F800000, 64: 0x7FF0000000000000}
"""The bits of infinity; the bits of NaN without the sign are above."""


@dataclass(frozen=True)
class SortRow:
    """Writes the keys of one row, whose region `write_ops` writes."""

    memory: MemoryAccess
    write_ops: Callable[[Iterable[Operation]], None]
    op: ArgsortOp
    base: str
    """The address of the number that comes first."""

    @property
    def w(self) -> FunctionWriter:
        """Where all is written."""
        return self.memory.w

    @property
    def type(self) -> IntegerType:
        """The type of the keys that are compared."""
        return IntegerType(8 * byte_count(self.op.end.values[0].type))

    @property
    def is_contiguous(self) -> bool:
        """Whether the keys of a row lie side by side."""
        index = self.op.key.block.args[0]
        loads = [each for each in self.op.key.block.ops if isinstance(each, LoadOp)]
        return all(each.at.step(index) == 1 for each in loads)

    def key(self, number: str) -> Value:
        """Writes the key of an element."""
        return self.keys(number, SCALAR)

    def keys_from(self, number: str, lanes: int) -> Value:
        """Writes the keys of adjacent elements from a given one on."""
        return self.keys(number, Lanes(self.op.key.block.args[0], lanes))

    def keys(self, number: str, lanes: Lanes) -> Value:
        """Writes the keys of an element, or of some in lanes."""
        w, scope, block = self.w, self.memory.scope, self.op.key.block
        with scope.inner(lanes):
            scope.set_index(block.args[0], number)
            self.write_ops(block.ops)
            key = self.as_integer(w.splat(scope[self.op.end.values[0]], lanes.count))
        if self.op.descending is None:
            return key
        return w.value(f"xor {key.typed}, {_splat(-1, key)}", key.type, key.lanes)

    def as_integer(self, key: Value) -> Value:
        """Writes integers that have the ascending order of keys."""
        w, type, lanes = self.w, self.type, key.lanes
        if key.type == i1:
            text = f"zext {key.typed} to {type_text(i8, lanes)}"
            return w.value(text, type, lanes)
        least = _splat(-(1 << (type.width.data - 1)), key)
        if scalar.is_unsigned(key.type):
            return Value(key.text, type, lanes)
        if not isinstance(key.type, AnyFloat):
            return w.value(f"xor {key.typed}, {least}", type, lanes)
        whole = type_text(type, lanes)
        bits = w.emit(f"bitcast {key.typed} to {whole}")
        amount = w.emit(
            f"and {whole} {bits}, {_splat((1 << (type.width.data - 1)) - 1, key)}"
        )
        sign = w.emit(f"ashr {whole} {bits}, {_splat(type.width.data - 1, key)}")
        flips = w.emit(f"or {whole} {sign}, {least}")
        number = w.emit(f"xor {whole} {bits}, {flips}")
        truth = type_text(i1, lanes)
        for test, bound, found in (
            ("eq", 0, least),
            ("ugt", _INFINITY[type.width.data], _splat(-1, key)),
        ):
            holds = w.emit(f"icmp {test} {whole} {amount}, {_splat(bound, key)}")
            choice = f"{truth} {holds}, {whole} {found}, {whole} {number}"
            number = w.emit(f"select {choice}")
        return Value(number, type, lanes)

    def get(self, place: str) -> str:
        """Writes the load of the number at a place of the row, held to its range."""
        return self.held(self.w.emit(f"load i64, ptr {self.address(place)}, align 8"))

    def put(self, place: str, number: str) -> None:
        """Writes the store of a number at a place of the row."""
        self.w.do(f"store i64 {number}, ptr {self.address(place)}, align 8")

    def held(self, number: str) -> str:
        """Writes a number that was read from memory, held to the elements."""
        w = self.w
        last = w.add(w.size(self.op.sizes[1]), "-1")
        return w.emit(f"call i64 @llvm.umin.i64(i64 {number}, i64 {last})")

    def address(self, place: str) -> str:
        """Writes the address of a place of the row."""
        return self.w.emit(f"getelementptr inbounds i64, ptr {self.base}, i64 {place}")


def _splat(number: int, like: Value) -> str:
    """A number of the width of a key, in all of its lanes."""
    if like.lanes == 1:
        return str(number)
    assert isinstance(like.type, FixedBitwidthType), "keys are numbers"
    return f"splat (i{like.type.bitwidth} {number})"
