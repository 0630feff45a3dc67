"""
Write the mask of the first lanes of a vector: the others neither load nor store.

So what is left at the end of a loop in vectors, or beyond the last column of a register
tile, is one vector more instead of a loop over single elements.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from .function import FunctionWriter
from .index_arithmetic import is_number
from .types import Value


def mask_of(w: FunctionWriter, count: str, lanes: int, first: int = 0) -> str:
    """Writes the mask of lanes, numbered from `first` on, whose number is below."""
    if is_number(count):
        valid = (first + each < int(count) for each in range(lanes))
        known = ", ".join(f"i1 {str(each).lower()}" for each in valid)
        return f"<{lanes} x i1> <{known}>"
    limit = w.splat(Value(w.emit(f"trunc i64 {count} to i32"), i32), lanes)
    numbers = ", ".join(f"i32 {first + each}" for each in range(lanes))
    mask = w.emit(f"icmp slt <{lanes} x i32> <{numbers}>, {limit.text}")
    return f"<{lanes} x i1> {mask}"
