"""Which front end reads a model; no other framework than the model's is imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..runtime.files import FILE, kind_of
from .session import CompileError, Given, GraphModel, ModelFileError, SourceFile

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from .ir import SrContext

Reader: TypeAlias = "Callable[[SrContext], ModuleOp]"
"""Reads a model into the graph dialect."""

_SUFFIXES = (".onnx", ".mlir", ".pt2")
"""How the names of files end that are read."""

_LONGEST_NAME = 256
"""Characters of a file's name that a message repeats."""


def reader_of(
    model: Any, example_inputs: Any, dynamic_shapes: Any, given: Given
) -> Reader:
    """What reads a model into the graph dialect, with its framework imported."""
    if isinstance(model, GraphModel):
        return lambda ctx: _read_graph(model, ctx, given)
    is_file = isinstance(model, SourceFile)
    if isinstance(model, str) or (is_file and model.path.suffix == ".mlir"):
        from .frontends import read_mlir

        return _pinned(lambda ctx: read_mlir(model, ctx, given), given)
    is_program = is_file and model.path.suffix == ".pt2"
    if not is_program and (is_file or is_read(model)):
        from .frontends.onnx import read_onnx

        return _recorded(lambda ctx: read_onnx(model, ctx, given))
    from .frontends.torch import is_torch_model, read_torch

    if not is_program and not is_torch_model(model):
        raise CompileError(
            "expected a path to an .onnx, .mlir or .pt2 file, an ONNX model, textual "
            "IR, a torch.nn.Module or an ExportedProgram, got "
            f"{type(model).__name__}"
        )
    return _pinned(
        _recorded(
            lambda ctx: read_torch(model, ctx, example_inputs, dynamic_shapes, given)
        ),
        given,
    )


def _recorded(read: Reader) -> Reader:
    """What reads a model, and notes which ops of users it looked for."""
    from .ir import recorded

    def recording(ctx: SrContext) -> ModuleOp:
        with recorded(ctx.spelled):
            return read(ctx)

    return recording


def _read_graph(model: GraphModel, ctx: SrContext, given: Given) -> ModuleOp:
    """The module of a model that a front end made before."""
    from .frontends import read_mlir

    ctx.weights.arrays.update(model.weights)
    return read_mlir(model.text, ctx, given)


def _pinned(read: Reader, given: Given) -> Reader:
    """What reads a model, and makes inputs the constants that are given."""
    if not given.constants:
        return read
    from .pin_inputs import pin_inputs

    return lambda ctx: pin_inputs(read(ctx), given.constants, ctx.weights)


def is_read(model: Any) -> bool:
    """Whether a model is a file, text or an ONNX model, and not one of torch's."""
    known = isinstance(model, Path | str | bytes)
    return known or type(model).__name__ == "ModelProto"


def as_path(model: Any) -> Any:
    """The model; a name of a file as a path. Raises `ModelFileError` if it is none."""
    if isinstance(model, str) and "\n" not in model and "func.func" not in model:
        model = Path(model)
    if isinstance(model, Path):
        if (kind := kind_of(model)) != FILE:
            name = str(model)
            short = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
            raise ModelFileError(f"{short}: expected a model, got {kind}")
        if model.suffix not in _SUFFIXES:
            raise ModelFileError(
                f"{model}: expected a file that ends in .onnx, .mlir or .pt2, got "
                f"{model.suffix or 'no ending'}"
            )
    return model
