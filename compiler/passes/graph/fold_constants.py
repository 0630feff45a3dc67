"""
Evaluate at compile time every graph op whose operands are all constants or weights.

Before:

    %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = graph.add %0, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>

After:

    %1 = graph.constant dense<[2.0, 4.0]> : tensor<2xf32>

The value comes from the op's own `reference`, so folding and the test oracle cannot
disagree. A value of more than 16 elements goes to the weight store, and becomes a
`graph.weight`. A large result that takes more space than its operands, such as a
broadcast, is left to run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import (
    DTYPES,
    Array,
    Polynomial,
    Tensor,
    dtype,
    sizes,
    tensor_type,
)
from ....dialects.graph import ConstantOp, ControlOp, GraphOp, IfOp, WeightOp, to_array
from ....dialects.graph.storage import StoredOp
from ...ir import WeightStore, weights_of

_MAX_INLINE_ELEMENTS = 16
"""The most elements of a constant that stands in the IR itself."""

BLOCK = 128
"""The block size of a permuting copy, in elements along each of two axes."""

_MAX_GROWN_BYTES = 65536
"""The size in bytes above which a result may not be larger than its operands."""


def _constant_value(value: SSAValue, weights: WeightStore) -> Array | None:
    """The array that `value` always is, or None when it depends on the input."""
    match value.owner:
        case ConstantOp() as op:
            return to_array(op.value)
        case WeightOp() as op if op.key.data in weights:
            return weights[op.key.data]
        case _:
            return None


def _make_constant(
    array: Array, type: Tensor, key: str, weights: WeightStore
) -> Operation:
    """The op that has the value `array`: inline when small, else in the store."""
    # A storage-only element type is never inline: the array holds the bits of bf16.
    if array.size <= _MAX_INLINE_ELEMENTS and type.element_type in DTYPES:
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


@dataclass(frozen=True)
class FoldConstants(ModulePass):
    """Evaluates ops at compile time that do not depend on the inputs of the model."""

    name = "fold-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        for each in list(op.walk()):
            if isinstance(each, func.FuncOp) and not each.is_declaration:
                _fold_all(list(each.body.block.ops), weights)
        dce(op)


def _fold_all(ops: Sequence[Operation], weights: WeightStore) -> None:
    """Folds ops in order; the ops of a region come before its op."""
    for op in ops:
        if isinstance(op, ControlOp):
            _sink_constants(op)
            if isinstance(op, IfOp) and (chosen := _choose(op, weights)) is not None:
                _fold_all(chosen, weights)
                continue
            for block in op.blocks:
                _fold_all(list(block.ops), weights)
            if any(isinstance(each, StoredOp) for each in op.walk()):
                continue
        if isinstance(op, GraphOp) and op.results and not isinstance(op, ConstantOp):
            fold(op, weights)


def _sink_constants(op: ControlOp) -> None:
    """Replaces constant operands of regions by constants inside the regions."""
    for block in op.blocks:
        for argument in block.args[op.first_seen :]:
            value = op.memory_of(argument)
            assert value is not None, "what a region sees whole is an operand"
            if not isinstance(value.owner, ConstantOp | WeightOp):
                continue
            copy = value.owner.clone()
            copy.location = value.owner.location
            Rewriter.insert_op(copy, InsertPoint.at_start(block))
            argument.replace_all_uses_with(copy.results[0])
    op.drop_unused()


def _choose(op: IfOp, weights: WeightStore) -> list[Operation] | None:
    """Inlines the chosen region of an op with a constant condition; returns its ops."""
    condition = _constant_value(op.condition, weights)
    if condition is None:
        return None
    block = (op.then if condition else op.otherwise).block
    *ops, end = block.ops
    Rewriter.inline_block(block, InsertPoint.before(op), list(op.captured))
    results = list(end.operands)
    Rewriter.erase_op(end)
    Rewriter.replace_op(op, [], results)
    return ops


def fold(op: GraphOp, weights: WeightStore) -> None:
    """
    Replaces `op` by its value when it is known and not too large; ops that do the same
    to the same weight share theirs.
    """
    values = [_constant_value(operand, weights) for operand in op.operands]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not _is_worth_folding(op, known):
        return

    def evaluate() -> list[Array]:
        # Overflow and NaN are the results of the run, too.
        with np.errstate(all="ignore"):
            arrays = op.run_reference(known, {})
        types = map(tensor_type, op.results)
        return [
            in_rows(np.asarray(array, dtype(type)))
            for array, type in zip(arrays, types, strict=True)
        ]

    sources = (each.owner for each in op.operands)
    read = [each.properties for each in sources if isinstance(each, Operation)]
    made = (frozenset(each.items()) for each in (op.properties, *read))
    recipe = op.name, *op.result_types, *made
    try:
        arrays = evaluate() if op.regions else weights.derived(recipe, evaluate)
    except IndexError:
        # An index out of range is an error at run time, not of the compiler.
        return
    constants = [
        _make_constant(array, type, f"folded.{op.name}", weights)
        for array, type in zip(arrays, map(tensor_type, op.results), strict=True)
    ]
    for constant in constants:
        constant.location = op.location
    Rewriter.insert_op(constants, InsertPoint.before(op))
    Rewriter.replace_op(op, [], [each.results[0] for each in constants])


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
    return total <= max(_MAX_GROWN_BYTES, sum(each.nbytes for each in operands))
