"""What callers give and get, as the runtime knows it."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation

from ...dialects import ELEMENT_TYPES, Dim, sizes, tensor_type
from ...runtime.program import (
    ARRAY,
    CONSTANT,
    STRUCTURE,
    TEXTS,
    Structure,
    TensorInfo,
    Tree,
    read_structure,
)

INPUT_NAMES = "graph.input_names"
"""The attribute of a function with the names of its arguments."""

OUTPUT_NAMES = "graph.output_names"
"""The attribute of a function with the names of its results."""

SYMBOLS = "graph.symbols"
"""The attribute of a function with the least and the most that its symbols are."""


def plain(size: Dim) -> int | str:
    """A dimension as the runtime knows it: a number, or its text."""
    return size if isinstance(size, int) else str(size)


def tensor_info(type: Attribute, name: str = "") -> TensorInfo:
    """A tensor as the runtime knows it."""
    known = tensor_type(type)
    row = ELEMENT_TYPES[known.element_type]
    return TensorInfo(name, row.numpy, tuple(map(plain, sizes(known))))


def structure_of(op: Operation, inputs: Set[str], outputs: int) -> Structure | None:
    """
    The trees that callers give and get, noted at a function or a program with inputs of
    these names; inputs that became constants are None in it.
    """
    known = op.attributes.get(STRUCTURE)
    if not isinstance(known, StringAttr):
        return None
    found = read_structure(known.data, outputs)
    given = None if found.inputs is None else _without_pinned(found.inputs, inputs)
    return replace(found, inputs=given)


def _without_pinned(tree: Tree, names: Set[str]) -> Tree:
    """The tree with None for each input that is no input of these names."""
    if tree.kind in (ARRAY, TEXTS) and tree.name not in names:
        return Tree(CONSTANT)
    return replace(
        tree, parts=tuple(_without_pinned(each, names) for each in tree.parts)
    )
