"""
Tensors whose elements are known while a model is read: numbers, or dimensions.

Models compute shapes with ordinary ops. Such tensors are evaluated here by the
reference of each op, on arrays that may hold dimensions, so that a computed shape
becomes a property of the op that uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, i1, i32, i64

from ...dialects import (
    DTYPES,
    ELEMENT_TYPES,
    ELEMENTS,
    Array,
    Dim,
    Element,
    Polynomial,
    Tensor,
    conditions,
    dim,
    floordiv,
    greater,
    lesser,
    sizes,
    symbols_of,
    tensor,
    tensor_type,
    terms_of,
)
from ...dialects.graph import (
    AbsOp,
    AddOp,
    CastOp,
    ClampOp,
    ConcatOp,
    DimOp,
    DivOp,
    DropoutOp,
    EqOp,
    ExpandOp,
    FloorDivOp,
    GeOp,
    GraphOp,
    GtOp,
    IndexSelectOp,
    LeOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogicalXorOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MulOp,
    NegOp,
    NeOp,
    PermuteOp,
    ProdOp,
    ReduceMaxOp,
    ReduceMinOp,
    RemOp,
    ReshapeOp,
    SliceOp,
    SubOp,
    SumOp,
    WhereOp,
    to_numbers,
)
from ...dialects.graph.compose import rounding
from ...dialects.graph.custom import can_fold

MAX_EVALUATED = 64
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
    def of_dims(
        cls, dims: Dim | Sequence[Dim] | Array, element: Element = i64
    ) -> Known:
        """The tensor of one dimension, the vector of several, or an array of them."""
        return cls(_settled(np.array(dims, object), element), element)

    def inside(self) -> Known:
        """The tensor as ops that compute in f32 see it."""
        if not ELEMENT_TYPES[self.element].is_half or self.is_symbolic:
            return self
        array = to_numbers(self.array, self.element)
        return Known(array, rounding.wide(self.element), self.name, self.is_weight)

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
    if any(_elements(type) > MAX_EVALUATED for type in types):
        return None
    elements = [tensor_type(each).element_type for each in op.results]
    arrays = [each.array for each in operands]
    if isinstance(op, DimOp):
        return [Known.of_dims(dim(op.value.data))]
    if any(symbols_of(each) for each in op.dimensions()) or not can_fold(op):
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
    if known.element == i1:
        return False  # a condition is 0 or 1
    bits = known.element.width.data
    factor, whole = 1 << (31 if bits == 64 else bits - 8), 1 << (bits - 2)
    return any(
        abs(by) >= (factor if monomial else whole)
        for each in known.array.flat
        for monomial, by in terms_of(each)
    )


def _elements(type: Tensor) -> int:
    """The number of elements of a tensor; a size of zero counts as one."""
    return prod(
        max(s, 1) if isinstance(s, int) else MAX_EVALUATED + 1 for s in sizes(type)
    )


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
)
"""Ops whose reference also works on dimensions."""

_MOST_CONDITIONS = 8
"""The most conditions on sizes of one tensor that are computed as sizes are."""


def _evaluate_symbolic(op: GraphOp, arrays: Sequence[Array]) -> Sequence[Array] | None:
    """The result of `op` on arrays; one holds symbolic dimensions."""
    if isinstance(op, IndexSelectOp) and arrays[1].dtype == object:
        return None  # which element it is, only the run knows
    if isinstance(op, _PLAIN):
        return op.run_reference([*map(_without_booleans, arrays)], {})
    if isinstance(op, CastOp):
        return _cast(op, *arrays)
    if isinstance(op, ClampOp):
        return _clamped(op, *arrays)
    if type(op) in _PAIRWISE:
        return _extreme(op, *arrays)
    if (rule := _BY_ELEMENT.get(type(op))) is None:
        return None
    if any(each.dtype.kind == "f" for each in arrays):
        return None
    groups = np.broadcast(*(each.astype(object) for each in arrays))
    values = [rule(*map(_number, group)) for group in groups]
    known = [each for each in values if each is not None]
    if len(known) < len(values):
        return None
    is_condition = tensor_type(op.results[0]).element_type == i1
    if is_condition and sum(map(bool, map(symbols_of, known))) > _MOST_CONDITIONS:
        return None
    return [np.array(known, object).reshape(groups.shape)]


def _without_booleans(array: Array) -> Array:
    """The array as one that may stand beside conditions on sizes, which are 0 or 1."""
    return array.astype(np.int64) if array.dtype == np.bool_ else array


def _number(value: Any) -> Dim:
    """An element as a dimension: what is true is 1."""
    return value if isinstance(value, Polynomial) else int(value)


def _cast(op: CastOp, array: Array) -> Sequence[Array] | None:
    """Dimensions with another type of elements; None as floats."""
    if op.to in (i32, i64):
        return [array]
    if op.to != i1 or array.size > _MOST_CONDITIONS:
        return None
    found = [conditions.negated(conditions.equal(each, 0)) for each in array.flat]
    return [np.array(found, object).reshape(array.shape)]


def _clamped(op: ClampOp, array: Array) -> Sequence[Array]:
    """Dimensions limited to a range."""
    for limit, choose in zip(op.limits, (greater, lesser), strict=True):
        if limit is not None:
            limited: Any = np.frompyfunc(partial(choose, int(limit)), 1, 1)
            array = np.asarray(limited(array), object)
    return [array]


def _extreme(op: GraphOp, array: Array) -> Sequence[Array] | None:
    """The greatest or the least of dimensions along axes; None of no elements."""
    if not array.size:
        return None
    combine: Any = np.frompyfunc(_OF_TWO[_PAIRWISE[type(op)]], 2, 1)
    values = op.values()
    for axis in sorted(values["axes"], reverse=True):
        array = combine.reduce(array, axis=axis, keepdims=values["keepdims"])
    return [array]


def _rest(a: Dim, b: Dim) -> Dim | None:
    """What a quotient rounded towards zero leaves; None where runs may differ."""
    found = conditions.truncated(a, b)
    return None if found is None else a - found * b


def _floored(a: Dim, b: Dim) -> Dim | None:
    """A quotient rounded down; None by what may be zero."""
    return floordiv(a, b) if isinstance(b, int) and b > 0 else None


_OF_ONE: dict[type[GraphOp], Callable[[Dim], Dim]] = {
    AbsOp: lambda a: greater(a, a * -1),
    LogicalNotOp: conditions.negated,
}
"""Elementwise functions of ops on one dimension."""

_OF_TWO: dict[type[GraphOp], Callable[[Dim, Dim], Dim | None]] = {
    DivOp: conditions.truncated,
    FloorDivOp: _floored,
    ModOp: conditions.remainder,
    RemOp: _rest,
    MaximumOp: greater,
    MinimumOp: lesser,
    EqOp: conditions.equal,
    NeOp: lambda a, b: conditions.negated(conditions.equal(a, b)),
    LtOp: conditions.less,
    GtOp: lambda a, b: conditions.less(b, a),
    LeOp: lambda a, b: conditions.negated(conditions.less(b, a)),
    GeOp: lambda a, b: conditions.negated(conditions.less(a, b)),
    LogicalAndOp: conditions.both,
    LogicalOrOp: conditions.either,
    LogicalXorOp: lambda a, b: conditions.negated(conditions.equal(a, b)),
}
"""Elementwise functions of ops on two dimensions; None when runs may differ."""

_PAIRWISE: dict[type[GraphOp], type[GraphOp]] = {
    ReduceMaxOp: MaximumOp,
    ReduceMinOp: MinimumOp,
}
"""What reductions do with two elements."""

_OF_THREE: dict[type[GraphOp], Callable[[Dim, Dim, Dim], Dim]] = {
    WhereOp: conditions.chosen
}
"""Elementwise functions of ops on three dimensions."""

_BY_ELEMENT: dict[type[GraphOp], Callable[..., Dim | None]] = {
    **_OF_ONE,
    **_OF_TWO,
    **_OF_THREE,
}
