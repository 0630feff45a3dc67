"""What a function says of the symbols of its arguments."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import BlockArgument
from xdsl.utils.hints import isa

SYMBOLS = "graph.symbols"
"""The attribute of a function with the least and the most that its symbols are."""


def tensors_of(function: func.FuncOp) -> list[BlockArgument]:
    """The arguments of a function that are tensors."""
    if function.is_declaration:
        return []
    return [each for each in function.body.block.args if isa(each.type, TensorType)]
