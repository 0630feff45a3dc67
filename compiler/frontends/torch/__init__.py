"""
The PyTorch front end: modules and exported programs become the graph dialect.

    read_torch(model, ctx, example_inputs, dynamic_shapes)

The backend of `torch.compile` (`backend.py`) compiles what is read of its graphs.

torch is imported when a model of it is read, never before.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ....dialects.graph.frameworks import Run
from ...ir import SrContext
from ...session import CompileError, Given, SourceFile

__all__ = ["is_torch_model", "read_torch", "run_by_torch"]

_PARTITION = f"{__name__}.partition"
"""The module of what the backend of `torch.compile` compiles."""


def is_torch_model(object: object) -> bool:
    """Whether `object` is a module, an exported program or a partition of PyTorch."""
    return (
        _is_a(object, "torch.nn", "Module")
        or _is_a(object, "torch.export", "ExportedProgram")
        or _is_a(object, _PARTITION, "Partition")
    )


def read_torch(
    model: Any,
    ctx: SrContext,
    example_inputs: Any = None,
    dynamic_shapes: Any = None,
    given: Given = Given(),
) -> ModuleOp:
    """
    The program of `model` as one function `main`; its weights go into `ctx`.

    A module is exported in eval mode with `example_inputs`: a list or tuple of
    arguments, or a dictionary of keyword arguments, which are torch tensors or numpy
    arrays. `dynamic_shapes` is that of `torch.export.export`, where a name may stand
    for a `Dim`. An exported program has both already. Raises `UnsupportedModelError`
    with all unsupported nodes, and `CompileError` when the model cannot be exported.
    A file is one that `torch.export.save` wrote, and `ModelFileError` says that it is
    none.
    """
    if isinstance(model, SourceFile):
        return _read_file(model, ctx, given)
    if _is_a(model, "torch.export", "ExportedProgram"):
        if example_inputs is not None or dynamic_shapes is not None:
            raise CompileError(
                "expected an exported program by itself, which has its inputs and "
                "their dynamic shapes, got example_inputs or dynamic_shapes as well"
            )
        from .read import read_program

        return read_program(model, ctx, given=given)
    if _is_a(model, _PARTITION, "Partition"):
        from .partition import read_partition

        return read_partition(model, ctx, given)
    if not is_torch_model(model):
        raise CompileError(
            f"expected a torch.nn.Module or a torch.export.ExportedProgram, got {model}"
        )
    from .export import export_module
    from .read import read_program

    program = export_module(model, example_inputs, dynamic_shapes)
    return read_program(program, ctx, type(model).__name__, given)


def _read_file(source: SourceFile, ctx: SrContext, given: Given) -> ModuleOp:
    """The program of a file; raises `CompileError` without the package torch."""
    if find_spec("torch") is None:
        raise CompileError(
            "expected the package torch, which reads .pt2 files, got none installed: "
            "pip install static-runtime[torch]"
        )
    from .load import load_program
    from .read import read_program

    return read_program(load_program(source), ctx, source.path.name, given)


def _is_a(object: object, module: str, name: str) -> bool:
    """Whether `object` has a class of a module that may not have been imported."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(object, kind)


def run_by_torch(node: str, requires: Sequence[str]) -> Run:
    """What runs a node by PyTorch; raises `ImportError` without it."""
    from .run_operator import run_by_torch

    return run_by_torch(node, requires)
