"""
ONNX's Loop: a region of the graph dialect, or unrolled trips.

A loop that cannot be a region, because sizes change from trip to trip, is unrolled when
the number of trips is known and small. A loop of one trip is the nodes of that trip.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, SSAValue

from ....dialects import sizes, symbols_of, tensor, tensor_type
from ....dialects.graph import (
    UNLIMITED,
    AddOp,
    ConcatOp,
    ConstantOp,
    LogicalAndOp,
    LoopOp,
    LtOp,
    ReshapeOp,
    YieldOp,
    capture,
    defined_symbols,
    to_names,
)
from ....dialects.graph.compose import joining, shape_of
from ..known import Known
from ..unsupported import NeedsValue, Unsupported
from .graph_builder import GraphBuilder
from .loop_appends import Append, take_appends, whole
from .loop_invariants import invariants
from .loop_trips import LoopTrips, as_declared, filled
from .node import Node
from .region import add, building, entries_of, retype, scalar, tensors
from .scope import Entry, Lost, Scope, is_true
from .trip_count import UNLIMITED_TRIPS, Counting, as_size

MOST_TRIPS = 1 << 12
"""The most unrolled trips of all loops of a model, nested ones included."""

_MOST_UNROLLED = 64
"""The most trips of a loop that is unrolled."""


_GOES_ON = Known.of(np.array(True))
"""The condition that a trip gets."""


class _LoopBuilder:
    """Builds a Loop of ONNX."""

    def __init__(self, builder: GraphBuilder, node: Node, scope: Scope):
        self.builder, self.node, self.scope = builder, node, scope
        self.graph = node.graph("body")
        self.trips = LoopTrips.of(builder, node)
        states = [node.value(place) for place in range(2, len(node.values))]
        expected = len(states) + 2
        if len(self.graph.input) != expected:
            raise node.error(
                f"expected a body of {expected} inputs, got {len(self.graph.input)}"
            )
        if len(self.graph.output) < len(states) + 1:
            raise node.error(
                f"expected a body of {len(states) + 1} outputs or more, got "
                f"{len(self.graph.output)}"
            )
        same = invariants(self.graph)
        self.fixed = {place: states[place] for place in same}
        self.places = [place for place in range(len(states)) if place not in same]
        self.states = [states[place] for place in self.places]

    def trip(self, number: Entry, states: Sequence[Entry]) -> list[Entry]:
        """
        Adds the nodes of a trip; its condition, and the states and the rows that it
        hands on. A state that no trip changes has its value from outside of the loop.
        """
        inner = self.scope.inside(self.graph.node, self.node.name)
        inputs, outputs = self.graph.input, len(self.graph.output)
        for argument, each in zip(inputs, (number, _GOES_ON), strict=False):
            each = as_declared(self.builder, self.node, argument, each)
            inner.entries[argument.name] = each
        changing = zip(self.places, states, strict=True)
        for place, each in [*self.fixed.items(), *changing]:
            inner.entries[inputs[2 + place].name] = each
        found = entries_of(self.builder, self.graph, self.node, inner)
        kept = [place for place in range(outputs) if place - 1 not in self.fixed]
        return [found[place] for place in kept]

    def build(self) -> Sequence[Entry]:
        """The results: the final carried values, then the stacks."""
        results = [*self.changing()]
        for place in sorted(self.fixed):
            results.insert(place, self.fixed[place])
        return results

    def changing(self) -> Sequence[Entry]:
        """The results but the values that no trip changes."""
        if self.trips.limit == 1 and self.is_short():
            return self.trip_by_trip(1)  # which builds its nodes only once
        with building(self.builder, Block()):
            entries = self.add_trip()
            results = tensors(self.builder, entries[1:])
            body = self.builder.block
        if results is None:
            return self.lost()
        carried = [self.node.operand(2 + place) for place in self.places]
        is_short = self.is_short()
        appends = [] if is_short else take_appends(body, carried, results)
        if appends:
            return self.appending(body, entries[0], results, carried, appends)
        return self.finish(body, entries[0], results, carried)

    def appending(
        self,
        body: Block,
        next: Entry,
        results: list[SSAValue],
        carried: list[SSAValue],
        appends: Sequence[Append],
    ) -> Sequence[Entry]:
        """The results of a loop whose trips append to some of what it carries."""
        count, grown = len(carried), {each.place for each in appends}
        kept = [place for place in range(count) if place not in grown]
        self.states = [self.states[place] for place in kept]
        given = [results[place] for place in kept] + results[count:]
        given += [each.piece for each in appends]
        found = self.finish(body, next, given, [carried[place] for place in kept])
        last, stacks = found[: len(kept)], [*found[len(kept) :]]
        entries = dict(zip(kept, last, strict=True))
        for each in reversed(appends):
            pieces = self.builder.tensor(stacks.pop())
            assert pieces is not None, "a loop that is built has results"
            entries[each.place] = whole(self.builder, self.node, each, pieces)
        return [*(entries[place] for place in range(count)), *stacks]

    def finish(
        self,
        body: Block,
        next: Entry,
        results: list[SSAValue],
        carried: list[SSAValue],
    ) -> Sequence[Entry]:
        """The results of a loop with this body, which is unrolled if need be."""
        ends = [each.type for each in results[: len(carried)]]
        if ends != [each.type for each in carried]:
            pairs = zip(results, [each.type for each in carried], strict=False)
            if self.is_short() or not all(joining.may_be(*pair) for pair in pairs):
                return self.unroll(ends, [each.type for each in carried])
            with building(self.builder, body):
                for place, each in enumerate(carried):
                    shape = sizes(tensor_type(each))
                    found = retype(self.builder, self.node, results[place], shape)
                    results[place] = found
        return self.close(body, next, results, carried)

    def add_trip(self) -> list[Entry]:
        """
        Adds the nodes of a trip to a block whose first arguments are counter and
        states.
        """
        block = self.builder.block
        types = [tensor(i64), *(each.type for each in self.states)]
        counter, *states = (
            block.insert_arg(each, place) for place, each in enumerate(types)
        )
        return self.trip(counter, states)

    def lost(self) -> list[Entry]:
        """The results of a loop in which something is not supported."""
        return [Lost() for _ in self.node.proto.output[len(self.fixed) :]]

    def close(
        self,
        body: Block,
        next: Entry,
        results: list[SSAValue],
        carried: list[SSAValue],
    ) -> Sequence[Entry]:
        """Adds the loop of a finished body."""
        next = self.counted(body, next, results)
        trips, node, builder = self.trips, self.node, self.builder
        first, stays = trips.condition, is_true(next) or trips.condition is None
        conditional = not (stays and (first is None or is_true(first)))
        conditional = conditional or trips.count is not None
        limit = UNLIMITED if trips.limit is None else trips.limit
        stacks = results[len(carried) :]
        if stacks and conditional and trips.limit is None:
            raise NeedsValue(
                [node.operand(place) for place in _run_time(node)],
                "results of each trip of a loop whose limit is computed when the "
                "model runs",
            )
        own = defined_symbols(body).keys()
        if any(symbols_of(size) & own for each in stacks for size in shape_of(each)):
            raise NeedsValue(
                [node.operand(place) for place in _run_time(node)],
                "results of each trip of sizes that are computed when the model runs",
            )
        if not conditional and trips.limit is None:
            raise node.error("expected a loop that ends, got no limit and no condition")
        with building(builder, body):
            counter = body.args[0]
            one = ConstantOp(value=np.array(1))
            following = AddOp(counter, one)
            body.add_ops([one, following])
            ends = [following.result, *results]
            if conditional:
                ends.insert(0, self.condition(next, following.result))
            body.add_op(YieldOp(*ends))
        start = builder.emit(Known.of(np.array(0)))
        begin = self.first_condition() if conditional else None
        captured = capture(body)
        loop = add(
            builder,
            node,
            lambda: LoopOp.of(body, limit, begin, [start, *carried], (), captured),
        )
        count, *rest = loop.results
        last, whole = rest[: len(carried)], rest[len(carried) :]
        if conditional and whole:
            return [*last, *filled(builder, node, whole, count, limit)]
        return rest

    def counted(self, body: Block, next: Entry, results: Sequence[SSAValue]) -> Entry:
        """
        The condition of the next trip. Where it counts up to a size, that limits the
        trips, and there is no condition if nothing else does.
        """
        trips = self.trips
        limit = UNLIMITED if trips.limit is None else trips.limit
        is_open = isinstance(limit, int) and limit >= UNLIMITED_TRIPS
        first = as_size(trips.condition)
        if not isinstance(next, SSAValue) or not is_open or trips.condition is None:
            return next
        counting = Counting(body, self.states, results, self.builder.emit.known)
        found = counting.trips(next, 1 if first is None else first)
        if found is None:
            return next
        trips.limit = found.most
        if not found.is_exact or first is None or trips.count is not None:
            return next
        trips.condition = None
        return Known.of(np.array(True))

    def condition(self, next: Entry, counter: SSAValue) -> SSAValue:
        """Builds the condition of the next trip."""
        builder, node, count = self.builder, self.node, self.trips.count
        parts: list[SSAValue] = []
        if self.trips.condition is not None and not is_true(next):
            value = builder.tensor(next)
            assert value is not None
            parts.append(scalar(builder, node, value))
        if count is not None:
            below = add(builder, node, lambda: LtOp(counter, count))
            parts.append(below.results[0])
        return self.all_of(parts)

    def first_condition(self) -> SSAValue:
        """Builds the condition of the first trip."""
        builder, trips = self.builder, self.trips
        parts: list[SSAValue] = []
        if trips.condition is not None and not is_true(trips.condition):
            value = builder.tensor(trips.condition)
            assert value is not None
            parts.append(scalar(builder, self.node, value))
        if trips.count is not None:
            zero, count = builder.emit(Known.of(np.array(0))), trips.count
            parts += add(builder, self.node, lambda: LtOp(zero, count)).results
        return self.all_of(parts)

    def all_of(self, parts: Sequence[SSAValue]) -> SSAValue:
        """Builds the conjunction of up to two conditions."""
        match parts:
            case []:
                return self.builder.emit(Known.of(np.array(True)))
            case [one]:
                return one
            case _:
                both = add(self.builder, self.node, lambda: LogicalAndOp(*parts))
                return both.results[0]

    def is_short(self) -> bool:
        """Whether the trips are known and few."""
        limit, condition = self.trips.limit, self.trips.condition
        starts = condition is None or is_true(condition)
        return isinstance(limit, int) and limit <= _MOST_UNROLLED and starts

    def unroll(
        self, got: Sequence[Attribute], expected: Sequence[Attribute]
    ) -> Sequence[Entry]:
        """Unrolls a loop whose trips are known and few."""
        limit = self.trips.limit
        if not isinstance(limit, int) or not self.is_short():
            raise Unsupported(
                "a loop in which sizes change: from "
                f"{', '.join(map(str, expected))} to {', '.join(map(str, got))}"
            )
        self.builder.trips += limit
        if self.builder.trips > MOST_TRIPS:
            raise self.node.error(
                f"expected at most {MOST_TRIPS} trips of loops in which sizes change"
            )
        return self.trip_by_trip(limit)

    def trip_by_trip(self, limit: int) -> Sequence[Entry]:
        """The results of `limit` trips, each with nodes of its own."""
        states: list[Entry] = list(self.states)
        stacks: list[list[SSAValue]] = []
        for trip in range(limit):
            on, *ends = self.trip(Known.of(np.array(trip)), states)
            if not (trip + 1 == limit or self.trips.condition is None or is_true(on)):
                raise Unsupported("a loop in which sizes change until a condition ends")
            states = list(ends[: len(states)])
            rows = tensors(self.builder, ends[len(states) :])
            if rows is None:
                return self.lost()
            stacks.append(rows)
        return [*states, *(self.stack(each) for each in zip(*stacks, strict=True))]

    def stack(self, rows: Sequence[SSAValue]) -> SSAValue:
        """Builds the stack of the rows, which must have one type."""
        if not all(joining.may_be(each, rows[0].type) for each in rows):
            raise Unsupported("results of each trip of different types")
        shapes = [to_names([1, *sizes(tensor_type(each))]) for each in rows]
        wide = [
            add(
                self.builder,
                self.node,
                lambda row=row, shape=shape: ReshapeOp(row, shape=shape),
            ).results[0]
            for row, shape in zip(rows, shapes, strict=True)
        ]
        return add(self.builder, self.node, lambda: ConcatOp(*wide, axis=0)).results[0]


def _run_time(node: Node) -> list[int]:
    """Which of the limit and the condition of a loop the run computes."""
    return [
        each for each in (0, 1) if node.has(each) and node.known_input(each) is None
    ]


def loop(builder: GraphBuilder, node: Node, scope: Scope) -> Sequence[Entry]:
    """The results of an ONNX Loop."""
    return _LoopBuilder(builder, node, scope).build()
