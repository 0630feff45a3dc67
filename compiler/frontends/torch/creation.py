"""Operators that make tensors without tensor operands: filled ones and ranges."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import is_float
from ....dialects.graph import to_elements
from ....dialects.graph.compose import Number, expanded, progression
from ..unsupported import Varies
from .call import Call, Reader, Result


def filled(call: Call, value: Number) -> SSAValue:
    """A tensor with the shape and type of the result, filled with one number."""
    return expanded(call.as_tensor(value, call.element), call.shape)


def full(call: Call, shape: object, value: Number, *_: object) -> Result:
    """A tensor filled with one number; the first argument is the shape."""
    return filled(call, value)


def filled_with(value: int) -> Reader:
    """The reader of a tensor filled with `value`."""

    def read(call: Call, *_: object) -> Result:
        return filled(call, value)

    return read


def scalar(call: Call, value: Number, *_: object) -> Result:
    """A tensor of rank 0."""
    return filled(call, value)


def arange(call: Call, start: Number, end: Number, step: Number, *_: object) -> Result:
    """The numbers from `start` to before `end` at a step of `step`."""
    (count,) = call.shape
    if not isinstance(step, (int, float)) and is_float(call.type):
        raise Varies(f"a step {step} of floats that varies", step)
    if isinstance(count, int):
        if isinstance(start, (int, float)) and isinstance(step, (int, float)):
            row = start + step * np.arange(count)
            return call.constant(to_elements(row, call.element))
    return progression(call.as_tensor(start, call.element), step, count)


READERS: dict[str, Reader] = {
    "aten.full.default": full,
    "aten.full_like.default": full,
    "aten.ones.default": filled_with(1),
    "aten.ones_like.default": filled_with(1),
    "aten.zeros.default": filled_with(0),
    "aten.zeros_like.default": filled_with(0),
    "aten.empty.memory_format": filled_with(0),
    "aten.empty_strided.default": filled_with(0),
    "aten.new_empty_strided.default": filled_with(0),
    "aten.empty_permuted.default": filled_with(0),
    "aten.fill.Scalar": full,
    "aten.scalar_tensor.default": scalar,
    "aten.arange.start_step": arange,
}
