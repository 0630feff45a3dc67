"""
Write a `loop.for`, in vectors where it has lanes.

In a loop with lanes, every value that depends on the index becomes a vector. Several
vectors may run in one step, each with accumulators of its own. The bodies left over at
the end are written once more with one lane. All accumulators are combined in an order
that the number of elements and the target alone decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import Attribute

from ....dialects.loop import ForOp, KernelOp, TileOp
from ..math import FUNCTIONS
from ..text.masks import mask_of
from ..text.reduction import combine, combine_lanes, identity
from ..text.scope import Lanes
from ..text.types import Value, number_text
from .empty_loops import idle_condition, skipping_sizes
from .op_writer import OpWriter
from .row_lanes import RowWriter
from .squares import SquareWriter
from .whole_units import whole_units


@dataclass(frozen=True)
class LoopWriter(OpWriter):
    """Writes loops of one kernel, whose bodies `write_ops` writes."""

    shares: dict[tuple[str, int], tuple[str, str]] = field(
        default_factory=dict[tuple[str, int], tuple[str, str]]
    )
    """This thread's indices of loops that are in none, by their end and unit."""

    def write(self, op: ForOp) -> None:
        """Writes a loop, in vectors where it has lanes."""
        if any(isinstance(each, TileOp) and op in each.over for each in op.walk()):
            # The tile inside writes the loop, where it suits its blocks.
            inside = (e for e in op.body.block.ops if e not in op.looked_up)
            return self.write_ops(inside)
        lanes = self.scope.lanes.count
        initial = [self.w.splat(self.scope[v], lanes) for v in op.initial]
        start, stop = self.range(op)
        if op.transposed is not None:
            squares = SquareWriter(self.memory, self.write_ops, self.range)
            start = squares.write(op, start, stop)
        if op.width > 1:
            accumulators = self.write_vectors(op, start, stop, initial)
        elif op.partials is not None:
            accumulators = self.write_partials(op, start, stop, initial)
        else:
            accumulators = self.write_bodies(op, start, stop, initial)
        for result, value in zip(op.accumulators, accumulators, strict=True):
            self.scope.define(result, value)

    def range(self, op: ForOp) -> tuple[str, str]:
        """The first index of a loop and the one after the last, for this thread."""
        stop = self.w.size(op.size)
        for size in skipping_sizes(op):
            zero = self.w.entered(f"icmp eq i64 {self.w.size(size)}, 0")
            stop = self.w.entered(f"select i1 {zero}, i64 0, i64 {stop}")
        if (idle := idle_condition(self.w, op)) is not None:
            stop = self.w.emit(f"select i1 {idle}, i64 0, i64 {stop}")
        if op.split is None:
            return "0", stop
        unit = op.side * op.width * max(op.counts)
        if not isinstance(op.parent_op(), KernelOp):
            return self.w.share(stop, unit)
        # The code of such a loop comes before that of all later ones.
        if (stop, unit) not in self.shares:
            self.shares[stop, unit] = self.w.share(stop, unit)
        return self.shares[stop, unit]

    def write_bodies(
        self,
        op: ForOp,
        start: str,
        stop: str,
        initial: Sequence[Value],
        numbers: Sequence[int] = (0,),
        unit: int = 0,
    ) -> list[Value]:
        """
        Writes a loop of some bodies in each iteration, in the lanes of the scope: the
        bodies with these numbers of every `unit`, or of as many as there are.

        `initial` has the initial accumulators of each body, one body after the other.
        Where it has more, the bodies of an iteration take the first of them, and their
        results become the last.
        """
        index, *inner = op.body.block.args
        lanes = self.scope.lanes
        step = lanes.count if op.index is lanes.index else 1

        def body(at: str, carried: list[Value]) -> list[Value]:
            results = carried[len(numbers) * len(inner) :]
            for place, number in enumerate(numbers):
                offset = number * step
                with self.scope.inner(replace(lanes, offset=offset)):
                    self.scope.set_index(index, self.w.add(at, str(offset)))
                    mine = carried[place * len(inner) : (place + 1) * len(inner)]
                    for argument, value in zip(inner, mine, strict=True):
                        self.scope.define(argument, value)
                    self.write_ops(op.body.block.ops)
                    results += [
                        self.w.splat(self.scope[each], lanes.count)
                        for each in op.end.values
                    ]
            return results

        total = step * (unit or len(numbers))
        return self.w.loop(start, stop, total, initial, body)

    def write_vectors(
        self, op: ForOp, start: str, stop: str, initial: Sequence[Value]
    ) -> list[Value]:
        """
        Writes a loop over several vectors at a time, one over single vectors, and one
        over the bodies that are left; in lanes of rows, the vectors of each.
        """
        ends = [
            whole_units(self.w, start, stop, vectors * op.width, op.size)
            for vectors in op.counts
        ]

        def accumulate() -> list[Value]:
            return self.accumulate(op, start, ends)

        if self.scope.lanes.count == 1 or ends[-1] == start:
            accumulators = accumulate()
        else:
            rows = RowWriter(self.memory, self.write_ops)
            accumulators = rows.write(op, accumulate)
        if ends[-1] != stop and op.masked is not None:
            return self.write_masked_rest(op, ends[-1], stop)
        return self.write_rest(op, ends[-1], stop, initial, accumulators)

    def accumulate(self, op: ForOp, start: str, ends: Sequence[str]) -> list[Value]:
        """
        Writes the loops over several vectors and over single ones, which end where it
        says; their accumulators, of a vector each, if any are written.
        """
        by = _combiner(op)
        accumulators = list[Value]()
        for vectors, end in zip(op.counts, ends, strict=True):
            if end == start:
                continue
            # LLVM interleaves the long bodies of math functions when vectors are one
            # value. A long body without is written once, and takes turns.
            # Vectors of columns go down the loops inside together.
            is_wide = _is_one_value(op) and vectors <= op.several
            lanes = op.width * vectors if is_wide else op.width
            count = vectors * op.width // lanes
            # The initial value is combined at the end, not in every lane.
            first = [
                self.w.splat(identity(each.type, by), lanes) for each in op.initial
            ]
            before = accumulators or first * count
            with self.scope.inner(Lanes(op.index, lanes)):
                numbers = range(min(count, op.several))
                found = self.write_bodies(op, start, end, before, numbers)
            accumulators = [
                combine_lanes(self.w, each, by, op.width)
                for each in self.combined(found, len(op.initial), by)
            ]
            start = end
        return accumulators

    def write_masked_rest(self, op: ForOp, done: str, stop: str) -> list[Value]:
        """Writes the bodies left, if any, as the first lanes of one vector."""
        w, lanes = self.w, op.width

        def rest() -> list[Value]:
            mask = mask_of(w, w.minus(stop, done), lanes)
            with self.scope.inner(Lanes(op.index, lanes, mask=mask)):
                self.scope.set_index(op.index, done)
                self.write_ops(op.body.block.ops)
            return []

        return w.branch(w.below(done, stop), rest, list)

    def write_rest(
        self,
        op: ForOp,
        done: str,
        stop: str,
        initial: Sequence[Value],
        accumulators: Sequence[Value],
    ) -> list[Value]:
        """Combines accumulators, if any; writes a loop over the bodies left."""
        by = _combiner(op)
        lanes = self.scope.lanes.count
        accumulators = [
            combine(self.w, before, combine_lanes(self.w, each, by, lanes), by)
            for before, each in zip(initial, accumulators, strict=bool(accumulators))
        ] or list(initial)
        return self.write_bodies(op, done, stop, accumulators)

    def write_partials(
        self, op: ForOp, start: str, stop: str, initial: Sequence[Value]
    ) -> list[Value]:
        """
        Writes a sum in partial sums without vectors along it: in the lanes of a loop
        around it, or in none.
        """
        done, accumulators = start, list[Value]()
        for unit in op.units:
            whole = whole_units(self.w, start, stop, unit, op.size)
            if whole != done:
                accumulators = self.write_units(op, done, whole, accumulators, unit)
                done = whole
        total = self.combined(accumulators, len(initial), _combiner(op))
        return self.write_rest(op, done, stop, initial, total)

    def write_units(
        self, op: ForOp, start: str, stop: str, before: list[Value], unit: int
    ) -> list[Value]:
        """
        Writes loops over whole units, with an accumulator for each index of one, which
        are combined to the fewest: with as many bodies at a time as are unrolled.
        """
        by, width, few = _combiner(op), len(op.initial), min(op.units)
        lanes = self.scope.lanes.count
        empty = [self.w.splat(_empty(each.type, by), lanes) for each in op.initial]
        at_once = 1 if op.unroll is None else op.unroll.value.data
        if at_once >= unit or (unit == few and at_once > 1):
            initial = before or empty * unit
            found = self.write_bodies(op, start, stop, initial, range(unit))
            return self.combined(found, few * width, by)
        if at_once > 1:
            some = at_once * few // unit
            numbers = [
                first + each for first in range(0, unit, few) for each in range(some)
            ]

            def several(at: str) -> list[Value]:
                first, initial = self.w.add(start, at), empty * len(numbers)
                found = self.write_bodies(op, first, stop, initial, numbers, unit)
                return self.combined(found, some * width, by)

            memory = self.stacked(several, empty, few, some)
            return self.load_accumulators(memory, empty, range(few))
        known = [self.w.allocate(each, few) for each in empty] if before else []
        self.put(before, known, "0")

        def one(at: str) -> list[Value]:
            first = self.w.add(start, at)
            initial = self.load_accumulators(known, empty, [at]) if known else empty
            return self.write_bodies(op, first, stop, initial, (0,), unit)

        def folded(at: str) -> list[Value]:
            numbers = [self.w.add(at, str(each)) for each in range(0, unit, few)]
            return self.combined(
                self.load_accumulators(memory, empty, numbers), width, by
            )

        memory = self.stacked(one, empty, unit)
        totals = self.stacked(folded, empty, few) if unit > few else memory
        return self.load_accumulators(totals, empty, range(few))

    def stacked(
        self,
        made: Callable[[str], Sequence[Value]],
        like: Sequence[Value],
        count: int,
        some: int = 1,
    ) -> list[str]:
        """
        Writes a loop that makes accumulators for `count` indices, of `some` at a time;
        where on the stack they are, each like one of those given.
        """
        memory = [self.w.allocate(each, count) for each in like]

        def step(at: str, _: list[Value]) -> list[Value]:
            self.put(made(at), memory, at)
            return []

        self.w.loop("0", str(count), some, (), step)
        return memory

    def put(self, values: Sequence[Value], memory: Sequence[str], at: str) -> None:
        """Stores the accumulators of consecutive indices, from `at` on."""
        for place, value in enumerate(values):
            number, which = divmod(place, len(memory))
            self.w.put(value, memory[which], self.w.add(at, str(number)))

    def load_accumulators(
        self, memory: Sequence[str], like: Sequence[Value], numbers: Iterable[int | str]
    ) -> list[Value]:
        """Loads the accumulators of some indices."""
        return [
            self.w.get(each, address, str(number))
            for number in numbers
            for address, each in zip(memory, like, strict=True)
        ]

    def combined(self, values: list[Value], width: int, by: str) -> list[Value]:
        """The accumulators of several bodies, combined by halves to `width` of them."""
        while len(values) > width:
            half = len(values) // 2
            pairs = zip(values[:half], values[half:], strict=True)
            values = [combine(self.w, a, b, by) for a, b in pairs]
        return values


def _combiner(op: ForOp) -> str:
    """What combines the accumulators of a loop, if it has any."""
    return "" if op.combine is None else op.combine.data


def _empty(type: Attribute, by: str) -> Value:
    """What combines to the other operand itself: for sums the zero below zero."""
    found = identity(type, by)
    if by == "add" and isinstance(type, AnyFloat):
        return found._replace(text=number_text(FloatAttr(-0.0, type)))
    return found


def _is_one_value(op: ForOp) -> bool:
    """Whether a body calls functions that are written here, or has loops inside."""
    ops = op.body.block.ops
    return any(
        isinstance(each, ForOp) or each.name.removeprefix("math.") in FUNCTIONS
        for each in ops
    )
