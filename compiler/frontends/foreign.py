"""What front ends share that let a framework run nodes which we have no op for."""

from __future__ import annotations

from importlib import import_module

from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from ...dialects.graph import RequireOp

ONNX, ONNXRUNTIME, TORCH = "onnx.reference", "onnxruntime", "torch"
"""What runs foreign nodes, as reports name it."""

FRAMEWORKS = (ONNX, ONNXRUNTIME, TORCH)
"""All of them."""


def drop_requirements(block: Block, last: Operation | None) -> None:
    """Drops what an attempt to build ops of ours, after `last`, required of a run."""
    op = block.first_op if last is None else last.next_op
    while op is not None:
        following = op.next_op
        if isinstance(op, RequireOp):
            Rewriter.erase_op(op)
        op = following


def imported(module: str, why: str) -> object:
    """
    A module; raises `ImportError` that says what needs it, where it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"expected the module {module}, which runs {why}, got none: {error}",
            name=module,
        ) from error
