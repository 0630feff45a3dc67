"""The inputs that a command runs a model on: from a file, or at random."""

from __future__ import annotations

import zlib
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from .abi import BFLOAT16, bits_of
from .files import listed, open_regular, reason
from .program import Program, TensorInfo

Array = npt.NDArray[Any]


def add_input(parser: ArgumentParser) -> None:
    """Adds the argument of a file of inputs."""
    parser.add_argument(
        "--input",
        type=Path,
        help="an .npz file with an array for each input by name (or in order as in0, "
        "in1, ...), or an .npy file for a model of one input",
    )


def add_random(parser: ArgumentParser) -> None:
    """Adds the arguments of inputs at random."""
    parser.add_argument(
        "--random-seed", type=int, default=0, help="of inputs that are not given"
    )
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="SYMBOL=NUMBER",
        help="the value of a symbol for random inputs, such as batch=8 (otherwise 1)",
    )


class _InputError(ValueError):
    """Inputs on the command line that are not those of the model."""


def _read_arrays(path: Path) -> Array | dict[str, Array]:
    """The array or arrays in a file; raises `ValueError` when there are none."""
    try:
        # Given a path, numpy leaves the file open when it is no archive.
        with open_regular(path) as file:
            found: Any = np.load(file, allow_pickle=False)
            if type(found) is np.ndarray:
                return found
            with found:
                return {name: found[name] for name in found.files}
    except (OSError, ValueError, EOFError, BadZipFile, zlib.error) as error:
        got = reason(error) if isinstance(error, OSError) else error
        raise _InputError(
            f"{path}: expected an .npz or .npy file, got {got}"
        ) from error


def load_inputs(path: Path, program: Program) -> dict[str, Array]:
    """The inputs in a file; raises `ValueError` when they are not the model's."""
    names = [each.name for each in program.inputs]
    arrays = _read_arrays(path)
    if not isinstance(arrays, dict):
        if len(names) != 1:
            raise _InputError(
                f"{path}: expected an .npz file with {listed(names) or 'nothing'}, "
                "got one array"
            )
        return {names[0]: arrays}
    in_order = {f"in{at}": name for at, name in enumerate(names)}
    given = {in_order.get(key, key): array for key, array in arrays.items()} | arrays
    if missing := [name for name in names if name not in given]:
        raise _InputError(
            f"{path}: expected arrays for {listed(missing)}, got {listed(arrays)}"
        )
    return {name: given[name] for name in names}


def random_inputs(
    program: Program, seed: int, symbols: Mapping[str, int]
) -> dict[str, Array]:
    """
    Inputs at random: normal floats, integers that are 0 or 1, booleans, and texts that
    the model names. Raises `ValueError` for a seed below zero.
    """
    if seed < 0:
        raise _InputError(f"expected a seed of inputs of 0 or more, got {seed}")
    random = np.random.default_rng(seed)
    structure = program.structure
    names = frozenset[str]() if structure is None else structure.inputs_of_texts
    texts = np.array(("",) if structure is None else structure.texts or ("",), object)

    def make(info: TensorInfo) -> Array:
        shape = info.sizes(symbols)
        if info.name in names:
            return texts[random.integers(0, len(texts), shape)]
        if info.dtype == BFLOAT16:
            # The upper half of an f32.
            wide = random.standard_normal(shape, np.float32).view(np.uint32)
            return (wide >> 16).astype(np.uint16)
        if (bits := bits_of(info.dtype)) is not None:
            # What each of them has, and none is NaN.
            return random.integers(0, 2, shape).astype(bits)
        if info.dtype.startswith("float"):
            return random.standard_normal(shape).astype(info.dtype)
        return random.integers(0, 2, shape).astype(info.dtype)

    return {each.name: make(each) for each in program.inputs}


def sizes_of(program: Program, given: Sequence[str]) -> dict[str, int]:
    """The values of the symbols; raises `ValueError` for one that there is not."""
    values = {
        name: max(1, program.ranges.get(name, (1, 1))[0]) for name in program.symbols
    }
    for text in given:
        name, _, number = text.partition("=")
        if name not in values or not number.isdecimal():
            known = ", ".join(values) or "none"
            raise _InputError(
                f"expected a symbol of the model ({known}) and a number, got {text}"
            )
        values[name] = int(number)
    return values
