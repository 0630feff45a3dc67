"""The front end for ONNX: `read_onnx`, and `read_whole` for what is read elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from ....dialects.graph.frameworks import Run
from ...ir import SrContext
from ...session import CompileError, Given, SourceFile

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["read_onnx", "read_whole", "run_by_reference", "run_by_session"]


def read_onnx(
    source: Path | SourceFile | bytes | ModelProto,
    ctx: SrContext,
    given: Given = Given(),
) -> ModuleOp:
    """
    The model as a module with one function `main`, its weights put into `ctx.weights`.

    The function has the attributes `graph.input_names`, `graph.output_names` and
    `graph.symbols`, the range of each symbolic size. An initializer is a constant, even
    when it is an input too. External weights are read from the model's folder only, so
    for these `source` must be a path, or a file that was read from one.

    An input that is `given` as a constant is no input. Sizes that only the run knows
    are limited by the bounds that are `given`.

    Raises `ModelFileError` for an incomplete or broken file, `UnsupportedModelError`
    for ops that the compiler does not know, and `CompileError` for a model that is
    malformed, or when the package onnx is not installed.
    """
    if find_spec("onnx") is None:
        raise CompileError(
            "expected the package onnx, which reads ONNX models, got none installed: "
            "pip install static-runtime[onnx]"
        )
    from .read import read

    return read(source, ctx, given)


def read_whole(path: Path) -> bytes:
    """The bytes of a model with its weights; raises `ModelFileError`."""
    from .whole_model import whole_model

    return whole_model(path)


def run_by_reference(node: str, requires: Sequence[str]) -> Run:
    """What runs a node by ONNX's reference; raises `ImportError` without it."""
    from .run_node import run_by_reference

    return run_by_reference(node, requires)


def run_by_session(node: str, requires: Sequence[str]) -> Run:
    """What runs a node by ONNX Runtime; raises `ImportError` without it."""
    from .run_node import run_by_session

    return run_by_session(node, requires)
