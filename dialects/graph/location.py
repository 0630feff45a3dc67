"""What messages, selections and kernels call an op."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc, NameLoc
from xdsl.ir import Operation

from .ops.foreign import ForeignOp
from .ops.fusion import FusionOp
from .ops.require import RequireOp


def operator_name(op: Operation) -> str:
    """What a selective build calls an op: `graph::relu`."""
    return op.name.replace(".", "::", 1)


TRACE = "graph.trace"
"""
The name of an attribute: the number of the mark that calls of the op set when they run.
"""

EXECUTED = "graph.executed"
"""The name of an attribute of a module: what is executed by calls of each number."""


def describe(op: Operation) -> str:
    """The name of an op, and its location in the model."""
    location, name = op.location, op.name
    if isinstance(op, RequireOp) and op.op is not None:
        name = op.op.data
    if isinstance(op, ForeignOp):
        name = f"{op.name} {op.op.data}"
    if isinstance(location, NameLoc):
        return f"{name} at {location.desc.data}"
    if isinstance(location, FileLineColLoc):
        position = f"{location.filename.data}:{location.line.data}"
        return f"{name} at {position}"
    if isinstance(op, FusionOp):
        return " and ".join(describe(each) for each in op.ops)
    return name


def kernel_name(op: Operation) -> str:
    """A name for what a kernel computes: the names of its ops, but not too many."""
    ops = list(op.ops) if isinstance(op, FusionOp) else [op]
    names = [each.name.removeprefix("graph.").replace(".", "_") for each in ops]
    names = [name for name in names if name != "constant"]
    if len(names) > 4:
        names = [*names[:2], "etc", names[-1]]
    return "_".join(names)
