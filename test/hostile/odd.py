"""Odd arguments: what a caller could pass for an array, and what numpy makes of it."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from .results import Array

Make = Callable[[Random, Array], Any]


class Lying:
    """Says that it is an array, and gives what it likes."""

    def __init__(self, answer: Callable[[], Any]):
        """An object whose array is what `answer` returns or raises."""
        self.answer = answer

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """What numpy asks for."""
        return self.answer()


class LyingTensor:
    """Says that it is a tensor of another library, and gives what it likes."""

    def __init__(self, answer: Callable[[], Any]):
        """An object whose capsule is what `answer` returns or raises."""
        self.answer = answer

    def __dlpack__(self, **_: Any) -> Any:
        """What numpy asks for."""
        return self.answer()

    def __dlpack_device__(self) -> tuple[int, int]:
        """The CPU."""
        return (1, 0)


class LyingArray(np.ndarray[Any, Any]):
    """An array that says of itself what is not so."""

    @property
    def dtype(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Another dtype than it has."""
        return np.dtype(np.float32)

    def __getattribute__(self, name: str) -> Any:
        """Another shape and other strides than it has."""
        lies = {"shape": (10**6, 10**6), "strides": (1, 1), "ndim": 1}
        return lies[name] if name in lies else super().__getattribute__(name)


def failing() -> Any:
    """Stands where a user's method fails."""
    raise ValueError("expected to work, got a failure")


def strided(random: Random, x: Array) -> Array:
    """The same elements with gaps between them."""
    wide = np.zeros([2 * each for each in x.shape], x.dtype)
    wide[tuple(slice(None, None, 2) for _ in x.shape)] = x
    return wide[tuple(slice(None, None, 2) for _ in x.shape)]


def backwards(random: Random, x: Array) -> Array:
    """The same elements, from the last in memory to the first."""
    turn = tuple(slice(None, None, -1) for _ in x.shape)
    return x[turn].copy()[turn]


def unaligned(random: Random, x: Array) -> Array:
    """The same elements at an odd address."""
    data = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:]
    return data.view(x.dtype).reshape(x.shape)


def read_only(random: Random, x: Array) -> Array:
    """The same elements, not to be written."""
    x = x.copy()
    x.flags.writeable = False
    return x


def other_dtype(random: Random, x: Array) -> Array:
    """Nearly the same elements of some dtype."""
    kinds = "?bBhHiIqQefdgFDGOSUmM"
    with np.errstate(all="ignore"):
        try:
            return x.astype(random.choice(kinds))
        except (TypeError, ValueError):
            return x.astype(object)


def other_shape(random: Random, x: Array) -> Array:
    """An array of some other shape."""
    shape = [random.choice((0, 1, 2, 3, 4, 7)) for _ in range(random.randrange(5))]
    return np.ones(shape, x.dtype)


def one_axis_more(random: Random, x: Array) -> Array:
    """The same elements with an axis of one element."""
    return np.expand_dims(x, random.randrange(x.ndim + 1))


def of_many_axes(random: Random, x: Array) -> Array:
    """An array with as many axes as there can be."""
    return np.ones((1,) * 64, x.dtype)


def repeated(random: Random, x: Array) -> Array:
    """One element in every place: strides of zero."""
    return np.broadcast_to(x.dtype.type(1), x.shape)


def cyclic(random: Random, x: Array) -> Any:
    """A list within itself."""
    result: list[Any] = []
    result.append(result)
    return result


def deep(random: Random, x: Array) -> Any:
    """A list in a list in a list."""
    result: Any = 1.0
    for _ in range(random.choice((5, 70, 500))):
        result = [result]
    return result


def structured(random: Random, x: Array) -> Any:
    """An array of records."""
    return np.zeros(x.shape, [("a", x.dtype), ("b", "i1")])


def masked(random: Random, x: Array) -> Any:
    """A masked array without a masked element."""
    return np.ma.masked_array(x)


def exported(random: Random, x: Array) -> Any:
    """The same elements by way of the buffer protocol."""
    return np.ascontiguousarray(x).data


def of_ctypes(random: Random, x: Array) -> Any:
    """Numbers that a library in C left."""
    return (ctypes.c_float * 6)(*range(6))


ODD: tuple[Make, ...] = (
    *(strided, backwards, unaligned, read_only, other_dtype, other_dtype),
    *(other_shape, other_shape, one_axis_more, of_many_axes, repeated, cyclic, deep),
    *(structured, masked, exported, of_ctypes),
    lambda _, x: np.asfortranarray(x),
    lambda _, x: x.astype(x.dtype.newbyteorder(">")),
    lambda _, x: x.tolist(),
    lambda _, x: tuple(x.tolist()),
    lambda _, x: [*x.tolist(), [1, 2, 3, 4, 5]],
    lambda _, x: [*x.tolist(), None],
    lambda _, x: [10**30, *x.tolist()],
    lambda _, x: np.full(x.shape, np.nan, object),
    lambda _, x: x.view(LyingArray),
    lambda _, x: x.astype(np.float64).view(LyingArray),
    lambda _, x: Lying(lambda: x),
    lambda _, x: Lying(lambda: x.tolist()),
    lambda _, x: Lying(lambda: None),
    lambda _, x: Lying(failing),
    lambda _, x: Lying(lambda: np.ones((2, 2), np.complex64)),
    lambda _, x: LyingTensor(lambda: x.__dlpack__()),
    lambda _, x: LyingTensor(lambda: None),
    lambda _, x: LyingTensor(lambda: x),
    lambda _, x: LyingTensor(failing),
    lambda _, x: array.array("f", [1, 2, 3]),
    lambda _, x: bytearray(x.tobytes()),
    lambda _, x: x.tobytes(),
    lambda _, x: (each for each in x),
    lambda _, x: {"a": x},
    lambda _, x: {1, 2},
    lambda _, x: x.dtype.type(2),
    lambda _, x: np.array(None),
    lambda _, x: np.ma.masked,
    lambda _, x: np.ndarray,
    lambda random, _: random.choice(
        (
            None,
            True,
            0,
            -1,
            2.5,
            1j,
            "",
            "x",
            b"x",
            ...,
            NotImplemented,
            10**400,
            object,
        )
    ),
)
"""Each makes something odd of an array that is right."""
