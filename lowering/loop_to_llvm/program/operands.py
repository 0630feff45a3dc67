"""
Write what the ops of a program work on: addresses of buffers, and values of sizes.

An address is computed at the entry of a function, when it is first used. So is a size
of symbols that the caller gives; one of symbols that the run defines is computed where
it is used, from fields of the context that are read there.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr, IntegerAttr
from xdsl.ir import SSAValue

from ....dialects import Dim, dim, symbols_of
from ....dialects.loop import (
    TRACED,
    CallOp,
    CallOutOp,
    ElementOp,
    ProgramOp,
    SkipAttr,
    ViewOp,
    byte_count,
    element_type,
)
from ....runtime import RAN, WORD
from ..text.function import FunctionWriter
from .context_layout import ContextWriter, layout_of, row_of

MARKS = "@sr_marks = external global i8"
"""The declaration of the marks of calls that are traced, a byte each."""


class OperandWriter(ContextWriter):
    """Writes the addresses and sizes that the ops of a program use."""

    def __init__(self, program: ProgramOp):
        """The operands of a program, at the beginning of its first function."""
        self.program = program
        self.layout, self.row = layout_of(program), row_of(program)
        self.symbols = program.symbol_names
        self.defined = {name: at for at, name in enumerate(program.defined)}
        self.sizes: dict[Dim, None] = {}
        """The dimensions that the program computes."""
        self.ready: set[str] = set()
        """The symbols that were defined before what is written now."""
        self.ways: dict[int, list[SkipAttr]] = {}
        """What slots may be."""
        self.apart: set[int] = set()
        """The slots that may be in memory other than that of activations."""
        for each in program.skips:
            slot, source = each.slot.data, each.number.data
            self.ways.setdefault(slot, []).append(each)
            if each.region.data != "activations" or source in self.apart:
                self.apart.add(slot)
        self.skip_numbers = {slot: at for at, slot in enumerate(self.ways)}
        self.is_traced = False
        """Whether a call has set a mark by now."""
        self.begin()

    def begin(self) -> None:
        """Begins a function, which has addresses of its own."""
        self.w = FunctionWriter({})
        self.addresses: dict[SSAValue, str] = {}
        self.slots: dict[int, str] = {}
        first = self.row.first_symbol
        planned = {
            name: self.planned(first + at) for at, name in enumerate(self.symbols)
        }
        self.w.symbols = planned

    def size(self, size: Dim) -> str:
        """The i64 that a dimension is; its symbols must have been defined before."""
        if symbols_of(size).isdisjoint(self.defined):
            return self.w.size(size)
        return self.size_here(size)

    def size_here(self, size: Dim) -> str:
        """The i64 that a dimension is, computed where it is used."""
        w, used = self.w, symbols_of(size)
        values = {
            name: w.emit(f"load i64, ptr {self.defined_field(name)}, align {WORD}")
            for name in sorted(used & self.ready, key=self.defined.__getitem__)
        }
        inner = FunctionWriter({**w.symbols, **values})
        inner.count = w.count
        text = inner.size(size)
        self.sizes.update(dict.fromkeys(inner.sizes))
        w.count = inner.count
        w.lines += inner.entry
        return text

    def defined_field(self, name: str) -> str:
        """The address of the field of a symbol that the program defines."""
        return self.field(self.layout.first_defined + self.defined[name])

    def is_true(self, buffer: SSAValue) -> str:
        """Whether the first element of a buffer of booleans is true."""
        byte = self.w.emit(f"load i8, ptr {self.address(buffer)}, align 1")
        return self.w.emit(f"icmp ne i8 {byte}, 0")

    def element(self, op: ElementOp) -> str:
        """The address of the part of a buffer that belongs to a trip."""
        w, index = self.w, self.address(op.index)
        backward, stride = dim(op.backward.data), dim(op.stride.data)
        if backward != 0:
            last = w.emit(f"sub nsw i64 {self.size(backward)}, 1")
            index = w.emit(f"sub nsw i64 {last}, {index}")
        elements = w.mul(index, self.size(stride))
        bytes = w.mul(elements, str(byte_count(element_type(op.buffer))))
        base = self.address(op.buffer)
        return w.emit(f"getelementptr inbounds i8, ptr {base}, i64 {bytes}")

    def view(self, op: ViewOp) -> str:
        """The address of a view, computed at the entry."""
        if (start := dim(op.start.data)) == 0:
            return self.memory(op)
        element = byte_count(element_type(op.result))
        bytes, base = self.size(start * element), self.memory(op)
        # The first of no elements may be anywhere.
        return self.w.entered(f"getelementptr i8, ptr {base}, i64 {bytes}")

    def memory(self, op: ViewOp) -> str:
        """The address of the memory that is viewed."""
        number, layout = op.number.value.data, self.layout
        match op.region.data:
            case "inputs":
                return self.pointer(layout.HEAD + number)
            case "outputs":
                return self.pointer(layout.first_output + number)
            case "constants":
                return self.offset(layout.CONSTANTS, str(self.program.offset_of(op)))
            case _:
                if (offset := self.program.offset_of(op)) is not None:
                    return self.offset(layout.ACTIVATIONS, str(offset))
                return self.slot(number)

    def slot(self, number: int) -> str:
        """
        The address of a slot whose offset the row has; or of the memory that it is as
        that lies, where the row says so and that is elsewhere.
        """
        # What a slot may be is written before it, however long the chain of these is.
        waiting, needed = [number], {number}
        while waiting:
            for skip in self.ways.get(waiting.pop(), ()):
                source = skip.number.data
                if skip.region.data == "activations" and source not in needed:
                    needed.add(source)
                    waiting.append(source)
        for each in sorted(needed - self.slots.keys(), key=self.skip_number):
            self.slots[each] = self.slot_address(each)
        return self.slots[number]

    def skip_number(self, slot: int) -> int:
        """The number of the skip of a slot; -1 if it has none."""
        return self.skip_numbers.get(slot, -1)

    def slot_address(self, slot: int) -> str:
        """Writes the address of a slot; those of what it may be are there already."""
        planned = self.planned(self.row.first_slot + slot)
        address = self.offset(self.layout.ACTIVATIONS, planned)
        for way, skip in enumerate(self.ways.get(slot, ()), 1):
            if skip.region.data == "activations" and skip.number.data not in self.apart:
                # The offset of the slot is there already.
                continue
            taken = self.planned(self.row.first_skip + self.skip_number(slot))
            this = self.w.entered(f"icmp eq i64 {taken}, {way}")
            source = self.source(skip)
            address = self.w.entered(f"select i1 {this}, ptr {source}, ptr {address}")
        return address

    def source(self, skip: SkipAttr) -> str:
        """The address of the memory that a slot may be."""
        number, layout = skip.number.data, self.layout
        match skip.region.data:
            case "inputs":
                base = self.pointer(layout.HEAD + number)
            case "outputs":
                base = self.pointer(layout.first_output + number)
            case "constants":
                start = self.program.constants.data[number].offset.data
                base = self.offset(layout.CONSTANTS, str(start))
            case _:
                base = self.slots[number]
        if skip.offset == 0:
            return base
        bytes = self.size(skip.offset)
        # The first of no elements may be anywhere.
        return self.w.entered(f"getelementptr i8, ptr {base}, i64 {bytes}")

    def address(self, value: SSAValue) -> str:
        """The address of a view, or the number of a trip."""
        if value not in self.addresses:
            assert isinstance(value.owner, ViewOp), "what else there is comes first"
            self.addresses[value] = self.view(value.owner)
        return self.addresses[value]

    def mark(self, op: CallOp | CallOutOp, bit: int = RAN) -> None:
        """Sets a bit of the mark of a call that is traced."""
        match op.attributes.get(TRACED):
            case IntegerAttr(value=IntAttr(data=number)):
                self.is_traced = True
                address = f"getelementptr inbounds (i8, ptr @sr_marks, i64 {number})"
                # Runs in several threads may set it at once.
                self.w.emit(f"atomicrmw or ptr {address}, i8 {bit} monotonic, align 1")
            case _:
                pass
