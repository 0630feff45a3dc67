"""Note at the calls of a program which op of the graph each belongs to."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from ...dialects.graph import TRACE, describe
from ...dialects.loop import TRACED


def with_origin(call: Operation, op: Operation) -> Operation:
    """The call, which says how messages call its op, and which mark it sets."""
    call.attributes["source"] = StringAttr(describe(op))
    if TRACE in op.attributes:
        call.attributes[TRACED] = op.attributes[TRACE]
    return call
