"""
ONNX's Scan, and the table of nodes with regions.

The nodes of a region may use every outer value. They are built first, and the outer
values that they use become operands of the region.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from ....dialects import Dim, agreed, sizes, tensor, tensor_type
from ....dialects.graph import LoopOp, PermuteOp, YieldOp, capture
from ....dialects.graph.compose import joining
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


def scan(builder: GraphBuilder, node: Node, scope: Scope) -> Sequence[Entry]:
    """The results of a region that runs over the elements of tensors along an axis."""
    if node.since < 9:
        raise Unsupported("the batches of Scan up to opset 8")
    graph, count = node.graph("body"), node.integer("num_scan_inputs")
    first = len(node.values) - count
    values = [node.operand(place) for place in range(len(node.values))]
    if first < 0 or len(graph.input) != len(values) or len(graph.output) < first:
        raise node.error("expected a body of as many inputs as the node has")
    stacked = len(graph.output) - first
    carried, whole = values[:first], values[first:]
    axes = node.integers("scan_input_axes") or (0,) * count
    outer = node.integers("scan_output_axes") or (0,) * stacked
    ways = {"scan_input_directions": count, "scan_output_directions": stacked}
    backward = [
        node.flag(name, each)
        for name, default in ways.items()
        for each in node.integers(name) or (0,) * default
    ]
    if len(axes) != count or len(outer) != stacked or len(backward) != count + stacked:
        raise node.error("expected an axis and a direction for each tensor")
    scanned = [
        moved(builder, node, each, axis, 0)
        for each, axis in zip(whole, axes, strict=True)
    ]
    limit = _limit_of(node, scanned)
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
        inner = scope.inside(graph.node, node.name)
        names = [each.name for each in graph.input]
        inner.entries.update(zip(names, arguments, strict=True))
        results = tensors(builder, entries_of(builder, graph, node, inner))
        if results is None:
            return [Lost() for _ in node.proto.output]
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
    stacks = [
        moved(builder, node, each, 0, axis)
        for each, axis in zip(op.results[first:], outer, strict=True)
    ]
    return [*op.results[:first], *stacks]


def _limit_of(node: Node, scanned: Sequence[SSAValue]) -> Dim:
    """The length of all tensors that a node scans, along the first axis."""
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
