"""The outputs that a command prints, and writes to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from .call import StaticModule, flat_outputs
from .files import atomic_file

Array = npt.NDArray[Any]


def as_outputs(module: StaticModule, result: Any) -> list[Array]:
    """What a call of a module returned, as a list of all outputs."""
    return [*map(np.asarray, flat_outputs(module.program.structure, result))]


def print_outputs(module: StaticModule, outputs: Sequence[Array]) -> None:
    """Prints a line for each output."""
    for name, array in zip(module.output_names, outputs, strict=True):
        line = f"{name}: {array.dtype}{list(array.shape)}"
        if array.size and array.dtype.kind in "fiu":
            line += f"  min {array.min():.6g}  mean {array.mean():.6g}  "
            line += f"max {array.max():.6g}"
        print(line)


def write_outputs(path: Path, module: StaticModule, outputs: Sequence[Array]) -> None:
    """Writes an .npz file; all of it, or nothing."""
    # `numpy.savez` has arguments of its own, whose names an output may have.
    with atomic_file(path) as file, ZipFile(file, "w") as archive:
        for name, array in zip(module.output_names, outputs, strict=True):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
