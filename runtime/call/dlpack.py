"""
Read tensors of other libraries by DLPack, on the same memory.

numpy reads all dtypes that it has; a capsule of bf16 or of floats of 8 bits, which it
has not, is read here (DLPack's `dlpack.h`). Such an array holds the capsule, and so the
tensor.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import BFLOAT16

Array: TypeAlias = npt.NDArray[Any]

_NAME = b"dltensor"
"""The name of a capsule that nobody has taken the tensor of."""

_CPU = 1
"""DLPack's number of the device."""

_KINDS = {
    BFLOAT16: (4, 16),
    "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8),
    "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
}
"""DLPack's number of the kind of numbers, and their bits, of what numpy has not."""


class _Tensor(ctypes.Structure):
    """What begins a `DLManagedTensor`: the fields of a `DLTensor`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Bits:
    """The bits of a tensor, as numpy takes arrays of others."""

    def __init__(self, capsule: Any, tensor: _Tensor):
        self.capsule = capsule
        """What frees the tensor when nothing refers to it."""
        rank, size = tensor.ndim, tensor.bits // 8
        strides = None
        if tensor.strides:
            strides = tuple(size * tensor.strides[axis] for axis in range(rank))
        self.__array_interface__ = {
            "version": 3,
            "shape": tuple(tensor.shape[axis] for axis in range(rank)),
            "strides": strides,
            "typestr": f"<u{size}",
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
        }


def read_tensor(value: Any, name: str) -> Array:
    """
    A tensor as an array; as its bits, where numpy has no dtype of this name.

    Raises `BufferError` and `RuntimeError` for what is no tensor of numbers in the
    memory of the processor, such as a `FakeTensor`, which has a shape and no memory.
    """
    tensor = value
    # PyTorch marks conjugates and negatives, which DLPack does not tell of.
    for each in ("detach", "resolve_conj", "resolve_neg"):
        settled = getattr(tensor, each, None)
        tensor = tensor if settled is None else settled()
    bits = _read_bits(tensor, _KINDS[name]) if name in _KINDS else None
    array: Array = np.from_dlpack(tensor) if bits is None else bits
    _check_memory(tensor, array)
    return array


def _check_memory(tensor: Any, array: Array) -> None:
    """Raises `BufferError` where a tensor has elements, and no memory for them."""
    if array.size == 0:
        return
    # PyTorch counts the offset of a view from a null pointer, so its storage is asked.
    storage = getattr(tensor, "untyped_storage", None)
    has_none = storage is not None and not storage().data_ptr()
    # For a null pointer, numpy allocates memory and writes nothing to it.
    if has_none or array.flags.owndata:
        raise _no_memory(array.shape)


def _no_memory(shape: Sequence[int]) -> BufferError:
    """The error for a tensor of elements that has no memory."""
    return BufferError(f"expected memory of shape {(*shape,)}, got a null pointer")


def _read_bits(value: Any, kind: tuple[int, int]) -> Array | None:
    """The bits of a tensor of a kind of numbers; None for another."""
    device, _ = value.__dlpack_device__()
    if device != _CPU:
        return None
    capsule = value.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    tensor = _Tensor.from_address(get(capsule, _NAME))
    if (tensor.code, tensor.bits, tensor.lanes) != (*kind, 1):
        return None
    shape = tensor.shape[: tensor.ndim]
    if not tensor.data and prod(shape):
        raise _no_memory(shape)
    return np.asarray(_Bits(capsule, tensor))
