"""
Run a function of the graph dialect op by op, each by its reference in numpy.

It shares nothing with compiled code: no pass that changes what is computed, no plan and
no kernel. So what it returns is an oracle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ...dialects import Array, dtype, evaluate, sizes, tensor_type
from ...dialects.graph import ForeignOp, GraphOp, describe, run_ops
from ...dialects.graph.custom import CustomOp
from ...dialects.graph.storage import StoredOp
from .weights import WeightStore


def interpret(
    function: func.FuncOp,
    weights: WeightStore,
    inputs: Sequence[Array],
    symbols: Mapping[str, int],
) -> list[Array]:
    """
    What a function computes of inputs of its types, where symbols have these values.

    Raises `ValueError` for sizes that an op refuses, and what references raise, each
    with the op and its location.
    """
    block = function.body.block
    values: dict[SSAValue, Any] = dict(zip(block.args, inputs, strict=True))
    for op in block.ops:
        if isinstance(op, StoredOp):
            values[op.result] = weights[op.key.data]
    return [*run_ops(block, values, symbols, _run)]


def _run(
    op: GraphOp, operands: Sequence[Array], symbols: Mapping[str, int]
) -> Sequence[Array]:
    """The results of an op, which have the types that it says."""
    _check_requirements(op, symbols)
    with np.errstate(all="ignore"), _Located(op):
        results: Sequence[Any] = op.run_reference(operands, symbols)
    known = {**symbols, **op.defines(operands)}
    made: list[Any] = []
    for value, found in zip(op.results, results, strict=True):
        made.append(found)
        if isinstance(value.type, TensorType):
            made[-1] = np.asarray(found)
            _check_type(op, value, made[-1], known)
    return made


def _check_requirements(op: GraphOp, symbols: Mapping[str, int]) -> None:
    """Raises `ValueError` where sizes are not as the op needs them."""
    for each in op.all_requirements():
        if int(str(evaluate(each.value, symbols))) < 0:
            shown = " and ".join(str(evaluate(size, symbols)) for size in each.sizes)
            got = shown and f", got {shown}"
            raise ValueError(f"{describe(op)}: {each.message}{got}")


def _check_type(
    op: GraphOp, value: SSAValue, array: Array, symbols: Mapping[str, int]
) -> None:
    """Ends what would be a wrong answer: an array has the type that its value has."""
    type = tensor_type(value)
    shape = tuple(evaluate(each, symbols) for each in sizes(type))
    is_right = array.dtype == dtype(type) and array.shape == shape
    text = f"{describe(op)}: expected {type}, got {array.dtype} {array.shape}"
    if not is_right and isinstance(op, CustomOp | ForeignOp):
        raise ValueError(text)
    assert is_right, text


@dataclass(frozen=True)
class _Located(AbstractContextManager[None]):
    """Notes with what its block raises which op it was."""

    op: Operation

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Notes the op, if there is an error."""
        if error is not None:
            error.add_note(f"in {describe(self.op)}")
