"""The functions that a pass of one function at a time goes over."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp


def defined_functions(module: ModuleOp) -> list[func.FuncOp]:
    """The functions of a module that have a body, in order."""
    return [
        each
        for each in module.ops
        if isinstance(each, func.FuncOp) and not each.is_declaration
    ]
