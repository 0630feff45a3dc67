"""The table of handlers: for each op of ONNX the function that builds it."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph import Graph, GraphOp
from ....dialects.graph.compose import reshaped
from . import (
    activation,
    box_pooling,
    cast,
    classical,
    constant,
    contraction,
    data_dependent,
    detection,
    einsum,
    elementwise,
    encoders,
    indexing,
    ngrams,
    normalization,
    ordering,
    pooling,
    quantization,
    random,
    recurrent,
    reduction,
    reshaping,
    resize,
    sampling,
    selection,
    spectral,
    svm,
    training,
    trees,
    unique,
    window,
)
from .node import Handler, Node, Result

_FAMILIES = (
    activation,
    box_pooling,
    cast,
    classical,
    constant,
    contraction,
    data_dependent,
    detection,
    einsum,
    elementwise,
    encoders,
    indexing,
    ngrams,
    normalization,
    ordering,
    pooling,
    quantization,
    random,
    recurrent,
    reduction,
    reshaping,
    resize,
    sampling,
    selection,
    spectral,
    svm,
    training,
    trees,
    unique,
    window,
)


def _one_op(op: type[GraphOp]) -> Handler:
    """The handler of a node that means just one op of the graph dialect."""

    def handler(node: Node) -> Result:
        is_old = "broadcast" in node.signature.attributes
        return op(*_aligned_operands(node) if is_old else node.operands())

    return handler


def _aligned_operands(node: Node) -> list[SSAValue]:
    """Two operands; the second begins at an axis, as up to opset 6."""
    a, b = node.operands()
    if not node.flag("broadcast") or not node.gives_attribute("axis"):
        return [a, b]
    axis = node.normalize(node.integer("axis"), node.rank(0))
    rest = node.rank(0) - axis - node.rank(1)
    if rest < 0:
        raise node.error(
            f"expected an operand that fits from axis {axis} on, got {node.type(1)}"
        )
    return [a, reshaped(b, [*node.shape(1), *(1 for _ in range(rest))])]


def _spelled_handlers() -> dict[str, Handler]:
    """The handlers derived from the ONNX names in the `SPELLINGS` of ops."""
    return {
        spelling.removeprefix("onnx."): _one_op(op)
        for op in Graph.operations
        if issubclass(op, GraphOp)
        for spelling in op.SPELLINGS
        if spelling.startswith("onnx.")
    }


HANDLERS: dict[str, Handler] = _spelled_handlers()
for family in _FAMILIES:
    HANDLERS.update(family.HANDLERS)
