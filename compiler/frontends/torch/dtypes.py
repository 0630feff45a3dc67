"""Torch's dtypes and the element types of the graph dialect."""

from __future__ import annotations

import torch
from xdsl.dialects.builtin import f32, f64, i1, i32, i64

from ....dialects import Element
from ..unsupported import Unsupported

_ELEMENTS: dict[torch.dtype, Element] = {
    torch.float32: f32,
    torch.float64: f64,
    torch.int32: i32,
    torch.int64: i64,
    torch.bool: i1,
}


def element_of(dtype: torch.dtype) -> Element:
    """The element type of a dtype; raises `Unsupported` when there is none."""
    if dtype not in _ELEMENTS:
        known = ", ".join(_name(each) for each in _ELEMENTS)
        raise Unsupported(f"elements of {_name(dtype)}, not of {known}")
    return _ELEMENTS[dtype]


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
