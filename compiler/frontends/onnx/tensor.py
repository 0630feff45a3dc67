"""ONNX's tensors as numpy arrays; large ones are mapped, not read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto

from ....dialects.dims import SizeError
from ....dialects.graph.shape import DTYPES, ELEMENTS, Array, check_sizes
from ...errors import ModelFileError
from .element import element
from .skeleton import INSIDE

FIELDS: dict[int, Callable[[TensorProto], Sequence[float]]] = {
    TensorProto.FLOAT: lambda tensor: tensor.float_data,
    TensorProto.DOUBLE: lambda tensor: tensor.double_data,
    TensorProto.INT32: lambda tensor: tensor.int32_data,
    TensorProto.INT64: lambda tensor: tensor.int64_data,
    TensorProto.BOOL: lambda tensor: tensor.int32_data,
}
"""Where a tensor keeps its elements when it does not keep them as bytes."""


class TensorReader:
    """Reads the tensors of one model, from it and from the files beside it."""

    def __init__(
        self, model: str | Path, folder: Path | None, data: Array | None = None
    ):
        """
        The reader for `model`, whose other files are in `folder`, if it has one, and
        whose bytes are `data`, if they are at hand.
        """
        self.model = model
        self.data = data
        self.folder = None if folder is None else folder.resolve()
        self._files: dict[Path, Array] = {}

    @property
    def files(self) -> list[Path]:
        """The files beside the model that tensors came from."""
        return list(self._files)

    def read(self, tensor: TensorProto) -> Array:
        """
        The elements of `tensor`, in an array that nothing may write to.

        Raises `Unsupported` for elements of other types than five, and `ModelFileError`
        when the elements are not there.
        """
        dtype = DTYPES[element(tensor.data_type)]
        shape = tuple(tensor.dims)
        try:
            check_sizes(ELEMENTS[dtype], shape)
        except SizeError as error:
            raise self._error(tensor, str(error).removeprefix("expected ")) from error
        count = prod(shape)
        if tensor.data_location == TensorProto.EXTERNAL:
            array = self._view(tensor, self._external(tensor), dtype, count)
        elif tensor.HasField("raw_data"):
            data = np.frombuffer(tensor.raw_data, np.uint8)
            array = self._view(tensor, data, dtype, count)
        else:
            values = FIELDS[tensor.data_type](tensor)
            if len(values) != count:
                raise self._error(tensor, f"{count} elements, got {len(values)}")
            array = np.array(values, dtype)
        array = array.reshape(shape)
        array.flags.writeable = False
        return array

    def _view(
        self, tensor: TensorProto, data: Array, dtype: np.dtype[Any], count: int
    ) -> Array:
        """The bytes `data` as elements of `dtype`."""
        if len(data) != count * dtype.itemsize:
            raise self._error(
                tensor, f"{count * dtype.itemsize} bytes, got {len(data)}"
            )
        if dtype == np.bool_:
            return data != 0
        return data.view(dtype.newbyteorder("<")).astype(dtype, copy=False)

    def _external(self, tensor: TensorProto) -> Array:
        """The bytes of a tensor that is in another file."""
        entries = {each.key: each.value for each in tensor.external_data}
        file = self._map(tensor, entries.get("location", ""))
        try:
            start = int(entries.get("offset", 0))
            length = int(entries.get("length", len(file) - start))
        except ValueError:
            raise self._error(
                tensor, f"an offset and a length, got {entries}"
            ) from None
        if not 0 <= start <= start + length <= len(file):
            raise self._error(
                tensor,
                f"bytes {start} to {start + length} of {entries['location']!r}, "
                f"got a file of {len(file)}",
            )
        return file[start : start + length]

    def _map(self, tensor: TensorProto, location: str) -> Array:
        """The bytes of the file `location`, which is in the model's folder."""
        if location == INSIDE and self.data is not None:
            return self.data
        if self.folder is None:
            raise self._error(
                tensor,
                f"its elements inside the model, got them in {location!r}: read the "
                "model from its file",
            )
        try:
            path = (self.folder / location).resolve()
            is_file = path.is_file()
        except (OSError, RuntimeError, ValueError) as error:
            # A name that no file can have, or a link to itself.
            raise self._error(
                tensor, f"the name of a file, got {shortened(location)}"
            ) from error
        if not path.is_relative_to(self.folder) or Path(location).is_absolute():
            raise self._error(tensor, f"a file in the model's folder, got {location!r}")
        if not is_file:
            raise self._error(tensor, f"the file {location!r}, got no such file")
        if path not in self._files:
            self._files[path] = self._mapped(tensor, path)
        return self._files[path]

    def _mapped(self, tensor: TensorProto, path: Path) -> Array:
        """The bytes of a file."""
        try:
            empty = not path.stat().st_size
            return np.zeros(0, np.uint8) if empty else np.memmap(path, np.uint8, "r")
        except OSError as error:
            raise self._error(
                tensor, f"the file {path.name!r}, got {error.strerror}"
            ) from error

    def _error(self, tensor: TensorProto, expected: str) -> ModelFileError:
        return ModelFileError(
            f"{self.model}: tensor {tensor.name!r}: expected {expected}"
        )


def shortened(name: str) -> str:
    """A name as it stands in an error, which a wrong model must not make long."""
    return repr(name) if len(name) <= 80 else f"{name[:77]!r}..."
