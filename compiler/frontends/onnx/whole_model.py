"""The bytes of an ONNX model with all of its weights, whatever files these are in."""

from __future__ import annotations

from pathlib import Path

import onnx
from google.protobuf.message import EncodeError

from ....runtime.files import reason
from ...session import ModelFileError


def whole_model(path: Path) -> bytes:
    """A model as one message; raises `ModelFileError` where a part of it is gone."""
    try:
        return onnx.load(path).SerializeToString()
    except (OSError, EncodeError, onnx.checker.ValidationError) as error:
        got = reason(error) if isinstance(error, OSError) else error
        raise ModelFileError(
            f"{path}: expected an ONNX model with its weights, to pickle a module that "
            f"is compiled from it at calls, got {got}; put its files back"
        ) from error
