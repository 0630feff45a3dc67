"""
Texts that callers give and get, as the numbers that compiled code knows.

A text that the model names is its place among all that it names
(`runtime/program/structure.py`). Any other text is below zero, and two of them are one
number in a call only if they are equal: so the model compares texts as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..files import shortened
from ..program import Structure, TensorInfo

Array: TypeAlias = npt.NDArray[Any]

TEXT = "str"
"""What stands in the place of the dtype of an input that is texts."""


def as_texts(value: Any, info: TensorInfo) -> Array:
    """
    What a caller gives for an input, as an array of `str` objects: an array of texts,
    of bytes in UTF-8 or of objects that are either, nested lists, or one text.

    Raises `TypeError` for anything else, and `ValueError` for other bytes and for lists
    that are no array.
    """
    try:
        array = np.asarray(value, None if isinstance(value, np.ndarray) else object)
    except ValueError as error:
        raise ValueError(
            f"input {info.shown}: expected rows of one length, got {error}"
        ) from error
    # Objects, or what numpy has for texts and bytes.
    if array.dtype.kind not in "OSTU":
        raise TypeError(f"input {info.shown}: expected texts, got {array.dtype}")
    found = np.empty(array.size, object)
    found[:] = [*map(_decoded, array.reshape(-1).tolist())]
    for kind in {*map(type, found.tolist())}:
        if kind is UnicodeDecodeError:
            raise ValueError(f"input {info.shown}: expected texts in UTF-8, got others")
        if not issubclass(kind, str):
            raise TypeError(f"input {info.shown}: expected texts, got {kind.__name__}")
    return found.reshape(array.shape)


def _decoded(value: Any) -> Any:
    """A text of bytes, or why there is none; what is no bytes as it is."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            return error
    return value


def numbered(
    structure: Structure, inputs: Sequence[TensorInfo], values: Sequence[Any]
) -> list[Any]:
    """The arguments of a call, with numbers for those that are texts."""
    names, others = structure.inputs_of_texts, dict[str, int]()
    return [
        _numbers(as_texts(value, info), structure.places, others)
        if info.name in names
        else value
        for info, value in zip(inputs, values, strict=True)
    ]


def _numbers(
    texts: Array, places: Mapping[str, int], others: dict[str, int]
) -> npt.NDArray[np.int64]:
    """The numbers of texts; those that have no place are added to the `others`."""
    numbers = [
        others.setdefault(each, -1 - len(others)) if place is None else place
        for each in texts.reshape(-1).tolist()
        for place in (places.get(each),)
    ]
    return np.array(numbers, np.int64).reshape(texts.shape)


def texts_of(texts: Array, numbers: Array, name: str) -> Array:
    """
    The texts that a model returns as an output of this name, by their numbers; raises
    `ValueError` for one that only an input had.
    """
    if numbers.size and numbers.min() < 0:
        raise ValueError(
            f"output {shortened(name)}: expected texts that the model names, got "
            "another one of an input, which is not kept"
        )
    return texts[numbers]
