"""The outputs of an exported program: the names of its leaves, and their values."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, TensorArgument
from torch.utils import _pytree as pytree
from xdsl.ir import SSAValue

from ....dialects import Polynomial
from ....dialects.graph import ConstantOp, DimOp
from ....runtime.program import ARRAY, COMPLEX, CONSTANT, NUMBER, Tree
from ..unsupported import Unsupported
from .arguments import Value
from .call import Pair
from .pairs import paired
from .sample_tree import sample_outputs


def output_names(program: ExportedProgram) -> list[str]:
    """
    A name for each leaf: its keys joined, with prefix `output` if the first is a
    number.

    A single tensor is `output`, a pair is `output_0` and `output_1`, and the values of
    a dictionary are named by its keys.
    """
    names: list[str] = []
    for path, _ in pytree.tree_flatten_with_path(sample_outputs(program))[0]:
        keys = [key_of(each) for each in path]
        if not keys or isinstance(keys[0], int):
            keys.insert(0, "output")
        names.append("_".join(map(str, keys)))
    return names


def key_of(step: Any) -> int | str:
    """The index, the key or the field name of one step into a tree."""
    match step:
        case pytree.SequenceKey():
            return step.idx
        case pytree.GetAttrKey():
            return step.name
        case _:
            return step.key


def output_leaf(argument: Any, value: Value, number: int) -> Tree:
    """The leaf of an output: the array or the number of this place, or a constant."""
    if isinstance(value, Pair):
        return Tree(COMPLEX, number=number)
    match argument:
        case TensorArgument():
            return Tree(ARRAY, number=number)
        case ConstantArgument():
            return constant_leaf(argument.value, "an output")
        case _:
            return Tree(NUMBER, number=number)


def constant_leaf(value: object, what: str) -> Tree:
    """The leaf of a value that is the same in all runs."""
    if not isinstance(value, bool | int | float | str | None):
        raise Unsupported(f"{what} that is no tensor, {value!r}")
    return Tree(CONSTANT, value=value)


def output_value(value: Value) -> SSAValue:
    """The tensor that is returned; a number becomes a tensor of rank 0."""
    match value:
        case SSAValue():
            return value
        case Pair():
            return paired(value)
        case Polynomial():
            return DimOp(value=str(value)).result
        case bool() | int() | float():
            return ConstantOp(value=np.array(value)).result
        case _:
            raise Unsupported(f"an output that is no tensor, {value!r}")
