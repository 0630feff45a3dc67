"""
What each element of a tensor is between, of any size.

Elements of small tensors are read one by one. Of others, and of what ops without a rule
make, as sums and greatest elements along an axis, all are between the same: what moves
elements keeps their bounds, and a sum of booleans is at most how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....dialects import Dim, product, sizes, tensor_type
from ....dialects.graph import (
    ArgmaxOp,
    GatherOp,
    GraphOp,
    IndexSelectOp,
    IotaOp,
    MeanOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceOp,
    ScatterOp,
    SumOp,
)
from ..known import Known
from .between import Between, Most, greatest, read, united
from .small_tensors import MOVERS, Rule, SmallTensors

_DEEPEST = 64
"""The most ops between elements and what their bounds follow from."""

_WRAPS = 1 << 31
"""The least number that a sum may leave its type by."""


class ElementBounds:
    """What the elements of values are between, by the rules of ops of one element."""

    def __init__(
        self,
        known: Mapping[SSAValue, Known],
        rules: Mapping[type[GraphOp], Rule[Between]],
    ):
        """The elements of values that are computed from `known` ones."""
        self.known = known
        self.rules = rules
        self._small = SmallTensors(known, read, rules, Between(), self._by_op)
        self._found: dict[SSAValue, Between] = {}
        self._depth = 0

    def __call__(self, value: SSAValue) -> Between:
        """What all elements of a value are between."""
        if (found := self._small(value)) is None:
            return self._by_op(value)
        return united(found.flat) if found.size else Between()

    def _by_op(self, value: SSAValue) -> Between:
        """The bounds of a value by its op, and by the bounds of its operands."""
        if value not in self._found:
            self._depth += 1
            is_near = self._depth <= _DEEPEST
            found = self._computed(value) if is_near else Between()
            self._depth -= 1
            self._found[value] = found
        return self._found[value]

    def _computed(self, value: SSAValue) -> Between:
        op = value.owner
        if tensor_type(value).element_type == i1:
            return Between(0, Most(1))
        if (known := self.known.get(value)) is not None:
            return _numbers(known)
        if not isinstance(op, GraphOp):
            return Between()
        if isinstance(op, MOVERS):
            return united(map(self, op.operands))
        if isinstance(op, IndexSelectOp | GatherOp):
            return self(op.operands[0])
        if (rule := _WHOLE.get(type(op)) or self.rules.get(type(op))) is None:
            return Between()
        return rule(op, *map(self, op.operands)) or Between()


def _numbers(known: Known) -> Between:
    """What the elements of a known tensor are between."""
    if known.is_symbolic or not known.array.size or known.array.dtype.kind not in "iuf":
        return Between()
    ends = [read(float(end(known.array))) for end in (np.min, np.max)]
    found = [each for each in ends if each is not None]
    return united(found) if len(found) == len(ends) else Between()


def _summed(op: SumOp, a: Between) -> Between:
    """Sums of some elements."""
    shape = sizes(tensor_type(op.input))
    count = product(shape[axis] for axis in op.reduced)
    return _times(op, a, count)


def _times(op: GraphOp, a: Between, count: Dim) -> Between:
    """At most `count` elements, added up."""
    low = 0 if a.low is not None and a.low >= 0 else None
    zero = Most(0)
    most = greatest(a.high, zero)
    if most is None or (most.size == 0 and most.more >= _WRAPS):
        return Between(low)
    if most.size == 0:
        return Between(low, Most(count, most.more))
    return Between(low, Most(count * most.dim))


def _largest(op: ReduceMaxOp, a: Between) -> Between:
    """The greatest of some elements; of none, the least number of the type."""
    return a if _has_elements(op) else Between(None, a.high)


def _least(op: ReduceMinOp | MeanOp, a: Between) -> Between:
    """The least of some elements; of none, the greatest number of the type."""
    return a if _has_elements(op) else Between(a.low)


def _has_elements(op: ReduceOp) -> bool:
    """Whether each result is of at least one element."""
    shape = sizes(tensor_type(op.input))
    return all(isinstance(shape[axis], int) and shape[axis] for axis in op.reduced)


def _place(op: ArgmaxOp, _: Between) -> Between:
    """The place of an element along an axis."""
    along = sizes(tensor_type(op.input))[op.axis.value.data]
    return Between(0, Most(along))


def _counted(op: IotaOp) -> Between:
    return Between(0, Most(op.shape[0]))


def _scattered(op: ScatterOp, a: Between, _: Between, b: Between) -> Between:
    """Elements in place of others, or added to them."""
    reduction = op.values()["reduction"]
    if reduction == "none":
        return united([a, b])
    added = _times(op, b, product(sizes(tensor_type(op.operands[2]))))
    if reduction != "add" or a.high is None or added.high is None:
        return Between()
    low = 0 if a.low is not None and a.low >= 0 and added.low == 0 else None
    return Between(low, Most(a.high.dim + added.high.dim))


_WHOLE: dict[type[GraphOp], Rule[Between]] = {
    ArgmaxOp: _place,
    IotaOp: _counted,
    MeanOp: _least,
    ReduceMaxOp: _largest,
    ReduceMinOp: _least,
    ScatterOp: _scattered,
    SumOp: _summed,
}
"""What ops make of what all elements of each operand are between."""
