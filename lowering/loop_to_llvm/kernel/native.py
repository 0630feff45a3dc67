"""Write the call of a function that is not made of loops, and what defines it."""

from __future__ import annotations

import struct

from xdsl.dialects.builtin import FloatAttr, StringAttr, f32
from xdsl.ir import Attribute

from ....dialects import dim
from ....dialects.loop import NativeOp
from ..text.function import FunctionWriter
from ..text.scope import Scope


def write_native(w: FunctionWriter, scope: Scope, op: NativeOp) -> str:
    """Writes the call; returns the text that stands beside the kernel."""
    pointers = [f"ptr {scope[each].text}" for each in op.buffers]
    given = [_argument(w, each) for each in op.arguments]
    callee = f'@"{op.function.data}"'
    w.do(f"call void {callee}({', '.join([*pointers, *given])})")
    if op.text.data:
        return f"\n{op.text.data}\n"
    types = [each.partition(" ")[0] for each in (*pointers, *given)]
    return f"\ndeclare void {callee}({', '.join(types)})\n"


def _argument(w: FunctionWriter, argument: Attribute) -> str:
    """An argument with its type."""
    match argument:
        case FloatAttr():
            value = argument.value.data
            bits = struct.unpack("<Q", struct.pack("<d", value))[0]
            kind = "float" if argument.type == f32 else "double"
            return f"{kind} 0x{bits:016X}"
        case StringAttr():
            return f"i64 {w.size(dim(argument.data))}"
        case _:
            raise AssertionError("arguments are sizes and floats")
