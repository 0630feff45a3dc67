"""How many trips a Loop of ONNX makes, as far as its inputs tell."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from ....dialects import Dim, greater
from ..known import Known
from .graph_builder import GraphBuilder
from .node import Node
from .region import scalar


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
