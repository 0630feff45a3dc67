"""Operators that repeat elements as often as a tensor says."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import SymInt
from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import SSAValue

from ....dialects import Dim, normalize_axis, product
from ....dialects.graph import (
    CumsumOp,
    IndexSelectOp,
    LtOp,
    ReduceMinOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    distinct,
    expanded,
    must_be,
    number,
    part,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported
from .call import Call, Reader, Result
from .data_dependent import decided, known_elements
from .scattering import full


def _places(call: Call, repeats: SSAValue, foreseen: int | SymInt) -> SSAValue:
    """
    The number of the repeated element at each place of the result, i64 of the size that
    torch has `foreseen`. Raises `Unsupported` where that is wrong or has no bound.

    It is the number of elements whose repeats end at the place or before it: a sum of
    ones that are scattered to the ends. Elements that are repeated 0 times have an end
    in common with the one before, so that they are passed over.
    """
    repeats = convert(repeats, i64)
    if (known := known_elements(repeats, call.weights)) is not None:
        return _known_places(call, known, foreseen)
    (count,) = shape_of(repeats)
    size = _size(call, repeats, foreseen)
    ends = CumsumOp(repeats, axis=0).result
    none, ones = full(0, i64, size + 1), full(1, i64, count)
    marks = distinct.combined_at(none, ends, ones, "add")
    return part(CumsumOp(marks, axis=0).result, 0, 0, size)


def _known_places(call: Call, repeats: list[int], foreseen: int | SymInt) -> SSAValue:
    """The places where the repeats of all elements are known."""
    if any(each < 0 for each in repeats):
        raise Unsupported(f"repeats of {min(repeats)}, expected 0 or more")
    size = sum(repeats)
    call.sizes.hold(foreseen, lambda: size)
    if (wanted := call.sizes.dim(foreseen)) != size:
        if isinstance(wanted, int):
            raise Unsupported(f"an output_size of {wanted}, expected {size}")
        must_be(size, wanted, "repeat_interleave")
    return call.constant(np.repeat(np.arange(len(repeats)), repeats))


def _size(call: Call, repeats: SSAValue, foreseen: int | SymInt) -> Dim:
    """
    The sum of the repeats, which a run checks: none may be negative, and it must be
    what the model says. Raises `NeedsBound` where the model says nothing of it.
    """
    total = SumOp(repeats, axes=(0,), keepdims=False).result
    least = ReduceMinOp(
        repeats, axes=(0,), keepdims=False, or_identity=UnitAttr()
    ).result
    is_wrong = LtOp(least, number(0, i64)).result
    total = WhereOp(is_wrong, number(-1, i64), total).result
    return decided(call, foreseen, total)


def _numbers(call: Call, repeats: SSAValue, output_size: Dim | None = None) -> Result:
    """Each number from 0 as often as an element of a vector says."""
    foreseen = call.node.meta["val"].shape[0]
    return convert(_places(call, repeats, foreseen), call.element)


def _repeated(
    call: Call,
    x: SSAValue,
    repeats: SSAValue,
    axis: int | None = None,
    output_size: Dim | None = None,
) -> Result:
    """The slices along an axis, each repeated; of all elements in a row without one."""
    if axis is None:
        x, axis = reshaped(x, [product(shape_of(x))]), 0
    axis = normalize_axis(axis, len(shape_of(x)))
    count, given = shape_of(x)[axis], shape_of(repeats)
    if given in ((), (1,)):
        repeats = expanded(reshaped(repeats, [1]), [count])
    else:
        must_be(given[0], count, "repeat_interleave")
        repeats = reshaped(repeats, [count])
    foreseen: Any = call.node.meta["val"].shape[axis]
    places = _places(call, repeats, foreseen)
    return IndexSelectOp(x, places, axis=axis, wraps=False).result


READERS: dict[str, Reader] = {
    "aten.repeat_interleave.Tensor": _numbers,
    "aten.repeat_interleave.self_Tensor": _repeated,
}
