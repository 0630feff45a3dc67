"""
The dtypes of arrays that files hold and calls take, by numpy's names.

What the compiler knows of an element type stands in `dialects/element_type.py`; numpy's
name joins the two tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_TENSOR_DTYPES = {
    "float32": "F32",
    "float64": "F64",
    "int32": "I32",
    "int64": "I64",
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
}
"""The dtypes of inputs and outputs, with their names in safetensors files."""

_FILE_DTYPES = {
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "uint64": "U64",
    "float16": "F16",
}
"""Dtypes of files alone."""

DTYPE_NAMES = (*_TENSOR_DTYPES,)
"""The dtypes of inputs and outputs, in the order of their fields in the state."""

SAFETENSORS: Mapping[str, np.dtype[Any]] = {
    name: np.dtype(dtype).newbyteorder("<")
    for dtype, name in {**_TENSOR_DTYPES, **_FILE_DTYPES}.items()
}
"""The dtypes of safetensors files, by the names that the format gives them."""
