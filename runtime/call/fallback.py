"""Answer compiled code that asks for a fallback op, and keep what that raises."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import CALL_OUT_ERROR, CALLED, FIRST_CHECK, WORD, stored_dtype
from ..plan import KeptError
from ..program import CallOut
from .context import Context

Array: TypeAlias = npt.NDArray[Any]
Reference: TypeAlias = Callable[[Sequence[Array], Mapping[str, int]], Sequence[Array]]
"""What runs a fallback op: arrays and the values of symbols to arrays."""


def answer(
    context: Context, references: Sequence[Reference], number: int, buffers: int
) -> int:
    """
    What compiled code asks for by a number, on buffers in a table: to run a fallback
    op, or to check memory. The error of it is kept in the context for the run.
    """
    status = CALLED
    with KeptError(context):
        if number < FIRST_CHECK:
            op, symbols = context.program.call_outs[number], context.symbols
            known = context.known_symbols(symbols)
            _run_call_out(op, references[number], known, buffers)
        elif context.check is not None:
            status = context.check.ask(number - FIRST_CHECK, buffers)
    return status if context.error is None else CALL_OUT_ERROR


def _run_call_out(
    op: CallOut, reference: Reference, symbols: Mapping[str, int], buffers: int
) -> None:
    """
    Runs a fallback op: inputs from memory, results to memory.

    The reference gets copies. What it calls of numpy may read an element twice, and go
    beyond an array when another thread writes to it meanwhile, as sorting does.
    """
    arrays: list[Array] = []
    for at, info in enumerate((*op.inputs, *op.outputs)):
        address = ctypes.c_void_p.from_address(buffers + at * WORD).value
        arrays.append(_array_at(address, info.sizes(symbols), stored_dtype(info.dtype)))
    count = len(op.inputs)
    copies = [each.copy() for each in arrays[:count]]
    results = [*map(np.asarray, reference(copies, symbols))]
    outputs = arrays[count:]
    if len(results) != len(outputs):
        raise ValueError(f"expected {len(outputs)} results, got {len(results)}")
    for output, result in zip(outputs, results, strict=True):
        if (result.shape, result.dtype) != (output.shape, output.dtype):
            raise ValueError(
                f"expected a result {_shown(output)}, got {_shown(result)}"
            )
        np.copyto(output, result)


def _shown(array: Array) -> str:
    """The dtype and the shape of an array."""
    return f"{array.dtype}[{', '.join(map(str, array.shape))}]"


def _array_at(
    address: int | None, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    """The array of elements that are at an address."""
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0 or address is None:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(memoryview(memory), dtype).reshape(shape)
