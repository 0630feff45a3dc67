"""
The samples that a model is run on: calls of it, cut out of arrays.

An array with as many axes as the input is one call; where the input has a fixed size
along its first axis, it is cut into calls of that size. An array with one axis more is
a stack: each element along its first axis is the array of a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ...runtime import load_inputs
from ...runtime.program import Program, TensorInfo
from ..session import CompileError

Array: TypeAlias = npt.NDArray[Any]

Sample: TypeAlias = "str | Path | Mapping[str, Any] | Sequence[Any] | Array"
"""A file of inputs as `sr-run` takes it, or arrays, by name or in order."""


def checked_samples(samples: Any) -> list[Sample]:
    """Samples as a list, also one file or mapping; `CompileError` for none."""
    is_one = isinstance(samples, str | Path | Mapping)
    several: Any = [samples] if is_one else samples
    if not isinstance(several, Iterable):
        raise CompileError(
            "expected samples, such as [{'x': array}] or an .npz file, got "
            f"{type(samples).__name__}"
        )
    found: list[Sample] = [*cast("Iterable[Any]", several)]
    if not found:
        raise CompileError("expected one sample or more, got none")
    return found


def calls_of(samples: Iterable[Sample], program: Program) -> Iterator[dict[str, Array]]:
    """
    The arrays of each call of a program, by name.

    Raises `CompileError` for samples that are not those of its inputs.
    """
    for each in samples:
        arrays = _arrays(each, program)
        pieces = {
            info.name: _pieces(arrays[info.name], info) for info in program.inputs
        }
        counts = {name: len(found) for name, found in pieces.items()}
        if len({*counts.values()}) > 1:
            told = ", ".join(f"{count} of {name}" for name, count in counts.items())
            raise CompileError(
                f"expected arrays for as many calls of each input, got {told}; stack "
                "what is the same in all calls as often"
            )
        for at in range(next(iter(counts.values()), 1)):
            yield {name: found[at] for name, found in pieces.items()}


def _arrays(sample: Sample, program: Program) -> dict[str, Array]:
    """The arrays of a sample by the names of inputs."""
    names = [each.name for each in program.inputs]
    if isinstance(sample, str | Path):
        try:
            return load_inputs(Path(sample), program)
        except ValueError as error:
            raise CompileError(str(error)) from error
    if isinstance(sample, Mapping):
        given = {str(name): value for name, value in sample.items()}
    else:
        in_order = [*sample] if isinstance(sample, list | tuple) else [sample]
        if len(in_order) != len(names):
            raise CompileError(
                f"expected an array for each input ({', '.join(names)}), got "
                f"{len(in_order)} arrays"
            )
        given = dict(zip(names, in_order, strict=True))
    if {*given} != {*names}:
        raise CompileError(
            f"expected arrays for {', '.join(names)}, got {', '.join(given) or 'none'}"
        )
    return {name: np.asarray(given[name]) for name in names}


def _pieces(array: Array, info: TensorInfo) -> Sequence[Array]:
    """The arrays of calls that an array is for."""
    rank = len(info.shape)
    shown = f"[{', '.join(map(str, info.shape))}]"
    if array.ndim == rank + 1:
        pieces: Sequence[Array] = [*array]
    elif array.ndim != rank:
        raise CompileError(
            f"expected samples of {info.name!r} of shape {shown}, or a stack of such, "
            f"got {[*array.shape]}"
        )
    elif rank and isinstance(size := info.shape[0], int) and size:
        if len(array) % size:
            raise CompileError(
                f"expected samples of {info.name!r} of shape {shown}, or several one "
                f"after the other, got {[*array.shape]}"
            )
        pieces = [array[at : at + size] for at in range(0, len(array), size)]
    else:
        pieces = [array]
    if not pieces or not all(each.size for each in pieces):
        raise CompileError(
            f"expected samples of {info.name!r} with elements, got shape "
            f"{[*array.shape]}"
        )
    return pieces
