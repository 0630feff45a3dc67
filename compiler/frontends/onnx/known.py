"""
Tensors whose elements are known while a model is read: numbers, or dimensions.

Models compute shapes with ordinary ops. Such tensors are evaluated here by the
reference of each op, on arrays that may hold dimensions, so that a computed shape
becomes a property of the op that uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, i32, i64

from ....dialects import (
    DTYPES,
    ELEMENTS,
    Array,
    Dim,
    Element,
    Polynomial,
    Tensor,
    dim,
    floordiv,
    is_nonnegative,
    maximum,
    minimum,
    sizes,
    symbols_of,
    tensor,
    tensor_type,
    terms_of,
)
from ....dialects.graph import (
    AddOp,
    CastOp,
    ConcatOp,
    DimOp,
    DivOp,
    DropoutOp,
    EqOp,
    ExpandOp,
    GeOp,
    GraphOp,
    GtOp,
    IndexSelectOp,
    LeOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MulOp,
    NegOp,
    NeOp,
    PermuteOp,
    ProdOp,
    RemOp,
    ReshapeOp,
    SliceOp,
    SubOp,
    SumOp,
    WhereOp,
)

FEW = 64
"""The most elements of a tensor that the reader evaluates."""


@dataclass(frozen=True, eq=False)
class Known:
    """One tensor whose elements are known."""

    array: Array
    """The elements; of dtype object when one is a symbolic dimension."""

    element: Element

    name: str = ""
    """The name of the value in the model."""

    is_weight: bool = False
    """Whether the model stores the tensor, instead of computing it."""

    @classmethod
    def of(cls, array: Array) -> Known:
        """The tensor with these numbers."""
        return cls(array, ELEMENTS[array.dtype])

    @classmethod
    def of_dims(cls, dims: Dim | Sequence[Dim], element: Element = i64) -> Known:
        """The tensor of one dimension, or the vector of several."""
        return cls(_settled(np.array(dims, object), element), element)

    @property
    def type(self) -> Tensor:
        """The type of the tensor."""
        return tensor(self.element, *self.array.shape)

    @property
    def is_symbolic(self) -> bool:
        """Whether an element is a symbolic dimension."""
        return self.array.dtype == object

    def dims(self) -> list[Dim]:
        """The elements of an integer tensor, in order."""
        return [each if self.is_symbolic else int(each) for each in self.array.ravel()]


def evaluate(op: GraphOp, operands: Sequence[Known]) -> list[Known] | None:
    """The results of `op` on known tensors, or None when they are not known."""
    types = [each.type for each in operands]
    types += [tensor_type(each) for each in op.results]
    if any(_elements(type) > FEW for type in types):
        return None
    elements = [tensor_type(each).element_type for each in op.results]
    arrays = [each.array for each in operands]
    if isinstance(op, DimOp):
        return [Known.of_dims(dim(op.value.data))]
    if any(symbols_of(each) for each in op.dimensions()):
        return None
    with np.errstate(all="ignore"):
        try:
            if any(each.is_symbolic for each in operands):
                results = _evaluate_symbolic(op, arrays)
            else:
                results = op.run_reference(arrays, {})
        except IndexError:
            return None  # an index out of range fails when the model runs
    if results is None:
        return None
    found = [
        Known(_settled(_array(result), element), element)
        for result, element in zip(results, elements, strict=True)
    ]
    return None if any(map(_may_wrap, found)) else found


def _may_wrap(known: Known) -> bool:
    """
    Whether a number of a tensor may leave its type in a run, where the model means what
    is left of it. No size is so large that a factor below these limits does that.
    """
    if not known.is_symbolic or not isinstance(known.element, IntegerType):
        return False
    bits = known.element.width.data
    factor, whole = 1 << (31 if bits == 64 else bits - 8), 1 << (bits - 2)
    return any(
        abs(by) >= (factor if monomial else whole)
        for each in known.array.flat
        for monomial, by in terms_of(each)
    )


def _elements(type: Tensor) -> int:
    """The number of elements of a tensor; a size of zero counts as one."""
    return prod(max(s, 1) if isinstance(s, int) else FEW + 1 for s in sizes(type))


def _array(result: Any) -> Array:
    """The array that a reference returns; a rank-0 result may be a scalar."""
    return np.asarray(result, None if hasattr(result, "dtype") else object)


def _settled(array: Array, element: Element) -> Array:
    """The array with the dtype of `element`, unless it holds symbolic dimensions."""
    if array.dtype != object or any(
        isinstance(each, Polynomial) for each in array.flat
    ):
        return array
    limits = np.iinfo(np.int64)
    inside = all(limits.min <= each <= limits.max for each in array.flat)
    return array.astype(DTYPES[element]) if inside else array


_PLAIN = (
    AddOp,
    ConcatOp,
    DropoutOp,
    ExpandOp,
    IndexSelectOp,
    MulOp,
    NegOp,
    PermuteOp,
    ProdOp,
    ReshapeOp,
    SliceOp,
    SubOp,
    SumOp,
    WhereOp,
)
"""Ops whose reference also works on dimensions."""


def _evaluate_symbolic(op: GraphOp, arrays: Sequence[Array]) -> Sequence[Array] | None:
    """The result of `op` on arrays; one holds symbolic dimensions."""
    if isinstance(op, _PLAIN):
        return op.run_reference(arrays, {})
    if isinstance(op, CastOp):
        return arrays if op.to in (i32, i64) else None
    if (rule := _BY_ELEMENT.get(type(op))) is None:
        return None
    pairs = np.broadcast(*(each.astype(object) for each in arrays))
    values = [rule(a, b) for a, b in pairs]
    if any(each is None for each in values):
        return None
    return [np.array(values, object).reshape(pairs.shape)]


def _quotient(a: Dim, b: Dim) -> Dim | None:
    """The quotient rounded towards zero, when both are known not to be negative."""
    if b == 0 or not (is_nonnegative(a, {}) and is_nonnegative(b, {})):
        return None
    return floordiv(a, b)


def _remainder(a: Dim, b: Dim) -> Dim | None:
    """The remainder of the quotient rounded down, when the divisor is positive."""
    return a - floordiv(a, b) * b if is_nonnegative(b - 1, {}) else None


def _is_less(a: Dim, b: Dim) -> bool | None:
    """Whether `a` is below `b`; None when runs may differ."""
    if is_nonnegative(b - a - 1, {}):
        return True
    return False if is_nonnegative(a - b, {}) else None


def _is_equal(a: Dim, b: Dim) -> bool | None:
    """Whether `a` equals `b`; None when runs may differ."""
    if a == b:
        return True
    either = _is_less(a, b), _is_less(b, a)
    return False if True in either else None


def _opposite(value: bool | None) -> bool | None:
    """The negated answer; None when there is none."""
    return None if value is None else not value


_BY_ELEMENT: dict[type[GraphOp], Callable[[Dim, Dim], Dim | None]] = {
    DivOp: _quotient,
    ModOp: _remainder,
    RemOp: lambda a, b: _remainder(a, b) if is_nonnegative(a, {}) else None,
    MaximumOp: lambda a, b: maximum(a, b),
    MinimumOp: lambda a, b: minimum(a, b),
    EqOp: _is_equal,
    NeOp: lambda a, b: _opposite(_is_equal(a, b)),
    LtOp: _is_less,
    GtOp: lambda a, b: _is_less(b, a),
    LeOp: lambda a, b: _opposite(_is_less(b, a)),
    GeOp: lambda a, b: _opposite(_is_less(a, b)),
}
"""Elementwise functions of ops on two dimensions; None when runs may differ."""
