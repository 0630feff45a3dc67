"""
Try what a chain of quantised values computes for every step, before it is rewritten.

Integers times `scale / result's scale`, rounded once, are not what a model computes
with two roundings: at 0.05 and 0.02 each odd step is a tie, and some go the other way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from ...dialects import ELEMENT_TYPES, Array, tensor_type
from ...dialects.graph import AddOp, DequantizeOp, QuantizeOp, ReluOp
from .steps import Steps, is_one

_Columns = Mapping[SSAValue, Array]
"""Steps or numbers of leaves, the constants and the tensors of steps of a chain."""

Divisors = Mapping[SSAValue, float]
"""What each leaf of a chain is divided by."""

_MOST_CASES = 1 << 20
"""Of two tensors of bytes 65,536 are tried, in 3 ms; of three there are too many."""

_SHIFTS = [each * 2.0**-24 for each in range(-5, 6)]
"""What divisors may differ by: factors of 24 bits then are one of the nearest six."""

_TIE = 0.5 - 1 / 256
"""Quotients so far from an integer are tried first: the others round alike."""


@dataclass(frozen=True)
class EveryStep(Steps):
    """Finds divisors that give each step of a result."""

    def divisors(self, op: QuantizeOp, size: float) -> Divisors | None:
        """
        What scales and biases before a result are divided by, so that every step of it
        is the model's: its scale, or numbers close to that, or none.

        Where integers of 32 bits are summed, which nobody can try, it is the scale.
        """
        leaves = self._leaves(op.input)
        exact = dict.fromkeys(leaves, size)
        if any(_is_wide(each) for each in leaves if self.known(each) is None):
            return exact
        sets = self._sets(leaves)
        zero = self.known(op.zero_point)
        if sets is None or zero is None or not is_one(op.zero_point):
            return None
        columns, zero = _every_case(sets), zero.reshape(1)
        scale, one = np.float32(size).reshape(1), np.ones(1, np.float32)
        numbers = self._value(op.input, columns, dict.fromkeys(leaves, 1.0))
        want = op.reference(numbers, scale, zero)

        def is_right(cases: _Columns, steps: Array, sizes: Divisors) -> bool:
            found = op.reference(self._value(op.input, cases, sizes), one, zero)
            return np.array_equal(found, steps)

        quotients = numbers / scale
        is_near = np.abs(quotients - np.rint(quotients)) > _TIE
        near = {leaf: column[is_near] for leaf, column in columns.items()}
        scaled = [leaf for leaf in sets if isinstance(leaf.owner, DequantizeOp)]
        for shifts in _nearest_first(len(scaled)):
            close = dict(zip(scaled, (size * (1 + e) for e in shifts), strict=True))
            sizes = exact | close
            if is_right(near, want[is_near], sizes) and is_right(columns, want, sizes):
                return sizes
        return None

    def _leaves(self, value: SSAValue) -> list[SSAValue]:
        """What is summed: constants, and what is dequantised or has a factor."""
        op = value.owner
        if self.known(value) is None and isinstance(op, AddOp | ReluOp):
            return [leaf for each in op.operands for leaf in self._leaves(each)]
        return [value]

    def _sets(self, leaves: list[SSAValue]) -> dict[SSAValue, Array] | None:
        """The steps or numbers that leaves may be, if all together can be tried."""
        sets: dict[SSAValue, Array] = {}
        for leaf in leaves:
            array, op = self.known(leaf), leaf.owner
            if array is not None:
                sets[leaf] = np.unique(array)
            elif (
                isinstance(op, DequantizeOp)
                and is_one(op.scale)
                and is_one(op.zero_point)
                and self.known(op.zero_point) is not None
            ):
                first, last = _limits(op)
                sets[leaf] = np.arange(first, last + 1)
            else:
                return None
        count = math.prod(each.size for each in sets.values())
        return sets if count <= _MOST_CASES else None

    def _value(self, value: SSAValue, columns: _Columns, sizes: Divisors) -> Array:
        """The numbers of a value whose leaves are divided, for each case of these."""
        op = value.owner
        if value not in columns:
            assert isinstance(op, AddOp | ReluOp)
            return op.reference(*(self._value(e, columns, sizes) for e in op.operands))
        if not isinstance(op, DequantizeOp):
            return (columns[value].astype(np.float64) / sizes[value]).astype(np.float32)
        scale, zero = self.known(op.scale), self.known(op.zero_point)
        assert scale is not None
        assert zero is not None
        factor = (scale.reshape(1).astype(np.float64) / sizes[value]).astype(np.float32)
        return op.reference(columns[value], factor, zero.reshape(1))


def _is_wide(leaf: SSAValue) -> bool:
    """Whether a value is made of integers of 32 bits: sums of products are these."""
    op = leaf.owner
    if not isinstance(op, DequantizeOp):
        return True
    first, last = _limits(op)
    return last - first > _MOST_CASES


def _limits(op: DequantizeOp) -> tuple[int, int]:
    """The least and the greatest step that a type has."""
    first, last = ELEMENT_TYPES[tensor_type(op.input).element_type].limits
    return int(first), int(last)


def _nearest_first(count: int) -> list[tuple[float, ...]]:
    """Shifts of divisors, sorted by total change; for more than two only zeros."""
    if count > 2:
        return [(0.0,) * count]
    every = itertools.product(_SHIFTS, repeat=count)
    return sorted(every, key=lambda shifts: sum(map(abs, shifts)))


def _every_case(sets: _Columns) -> dict[SSAValue, Array]:
    """A column for each leaf; rows are all that the leaves may be together."""
    grids = np.meshgrid(*sets.values(), indexing="ij")
    return {leaf: grid.reshape(-1) for leaf, grid in zip(sets, grids, strict=True)}
