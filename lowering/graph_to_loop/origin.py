"""What calls of a program keep of an op of the graph: its name, mark and text."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation

from ...dialects.graph import TRACE, describe
from ...dialects.graph.storage import BUFFERS, LIFETIMES
from ...dialects.loop import TRACED


def with_origin(call: Operation, op: Operation) -> Operation:
    """The call, which says how messages call its op, and which mark it sets."""
    call.attributes["source"] = StringAttr(describe(op))
    if TRACE in op.attributes:
        call.attributes[TRACED] = op.attributes[TRACE]
    return call


def as_function(op: Operation) -> str:
    """The text of a function of just this op, from which the op can be made again."""
    body = Block(arg_types=op.operand_types)
    copy = op.clone(dict(zip(op.operands, body.args, strict=True)))
    for name in (BUFFERS, LIFETIMES, TRACE):
        copy.attributes.pop(name, None)
    body.add_ops([copy, func.ReturnOp(*copy.results)])
    function = func.FuncOp("op", (op.operand_types, op.result_types))
    function.body.detach_block(0)
    function.body.add_block(body)
    return str(function)
