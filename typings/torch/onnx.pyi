"""PyTorch's exporter to ONNX."""

from enum import Enum
from os import PathLike
from typing import Any

import onnx

from .export import ExportedProgram
from .nn import Module

class ONNXProgram:
    @property
    def model_proto(self) -> onnx.ModelProto: ...
    def save(self, destination: str | PathLike[str], **kwargs: Any) -> None: ...

def export(
    model: Module | ExportedProgram,
    args: tuple[Any, ...] = (),
    f: str | PathLike[str] | None = None,
    **kwargs: Any,
) -> ONNXProgram | None: ...

class TrainingMode(Enum):
    EVAL = ...
    PRESERVE = ...
    TRAINING = ...
