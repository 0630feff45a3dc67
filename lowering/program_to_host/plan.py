"""
Lower what plans a call to `i32 sr_plan(memory)`: it fills a plan (`PlanLayout`).

The values of the symbols are in the plan row. What is computed of them is checked
first: then inputs and outputs are placed, it is decided which results are other memory,
and the slots of the others are placed. The result is zero, or the number of one of the
`refusals`, from 1 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...dialects import Dim, dtype, is_nonnegative, sizes
from ...dialects.loop import ProgramOp, SkipAttr
from ...runtime.abi import (
    ALIGNMENT,
    APART,
    ELSEWHERE,
    LIMIT,
    PLAN_ARGUMENTS,
    PLAN_BOUND,
    PLAN_BYTES,
    PlanLayout,
    RowLayout,
)
from ...runtime.hostcode import (
    ADDRESS,
    INT32,
    PLANNING,
    Builder,
    Function,
    Signature,
    Value,
)
from ...runtime.program import GENERAL
from .addresses import row_of, ways_of
from .reach import Reach, reach_of_plans
from .sizes import SizeBuilder

PLAN = Signature("sr_plan", (ADDRESS,), INT32)

MAX_SIZE = 2**63 - 1
"""The most that a size can be."""


def limits_of(program: ProgramOp) -> Iterable[tuple[str, int, int]]:
    """Each symbol, and the least and the most that it may be."""
    for each in program.symbols:
        least, most = each.limits or (0, MAX_SIZE)
        yield each.label.data, least, most


def refusals(program: ProgramOp) -> tuple[str, ...]:
    """What was expected of sizes when planning returned 1, 2, ...."""
    ranges = [
        f"expected {name} "
        + (f"of {least} or more" if most >= MAX_SIZE else f"from {least} to {most}")
        for name, least, most in limits_of(program)
    ]
    return (*ranges, *GENERAL, *(each.message.data for each in program.checks))


def plan_layout(program: ProgramOp, is_placed: bool) -> PlanLayout:
    """The fields of a plan, which places tensors unless a run computes their sizes."""
    types = (*program.input_types, *program.output_types)
    is_placed = is_placed and not program.defined
    ranks = tuple(len(sizes(each)) for each in types) if is_placed else ()
    return PlanLayout(row_of(program), ranks)


def lower_plan(
    program: ProgramOp,
    reach: Reach,
    is_placed: bool,
    linkage: str = "",
) -> Function:
    """
    The function that plans a program; `reach` bounds all other numbers; it places
    tensors where that is asked for. Raises `VerifyException` where no sizes are so
    small that 64 bits hold all.
    """
    reach = reach_of_plans(program, reach)
    lowering = _Planning(program, plan_layout(program, is_placed), linkage)
    lowering.check_limits()
    lowering.check_reach(reach)
    lowering.check_sizes()
    if lowering.layout.ranks:
        lowering.place_tensors()
    lowering.fill_row()
    lowering.b.leave(0)
    return lowering.b.function


class _Planning:
    """Lowers the checks of sizes, and what fills the fields of a plan."""

    def __init__(self, program: ProgramOp, layout: PlanLayout, linkage: str):
        self.program, self.layout, self.row = program, layout, layout.row
        self.first_row = layout.first_row
        # The passes of a function that is long take longer than they are worth.
        self.b = Builder(PLAN, 'nounwind "few-passes"', linkage)
        self.memory = self.b.parameters[0]
        first = self.first_row + self.row.first_symbol
        symbols: dict[str, Value] = {
            name: self.b.load_constant(self.memory, first + at)
            for at, name in enumerate(program.symbol_names)
        }
        self.sizes = SizeBuilder(self.b, symbols)
        self.too_large = len(program.symbols) + 1
        """The refusal of sizes that are too great."""

    def store(self, value: Value, field: int) -> None:
        """Stores a field of the plan."""
        self.b.store(value, self.memory, field)

    def refuse_negative(self, size: Dim, number: int) -> None:
        """Refuses a dimension below zero."""
        self.b.leave_if(self.b.lt(self.sizes.size(size), 0), number)

    def refuse_large(self, total: Value) -> None:
        """Refuses a total of 2**62 or more."""
        self.b.leave_if(self.b.lt(LIMIT - 1, total), self.too_large)

    def check_limits(self) -> None:
        """Refuses symbols out of their ranges."""
        b = self.b
        for number, (name, least, most) in enumerate(limits_of(self.program), 1):
            symbol = self.sizes.symbols[name]
            bad = b.lt(symbol, max(least, 0))
            if most < MAX_SIZE:
                bad = b.either(bad, b.lt(most, symbol))
            b.leave_if(bad, number)

    def check_reach(self, reach: Reach) -> None:
        """Refuses sizes with which something computed could be 2**62 or more."""
        b, total = self.b, 0
        for factor, names in reach:
            term: Value = factor
            for each in names:
                factors = b.max(self.sizes.symbols[each], 1)
                term = b.binary("mul_capped", term, factors)
            total = b.binary("add_capped", total, term)
        self.refuse_large(total)

    def check_sizes(self) -> None:
        """Refuses negative sizes of tensors, and what the program's checks refuse."""
        number = self.too_large + 1
        if self.layout.ranks:
            for size in dict.fromkeys(
                size for each in self.tensors for size in each[1]
            ):
                if not isinstance(size, int):
                    self.refuse_negative(size, number)
        for at, check in enumerate(self.program.checks, number + 1):
            self.refuse_negative(check.size, at)

    @property
    def tensors(self) -> list[tuple[int, Sequence[Dim]]]:
        """The bytes of an element, and the sizes, of each tensor."""
        types = (*self.program.input_types, *self.program.output_types)
        return [(dtype(each).itemsize, sizes(each)) for each in types]

    def place_tensors(self) -> None:
        """Stores where tensors are, and their sizes; refuses 2**62 bytes and more."""
        b, layout, field = self.b, self.layout, self.layout.first_size
        end: Value = 0
        for at, (itemsize, shape) in enumerate(self.tensors):
            for size in shape:
                self.store(self.sizes.size(size), field)
                field += 1
            count = self.sizes.product(shape)
            self.store(end, layout.HEAD + at)
            self.store(count, layout.first_count + at)
            bytes = b.rounded(b.binary("mul_capped", count, itemsize), ALIGNMENT)
            end = b.binary("add_capped", end, bytes)
        self.refuse_large(end)
        self.store(end, PlanLayout.PLACED)

    def fill_row(self) -> None:
        """Stores the fields of the row; refuses activations of 2**62 bytes."""
        program, row, first = self.program, self.row, self.first_row
        ways = ways_of(program)
        taken = {slot: self.chosen_way(each) for slot, each in ways.items()}
        for at, value in enumerate(taken.values()):
            self.store(value, first + row.first_skip + at)
        offsets: Sequence[Value] = [each.offset.data for each in program.slots]
        bytes: Value = program.plan.bytes.data
        bound: Value = max(program.plan.lower_bound.data, 0)
        if program.plan.bytes.data < 0:
            offsets, bytes, bound = self.place(ways, taken)
        for at, value in enumerate(offsets):
            self.store(value, first + row.first_slot + at)
        self.store(bytes, first + RowLayout.BYTES)
        self.store(bound, first + RowLayout.LOWER_BOUND)
        if self.layout.ranks:
            self.store(bytes, PlanLayout.ACTIVATIONS)
            self.store(bound, PlanLayout.LOWER_BOUND)

    def chosen_way(self, ways: Sequence[SkipAttr]) -> Value:
        """The first way that holds, from 1; zero where none does."""
        b, found = self.b, 0
        for number, way in reversed([*enumerate(ways, 1)]):
            clauses = [
                b.either(*(b.eq(self.sizes.size(each), 0) for each in clause))
                for clause in way.when
            ]
            found = b.select(b.both(*clauses), number, found)
        return found

    def place(
        self, ways: dict[int, list[SkipAttr]], taken: dict[int, Value]
    ) -> tuple[Sequence[Value], Value, Value]:
        """Places the slots: their offsets, the bytes that they take, and the bound."""
        b, program = self.b, self.program
        count, orders = len(program.slots), [*program.plan.orders]
        # Of a branch that is not taken, sizes may be below zero; the op of one that is
        # taken refuses them.
        bytes = [
            size if is_nonnegative(each.size, {}) else b.max(size, 0)
            for each in program.slots
            for size in [self.sizes.size(each.size)]
        ]
        total: Value = 0
        for each in bytes:
            more = b.binary("add_capped", each, ALIGNMENT)
            total = b.binary("add_capped", total, more)
        self.refuse_large(total)
        numbers = [number.data for order in orders for number in order]
        parted = [self.whole(each, taken[slot]) for slot, each in ways.items()]
        words = b.words(
            count,
            len(orders),
            b.table("orders", 4, numbers),
            len(ways),
            *[0] * (PLAN_ARGUMENTS - 4),
            *bytes,
            *(each.first.data for each in program.slots),
            *(each.last.data for each in program.slots),
            *[0] * count,
            *ways,
            *(whole for whole, _ in parted),
            *(start for _, start in parted),
        )
        for each in PLANNING:
            b.call_words(each, words, self.memory)
        first = PLAN_ARGUMENTS + 3 * count
        offsets = [b.word(words, first + at) for at in range(count)]
        return offsets, b.word(words, PLAN_BYTES), b.word(words, PLAN_BOUND)

    def whole(self, ways: Sequence[SkipAttr], taken: Value) -> tuple[Value, Value]:
        """The slot that another is part of, and the bytes before it."""
        whole: Value = APART
        start: Value = 0
        for number, way in enumerate(ways, 1):
            this = self.b.eq(taken, number)
            if way.is_on_data:
                # Both have memory.
                continue
            is_slot = way.region.data == "activations"
            home = way.number.data if is_slot else ELSEWHERE
            whole = self.b.select(this, home, whole)
            start = self.b.select(this, self.sizes.size(way.offset), start)
        return whole, start
