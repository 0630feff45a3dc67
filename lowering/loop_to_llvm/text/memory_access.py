"""
Write loads and stores: of one element, of a vector, or lane by lane.

A subscript that is the same in every lane is one scalar access, and one that moves by
one element from lane to lane a vector access. A load that moves by a few elements picks
its lanes from vectors, and stores that leave nothing out together are vectors that are
woven from theirs; every other access is written lane by lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ....dialects import Dim
from ....dialects.loop import (
    LINE,
    BlockedIndex,
    LoadOp,
    PositionOp,
    PrefetchOp,
    StoreOp,
    Subscript,
    byte_count,
    element_type,
    is_strided,
)
from .element_width import narrowed, widened
from .function import FunctionWriter
from .scope import Scope
from .transpose import shuffled, transposed, unwoven, woven
from .types import Value, memory_suffix, memory_text, type_text

Access: TypeAlias = LoadOp | StoreOp | PrefetchOp | PositionOp


@dataclass(frozen=True)
class Offsets:
    """The offset of an element from the start of its buffer, for each lane."""

    first: str
    """The offset of the first lane."""
    step: Dim
    """The difference between the offsets of two neighbouring lanes."""
    scattered: Sequence[tuple[Value, Dim]]
    """What lanes look up: vectors of indices, and their strides."""

    @property
    def is_uniform(self) -> bool:
        """Whether all lanes access one element."""
        return not self.scattered and self.step == 0

    @property
    def is_contiguous(self) -> bool:
        """Whether lanes access elements side by side."""
        return not self.scattered and self.step == 1


class MemoryAccess:
    """Writes accesses for the indices and lanes of a scope."""

    def __init__(self, w: FunctionWriter, scope: Scope):
        self.w, self.scope = w, scope
        self.subscripts: dict[Access, Subscript] = {}
        """Of ops that were written, which are written again for other elements."""
        self.unwoven: dict[LoadOp, Value] = {}
        """What was loaded together with loads before, of the body being written."""

    def at(self, op: Access) -> Subscript:
        """Where in its buffer an op accesses elements."""
        if op not in self.subscripts:
            self.subscripts[op] = op.at
        return self.subscripts[op]

    def offsets(self, at: Subscript) -> Offsets:
        """Writes the offset of an element."""
        first, step = self.w.size(at.offset), 0
        scattered: list[tuple[Value, Dim]] = []
        for index, stride in at.terms:
            value = self.scope[index]
            if value.lanes > 1:
                scattered.append((value, stride))
                continue
            if self.scope.lanes.vary(index):
                step = step + stride
            first = self.w.add(first, self.w.mul(value.text, self.w.size(stride)))
        if at.vnni is not None:
            first = self.w.add(first, self.blocked_offset(at.vnni))
        if at.blocked is not None:
            # A vector never goes from one block to the next.
            first = self.w.add(first, self.blocked_offset(at.blocked))
            if self.scope.lanes.vary(at.blocked.index):
                step = step + at.blocked.step
        return Offsets(first, step, scattered)

    def blocked_offset(self, blocked: BlockedIndex) -> str:
        """Writes the offset of a blocked index from the start of the first block."""
        w, index = self.w, self.scope[blocked.index].text
        size = self.block_size(blocked)
        number = w.div(index, size)
        if isinstance(blocked.size, int):
            inside = w.add(index, w.mul(number, str(-blocked.size)))
        else:
            inside = w.minus(index, w.mul(number, size))
        inside = w.mul(inside, w.size(blocked.step))
        return w.add(w.mul(number, w.size(blocked.stride)), inside)

    def block_size(self, blocked: BlockedIndex) -> str:
        """The elements of a block, a number that LLVM sees is not zero."""
        size = self.w.size(blocked.size)
        if isinstance(blocked.size, int):
            return size
        return self.w.positive(size)

    def lane_offsets(self, offsets: Offsets, last: str = "") -> list[str]:
        """Writes the offset of each lane, up to the `last` if it is given."""
        found: list[str] = []
        for lane in range(self.scope.lanes.count):
            at = self.w.least(str(lane), last) if last else str(lane)
            step = self.w.mul(at, self.w.size(offsets.step))
            here = self.w.add(offsets.first, step)
            for value, stride in offsets.scattered:
                index = self.w.emit(f"extractelement {value.typed}, i64 {lane}")
                here = self.w.add(here, self.w.mul(index, self.w.size(stride)))
            found.append(here)
        return found

    def address(self, buffer: SSAValue, offset: str) -> str:
        """Writes the address of an element."""
        base, type = self.scope[buffer].text, memory_text(element_type(buffer))
        if offset == "0":
            return base
        return self.w.once(f"getelementptr inbounds {type}, ptr {base}, i64 {offset}")

    def load(self, op: LoadOp) -> Value:
        """Writes a load."""
        offsets = self.offsets(self.at(op))
        lanes = self.scope.lanes.count
        if offsets.is_uniform:
            return self.read(self.address(op.buffer, offsets.first), op.element, 1)
        if offsets.is_contiguous:
            address = self.address(op.buffer, offsets.first)
            return self.read(address, op.element, lanes, self.scope.lanes.mask)
        assert not self.scope.lanes.mask, "lanes that are apart are all there"
        step, index = offsets.step, self.scope.lanes.index
        if index is not None and (loads := op.woven(index)):
            return self.load_woven(loads, op)
        if not offsets.scattered and is_strided(step, lanes):
            return self.load_strided(op, offsets.first, step)
        return self.load_each(op, self.lane_offsets(offsets))

    def load_each(self, op: LoadOp, offsets: Sequence[str]) -> Value:
        """Writes loads of the elements at these offsets, as the lanes of a vector."""
        type, lanes = op.result.type, len(offsets)
        result, vector = "poison", type_text(type, lanes)
        for lane, offset in enumerate(offsets):
            one = self.read(self.address(op.buffer, offset), op.element, 1)
            result = self.w.emit(
                f"insertelement {vector} {result}, {one.typed}, i64 {lane}"
            )
        return Value(result, type, lanes)

    def load_woven(self, loads: Sequence[LoadOp], op: LoadOp) -> Value:
        """
        Writes loads that read elements side by side together, where the first of them
        is come to: vectors of all, which shuffles sort.
        """
        if all(op is each or op.is_before_in_block(each) for each in loads):
            lanes = self.scope.lanes.count
            first = self.offsets(self.at(loads[0])).first
            offsets = [self.w.add(first, str(n * lanes)) for n in range(len(loads))]
            addresses = [self.address(op.buffer, each) for each in offsets]
            rows = [self.read(each, op.element, lanes) for each in addresses]
            self.unwoven.update(zip(loads, unwoven(self.w, rows), strict=True))
        return self.unwoven[op]

    def load_strided(self, op: LoadOp, first: str, step: int) -> Value:
        """
        Writes a load of elements that are `step` apart: of vectors from the first of
        them to the last and not beyond, and shuffles that pick the lanes.
        """
        lanes = self.scope.lanes.count
        reach = abs(step) * (lanes - 1)
        begins = [*range(0, reach + 1 - lanes, lanes), reach + 1 - lanes]
        lowest = first if step > 0 else self.w.add(first, str(-reach))
        at = [abs(step) * lane for lane in range(lanes)][:: 1 if step > 0 else -1]
        offsets = [self.w.add(lowest, str(each)) for each in begins]
        addresses = [self.address(op.buffer, each) for each in offsets]
        found, *others = [self.read(each, op.element, lanes) for each in addresses]
        picked = [min(each, lanes - 1) for each in at]
        if not others:
            return shuffled(self.w, found, found, picked)
        for begin, other in zip(begins[1:], others, strict=True):
            # Lanes of vectors after this one have any value until then.
            picked = [
                lanes + min(each - begin, lanes - 1) if each >= begin else old
                for each, old in zip(at, picked, strict=True)
            ]
            found = shuffled(self.w, found, other, picked)
            picked = [*range(lanes)]
        return found

    def load_across(self, op: LoadOp, count: int, last: str = "") -> list[Value]:
        """
        Writes loads of `count` elements side by side in each lane, where both are
        powers of two; vectors of the lanes, for the first of these elements and those
        after it. Lanes beyond the `last`, if it is given, load what that loads.
        """
        lanes = self.scope.lanes
        assert not lanes.mask, "lanes that are apart are all there"
        first = self.lane_offsets(self.offsets(self.at(op)), last)
        if count == 1:
            return [self.load_each(op, first)]
        found: list[Value] = []
        for start in range(0, count, lanes.count):
            length = min(count, lanes.count)
            offsets = [self.w.add(each, str(start)) for each in first]
            addresses = [self.address(op.buffer, each) for each in offsets]
            rows = [self.read(each, op.element, length) for each in addresses]
            found += transposed(self.w, rows)[:length]
        return found

    def read(
        self, address: str, element: Attribute, lanes: int, mask: str = ""
    ) -> Value:
        """Writes a load from an address; lanes that a mask leaves out are zero."""
        memory, size = memory_text(element, lanes), byte_count(element)
        load = f"load {memory}, ptr {address}, align {size}"
        if mask:
            at = f"ptr {address}, i32 {size}, {mask}, {memory} zeroinitializer"
            name = f"@llvm.masked.load.{memory_suffix(element, lanes)}.p0"
            load = f"call {memory} {name}({at})"
        return widened(self.w, self.w.emit(load), element, lanes)

    def store(self, op: StoreOp) -> None:
        """Writes a store."""
        offsets, value = self.offsets(self.at(op)), self.scope[op.value]
        element = element_type(op.buffer)
        if offsets.is_uniform:
            assert value.lanes == 1, "each lane stores an element of its own"
            address = self.address(op.buffer, offsets.first)
            return self.put(value, address, element=element)
        value = self.w.splat(value, self.scope.lanes.count)
        if offsets.is_contiguous:
            address = self.address(op.buffer, offsets.first)
            return self.put(value, address, self.scope.lanes.mask, element)
        assert not self.scope.lanes.mask, "lanes that are apart are all there"
        index = self.scope.lanes.index
        if index is not None and (stores := op.woven(index)):
            return self.store_woven(stores, op)
        for lane, offset in enumerate(self.lane_offsets(offsets)):
            one = self.w.value(f"extractelement {value.typed}, i64 {lane}", value.type)
            self.put(one, self.address(op.buffer, offset), element=element)

    def store_woven(self, stores: Sequence[StoreOp], last: StoreOp) -> None:
        """
        Writes stores that fill memory together, as vectors that are woven from theirs,
        where the `last` of them is come to and the values of all are known.
        """
        if not all(each is last or each.is_before_in_block(last) for each in stores):
            return
        element, lanes = element_type(last.buffer), self.scope.lanes.count
        is_bits = memory_text(element).startswith("i")
        kept = IntegerType(8 * byte_count(element)) if is_bits else element
        rows = [
            Value(narrowed(self.w, self.w.splat(each, lanes), element), kept, lanes)
            for each in (self.scope[store.value] for store in stores)
        ]
        first = self.offsets(self.at(stores[0])).first
        for number, row in enumerate(woven(self.w, rows)):
            offset = self.w.add(first, str(number * lanes))
            self.put_narrow(row.text, self.address(last.buffer, offset), element, lanes)

    def put(
        self,
        value: Value,
        address: str,
        mask: str = "",
        element: Attribute | None = None,
    ) -> None:
        """
        Writes a store to an address, of the lanes of a mask if there is one, and as an
        element of another type if one is given.
        """
        element = element or value.type
        text = narrowed(self.w, value, element)
        self.put_narrow(text, address, element, value.lanes, mask)

    def put_narrow(
        self, text: str, address: str, element: Attribute, lanes: int, mask: str = ""
    ) -> None:
        """Writes a store of elements as memory has them."""
        memory, size = memory_text(element, lanes), byte_count(element)
        store = f"store {memory} {text}, ptr {address}, align {size}"
        if mask:
            to = f"{memory} {text}, ptr {address}, i32 {size}, {mask}"
            name = f"@llvm.masked.store.{memory_suffix(element, lanes)}.p0"
            store = f"call void {name}({to})"
        self.w.do(store)

    def prefetch(self, op: PrefetchOp) -> None:
        """Writes a prefetch of each cache line that begins in these lanes."""
        offsets, lanes = self.offsets(self.at(op)), self.scope.lanes
        if lanes.count == 1 or lanes.mask or not offsets.is_contiguous:
            return
        type = element_type(op.buffer)
        base, width = self.scope[op.buffer].text, LINE // byte_count(type)
        for lane in range(-lanes.offset % width, lanes.count, width):
            offset = self.w.add(offsets.first, str(lane))
            line = f"getelementptr {memory_text(type)}, ptr {base}, i64 {offset}"
            arguments = f"ptr {self.w.emit(line)}, i32 0, i32 3, i32 1"
            self.w.do(f"call void @llvm.prefetch.p0({arguments})")

    def ask_ahead(self, op: Operation, bytes: int) -> None:
        """Writes a prefetch so far ahead of the words of steps that an op may load."""
        if isinstance(op, LoadOp) and op.element == i32:
            here = self.address(op.buffer, self.offsets(self.at(op)).first)
            ahead = self.w.emit(f"getelementptr i8, ptr {here}, i64 {bytes}")
            self.w.do(f"call void @llvm.prefetch.p0(ptr {ahead}, i32 0, i32 3, i32 1)")

    def position(self, op: PositionOp) -> Value:
        """Writes the value of a subscript, as an i64."""
        offsets, lanes = self.offsets(self.at(op)), self.scope.lanes.count
        if offsets.is_uniform:
            return Value(offsets.first, i64)
        result, vector = "poison", type_text(i64, lanes)
        for lane, offset in enumerate(self.lane_offsets(offsets)):
            result = self.w.emit(
                f"insertelement {vector} {result}, i64 {offset}, i64 {lane}"
            )
        return Value(result, i64, lanes)
