"""
Check the arrays that a caller gives for the outputs of a call, or say what is wrong.

A run writes to them as it would to its own: so they must be of just the dtype and shape
of the outputs, in rows, and share no memory with one another. What they share with an
input is allowed: the input is copied.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ..abi import KEPT_CALLS, State, dtype_of
from ..files import listed
from ..program import Program, TensorInfo, symbols_in
from .strict import refuse_shared

Array: TypeAlias = npt.NDArray[Any]


def kept_outputs(
    program: Program, state: npt.NDArray[np.uint64]
) -> npt.NDArray[np.object_]:
    """
    A table for the outputs of the last calls, which compiled code fills from now on; it
    has a reference to each array in it, as arrays of objects do.
    """
    table = np.full(len(program.outputs) * KEPT_CALLS, None, object)
    state[State.KEPT] = table.ctypes.data
    return table


def match_outputs(
    program: Program, out: Any, symbols: Mapping[str, int]
) -> list[Array]:
    """
    The array for each output, in order.

    Raises `TypeError` for what is no array of the dtype, or the wrong number of them,
    and `ValueError` for other shapes, arrangements, and memory that two share.
    """
    infos = program.outputs
    _refuse_unknown_sizes(program)
    values = [out] if len(infos) == 1 else elements(out, infos)
    arrays = [
        _check_output(each, info, symbols)
        for each, info in zip(values, infos, strict=True)
    ]
    if (pair := shared(arrays)) is not None:
        one, before = pair
        raise ValueError(
            f"output {infos[one].shown}: expected memory of its own, got memory of "
            f"output {infos[before].shown}"
        )
    return arrays


def _refuse_unknown_sizes(program: Program) -> None:
    """Raises `TypeError` if a size of an output is known only after the run."""
    for info in program.outputs:
        unknown = {*program.defined} & {
            name
            for size in info.shape
            if isinstance(size, str)
            for name in symbols_in(size)
        }
        if unknown:
            names = listed(sorted(unknown))
            raise TypeError(
                f"output {info.shown}: expected no array for it, as only the run knows "
                f"{names}, got out"
            )


def elements(out: Any, infos: Sequence[TensorInfo]) -> Sequence[Any]:
    """The elements of the tuple that is given for several outputs, or for none."""
    names = listed(each.name for each in infos)
    expected = f"out: expected a tuple of {len(infos)} arrays ({names})"
    if type(out) is not tuple:
        raise TypeError(f"{expected}, got {type(out).__name__}")
    found = cast("tuple[Any, ...]", out)
    if len(found) != len(infos):
        raise TypeError(f"{expected}, got {len(found)}")
    return found


def _check_output(value: Any, info: TensorInfo, symbols: Mapping[str, int]) -> Array:
    """`value`, if a run can write the output to it."""
    head = f"output {info.shown}: expected"
    if type(value) is not np.ndarray:
        raise TypeError(f"{head} a numpy.ndarray, got {type(value).__name__}")
    array: Array = value
    if array.dtype != dtype_of(info.dtype):
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


def _bytes_of(array: Array) -> tuple[int, int]:
    """Where the memory of a contiguous array begins and ends."""
    start = array.ctypes.data
    return start, start + array.nbytes


def shared(arrays: Sequence[Array]) -> tuple[int, int] | None:
    """The first array that shares a byte with one before it, and the first of those."""
    ranges = sorted(_filled(map(_bytes_of, arrays)))
    if all(end <= start for (_, end), (start, _) in pairwise(ranges)):
        return None
    return next(
        (at, before)
        for at, array in enumerate(arrays)
        for before in range(at)
        if overlap(array, arrays[before])
    )


def overlap(one: Array, other: Array) -> bool:
    """Whether two contiguous arrays share a byte."""
    (start, end), (other_start, other_end) = _bytes_of(one), _bytes_of(other)
    return max(start, other_start) < min(end, other_end)


def _filled(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges that have a byte."""
    return (each for each in ranges if each[0] < each[1])


def apart(
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    donations: Iterable[tuple[int, int]] = (),
    is_strict: bool = False,
) -> list[Array]:
    """
    The inputs, as copies where they share memory with an output, unless they are the
    same memory and donated. Raises `RuntimeError` instead where all is to be strict.
    """
    given = {
        input
        for input, output in donations
        if _bytes_of(inputs[input]) == _bytes_of(outputs[output])
    }
    # The ranges of the outputs are apart, so that their ends are in order too.
    taken = sorted(_filled(map(_bytes_of, outputs)))

    def is_shared(array: Array) -> bool:
        start, end = _bytes_of(array)
        at = bisect_right(taken, start, key=lambda each: each[1])
        return start < end and at < len(taken) and taken[at][0] < end

    copied = {
        at for at, each in enumerate(inputs) if at not in given and is_shared(each)
    }
    if is_strict:
        refuse_shared(copied)
    return [each.copy() if at in copied else each for at, each in enumerate(inputs)]
