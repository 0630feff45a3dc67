"""The front end for ONNX: `read_onnx`. What else is in this folder may change."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from ...context import SrContext
from ...errors import CompileError
from ...source_file import SourceFile

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["read_onnx"]


def read_onnx(
    source: Path | SourceFile | bytes | ModelProto, ctx: SrContext
) -> ModuleOp:
    """
    The model as a module with one function `main`, its weights put into `ctx.weights`.

    The function has the attributes `graph.input_names`, `graph.output_names` and
    `graph.symbols`: the range of each size that varies. An initializer is a constant,
    also where it is an input. Weights in other files are read from the model's folder
    only, so that `source` has to be its path, or its file as it was read.

    Raises `ModelFileError` for what is no whole model, `UnsupportedModelError` for ops
    that the compiler does not know, and `CompileError` for a model that is malformed,
    or when the package onnx is not installed.
    """
    if find_spec("onnx") is None:
        raise CompileError(
            "expected the package onnx, which reads ONNX models, got none installed: "
            "pip install static-runtime[onnx]"
        )
    from .read import read

    return read(source, ctx)
