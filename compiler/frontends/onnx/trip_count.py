"""
How many trips a loop makes that counts up to a size, as `while i < n` does.

The condition of the next trip compares a value that the loop carries, and to which each
trip adds a number, with a limit that is known outside of the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, f32, f64
from xdsl.ir import Block, OpResult, SSAValue

from ....dialects import (
    Dim,
    ceildiv,
    conditions,
    greater,
    lesser,
    product,
    sizes,
    tensor_type,
)
from ....dialects.graph import (
    AddOp,
    CastOp,
    GeOp,
    GraphOp,
    GtOp,
    LeOp,
    LogicalAndOp,
    LtOp,
    ReshapeOp,
)
from ..known import Known

UNLIMITED_TRIPS = 1 << 31
"""The least limit of trips that only says that another condition ends the loop."""

_EXACT = 1 << 24
"""Up to which magnitude f32 has each integer."""

_COMPARED: dict[type[GraphOp], tuple[bool, int]] = {
    LtOp: (False, 0),
    LeOp: (False, 1),
    GtOp: (True, 0),
    GeOp: (True, 1),
}
"""Whether the limit comes first, and what is added to it."""


@dataclass(frozen=True)
class Trips:
    """A bound of the trips of a loop."""

    most: Dim
    is_exact: bool
    """Whether the loop makes as many."""


@dataclass(frozen=True)
class Counting:
    """A loop: its body, what it carries, and what is known outside of it."""

    body: Block
    starts: Sequence[SSAValue | Known]
    """The values that the first trip gets, after the number of the trip."""
    ends: Sequence[SSAValue]
    """The values that a trip hands on."""
    known: Mapping[SSAValue, Known]

    def trips(self, condition: SSAValue, first: Dim) -> Trips | None:
        """
        The trips of a loop with this condition of the next trip, and of the `first`,
        which is 1 or 0; None where it counts up to no size.
        """
        op = condition.owner
        if isinstance(op, ReshapeOp):
            return self.trips(op.operands[0], first)
        if isinstance(op, LogicalAndOp):
            found = [self.trips(each, first) for each in op.operands]
            mosts = [each.most for each in found if each is not None]
            if not mosts:
                return None
            return Trips(lesser(mosts[0], mosts[-1]), is_exact=False)
        if not isinstance(op, GraphOp) or type(op) not in _COMPARED:
            return None
        is_swapped, more = _COMPARED[type(op)]
        value, limit = reversed(op.operands) if is_swapped else op.operands
        step, end = self._step(_uncast(value)), self._limit(limit)
        if step is None or end is None:
            return None
        # Rounding keeps an order, but numbers that differ may become equal.
        is_exact = _is_whole(value) or (isinstance(end, int) and abs(end) <= _EXACT)
        if not is_exact and more:
            return None
        start, each = step
        count = ceildiv(end + more - start, each)
        if first == conditions.less(start, end + more):
            return Trips(greater(count, 0), is_exact)
        return Trips(conditions.chosen(first, greater(count, 1), 0), is_exact)

    def _limit(self, value: SSAValue) -> Dim | None:
        """What a loop counts up to: an integer, or a float made of one."""
        if (found := self._number(_uncast(value))) is not None:
            return found
        known = self.known.get(_whole(value))
        if known is None or known.is_symbolic or known.array.size != 1:
            return None
        number = float(known.array.item())
        is_small = known.element in (f32, f64) and abs(number) <= _EXACT
        return int(number) if is_small and number.is_integer() else None

    def _step(self, value: SSAValue) -> tuple[Dim, int] | None:
        """The first number of a carried value, and what each trip adds to it."""
        value = _whole(value)
        for place, (start, end) in enumerate(zip(self.starts, self.ends, strict=False)):
            op = _whole(end).owner
            if _whole(end) != value or not isinstance(op, AddOp):
                continue
            argument = self.body.args[1 + place]
            parts = [each for each in op.operands if _whole(each) is not argument]
            begin = _only(start) if isinstance(start, Known) else self._number(start)
            more = self._number(parts[0]) if len(parts) == 1 else None
            if begin is not None and isinstance(more, int) and more > 0:
                return begin, more
        return None

    def _number(self, value: SSAValue) -> Dim | None:
        """The only element of a value, if it is a known integer."""
        known = self.known.get(_whole(value))
        return None if known is None else _only(known)


def _is_whole(value: SSAValue) -> bool:
    """Whether a tensor has integers."""
    return isinstance(tensor_type(value).element_type, IntegerType)


def _uncast(value: SSAValue) -> SSAValue:
    """The integer that a float was cast from, as tf2onnx compares them."""
    op = _whole(value).owner
    if not isinstance(op, CastOp) or tensor_type(value).element_type not in (f32, f64):
        return value
    return op.input if _is_whole(op.input) else value


def as_size(condition: Known | SSAValue | None) -> Dim | None:
    """The first condition as 1 or 0; None where the run decides."""
    if not isinstance(condition, Known) or condition.array.size != 1:
        return None
    (found,) = condition.dims()
    return found


def _only(known: Known) -> Dim | None:
    """The only element of a known tensor of integers."""
    if known.array.size != 1 or not isinstance(known.element, IntegerType):
        return None
    (only,) = known.dims()
    return only


def _whole(value: SSAValue) -> SSAValue:
    """The tensor of one number that a value is another shape of."""
    while isinstance(value, OpResult) and isinstance(value.op, ReshapeOp):
        if product(sizes(tensor_type(value))) != 1:
            break
        value = value.op.operands[0]
    return value
