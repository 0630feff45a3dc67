"""
Combine the lanes of a vector: its halves with each other, until few lanes are left.
As many vectors as each has lanes become one, in which each has a lane.

The order depends on the number of lanes only, so that an accumulator has the same bits
wherever it is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, i1
from xdsl.ir import Attribute

from ....dialects.graph import Combiner, scalar
from .function import FunctionWriter
from .transpose import exchanged
from .types import Value, number_text, suffix, type_text

FLOAT = {"add": "fadd", "mul": "fmul"}
_INTEGER = {"add": "add", "mul": "mul"}
_BOOLEAN = {"add": "or", "mul": "and", "max": "or", "min": "and"}


def identity(type: Attribute, combiner: str) -> Value:
    """The identity of a combiner."""
    op = scalar.identity(cast(Combiner, combiner), type).owner
    assert isinstance(op, arith.ConstantOp)
    return Value(number_text(op.value), type)


def combine(w: FunctionWriter, a: Value, b: Value, combiner: str) -> Value:
    """Two values combined, in every lane."""
    if a.type == i1:
        return w.value(f"{_BOOLEAN[combiner]} {a.typed}, {b.text}", a.type, a.lanes)
    floating = isinstance(a.type, AnyFloat)
    table = FLOAT if floating else _INTEGER
    if combiner in table:
        return w.value(f"{table[combiner]} {a.typed}, {b.text}", a.type, a.lanes)
    sign = "u" if scalar.is_unsigned(a.type) else "s"
    name = f"{combiner}imum" if floating else f"{sign}{combiner}"
    callee = f"@llvm.{name}.{suffix(a.type, a.lanes)}"
    type = type_text(a.type, a.lanes)
    call = "call nsz" if floating else "call"
    return w.value(f"{call} {type} {callee}({a.typed}, {b.typed})", a.type, a.lanes)


def combine_lanes(
    w: FunctionWriter, value: Value, combiner: str, lanes: int = 1
) -> Value:
    """The lanes of a vector combined to fewer lanes."""
    while value.lanes > lanes:
        half = value.lanes // 2
        type = type_text(value.type, value.lanes)
        halves: list[Value] = []
        for start in (0, half):
            numbers = ", ".join(f"i32 {start + each}" for each in range(half))
            if half == 1:
                text = f"extractelement {value.typed}, i64 {start}"
            else:
                text = (
                    f"shufflevector {value.typed}, {type} poison, <{half} x i32> "
                    f"<{numbers}>"
                )
            halves.append(w.value(text, value.type, half))
        value = combine(w, halves[0], halves[1], combiner)
    return value


def combine_rows(w: FunctionWriter, rows: Sequence[Value], combiner: str) -> Value:
    """
    The lanes of each vector combined, in the lane that has its number: as many vectors
    as each has lanes, in the order of `combine_lanes`.
    """
    while len(rows) > 1:
        half = len(rows) // 2
        pairs = zip(rows[:half], rows[half:], strict=True)
        rows = [combine(w, *exchanged(w, *pair, half), combiner) for pair in pairs]
    return rows[0]
