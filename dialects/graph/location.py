"""The source location of an op in its model, for messages."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc, NameLoc
from xdsl.ir import Operation

from .ops.fusion import FusionOp


def describe(op: Operation) -> str:
    """The name of an op, and its location in the model."""
    location = op.location
    if isinstance(location, NameLoc):
        return f"{op.name} at {location.desc.data}"
    if isinstance(location, FileLineColLoc):
        position = f"{location.filename.data}:{location.line.data}"
        return f"{op.name} at {position}"
    if isinstance(op, FusionOp):
        return " and ".join(describe(each) for each in op.ops)
    return op.name
