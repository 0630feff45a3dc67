"""The factors of a discrete Fourier transform whose length a run knows."""

from __future__ import annotations

from math import pi

from xdsl.dialects.builtin import f64, i64
from xdsl.ir import SSAValue

from ....dims import Dim, Polynomial, floordiv
from ....element_type import Element
from ...ops.arithmetic import NegOp
from ...ops.binary import DivOp, MulOp
from ...ops.compare import EqOp, LtOp
from ...ops.division import FloorDivOp, ModOp
from ...ops.index_select import IndexSelectOp
from ...ops.logical import LogicalAndOp, LogicalOrOp
from ...ops.trigonometric import CosOp, SinOp
from ...ops.where import WhereOp
from ..counting import counted
from ..number import convert, number_like, quantity, times
from ..parts import joined


def _turned(length: Polynomial) -> tuple[SSAValue, SSAValue]:
    """
    Builds the cosine and the sine after 0, 1, 2, … of `length` equal steps of a turn.

    Quarters of a turn are exact, so that what cancels leaves zero.
    """
    steps = times(counted(length, 0, 1), 4)
    turn = quantity(length, i64)
    quarter, rest = FloorDivOp(steps, turn).result, ModOp(steps, turn).result
    angle = DivOp(times(convert(rest, f64), pi / 2), convert(turn, f64)).result
    cosine, sine = CosOp(angle).result, SinOp(angle).result
    is_quarter = [EqOp(quarter, number_like(n, quarter)).result for n in range(4)]
    is_odd = LogicalOrOp(is_quarter[1], is_quarter[3]).result
    is_left = LogicalOrOp(is_quarter[1], is_quarter[2]).result
    is_below = LogicalOrOp(is_quarter[2], is_quarter[3]).result
    across = WhereOp(is_odd, sine, cosine).result
    upward = WhereOp(is_odd, cosine, sine).result
    return (
        WhereOp(is_left, NegOp(across).result, across).result,
        WhereOp(is_below, NegOp(upward).result, upward).result,
    )


def _halves_counted(table: SSAValue, taken: Dim, length: Polynomial) -> SSAValue:
    """Builds the rows with those doubled whose conjugates are not among the rows."""
    row = counted(taken, 0, 2)
    is_inner = LogicalAndOp(
        LtOp(number_like(0, row), row).result,
        LtOp(row, quantity(floordiv(length + 1, 2), i64)).result,
    ).result
    return WhereOp(is_inner, times(table, 2), table).result


def transform_table(
    length: Polynomial,
    taken: Dim,
    parts: int,
    element: Element,
    *,
    inverse: bool,
    onesided: bool,
) -> SSAValue:
    """
    Builds the factors of `taken` elements: rows for their real parts, then, where they
    have two parts, for their imaginary ones; columns for the real parts of frequencies,
    or of samples of an inverse, then for the imaginary ones.

    An inverse of one side has real samples; nothing is divided by the length.
    """
    count = floordiv(length, 2) + 1 if onesided and not inverse else length
    products = MulOp(counted(taken, 0, 2), counted(count, 1, 2)).result
    steps = ModOp(products, quantity(length, i64)).result
    # Of each angle there is one sine, and the table looks it up.
    cosine, sine = (
        IndexSelectOp(each, steps, axis=0, wraps=False).result
        for each in _turned(length)
    )
    if not inverse:
        sine = NegOp(sine).result
    columns = [[cosine], [NegOp(sine).result]][:parts]
    if not (inverse and onesided):
        columns = [[cosine, sine], [NegOp(sine).result, cosine]][:parts]
    rows = [joined(each, 1) for each in columns]
    if inverse and onesided:
        rows = [_halves_counted(each, taken, length) for each in rows]
    return convert(joined(rows, 0), element)
