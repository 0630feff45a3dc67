"""Write where the memory of a program is: inputs, outputs, constants, slots."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import Dim, dim, symbols_of
from ...dialects.loop import (
    ElementOp,
    ProgramOp,
    SkipAttr,
    ViewOp,
    byte_count,
    element_type,
)
from ...runtime import CONTEXT, WORD, Opcode
from ..loop_to_llvm import layout_of, row_of
from .assembler import Assembler


class AddressWriter(Assembler):
    """Writes the addresses and sizes that the ops of a program use."""

    def __init__(self, program: ProgramOp):
        """The addresses of a program, none of which is written yet."""
        super().__init__()
        self.program = program
        self.layout, self.row = layout_of(program), row_of(program)
        self.defined = {name: at for at, name in enumerate(program.defined)}
        self.ready: set[str] = set()
        """The symbols that were defined before what is written now."""
        self.addresses: dict[SSAValue, int] = {}
        self.views: dict[tuple[str, int], int] = {}
        self.planned: dict[int, int] = {}
        self.ways: dict[int, list[SkipAttr]] = {}
        """What slots may be."""
        for each in program.skips:
            self.ways.setdefault(each.slot.data, []).append(each)
        self.skip_numbers = {slot: at for at, slot in enumerate(self.ways)}
        for at, name in enumerate(program.symbol_names):
            self.symbols[name] = self.of_plan(self.row.first_symbol + at)
        # What a slot may be comes before it, so that no chain of these is deep.
        for slot in self.ways:
            self.memory("activations", slot)

    def of_plan(self, number: int) -> int:
        """The register of a field of the run's plan row."""
        if number not in self.planned:
            row = self.field(self.layout.PLAN)
            self.planned[number] = self.at_entry(Opcode.LOAD, row, number * WORD)
        return self.planned[number]

    def skip_field(self, number: int) -> int:
        """The register that says whether, and how, a skip is taken."""
        return self.of_plan(self.row.first_skip + number)

    def size_now(self, size: Dim) -> int:
        """The register of a size; of what the run defines, as it is here."""
        used = symbols_of(size) & self.ready
        values = {
            name: self.compute(Opcode.LOAD, CONTEXT, self.defined_field(name) * WORD)
            for name in sorted(used)
        }
        return self.size_here(size, values)

    def defined_field(self, name: str) -> int:
        """The field of a symbol that the program defines."""
        return self.layout.first_defined + self.defined[name]

    def address(self, value: SSAValue) -> int:
        """The register of the address of a view, or of the number of a trip."""
        if value not in self.addresses:
            assert isinstance(value.owner, ViewOp), "what else there is comes first"
            self.addresses[value] = self.view(value.owner)
        return self.addresses[value]

    def view(self, op: ViewOp) -> int:
        """The register of the address of a view, which the entry computes."""
        memory = self.memory(op.region.data, op.number.value.data)
        if (start := dim(op.start.data)) == 0:
            return memory
        bytes = self.size(start * byte_count(element_type(op.result)))
        return self.at_entry(Opcode.ADD, memory, bytes)

    def memory(self, region: str, number: int) -> int:
        """The register of the address of the memory `number` of a region."""
        if (region, number) not in self.views:
            self.views[region, number] = self._memory(region, number)
        return self.views[region, number]

    def _memory(self, region: str, number: int) -> int:
        layout, program = self.layout, self.program
        match region:
            case "inputs":
                return self.field(layout.HEAD + number)
            case "outputs":
                return self.field(layout.first_output + number)
            case "constants":
                start = self.number(program.constants.data[number].offset.data)
                return self.at_entry(Opcode.ADD, self.field(layout.CONSTANTS), start)
            case _:
                return self.slot(number)

    def slot(self, number: int) -> int:
        """
        The register of the address of a slot, or of the memory that it is as that lies,
        where the row says so.
        """
        slot = self.program.slots.data[number]
        if slot.is_planned:
            offset = self.number(slot.offset.data)
        else:
            offset = self.of_plan(self.row.first_slot + number)
        base = self.field(self.layout.ACTIVATIONS)
        address = self.at_entry(Opcode.ADD, base, offset)
        for way, skip in enumerate(self.ways.get(number, ()), 1):
            taken = self.skip_field(self.skip_numbers[number])
            source = self.memory(skip.region.data, skip.number.data)
            if skip.offset != 0:
                more = self.size(skip.offset)
                source = self.at_entry(Opcode.ADD, source, more)
            this = self.at_entry(Opcode.EQUAL, taken, self.number(way))
            apart = self.at_entry(Opcode.SUBTRACT, source, address)
            moved = self.at_entry(Opcode.MULTIPLY, this, apart)
            address = self.at_entry(Opcode.ADD, address, moved)
        return address

    def element(self, op: ElementOp) -> int:
        """The register of the address of the part of a buffer of a trip."""
        index = self.address(op.index)
        backward, stride = dim(op.backward.data), dim(op.stride.data)
        if backward != 0:
            last = self.compute(
                Opcode.SUBTRACT, self.size_now(backward), self.number(1)
            )
            index = self.compute(Opcode.SUBTRACT, last, index)
        bytes = self.size_now(stride * byte_count(element_type(op.buffer)))
        offset = self.compute(Opcode.MULTIPLY, index, bytes)
        return self.compute(Opcode.ADD, self.address(op.buffer), offset)
