"""Run a fallback op on the buffers of a run, and keep what it raises."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import WORD
from ..program import CallOut
from .context import Context

Array: TypeAlias = npt.NDArray[Any]
Reference: TypeAlias = Callable[[Sequence[Array], Mapping[str, int]], Sequence[Array]]
"""What runs a fallback op: arrays and the values of symbols to arrays."""


@dataclass(frozen=True)
class KeptError(AbstractContextManager[None]):
    """
    Keeps what its block raises in a context, to be raised once the run has ended.

    Nothing may be raised through compiled code.
    """

    context: Context

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keeps the error, if there is one."""
        self.context.error = error
        return error is not None


def run_call_out(
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
        arrays.append(_array_at(address, info.sizes(symbols), np.dtype(info.dtype)))
    count = len(op.inputs)
    copies = [each.copy() for each in arrays[:count]]
    results = map(np.asarray, reference(copies, symbols))
    for output, result in zip(arrays[count:], results, strict=True):
        if result.shape != output.shape:
            raise ValueError(
                f"expected a result of shape {output.shape}, got {result.shape}"
            )
        np.copyto(output, result, casting="no")


def _array_at(
    address: int | None, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    """The array of elements that are at an address."""
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0 or address is None:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(memoryview(memory), dtype).reshape(shape)
