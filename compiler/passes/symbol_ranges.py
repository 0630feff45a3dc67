"""What a function says of its symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, TensorType
from xdsl.ir import BlockArgument
from xdsl.utils.hints import isa

from ...dialects import FUNCTIONS, sizes, symbols_of, tensor_type
from ...dialects.graph import defined_symbols
from ..ir import SYMBOLS


def tensors_of(function: func.FuncOp) -> list[BlockArgument]:
    """The arguments of a function that are tensors."""
    if function.is_declaration:
        return []
    return [each for each in function.body.block.args if isa(each.type, TensorType)]


def known_symbols(function: func.FuncOp) -> Set[str]:
    """The symbols that a function has values for."""
    ranges = function.attributes.get(SYMBOLS)
    known = set(ranges.data) if isinstance(ranges, DictionaryAttr) else set[str]()
    for each in tensors_of(function):
        known |= {name for s in sizes(tensor_type(each)) for name in symbols_of(s)}
    defined: Mapping[str, object] = defined_symbols(function.body.block)
    return known | set(defined)


def free_symbol(wanted: str, taken: Set[str]) -> str:
    """The name of a symbol, changed so that it is one and is free."""
    base = re.sub(r"[^\w.]", "_", wanted, flags=re.ASCII)
    if not re.match(r"[A-Za-z_]", base):
        base = f"_{base}"
    free, number = base, 0
    while free in taken or free in FUNCTIONS:
        number += 1
        free = f"{base}_{number}"
    return free
