"""
ONNX's If: a region for each branch, or the one branch that a run can take.

A condition on sizes may choose between results of different types, as where an exporter
removes an axis only if its size is 1. Then the model goes on from one branch, and a run
is refused whose sizes would take the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from onnx import GraphProto
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, SSAValue

from ....dialects import (
    Dim,
    agreed,
    conditions,
    greater,
    guess,
    sizes,
    symbols_of,
    tensor_type,
)
from ....dialects.graph import IfOp, WhereOp, YieldOp, capture, defined_symbols
from ....dialects.graph.compose import joining, quantity
from ...session import CompileError, UnsupportedOp
from ..unsupported import NeedsValue, Unsupported, Varies
from .ancestors import dims_of
from .branch_sizes import cut_results, make_room
from .emit import locate, location_of
from .graph_builder import GraphBuilder
from .node import Node
from .region import add, building, entries_of, scalar, tensors
from .run_time_sizes import define
from .scope import Apart, Entry, Lost, Scope

_NAMES = ("then_branch", "else_branch")


@dataclass
class _Branch:
    """One branch of an If, in a block of its own."""

    name: str
    graph: GraphProto
    block: Block = field(default_factory=Block)
    entries: Sequence[Entry] = ()
    results: list[SSAValue] | None = None
    """The results as values of the graph; None where the branch cannot be compiled."""
    reports: list[UnsupportedOp] = field(default_factory=list[UnsupportedOp])
    """What of the branch cannot be compiled."""
    error: Exception | None = None
    """The error that its nodes raise."""

    @property
    def why(self) -> str:
        """Why a run may not take the branch."""
        if self.results is not None:
            types = ", ".join(str(each.type) for each in self.results)
            return f"the rest of the model does not fit its results, {types}"
        if self.error is not None:
            return f"it cannot be compiled: {self.error}"
        ops = ", ".join(dict.fromkeys(each.op for each in self.reports))
        return f"it cannot be compiled: {ops or 'its inputs are lost'}"


def branch(builder: GraphBuilder, node: Node, scope: Scope) -> Sequence[Entry]:
    """The results of the branch that a condition selects."""
    found = [_Branch(name, node.graph(name)) for name in _NAMES]
    counts = [len(each.graph.output) for each in found]
    if counts != [node.output_count] * 2:
        raise node.error(
            f"expected branches of {node.output_count} outputs each, as the node has, "
            f"got {counts[0]} and {counts[1]}"
        )
    condition = node.scalar(0)
    if condition is not None:
        graph = found[0 if condition else 1].graph
        return entries_of(builder, graph, node, scope.inside(graph.node, node.name))
    known = _condition_of(node)
    for each in found:
        _build(builder, node, scope, each, is_optional=known is not None)
    compiled = [each for each in found if each.results is not None]
    if known is not None and len(compiled) == 1:
        return _taken(builder, node, known, found, found.index(compiled[0]))
    if len(compiled) < len(found):
        return _lost(builder, node, found)
    blocks = [each.block for each in found]
    cuts = make_room(blocks, node.name)
    either = _either(builder, node, blocks, known)
    if not joining.unite(blocks, node.op, location_of(node.name), either):
        if known is None:
            raise _refusal(node, found)
        likely = _is_first_likely(scope, node, known, found)
        first = builder.forks.takes_first(likely)
        return _taken(builder, node, known, found, 0 if first else 1)
    chosen = scalar(builder, node, node.operand(0))
    captured = capture(*blocks)
    op = add(builder, node, lambda: IfOp.of(chosen, captured, *blocks))
    return cut_results(builder, node, op.results, cuts)


def _condition_of(node: Node) -> Dim | None:
    """The condition as a size that is 1 or 0; None where data decides."""
    known = node.known_input(0)
    if known is None or known.array.size != 1:
        return None
    (condition,) = known.dims()
    return condition


def _either(
    builder: GraphBuilder, node: Node, blocks: Sequence[Block], known: Dim | None
) -> Callable[[Dim, Dim], Dim | None]:
    """
    What makes one size of the two that the branches give an axis of a result: where
    data decides, and no branch defines them, a size that the run computes.
    """
    if known is not None:
        return partial(conditions.chosen, known)
    own = {name for each in blocks for name in defined_symbols(each)}
    made: dict[tuple[Dim, Dim], Dim] = {}

    def either(a: Dim, b: Dim) -> Dim | None:
        if own & (symbols_of(a) | symbols_of(b)):
            return agreed(a, b)
        if (a, b) not in made:
            made[a, b] = _chosen_size(builder, node, a, b)
        return made[a, b]

    return either


def _chosen_size(builder: GraphBuilder, node: Node, a: Dim, b: Dim) -> Dim:
    """Builds the definition of the size that is `a` where the condition holds."""
    chosen, last = scalar(builder, node, node.operand(0)), builder.block.last_op
    with ImplicitBuilder(builder.block):
        value = WhereOp(chosen, quantity(a, i64), quantity(b, i64)).result
        size = define(node, value, "size", greater(a, b))
    locate(builder.block, last, node.name)
    return size


def _build(
    builder: GraphBuilder, node: Node, scope: Scope, each: _Branch, is_optional: bool
) -> None:
    """Builds a branch; notes what cannot be compiled if the branch is optional."""
    before, inner = len(builder.unsupported), scope.inside(each.graph.node, node.name)
    try:
        with building(builder, each.block):
            each.entries = entries_of(builder, each.graph, node, inner)
            if any(e is None or isinstance(e, Apart) for e in each.entries):
                why = "branches that give a sequence, an optional or texts"
                raise NeedsValue([node.operand(0)], why)
            each.results = tensors(builder, each.entries)
            if each.results is not None:
                builder.block.add_op(YieldOp(*each.results))
    except (CompileError, Unsupported) as error:
        if not is_optional:
            raise
        each.results, each.error = None, error
    each.reports = builder.unsupported[before:]
    if is_optional:
        del builder.unsupported[before:]
        if each.reports:
            each.results = None


def _lost(
    builder: GraphBuilder, node: Node, found: Sequence[_Branch]
) -> Sequence[Entry]:
    """
    The results of a node that cannot be compiled; unsupported ops of both branches are
    reported.
    """
    for each in found:
        builder.unsupported += [e for e in each.reports if e not in builder.unsupported]
    if not builder.unsupported:
        for each in found:
            if each.error is not None:
                raise each.error
    return [Lost() for _ in node.proto.output]


def _refusal(node: Node, found: Sequence[_Branch]) -> Unsupported:
    """Why an If cannot be compiled whose branches have results of different types."""
    ends = [each.results or () for each in found]
    got = " and ".join(", ".join(str(e.type) for e in end) for end in ends)
    why, condition = f"branches with results of one type each: {got}", node.operand(0)
    if compared := dims_of([condition]):
        return Varies(why, *compared)
    return NeedsValue([condition], why)


def _taken(
    builder: GraphBuilder,
    node: Node,
    condition: Dim,
    found: Sequence[_Branch],
    place: int,
) -> Sequence[Entry]:
    """The results of one branch, which is built with the check that it is taken."""
    taken, other = found[place], found[1 - place]
    needed = conditions.negated(condition) if place else condition
    message = (
        f"{conditions.in_words(needed)}, as {taken.name} is compiled and "
        f"{other.name} is not: {other.why}"
    )
    last = builder.block.last_op
    with ImplicitBuilder(builder.block):
        node.require(needed - 1, message, *conditions.sides(needed))
    locate(builder.block, last, node.name)
    end = taken.block.last_op
    assert end is not None, "a branch ends with what it yields"
    end.detach()
    end.erase()
    for op in list(taken.block.ops):
        op.detach()
        builder.block.add_op(op)
    return taken.entries


def _is_first_likely(
    scope: Scope, node: Node, condition: Dim, found: Sequence[_Branch]
) -> bool:
    """
    Whether the first branch is likely to be meant: the one of whose types the model
    declares the results, else the one that large sizes take.
    """
    fits = [
        all(
            _is_declared(scope, name, value.type)
            for name, value in zip(node.proto.output, each.results or (), strict=True)
        )
        for each in found
    ]
    return fits[0] if fits[0] != fits[1] else bool(guess(condition))


def _is_declared(scope: Scope, name: str, type: Attribute) -> bool:
    """Whether the model may declare a value of a type, as far as it does."""
    declared = scope.declared.get(name)
    if declared is None or not declared.tensor_type.HasField("shape"):
        return True
    return len(declared.tensor_type.shape.dim) == len(sizes(tensor_type(type)))
