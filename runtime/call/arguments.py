"""
Turn what a caller passes into arrays of the declared dtypes and shapes, or say why not.

Lists and numbers take the declared dtype; arrays must have one that numpy casts to it
by its rule "safe". Tensors of other libraries come in through DLPack. Nothing is copied
that need not be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ..abi import LIMIT, bits_of, dtype_of, stored_dtype
from ..files import listed
from ..program import Program, TensorInfo, evaluate, named
from .dlpack import read_tensor
from .memory import NoMemory
from .strict import refuse_copy

Array: TypeAlias = npt.NDArray[Any]

_LAYOUT = ("C_CONTIGUOUS", "ALIGNED")
"""How the elements of an array lie in memory when compiled code reads them."""


def unknown_inputs(names: Sequence[str]) -> str:
    """What a call got that gave inputs of names that the model does not have."""
    return (
        f"got an input called {listed(names)}; what the model stores, such as an "
        "initializer of ONNX or a buffer, is a constant, and is left out"
    )


def match_inputs(
    inputs: Sequence[TensorInfo], arguments: Sequence[Any], by_name: Mapping[str, Any]
) -> list[Any]:
    """The argument for each input, in order; raises `TypeError` if one is missing."""
    if not by_name and len(arguments) == len(inputs):
        return [*arguments]
    names = [each.name for each in inputs]
    expected = f"expected {len(names)} inputs ({listed(names)})"
    if len(arguments) > len(names):
        raise TypeError(f"{expected}, got {len(arguments)}")
    if unknown := [name for name in by_name if name not in names]:
        raise TypeError(f"{expected}, {unknown_inputs(unknown)}")
    given = dict(zip(names, arguments, strict=False))
    if twice := [name for name in by_name if name in given]:
        raise TypeError(f"{expected}, got {listed(twice)} twice")
    given |= by_name
    if missing := [name for name in names if name not in given]:
        raise TypeError(f"{expected}, got none for {listed(missing)}")
    return [given[name] for name in names]


def to_array(value: Any, info: TensorInfo) -> Array:
    """
    `value` as a contiguous array of the declared dtype.

    Raises `TypeError` for what is of no such dtype, and `ValueError` for lists that are
    no array, or hold a number that the dtype cannot.
    """
    wanted = dtype_of(info.dtype)
    array: Array
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(cast("Array", value))
    elif hasattr(value, "__dlpack__"):
        array = _from_dlpack(value, info)
    else:
        return _from_python(value, info)
    bits = bits_of(info.dtype)
    if bits is not None and array.dtype in (bits, stored_dtype(info.dtype)):
        array = array.view(wanted)
    if array.dtype != wanted and not _can_cast(array, info.dtype):
        raise TypeError(
            f"input {info.shown}: expected {info.dtype}, got {array.dtype}; convert it "
            f"with .astype({info.dtype!r}) if that is meant"
        )
    if array.size * wanted.itemsize >= LIMIT:
        # Elements that share memory; as a copy they would be more than numpy can count.
        raise ValueError(
            f"input {info.shown}: expected less than 2**62 bytes, got an array of "
            f"shape {array.shape}"
        )
    with NoMemory(f"input {info.shown} of shape {array.shape}, in rows"):
        return np.require(array, wanted, _LAYOUT)


def to_arrays(
    values: Sequence[Any], infos: Sequence[TensorInfo], is_strict: bool = False
) -> list[Array]:
    """
    The arrays of the inputs, in order; raises as `to_array` does, and `RuntimeError`
    where that copies and all is to be strict.
    """
    arrays = [to_array(each, info) for each, info in zip(values, infos, strict=True)]
    if is_strict:
        for value, array, info in zip(values, arrays, infos, strict=True):
            refuse_copy(value, array, info)
    return arrays


def _can_cast(array: Array, name: str) -> bool:
    """Whether numpy casts an array to a dtype by its rule "safe"."""
    return bits_of(name) is None and np.can_cast(array.dtype, dtype_of(name))


def _from_dlpack(value: Any, info: TensorInfo) -> Array:
    """A tensor of another library as an array, on the same memory."""
    try:
        return read_tensor(value, info.dtype)
    except (BufferError, RuntimeError) as error:
        raise TypeError(
            f"input {info.shown}: expected a tensor of {info.dtype} on the CPU, got "
            f"{type(value).__name__}: {error}"
        ) from error


def _from_python(value: Any, info: TensorInfo) -> Array:
    """A number, or nested lists of numbers, as an array of the declared dtype."""
    wanted = dtype_of(info.dtype)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(
            f"input {info.shown}: expected rows of one length, got {error}"
        ) from error
    fits = array.dtype.kind in "biuf" and (
        np.can_cast(array.dtype, wanted, "same_kind")
        or (array.dtype.kind == "i" and wanted.kind == "u")
    )
    if (bits := bits_of(info.dtype)) is not None:
        # The numbers of a list are none of the bits that numpy alone has for them.
        fits = array.dtype.kind in "biuf" and wanted != bits
    # An empty list has no dtype of its own.
    if array.size and not fits:
        raise TypeError(
            f"input {info.shown}: expected an array of {info.dtype}, got "
            f"{type(value).__name__} of {array.dtype}"
        )
    with np.errstate(over="ignore"):
        made = np.require(array, wanted, _LAYOUT)
    if np.issubdtype(wanted, np.integer):
        lost = made != array
    elif "int" in info.dtype:
        lost = made.astype(array.dtype) != array
    else:
        lost = ~np.isfinite(made.astype(np.float64)) & np.isfinite(array)
    if np.any(lost):
        raise ValueError(
            f"input {info.shown}: expected numbers that {info.dtype} can hold, got "
            f"{array[lost][0]}"
        )
    return made


def bind_symbols(program: Program, arrays: Sequence[Array]) -> dict[str, int]:
    """What each symbol is in this call; raises `ValueError` if shapes do not match."""
    symbols: dict[str, int] = {}
    for info, array in zip(program.inputs, arrays, strict=True):
        if array.ndim != len(info.shape):
            raise _mismatch(info, array, symbols)
        for size, actual in zip(info.shape, array.shape, strict=True):
            if isinstance(size, str) and size in program.symbols:
                symbols.setdefault(size, actual)
    for info, array in zip(program.inputs, arrays, strict=True):
        if info.sizes(symbols) != array.shape:
            raise _mismatch(info, array, symbols)
    return symbols


def _mismatch(info: TensorInfo, array: Array, symbols: Mapping[str, int]) -> ValueError:
    """The error that an input has another shape than declared."""
    used = {
        name: value
        for name, value in symbols.items()
        if any(_depends(size, name) for size in info.shape)
    }
    bound = named(used)
    shape = f"({listed(map(str, info.shape))}{',' * (len(info.shape) == 1)})"
    return ValueError(
        f"input {info.shown}: expected shape {shape}"
        f"{f' with {bound}' if bound else ''}, got {array.shape}"
    )


def _depends(size: int | str, name: str) -> bool:
    """Whether a size is computed from a symbol."""
    if isinstance(size, int):
        return False
    try:
        evaluate(size, {name: 1})
    except ValueError:
        return (
            name in size.replace("(", " ").replace(")", " ").replace(",", " ").split()
        )
    return True
