"""Parse bytes as an ONNX model, or raise an error that names their format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError, Message
from onnx import ModelProto, OperatorSetIdProto, TensorProto

from ...session import CompileError, ModelFileError, SourceFile
from .skeleton import Bytes, skeleton

ONNX = ("", "ai.onnx")
"""The domain of ONNX's own ops."""

OLDEST = 6
"""The first opset version of ONNX's own ops whose forms are read."""

LATEST = 28
"""The latest opset version that is read; what a later one changes is unknown."""


def read_file(path: Path) -> SourceFile:
    """The bytes of a file that should hold a model."""
    try:
        return SourceFile.read(path)
    except OSError as error:
        raise ModelFileError(
            f"{path}: expected an ONNX model, got {error.strerror or error}"
        ) from error


def read_bytes(data: Bytes, name: str | Path) -> ModelProto:
    """
    The model in `data`; large weights are not copied, but refer to their bytes in
    `data`.

    Raises `ModelFileError` when `data` is no model.
    """
    model = ModelProto()
    try:
        model.ParseFromString(skeleton(data) or data.tobytes())
    except DecodeError as error:
        raise ModelFileError(
            f"{name}: expected an ONNX model, got {len(data)} bytes that are cut short "
            "or of another format"
        ) from error
    check(model, name, f"{len(data)} bytes")
    return model


def check(model: ModelProto, name: str | Path, size: str = "a message") -> None:
    """Raises `ModelFileError` when a message lacks required parts of a model."""
    if not model.HasField("graph"):
        raise ModelFileError(
            f"{name}: expected an ONNX model, got {size} with no graph"
        )
    if not model.opset_import:
        raise ModelFileError(
            f"{name}: expected an ONNX model, got {size} with no opset (cut short?)"
        )
    if (text := _broken_text(model)) is not None:
        raise ModelFileError(
            f"{name}: expected an ONNX model, got names that are no text: {text}"
        )


def opset_of(imports: Iterable[OperatorSetIdProto]) -> int:
    """
    The opset version of ONNX's own ops; raises `CompileError` when it is unsupported.
    """
    versions = sorted({each.version for each in imports if each.domain in ONNX})
    match versions:
        case []:
            return LATEST
        case [version] if 1 <= version <= LATEST:
            return version
        case _:
            got = " and ".join(map(str, versions))
            raise CompileError(
                f"expected one opset version from 1 to {LATEST}, got {got}: convert "
                "the model with onnx.version_converter"
            )


_ONE = (Message, str, bytes)
"""The types of fields that are not lists."""


def _broken_text(message: Any) -> bytes | None:
    """A string in `message` with invalid text, which protobuf leaves as bytes."""
    waiting = [message]
    for message in waiting:
        found = None
        if isinstance(message, TensorProto):
            found = _first_bytes([message.name])  # its numbers hold no text
        else:
            for field, value in message.ListFields():
                several = [value] if isinstance(value, _ONE) else value
                if field.message_type is not None:
                    waiting += several
                elif field.type == field.TYPE_STRING:
                    found = found or _first_bytes(several)
        if found is not None:
            return found
    return None


def _first_bytes(texts: Iterable[Any]) -> bytes | None:
    """The first of `texts` that is bytes."""
    return next((each for each in texts if isinstance(each, bytes)), None)
