"""Torch's dtypes and the element types of the graph dialect."""

from __future__ import annotations

import torch

from ....dialects import DTYPES, ELEMENT_TYPES, Element
from ..unsupported import WrongElement

_ELEMENTS: dict[torch.dtype, Element] = {
    getattr(torch, ELEMENT_TYPES[type].torch): type for type in DTYPES
}


def element_of(dtype: torch.dtype) -> Element:
    """The element type of a dtype; raises `Unsupported` when there is none."""
    if dtype not in _ELEMENTS:
        raise WrongElement(_name(dtype), map(_name, _ELEMENTS))
    return _ELEMENTS[dtype]


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
