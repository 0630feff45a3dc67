"""
Check the arrays that a caller gives for the outputs of a call, or say what is wrong.

A run writes to them as it would to its own: so they must be of just the dtype and shape
of the outputs, in rows, and share no memory with one another. What they share with an
input is allowed: the input is copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from .program import Program, TensorInfo
from .size import symbols_in

Array: TypeAlias = npt.NDArray[Any]


def match_outputs(
    program: Program, out: Any, symbols: Mapping[str, int]
) -> list[Array]:
    """
    The array for each output, in order.

    Raises `TypeError` for what is no array of the dtype, or the wrong number of them,
    and `ValueError` for other shapes, arrangements, and memory that two share.
    """
    infos = program.outputs
    refuse_unknown_sizes(program)
    values = [out] if len(infos) == 1 else elements(out, infos)
    arrays = [
        check_output(each, info, symbols)
        for each, info in zip(values, infos, strict=True)
    ]
    for at, (array, info) in enumerate(zip(arrays, infos, strict=True)):
        for other, before in zip(arrays[:at], infos, strict=False):
            if overlap(array, other):
                raise ValueError(
                    f"output {info.name}: expected memory of its own, got memory of "
                    f"output {before.name}"
                )
    return arrays


def refuse_unknown_sizes(program: Program) -> None:
    """Raises `TypeError` if a size of an output is known only after the run."""
    for info in program.outputs:
        unknown = {*program.defined} & {
            name
            for size in info.shape
            if isinstance(size, str)
            for name in symbols_in(size)
        }
        if unknown:
            names = ", ".join(sorted(unknown))
            raise TypeError(
                f"output {info.name}: expected no array for it, as only the run knows "
                f"{names}, got out"
            )


def elements(out: Any, infos: Sequence[TensorInfo]) -> Sequence[Any]:
    """The elements of the tuple that is given for several outputs, or for none."""
    names = ", ".join(each.name for each in infos)
    expected = f"out: expected a tuple of {len(infos)} arrays ({names})"
    if type(out) is not tuple:
        raise TypeError(f"{expected}, got {type(out).__name__}")
    found = cast("tuple[Any, ...]", out)
    if len(found) != len(infos):
        raise TypeError(f"{expected}, got {len(found)}")
    return found


def check_output(value: Any, info: TensorInfo, symbols: Mapping[str, int]) -> Array:
    """`value`, if a run can write the output to it."""
    head = f"output {info.name}: expected"
    if type(value) is not np.ndarray:
        raise TypeError(f"{head} a numpy.ndarray, got {type(value).__name__}")
    array: Array = value
    if array.dtype != np.dtype(info.dtype):
        raise TypeError(f"{head} {info.dtype}, got {array.dtype}")
    shape = info.sizes(symbols)
    if array.shape != shape:
        raise ValueError(f"{head} shape {shape}, got {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{head} rows one after the other, got strides {array.strides}"
        )
    if not array.flags.aligned:
        raise ValueError(
            f"{head} elements at multiples of {array.dtype.alignment} bytes, got "
            f"address {array.ctypes.data}"
        )
    if not array.flags.writeable:
        raise ValueError(f"{head} an array for writing, got one for reading")
    return array


def overlap(one: Array, other: Array) -> bool:
    """Whether two contiguous arrays share a byte."""
    if one.nbytes == 0 or other.nbytes == 0:
        return False
    start, other_start = one.ctypes.data, other.ctypes.data
    return start < other_start + other.nbytes and other_start < start + one.nbytes


def apart(inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Array]:
    """The inputs, as copies where they share memory with an output."""
    return [
        each.copy() if any(overlap(each, output) for output in outputs) else each
        for each in inputs
    ]
