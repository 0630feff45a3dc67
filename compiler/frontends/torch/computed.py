"""Operators of numbers alone that have no reader: torch computes what they return."""

from __future__ import annotations

from importlib import import_module
from math import prod
from typing import Any

import torch
from torch import Tensor, fx
from torch._ops import OpOverload
from xdsl.ir import SSAValue

from ...ir import WeightStore
from ..stored import constant
from .call import Pair
from .custom import is_own
from .dtypes import is_complex, to_numpy

_modes: Any = import_module("torch.utils._python_dispatch")

_MOST_ELEMENTS = 1 << 22
"""The most elements of such a constant, which the program holds."""


def is_computed(node: fx.Node) -> bool:
    """
    Whether the result of a node is the same in all runs: an operator of torch itself
    that takes numbers alone, and does not draw them at random.
    """
    operator, foreseen = node.target, node.meta.get("val")
    tags: Any = getattr(operator, "tags", ())
    return (
        isinstance(operator, OpOverload)
        and isinstance(foreseen, Tensor)
        and not node.all_input_nodes
        and is_own(operator)
        and torch.Tag.nondeterministic_seeded not in tags
        and prod(foreseen.shape) <= _MOST_ELEMENTS
    )


def computed(node: fx.Node, weights: WeightStore) -> SSAValue | Pair:
    """The constant that such a node returns."""
    operator = node.target
    assert isinstance(operator, OpOverload), "what is computed is an operator"
    # A graph of `torch.compile` is read while torch traces it with empty tensors.
    with torch.no_grad(), _modes._disable_current_modes():
        found = parts_of(operator(*node.args, **node.kwargs))
        arrays = [*map(to_numpy, found)]
    parts = [constant(each, node.name, weights) for each in arrays]
    return parts[0] if len(parts) == 1 else Pair(*parts)


def parts_of(tensor: Tensor) -> list[Tensor]:
    """The tensor in order, or the two of the parts of complex numbers."""
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    if not is_complex(plain.dtype):
        return [plain]
    return [each.contiguous() for each in torch.view_as_real(plain).unbind(-1)]
