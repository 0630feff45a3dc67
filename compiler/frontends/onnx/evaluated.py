"""Evaluate a node whose inputs are small and known, by the ops that it is built of."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from ....dialects import sizes, tensor_type
from ....dialects.graph import GraphOp
from ..known import MAX_EVALUATED, Known, evaluate
from .node import Handler, Node, Results, Value

_MOST_ELEMENTS = 1 << 48
"""The most elements of a tensor; a shape with more is an error."""

_TYPES_ONLY = {"CastLike": (1,)}
"""The inputs of ops that contribute their type only."""


def evaluated(handler: Handler, node: Node) -> list[Value] | None:
    """
    The results of a node with small known inputs, evaluated; None when that fails.
    """
    unread = _TYPES_ONLY.get(node.proto.op_type, ())
    inputs = [
        each
        for place, each in enumerate(node.values)
        if each is not None and place not in unread
    ]
    known = [each for each in inputs if isinstance(each, Known)]
    if len(known) < len(inputs) or any(
        each.array.size > MAX_EVALUATED for each in known
    ):
        return None
    apart = Block()
    values: dict[SSAValue, Known] = {}

    def argument(known: Known) -> SSAValue:
        built = apart.insert_arg(known.type, len(apart.args))
        values[built] = known
        return built

    with ImplicitBuilder(apart):
        results = listed(handler(node.emitted_by(argument)))
    for op in apart.ops:
        if not isinstance(op, GraphOp):
            return None  # the seed of the model
        found = evaluate(op, [values[each] for each in op.operands])
        if found is None:
            return None
        values.update(zip(op.results, found, strict=True))
    return [each if isinstance(each, Known) else values[each] for each in results]


def listed(results: Results) -> list[Value]:
    """The results of a handler as a list."""
    several = results if isinstance(results, Sequence) else [results]
    return [each if isinstance(each, Known) else SSAValue.get(each) for each in several]


def check_sizes(node: Node, results: Sequence[Value]) -> None:
    """Raises `CompileError` for a result of a node that does not fit into memory."""
    for each in results:
        known = [s for s in sizes(tensor_type(each.type)) if isinstance(s, int)]
        if prod(known) > _MOST_ELEMENTS:
            raise node.error(
                f"expected a result that fits into memory, got {each.type}"
            )
