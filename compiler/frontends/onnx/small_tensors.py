"""
What is known of the elements of small tensors that the graph computes.

The elements are read back from the ops of the graph, each by the rule of its op. What
moves elements, as a concatenation does, is done by the reference of the op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from xdsl.ir import Attribute, SSAValue

from ....dialects import Array, Dim, sizes, symbols_of, tensor_type
from ....dialects.graph import (
    ConcatOp,
    ConstantOp,
    ExpandOp,
    GraphOp,
    IndexSelectOp,
    PermuteOp,
    ReshapeOp,
    SliceOp,
    to_numbers,
)
from ..known import MAX_EVALUATED, Known

_T = TypeVar("_T")

Rule: TypeAlias = Callable[..., _T | None]
"""What an op makes of one element of each operand; None where nothing is known."""

_DEEPEST = 64
"""The most ops between elements and the sizes that they follow from."""

MOVERS = (ConcatOp, ExpandOp, PermuteOp, ReshapeOp, SliceOp)
"""Ops whose results have the elements of their operands."""


class SmallTensors(Generic[_T]):
    """What is known of elements, by one way to read numbers and one rule for an op."""

    def __init__(
        self,
        known: Mapping[SSAValue, Known],
        read: Callable[[Dim | float], _T | None],
        rules: Mapping[type[GraphOp], Rule[_T]],
        unknown: _T | None = None,
        otherwise: Callable[[SSAValue], _T | None] | None = None,
    ):
        """
        The elements of values that are computed from `known` ones; what is `unknown` is
        no operand of a rule if it is None. `otherwise` is what is known of all elements
        of a value that no rule is of.
        """
        self.unknown = unknown
        self.otherwise = otherwise
        self.known = known
        self.read = read
        self.rules = rules
        self._found: dict[SSAValue, Array | None] = {}
        self._depth = 0

    def __call__(self, value: SSAValue) -> Array | None:
        """
        What is known of each element, None for nothing; None for a tensor that is large
        or of open sizes.
        """
        if value not in self._found:
            self._depth += 1
            self._found[value] = self._read(value)
            self._depth -= 1
        return self._found[value]

    def _read(self, value: SSAValue) -> Array | None:
        shape = [each for each in sizes(tensor_type(value)) if isinstance(each, int)]
        if len(shape) < len(sizes(tensor_type(value))) or prod(shape) > MAX_EVALUATED:
            return None
        if (known := self.known.get(value)) is not None:
            return _each(self.read, known.array, known.element)
        op = value.owner
        if isinstance(op, ConstantOp):
            found = op.run_reference([], {})[0]
            return _each(self.read, found, tensor_type(op.result).element_type)
        found = None
        if isinstance(op, GraphOp) and self._depth <= _DEEPEST:
            found = self._computed(op, shape)
        if found is not None:
            return found
        rest = self.unknown if self.otherwise is None else self.otherwise(value)
        return _filled(np.zeros(shape), lambda _: rest)

    def _computed(self, op: GraphOp, shape: list[int]) -> Array | None:
        """What the rule of an op makes of its operands; None without one."""
        if any(map(symbols_of, op.dimensions())):
            return None
        if isinstance(op, IndexSelectOp):
            return self._selected(op)
        operands = [self(each) for each in op.operands]
        arrays = [each for each in operands if each is not None]
        if len(arrays) < len(operands):
            return None
        if isinstance(op, MOVERS):
            return np.asarray(op.run_reference(arrays, {})[0], object)
        if (rule := self.rules.get(type(op))) is None:
            return None
        groups: list[tuple[_T | None, ...]] = list(np.broadcast(*arrays))
        return _filled(np.zeros(shape), lambda at: self._made(rule, op, groups[at]))

    def _made(
        self, rule: Rule[_T], op: GraphOp, group: tuple[_T | None, ...]
    ) -> _T | None:
        """What a rule makes of some elements."""
        if any(each is None for each in group):
            return self.unknown
        found = rule(op, *group)
        return self.unknown if found is None else found

    def _selected(self, op: IndexSelectOp) -> Array | None:
        """The elements that known indices select."""
        table, places = self(op.operands[0]), self.known.get(op.operands[1])
        if table is None or places is None or places.is_symbolic:
            return None
        try:
            found = op.run_reference([table, places.array], {})[0]
        except IndexError:
            return None  # it fails when the model runs
        return np.asarray(found, object)


def _each(read: Callable[[Any], Any], array: Array, element: Attribute) -> Array:
    """What is known of the numbers of an array of elements."""
    if array.dtype != object:
        array = to_numbers(array, element)
    numbers: list[Any] = list(array.flat)
    return _filled(array, lambda at: read(_plain(numbers[at])))


def _plain(number: Any) -> Any:
    """An element as a number of Python, or the dimension that it is."""
    return number.item() if hasattr(number, "item") else number


def _filled(like: Array, make: Callable[[int], Any]) -> Array:
    """An array of the shape of another, with what is made for each place."""
    result = np.empty(like.size, object)
    for at in range(like.size):
        result[at] = make(at)
    return result.reshape(like.shape)
