"""
ONNX's Scan, and the table of nodes with regions.

The nodes of a region may use every outer value. They are built first, and the outer
values that they use become operands of the region.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from ....dialects import Dim, agreed, sizes, tensor, tensor_type
from ....dialects.graph import (
    IndexSelectOp,
    IotaOp,
    LoopOp,
    LtOp,
    PermuteOp,
    SubOp,
    WhereOp,
    YieldOp,
    capture,
)
from ....dialects.graph.compose import joining, number_like, plus
from ..unsupported import Unsupported
from .branch import branch
from .emit import location_of
from .graph_builder import GraphBuilder, RegionHandler
from .loop import loop
from .node import Node
from .region import (
    add,
    building,
    entries_of,
    retype,
    tensors,
)
from .scope import Entry, Lost, Scope

_Build: TypeAlias = "Callable[[Sequence[SSAValue]], Sequence[SSAValue] | None]"
"""Builds what a trip yields from what it gets; None where a result is lost."""


def scan(builder: GraphBuilder, node: Node, scope: Scope) -> Sequence[Entry]:
    """The results of a region that runs over the elements of tensors along an axis."""
    has_batches = node.since < 9
    places = range(int(has_batches), len(node.values))
    values = [node.operand(place) for place in places]
    graph, count = node.graph("body"), node.integer("num_scan_inputs")
    first = len(values) - count
    if first < 0 or len(graph.input) != len(values) or len(graph.output) < first:
        raise node.error("expected a body of as many inputs as the node has")

    def nodes(arguments: Sequence[SSAValue]) -> Sequence[SSAValue] | None:
        inner = scope.inside(graph.node, node.name)
        names = [each.name for each in graph.input]
        inner.entries.update(zip(names, arguments, strict=True))
        return tensors(builder, entries_of(builder, graph, node, inner))

    run = _over_batches if has_batches else _over_axes
    results = run(builder, node, values, first, nodes)
    return [Lost() for _ in node.proto.output] if results is None else results


def _over_axes(
    builder: GraphBuilder,
    node: Node,
    values: Sequence[SSAValue],
    first: int,
    nodes: _Build,
) -> Sequence[SSAValue] | None:
    """Builds a scan along an axis of each tensor from the `first` value on."""
    count, stacked = len(values) - first, len(node.graph("body").output) - first
    axes = node.integers("scan_input_axes") or (0,) * count
    outer = node.integers("scan_output_axes") or (0,) * stacked
    backward = [
        *_directions(node, "scan_input_directions", count),
        *_directions(node, "scan_output_directions", stacked),
    ]
    if len(axes) != count or len(outer) != stacked or len(backward) != count + stacked:
        raise node.error("expected an axis and a direction for each tensor")
    scanned = [
        moved(builder, node, each, axis, 0)
        for each, axis in zip(values[first:], axes, strict=True)
    ]
    results = _looped(builder, node, values[:first], scanned, backward, nodes)
    if results is None:
        return None
    stacks = [
        moved(builder, node, each, 0, axis)
        for each, axis in zip(results[first:], outer, strict=True)
    ]
    return [*results[:first], *stacks]


def _over_batches(
    builder: GraphBuilder,
    node: Node,
    values: Sequence[SSAValue],
    first: int,
    nodes: _Build,
) -> Sequence[SSAValue] | None:
    """
    Builds a scan, for each row of a batch, along what is then the first axis; where the
    rows have lengths, states stay as they are and stacks are zero after them.
    """
    count, results = len(values) - first, len(node.graph("body").output)
    backward = _directions(node, "directions", count)
    if len(backward) != count:
        raise node.error("expected a direction for each tensor")
    ways = [*backward, *[False] * (results - first)]
    lengths = _lengths(builder, node, values[first:]) if node.has(0) else []

    def row(arguments: Sequence[SSAValue]) -> Sequence[SSAValue] | None:
        states, scanned = arguments[:first], arguments[first : first + count]
        if not lengths:
            return _looped(builder, node, states, scanned, ways, nodes)
        length, forward = arguments[-1], [False] * (len(ways) + 1)
        every = _in_time(builder, node, scanned, length, backward)
        trip = _until(builder, node, length, first, nodes)
        return _looped(builder, node, states, every, forward, trip)

    every = [False] * (len(values) + len(lengths) + results)
    return _looped(builder, node, [], [*values, *lengths], every, row)


def _lengths(
    builder: GraphBuilder, node: Node, scanned: Sequence[SSAValue]
) -> list[SSAValue]:
    """Builds how many elements each row has, of those that there are."""
    if not scanned or any(len(sizes(tensor_type(each))) < 2 for each in scanned):
        raise node.error("expected batches with an axis to scan")
    if node.rank(0) != 1:
        raise node.error(f"expected a length for each row, got {node.type(0)}")
    most, given = sizes(tensor_type(scanned[0]))[1], node.operand(0)

    def checked() -> Operation:
        # Other lengths are no indices of the allowed ones, which the run says.
        allowed = IotaOp(size=str(most + 1))
        return IndexSelectOp(allowed, given, axis=0, wraps=False)

    return [*add(builder, node, checked).results]


def _in_time(
    builder: GraphBuilder,
    node: Node,
    scanned: Sequence[SSAValue],
    length: SSAValue,
    backward: Sequence[bool],
) -> list[SSAValue]:
    """
    Builds the elements of a row in the order of their trips, from the last one of the
    row on where they go backward; then the numbers of the trips.
    """
    limit = _limit_of(node, scanned)
    places = add(builder, node, lambda: IotaOp(size=str(limit))).results[0]

    def turned(value: SSAValue) -> Operation:
        from_end = SubOp(plus(length, -1), places)
        inside = LtOp(places, length)
        order = WhereOp(inside, from_end, places)
        return IndexSelectOp(value, order, axis=0, wraps=False)

    found: list[SSAValue] = []
    for value, is_backward in zip(scanned, backward, strict=True):
        if is_backward:
            value = add(builder, node, partial(turned, value)).results[0]
        found.append(value)
    return [*found, places]


def _until(
    builder: GraphBuilder, node: Node, length: SSAValue, first: int, nodes: _Build
) -> _Build:
    """What a trip yields that is given its number: nothing new from a length on."""

    def build(arguments: Sequence[SSAValue]) -> Sequence[SSAValue] | None:
        *given, place = arguments
        if (results := nodes(given)) is None:
            return None
        inside = add(builder, node, lambda: LtOp(place, length)).results[0]
        if not all(map(joining.may_be, results[:first], [e.type for e in given])):
            raise Unsupported("a scan in which sizes change")

        def chosen(at: int, new: SSAValue) -> Operation:
            return WhereOp(
                inside, new, given[at] if at < first else number_like(0, new)
            )

        kept: list[SSAValue] = []
        for at, new in enumerate(results):
            if at < first:
                new = retype(builder, node, new, sizes(tensor_type(given[at])))
            kept += add(builder, node, partial(chosen, at, new)).results
        return kept

    return build


def _directions(node: Node, name: str, count: int) -> list[bool]:
    """Whether each tensor is scanned, or made, from its end on."""
    return [node.flag(name, each) for each in node.integers(name) or (0,) * count]


def _looped(
    builder: GraphBuilder,
    node: Node,
    carried: Sequence[SSAValue],
    scanned: Sequence[SSAValue],
    backward: Sequence[bool],
    build: _Build,
) -> Sequence[SSAValue] | None:
    """
    Builds the loop over the first axis of some tensors, with others carried from trip
    to trip; None where a result of its body is lost.
    """
    limit, first = _limit_of(node, scanned), len(carried)
    scanned = [
        retype(builder, node, each, [limit, *sizes(tensor_type(each))[1:]])
        for each in scanned
    ]
    with building(builder, Block()):
        body = builder.block
        types = [each.type for each in carried]
        for each in scanned:
            type = tensor_type(each)
            types.append(tensor(type.element_type, *sizes(type)[1:]))
        arguments = [body.insert_arg(each, place) for place, each in enumerate(types)]
        results = build(arguments)
        if results is None:
            return None
        body.add_op(YieldOp(*results))
    if not all(map(joining.may_be, results[:first], types)):
        raise Unsupported("a scan in which sizes change")
    joining.retype_yields(body, 0, types[:first], node.op, location_of(node.name))
    captured = capture(body)
    op = add(
        builder,
        node,
        lambda: LoopOp.of(body, limit, None, carried, scanned, captured, backward),
    )
    return op.results


def _limit_of(node: Node, scanned: Sequence[SSAValue]) -> Dim:
    """The length of all tensors that a node scans, along the first axis."""
    if any(not sizes(tensor_type(each)) for each in scanned):
        raise node.error("expected tensors with an axis to scan, got a scalar")
    limits = [sizes(tensor_type(each))[0] for each in scanned]
    found: Dim | None = limits[0] if limits else None
    for each in limits[1:]:
        found = None if found is None else agreed(found, each)
    if found is None:
        got = ", ".join(dict.fromkeys(map(str, limits))) or "none"
        raise node.error(f"expected tensors of one length to scan, got {got}")
    return found


def moved(
    builder: GraphBuilder, node: Node, value: SSAValue, source: int, target: int
) -> SSAValue:
    """Builds a tensor with one axis moved to another position."""
    rank = len(sizes(tensor_type(value)))
    source, target = node.normalize(source, rank), node.normalize(target, rank)
    if source == target:
        return value
    order = [axis for axis in range(rank) if axis != source]
    order.insert(target, source)
    return add(builder, node, lambda: PermuteOp(value, order=tuple(order))).results[0]


REGIONS: dict[str, RegionHandler] = {"If": branch, "Loop": loop, "Scan": scan}
"""The builders of nodes with regions."""
