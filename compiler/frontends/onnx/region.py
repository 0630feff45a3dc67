"""Build the nodes of an ONNX subgraph into a block of their own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from onnx import GraphProto
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, Operation, SSAValue

from ....dialects import Dim, sizes, tensor_type
from ....dialects.graph import ReshapeOp, to_names
from ....dialects.graph.compose import retyped
from .emit import locate
from .graph_builder import GraphBuilder
from .node import Node
from .scope import Entry, Scope


@contextmanager
def building(builder: GraphBuilder, block: Block) -> Generator[None]:
    """Redirects a builder to another block while the context is open."""
    before, builder.block = builder.block, block
    try:
        with builder.emit.inside(block):
            yield
    finally:
        builder.block = before


def add(builder: GraphBuilder, node: Node, make: Callable[[], Operation]) -> Operation:
    """Adds ops to the block of a builder, with the location of a node."""
    last = builder.block.last_op
    with ImplicitBuilder(builder.block):
        made = make()
    locate(builder.block, last, node.name)
    return made


def scalar(builder: GraphBuilder, node: Node, value: SSAValue) -> SSAValue:
    """A tensor of one element reshaped to rank 0."""
    if not sizes(tensor_type(value)):
        return value
    return add(builder, node, lambda: ReshapeOp(value, shape=to_names([]))).results[0]


def retype(
    builder: GraphBuilder, node: Node, value: SSAValue, shape: Sequence[Dim]
) -> SSAValue:
    """A value with its sizes in the form of `shape`, which they must equal."""
    if sizes(tensor_type(value)) == tuple(shape):
        return value
    last = builder.block.last_op
    with ImplicitBuilder(builder.block):
        result = retyped(value, shape, node.op)
    locate(builder.block, last, node.name)
    return result


def entries_of(
    builder: GraphBuilder, graph: GraphProto, node: Node, inner: Scope
) -> list[Entry]:
    """Adds the nodes of a region; returns the entries of its outputs."""
    builder.add_weights(graph, inner)
    builder.check_depth(inner, node.proto, node.name)
    builder.add_nodes(inner)
    return [
        builder.entry(each.name, node.proto, node.name, inner) for each in graph.output
    ]


def tensors(builder: GraphBuilder, entries: Sequence[Entry]) -> list[SSAValue] | None:
    """The graph values of entries; None when one of them is lost."""
    found = [builder.tensor(each) for each in entries]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None
