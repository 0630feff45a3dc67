"""Torch's dtypes and the element types of the graph dialect."""

from __future__ import annotations

import torch

from ....dialects import DTYPES, ELEMENT_TYPES, Element
from ..unsupported import Unsupported

_ELEMENTS: dict[torch.dtype, Element] = {
    getattr(torch, ELEMENT_TYPES[type].torch): type for type in DTYPES
}


def element_of(dtype: torch.dtype) -> Element:
    """The element type of a dtype; raises `Unsupported` when there is none."""
    if dtype not in _ELEMENTS:
        known = ", ".join(_name(each) for each in _ELEMENTS)
        raise Unsupported(f"elements of {_name(dtype)}, not of {known}")
    return _ELEMENTS[dtype]


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
