"""
Rebuild the references of fallback ops from the text that a program keeps of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...dialects import Array
from ...dialects.graph import GraphOp
from ...runtime.call import Reference
from ...runtime.program import Program
from .context import context
from .parse_ir import parse_module


def references_of(program: Program) -> list[Reference]:
    """What runs each fallback op of a program."""
    return [reference(each.op) for each in program.call_outs]


def reference(text: str) -> Reference:
    """The function that runs the only graph op in a text."""
    module = parse_module(context(), text, "<fallback op>")
    (op,) = (each for each in module.walk() if isinstance(each, GraphOp))

    def run(arrays: Sequence[Array], symbols: Mapping[str, int]) -> Sequence[Array]:
        return op.run_reference(arrays, symbols)

    return run
