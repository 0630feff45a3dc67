"""How many trips a Loop of ONNX makes, as far as its inputs tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onnx import ValueInfoProto
from xdsl.ir import SSAValue

from ....dialects import Dim, greater, sizes, tensor_type
from ....dialects.graph import DefineSymbolOp, ReshapeOp, SliceOp, to_names
from ..known import Known
from .graph_builder import GraphBuilder
from .node import Node
from .region import add, scalar
from .scope import Entry


@dataclass
class LoopTrips:
    """The number of trips of a loop, as far as it is known."""

    limit: Dim | None
    """The limit of trips; None when it is known only at run time, or there is none."""

    count: SSAValue | None
    """The limit of trips when it is computed at run time."""

    condition: Known | SSAValue | None
    """The condition of the first trip; None when there is none."""

    @classmethod
    def of(cls, builder: GraphBuilder, node: Node) -> LoopTrips:
        """The trips of a Loop."""
        limit: Dim | None = None
        count: SSAValue | None = None
        if node.has(0):
            if (known := node.known_input(0)) is not None:
                if known.array.size != 1:
                    raise node.error(f"expected one number of trips, got {known.type}")
                (limit,) = known.dims()
                limit = greater(limit, 0)
            else:
                count = scalar(builder, node, node.operand(0))
        condition = node.value(1) if node.has(1) else None
        if isinstance(condition, SSAValue):
            condition = scalar(builder, node, condition)
        return cls(limit, count, condition)


def as_declared(
    builder: GraphBuilder, node: Node, argument: ValueInfoProto, entry: Entry
) -> Entry:
    """
    The number of a trip, or its condition, as a body declares it.

    ONNX says a scalar; runtimes take a vector of one too, which tf2onnx writes.
    """
    if len(argument.type.tensor_type.shape.dim) != 1:
        return entry
    if isinstance(entry, SSAValue):
        return add(
            builder, node, lambda: ReshapeOp(entry, shape=to_names([1]))
        ).results[0]
    return Known.of(entry.array.reshape(1)) if isinstance(entry, Known) else entry


def filled(
    builder: GraphBuilder,
    node: Node,
    stacks: Sequence[SSAValue],
    count: SSAValue,
    limit: Dim,
) -> list[SSAValue]:
    """Builds the part of each stack that `count` trips filled."""
    symbol = builder.symbols.define(f"{node.name}_trips")
    add(
        builder,
        node,
        lambda: DefineSymbolOp(count, symbol=str(symbol), low="0", high=str(limit)),
    )
    results: list[SSAValue] = []
    for stack in stacks:
        rest = sizes(tensor_type(stack))[1:]
        starts, steps = to_names([0] * (len(rest) + 1)), (1,) * (len(rest) + 1)
        part = add(
            builder,
            node,
            lambda stack=stack, rest=rest, starts=starts, steps=steps: SliceOp(
                stack, starts=starts, sizes=to_names([symbol, *rest]), steps=steps
            ),
        )
        results.append(part.results[0])
    return results
