"""Build the addresses of what the ops of a program work on."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from ...dialects import dim
from ...dialects.loop import (
    ElementOp,
    ProgramOp,
    SkipAttr,
    ViewOp,
    byte_count,
    element_type,
)
from ...runtime.abi import ContextLayout, RowLayout
from ...runtime.hostcode import ADDRESS, Builder, Op, Value
from .sizes import SizeBuilder


def layout_of(program: ProgramOp) -> ContextLayout:
    """The fields of a context of the program."""
    return ContextLayout(
        inputs=len(program.inputs),
        outputs=len(program.outputs),
        defined=len(program.defined),
        orders=max((each.order.data for each in program.skips), default=-1) + 1,
    )


def row_of(program: ProgramOp) -> RowLayout:
    """The fields of a plan row of the program."""
    return RowLayout(
        symbols=len(program.symbols),
        slots=len(program.slots),
        skips=len(program.skipped_slots),
    )


def ways_of(program: ProgramOp) -> dict[int, list[SkipAttr]]:
    """What slots may be, in the order of their skips."""
    ways: dict[int, list[SkipAttr]] = {}
    for each in program.skips:
        ways.setdefault(each.slot.data, []).append(each)
    return ways


class AddressBuilder:
    """Builds addresses in the memory that a context and its plan row name."""

    def __init__(
        self,
        program: ProgramOp,
        layout: ContextLayout,
        b: Builder,
        defined: Mapping[str, int],
    ):
        """
        The addresses of a program, in a function whose first parameter is the context,
        which is laid out so; the symbols `defined` are in these fields of it already.
        """
        self.program, self.b = program, b
        self.layout, self.row = layout, row_of(program)
        self.context = b.parameters[0]
        self.addresses: dict[SSAValue, Value] = {}
        self.slots: dict[int, Value] = {}
        self.ways = ways_of(program)
        self.skip_numbers = {slot: at for at, slot in enumerate(self.ways)}
        self.apart: set[int] = set()
        """The slots that may alias memory which the plan does not give them."""
        self.orders: dict[int, Value] = {}
        """Whether indices are in order, by their numbers, where the run knows."""
        for each in program.skips:
            is_elsewhere = each.is_on_data or each.region.data != "activations"
            if is_elsewhere or each.number.data in self.apart:
                self.apart.add(each.slot.data)
        first = self.row.first_symbol
        symbols: dict[str, Value] = {
            name: self.planned(first + at)
            for at, name in enumerate(program.symbol_names)
        }
        for name, field in defined.items():
            symbols[name] = b.load_constant(self.context, field)
        self.sizes = SizeBuilder(b, symbols)

    def pointer(self, field: int) -> Op:
        """The address that a field of the context holds."""
        return self.b.load_constant(self.context, field, ADDRESS)

    def planned(self, field: int) -> Op:
        """What a field of the run's plan row holds."""
        return self.b.load_constant(self.pointer(ContextLayout.PLAN), field)

    def takes(self, number: int, way: int) -> Value:
        """Whether a way of a skip, from 1, is taken."""
        skip = [*self.ways.values()][number][way - 1]
        taken = self.may_take(number, way)
        if skip.is_on_data:
            taken = self.b.both(taken, self.orders[skip.order.data])
        return taken

    def may_take(self, number: int, way: int) -> Value:
        """Whether a way of a skip is taken as far as sizes decide."""
        ways = [*self.ways.values()][number]
        if len(ways) == 1 and not ways[0].when:
            # Without symbols there is no plan row.
            return True
        return self.b.eq(self.planned(self.row.first_skip + number), way)

    def is_on_data(self, number: int) -> bool:
        """Whether indices decide about a skip."""
        return any(each.is_on_data for each in [*self.ways.values()][number])

    def is_needed(self, number: int) -> Value:
        """Whether the call of a skip is made, as none of its ways is taken."""
        if not self.is_on_data(number):
            return self.b.eq(self.planned(self.row.first_skip + number), 0)
        ways = [*self.ways.values()][number]
        taken = (self.takes(number, way) for way, _ in enumerate(ways, 1))
        return self.b.select(self.b.either(*taken), False, True)

    def address(self, value: SSAValue) -> Value:
        """The address of a view, or the number of a trip."""
        if value not in self.addresses:
            assert isinstance(value.owner, ViewOp), "what else there is comes first"
            self.addresses[value] = self.view(value.owner)
        return self.addresses[value]

    def view(self, op: ViewOp) -> Value:
        """The address of a view."""
        memory = self.memory(op.region.data, op.number.value.data)
        start = dim(op.start.data) * byte_count(element_type(op.result))
        return self.b.offset(memory, self.sizes.size(start))

    def memory(self, region: str, number: int) -> Value:
        """The address of the memory `number` of a region."""
        layout, program = self.layout, self.program
        match region:
            case "inputs":
                return self.pointer(layout.HEAD + number)
            case "outputs":
                return self.pointer(layout.first_output + number)
            case "constants":
                start = program.constants.data[number].offset.data
                return self.b.offset(self.pointer(layout.CONSTANTS), start)
            case _:
                return self.slot(number)

    def slot(self, number: int) -> Value:
        """The address of a slot, or of the memory that it aliases in this row."""
        # What a slot may be is built before it, however long the chain of these is.
        waiting, needed = [number], {number}
        while waiting:
            for skip in self.ways.get(waiting.pop(), ()):
                source = skip.number.data
                if skip.region.data == "activations" and source not in needed:
                    needed.add(source)
                    waiting.append(source)
        for each in sorted(
            needed - self.slots.keys(), key=lambda slot: self.skip_numbers.get(slot, -1)
        ):
            self.slots[each] = self.slot_address(each)
        return self.slots[number]

    def slot_address(self, number: int) -> Value:
        """Builds the address of a slot, after the addresses that it may alias."""
        b, slot = self.b, self.program.slots.data[number]
        offset: Value = slot.offset.data
        if not slot.is_planned:
            offset = self.planned(self.row.first_slot + number)
        address = b.offset(self.pointer(self.layout.ACTIVATIONS), offset)
        for way, skip in enumerate(self.ways.get(number, ()), 1):
            source = skip.number.data
            if skip.region.data == "activations":
                if source not in self.apart and not skip.is_on_data:
                    # The offset of the slot is there already.
                    continue
                memory = self.slots[source]
            else:
                memory = self.memory(skip.region.data, source)
            memory = b.offset(memory, self.sizes.size(skip.offset))
            taken = self.takes(self.skip_numbers[number], way)
            address = b.select(taken, memory, address)
        return address

    def element(self, op: ElementOp) -> Value:
        """The address of the part of a buffer that belongs to a trip."""
        b, index = self.b, self.address(op.index)
        backward, stride = dim(op.backward.data), dim(op.stride.data)
        if backward != 0:
            index = b.sub(b.sub(self.sizes.size(backward), 1), index)
        bytes = self.sizes.size(stride * byte_count(element_type(op.buffer)))
        return b.offset(self.address(op.buffer), b.mul(index, bytes))

    def is_true(self, buffer: SSAValue) -> Value:
        """Whether the first element of a buffer of booleans is true."""
        return self.b.ne(self.b.load(self.address(buffer), width=1), 0)
