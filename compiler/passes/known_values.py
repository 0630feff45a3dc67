"""Values that are known at compile time, and ops that are replaced by their values."""

from __future__ import annotations

from itertools import product

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import (
    Array,
    Polynomial,
    Tensor,
    dtype,
    is_float,
    sizes,
    tensor_type,
)
from ...dialects.graph import (
    CastOp,
    ConstantOp,
    DequantizeOp,
    ForeignOp,
    GraphOp,
    WeightOp,
    to_array,
    to_numbers,
)
from ...dialects.graph.custom import can_fold
from ..ir import WeightStore

_MAX_INLINE_ELEMENTS = 16
"""The most elements of a constant that stands in the IR itself."""

BLOCK = 128
"""The block size of a permuting copy, in elements along each of two axes."""

_MAX_GROWN_BYTES = 65536
"""The size in bytes above which a result may not be larger than its operands."""


def constant_value(value: SSAValue, weights: WeightStore) -> Array | None:
    """The array that `value` always is, or None when it depends on the input."""
    match value.owner:
        case ConstantOp() as op:
            return to_array(op.value)
        case WeightOp() as op if op.key.data in weights:
            return weights[op.key.data]
        case CastOp() as op if _stays_narrow(op):
            narrow = constant_value(op.input, weights)
            return (
                None
                if narrow is None
                else np.asarray(op.run_reference([narrow], {})[0])
            )
        case _:
            return None


def is_finite(value: SSAValue, weights: WeightStore) -> bool:
    """Whether `value` is always the same numbers, without an infinity or NaN."""
    array = constant_value(value, weights)
    if array is None:
        return False
    numbers = to_numbers(array, tensor_type(value).element_type)
    return bool(np.isfinite(numbers).all())


def _stays_narrow(op: Operation) -> bool:
    """Whether an op widens a weight as its loads do, and would take memory as one."""
    is_widening = isinstance(op, CastOp) and op.only_widens
    return is_widening and isinstance(op.operands[0].owner, WeightOp)


def _makers(value: SSAValue) -> list[Operation]:
    """The ops whose properties say which constant a value is."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return []
    return [owner, *(_makers(owner.operands[0]) if _stays_narrow(owner) else [])]


def _make_constant(
    array: Array, type: Tensor, key: str, weights: WeightStore
) -> ConstantOp | WeightOp:
    """The op that has the value `array`: inline when small, else in the store."""
    if array.size <= _MAX_INLINE_ELEMENTS:
        return ConstantOp(value=array)
    return WeightOp(weights.put(key, array), type)


def in_rows(array: Array) -> Array:
    """
    The array in row-major order; itself when it is.

    A permuted array is copied in blocks of the axis contiguous in the source and the
    axis contiguous in the copy, so that each cache line is read once.
    """
    if array.flags.c_contiguous:
        return array
    if array.ndim < 2 or array.size < BLOCK * BLOCK:
        return array.copy()
    steps = [abs(each) for each in array.strides]
    axes = {steps.index(min(steps)), array.ndim - 1}
    result = np.empty(array.shape, array.dtype)
    for starts in product(*(range(0, array.shape[each], BLOCK) for each in axes)):
        block = [slice(None)] * array.ndim
        for axis, start in zip(axes, starts, strict=True):
            block[axis] = slice(start, start + BLOCK)
        result[tuple(block)] = array[tuple(block)]
    return result


def fold(op: GraphOp, weights: WeightStore) -> list[ConstantOp | WeightOp]:
    """
    Replaces `op` by its value when it is known and not too large; ops that do the same
    to the same weight share theirs. Returns the constants in its place, if it is gone.
    """
    if isinstance(op, ForeignOp):
        return []  # code of others runs when the model does
    if _stays_narrow(op):
        return []
    values = [constant_value(operand, weights) for operand in op.operands]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not _is_worth_folding(op, known):
        return []
    if not can_fold(op):
        return []

    def evaluate() -> list[Array]:
        # Overflow and NaN are the results of the run, too.
        with np.errstate(all="ignore"):
            arrays = op.run_reference(known, {})
        types = map(tensor_type, op.results)
        return [
            in_rows(np.asarray(array, dtype(type)))
            for array, type in zip(arrays, types, strict=True)
        ]

    read = [each.properties for value in op.operands for each in _makers(value)]
    made = (frozenset(each.items()) for each in (op.properties, *read))
    recipe = op.name, *op.result_types, *made
    try:
        arrays = evaluate() if op.regions else weights.derived(recipe, evaluate)
    except IndexError:
        # An index out of range is an error at run time, not of the compiler.
        return []
    constants = [
        _make_constant(array, type, f"folded.{op.name}", weights)
        for array, type in zip(arrays, map(tensor_type, op.results), strict=True)
    ]
    for constant in constants:
        constant.location = op.location
    Rewriter.insert_op([*constants], InsertPoint.before(op))
    Rewriter.replace_op(op, [], [each.results[0] for each in constants])
    return constants


def _is_worth_folding(op: GraphOp, operands: list[Array]) -> bool:
    """
    Whether the results are tensors of static shape that do not take up too much space.
    """
    if any(isinstance(each, Polynomial) for each in op.dimensions()):
        return False
    total = 0
    for result in op.results:
        if not isinstance(result.type, TensorType):
            return False
        type = tensor_type(result)
        count = 1
        for size in sizes(type):
            if isinstance(size, Polynomial):
                return False
            count *= size
        total += count * dtype(type).itemsize
    if isinstance(op, DequantizeOp) or _makes_floats(op):
        return True
    return total <= max(_MAX_GROWN_BYTES, sum(each.nbytes for each in operands))


def _makes_floats(op: GraphOp) -> bool:
    """Whether an op converts integers to floats, which are weights then."""
    return (
        isinstance(op, CastOp)
        and is_float(tensor_type(op.result))
        and not is_float(tensor_type(op.input))
    )
