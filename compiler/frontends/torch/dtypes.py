"""Torch's dtypes and the element types of the graph dialect."""

from __future__ import annotations

import torch

from ....dialects import DTYPES, ELEMENT_TYPES, Array, Element
from ....runtime.abi import bits_of, stored_dtype
from ..unsupported import WrongElement

_ELEMENTS: dict[torch.dtype, Element] = {
    getattr(torch, ELEMENT_TYPES[type].torch): type
    for type in DTYPES
    if ELEMENT_TYPES[type].torch
}


_BITS = {1: torch.uint8, 2: torch.int16}
"""The dtypes of bits, by the bytes that they take."""


def element_of(dtype: torch.dtype) -> Element:
    """The element type of a dtype; raises `Unsupported` when there is none."""
    if dtype not in _ELEMENTS:
        raise WrongElement(_name(dtype), map(_name, _ELEMENTS))
    return _ELEMENTS[dtype]


_PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}
"""What complex numbers of a dtype are pairs of."""


def is_complex(dtype: torch.dtype) -> bool:
    """Whether tensors of a dtype are read as pairs of tensors."""
    return dtype in _PARTS


def part_of(dtype: torch.dtype) -> Element:
    """The element type of a dtype, or of the parts of complex numbers."""
    return element_of(_PARTS.get(dtype, dtype))


def to_numpy(tensor: torch.Tensor) -> Array:
    """A tensor as an array on its memory, with the dtypes of the compiler."""
    if bits_of(_name(tensor.dtype)) is None:
        return tensor.numpy()
    bits: Array = tensor.view(_BITS[tensor.itemsize]).numpy()
    return bits.view(stored_dtype(_name(tensor.dtype)))


def to_tensor(array: Array, name: str) -> torch.Tensor:
    """An array that a module returned, of the dtype with this name, as a tensor."""
    if (bits := bits_of(name)) is not None:
        return torch.from_numpy(array.view(bits)).view(getattr(torch, name))
    return torch.from_numpy(array)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
