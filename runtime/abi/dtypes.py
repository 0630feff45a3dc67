"""
The dtypes of arrays that files hold and calls take, by numpy's names.

What the compiler knows of an element type stands in `dialects/element_type.py`; numpy's
name joins the two tables. numpy has no bf16, no float of 8 bits or fewer and no integer
of 4 or 2: a call takes and makes arrays of the package ml_dtypes, where that is
installed, else the bits as `uint16`, or as `uint8` with an element in each. In files
they are dtypes of their own, so that they are no numbers to anybody.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

BFLOAT16 = "bfloat16"

_STORED = {
    "float8_e4m3fn": "F8_E4M3",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2": "F8_E5M2",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "float8_e8m0fnu": "F8_E8M0",
    "float4_e2m1fn": "U8_F4",
    "int4": "U8_I4",
    "uint4": "U8_U4",
    "int2": "U8_I2",
    "uint2": "U8_U2",
}
"""
The dtypes of a byte that numpy has no numbers of, as below. Where safetensors has no
name, or several elements in a byte, a name of ours says that each has its own.
"""

_BITS = {
    BFLOAT16: np.dtype(np.uint16),
    **dict.fromkeys(_STORED, np.dtype(np.uint8)),
}
"""The dtypes that numpy has no numbers of, each with that of its bits."""

_DTYPES = {
    "float32": "F32",
    "float64": "F64",
    "int32": "I32",
    "int64": "I64",
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "float16": "F16",
    BFLOAT16: "BF16",
    **_STORED,
}
"""The dtypes of inputs and outputs, with their names in safetensors files."""

DTYPE_NAMES = (*_DTYPES,)
"""The dtypes of inputs and outputs, in the order of their fields in the state."""


def stored_dtype(name: str) -> np.dtype[Any]:
    """The dtype of arrays in files and within programs."""
    bits = bits_of(name)
    return np.dtype(name) if bits is None else np.dtype([(name, bits)])


def bits_of(name: str) -> np.dtype[Any] | None:
    """The dtype of the bits of what numpy has no numbers of; None of others."""
    return _BITS.get(name)


SAFETENSORS: Mapping[str, np.dtype[Any]] = {
    name: stored_dtype(dtype).newbyteorder("<") for dtype, name in _DTYPES.items()
}
"""The dtypes of safetensors files, by the names that the format gives them."""


@cache
def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of arrays that a call takes and makes where a program has this name."""
    if (bits := bits_of(name)) is None:
        return np.dtype(name)
    try:
        found: Any = importlib.import_module("ml_dtypes")
    except ImportError:
        return bits
    # Versions of the package differ in the narrowest that they have.
    return np.dtype(getattr(found, name, bits))
