"""ONNX tensors as numpy arrays, which are views of the model's bytes where possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from ....dialects import (
    DTYPES,
    ELEMENT_TYPES,
    Array,
    Element,
    SizeError,
    check_sizes,
)
from ....runtime.files import OutsideError, reason, shortened, size_of
from ...session import ModelFileError, WeightFile
from .element import element
from .messages import clipped
from .skeleton import INSIDE


class TensorReader:
    """Reads the tensors of one model and of its external data files."""

    def __init__(
        self, model: str | Path, folder: Path | None, data: Array | None = None
    ):
        """
        The reader for `model`, with its external files in `folder` and its own bytes in
        `data`, where given.
        """
        self.model = model
        self.data = data
        self.folder = folder
        self._files: dict[str, WeightFile] = {}

    @property
    def notes(self) -> dict[str, dict[str, Any]]:
        """
        The external files that tensors were read from, with the parts that were read.
        """
        return {name: file.note for name, file in self._files.items()}

    def read(self, tensor: TensorProto) -> Array:
        """
        The elements of `tensor`, in an array that nothing may write to.

        Raises `Unsupported` for an unsupported element type, and `ModelFileError` when
        elements are missing.
        """
        type = element(tensor.data_type)
        shape = tuple(tensor.dims)
        try:
            check_sizes(type, shape)
        except SizeError as error:
            raise self._error(tensor, str(error).removeprefix("expected ")) from error
        count = prod(shape)
        if tensor.data_location == TensorProto.EXTERNAL:
            data = self._external(tensor, _bytes_of(type, count))
            array = self._view(tensor, data, type, count)
        elif tensor.HasField("raw_data"):
            data = np.frombuffer(tensor.raw_data, np.uint8)
            array = self._view(tensor, data, type, count)
        else:
            array = self._listed(tensor, type, count)
        array = array.reshape(shape)
        array.flags.writeable = False
        return array

    def _listed(self, tensor: TensorProto, type: Element, count: int) -> Array:
        """The elements of a tensor that lists them as numbers, or their bits."""
        values: Sequence[float] = getattr(
            tensor, helper.tensor_dtype_to_field(tensor.data_type)
        )
        row, dtype = ELEMENT_TYPES[type], DTYPES[type]
        if row.is_stored and row.bits < 8:
            return self._view(tensor, np.array(values, np.uint8), type, count)
        if len(values) != count:
            raise self._error(tensor, f"{count} elements, got {len(values)}")
        if row.is_half:
            return np.array(values, f"u{dtype.itemsize}").view(dtype)
        return np.array(values, dtype)

    def _view(
        self, tensor: TensorProto, data: Array, type: Element, count: int
    ) -> Array:
        """The bytes `data` as elements; narrow ones share a byte."""
        self._check_length(tensor, len(data), _bytes_of(type, count))
        row, dtype = ELEMENT_TYPES[type], DTYPES[type]
        if dtype == np.bool_:
            return data != 0
        if row.is_stored and row.bits < 8:
            places = np.arange(0, 8, row.bits, dtype=np.uint8)
            apart = (data[:, None] >> places) & np.uint8((1 << row.bits) - 1)
            return apart.ravel()[:count].view(dtype)
        return data.view(dtype.newbyteorder("<")).astype(dtype, copy=False)

    def _check_length(self, tensor: TensorProto, length: int, size: int) -> None:
        """
        Raises `ModelFileError` unless a tensor has as many bytes as its type needs.
        """
        if length != size:
            raise self._error(tensor, f"{size} bytes, got {length}")

    def _external(self, tensor: TensorProto, size: int) -> Array:
        """
        The `size` bytes of a tensor in another file, or later in the model's bytes.
        """
        entries = {each.key: each.value for each in tensor.external_data}
        location = entries.get("location", "")
        if location == INSIDE and self.data is not None:
            start, length = self._place(tensor, entries, len(self.data))
            return self.data[start : start + length]
        if self.folder is None:
            raise self._error(
                tensor,
                f"its elements inside the model, got them in {shortened(location)!r}: "
                "read the model from its file",
            )
        source = self._files.setdefault(location, WeightFile(self.folder, location))
        try:
            with source.open() as file:
                start, length = self._place(tensor, entries, size_of(file))
                self._check_length(tensor, length, size)
                return source.read(file, start, length)
        except OutsideError as error:
            raise self._error(
                tensor,
                f"a file in the model's folder, got {clipped(location)!r}, "
                f"{reason(error)}",
            ) from error
        except OSError as error:
            # Covers a link to itself and too long a name, too.
            raise self._error(
                tensor, f"the file {shortened(location)!r}, got {reason(error)}"
            ) from error
        except (RuntimeError, ValueError) as error:
            if isinstance(error, ModelFileError):
                raise
            raise self._error(
                tensor, f"the name of a file, got {shortened(location)!r}"
            ) from error

    def _place(
        self, tensor: TensorProto, entries: Mapping[str, str], end: int
    ) -> tuple[int, int]:
        """The offset and the length of a tensor in a file of `end` bytes."""
        start = self._bytes(tensor, entries.get("offset", "0"))
        length = end - start
        if "length" in entries:
            length = self._bytes(tensor, entries["length"])
        if not 0 <= start <= start + length <= end:
            raise self._error(
                tensor,
                f"bytes {start} to {start + length} of "
                f"{shortened(entries['location'])!r}, got a file of {end}",
            )
        return start, length

    def _bytes(self, tensor: TensorProto, text: str) -> int:
        """A number of bytes, of digits alone: Python's `int` would take more."""
        if not (text.isascii() and text.isdecimal() and len(text) < 20):
            raise self._error(tensor, f"a number of bytes, got {shortened(text)!r}")
        return int(text)

    def _error(self, tensor: TensorProto, expected: str) -> ModelFileError:
        return ModelFileError(
            f"{self.model}: tensor {tensor.name!r}: expected {expected}"
        )


def _bytes_of(type: Element, count: int) -> int:
    """How many bytes the elements of a tensor have in a file."""
    row = ELEMENT_TYPES[type]
    bits = row.bits if row.is_stored else 8 * DTYPES[type].itemsize
    return -(-count * bits // 8)
