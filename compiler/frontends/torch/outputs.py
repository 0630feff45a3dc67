"""What an exported program returns: names for the leaves of it, and their values."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch.utils import _pytree as pytree
from torch.utils._pytree import TreeSpec
from xdsl.ir import SSAValue

from ....dialects.dims import Polynomial
from ....dialects.graph.ops.constant import ConstantOp
from ....dialects.graph.ops.dim import DimOp
from ..unsupported import Unsupported
from .arguments import Value


def output_names(spec: TreeSpec) -> list[str]:
    """
    A name for each leaf: its keys, after `output` when the first is a number.

    A tensor by itself is `output`, a pair is `output_0` and `output_1`, and what a
    dictionary holds has the names of its keys.
    """
    tree = spec.unflatten(range(spec.num_leaves))
    names: list[str] = []
    for path, _ in pytree.tree_flatten_with_path(tree)[0]:
        keys = [key_of(each) for each in path]
        if not keys or isinstance(keys[0], int):
            keys.insert(0, "output")
        names.append("_".join(map(str, keys)))
    return names


def key_of(step: Any) -> int | str:
    """The index, the key or the field that a step into a tree goes to."""
    match step:
        case pytree.SequenceKey():
            return step.idx
        case pytree.GetAttrKey():
            return step.name
        case _:
            return step.key


def output_value(value: Value) -> SSAValue:
    """The tensor that is returned; a number is one without axes."""
    match value:
        case SSAValue():
            return value
        case Polynomial():
            return DimOp(value=str(value)).result
        case bool() | int() | float():
            return ConstantOp(value=np.array(value)).result
        case _:
            raise Unsupported(f"an output that is no tensor, {value!r}")
