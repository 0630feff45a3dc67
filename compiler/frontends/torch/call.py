"""One call of an exported program, as the reader of its operator sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import fx
from xdsl.ir import SSAValue

from ....dialects.dims import Dim, Polynomial
from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.cast import CastOp
from ....dialects.graph.ops.constant import ConstantOp
from ....dialects.graph.ops.dim import DimOp
from ....dialects.graph.ops.get_attr import GetAttrOp
from ....dialects.graph.ops.reshape import ReshapeOp
from ....dialects.shape import (
    DTYPES,
    Array,
    Element,
    Tensor,
    sizes,
    tensor,
    tensor_type,
)
from ....dialects.shape import ELEMENTS as OF_NUMPY
from ...weights import WeightStore
from .dtypes import element_of
from .sizes import Sizes

Number: TypeAlias = bool | int | float | Polynomial
"""A number in the program, or one that is computed from its sizes."""

Operand: TypeAlias = SSAValue | Number

Result: TypeAlias = SSAValue | Sequence[SSAValue | None]
"""What a reader returns: a value, or several, without those it has no form for."""

Reader: TypeAlias = Callable[..., Result]
"""
What builds the ops that an operator of torch is made of.

It is called with a `Call`, then with every argument in the order of the operator's
schema, defaults included: tensors are values, sizes are dimensions.
"""

INLINE = 16
"""Elements of a tensor that is written out in the program; others are weights."""


@dataclass(frozen=True)
class Call:
    """A call of an operator."""

    node: fx.Node
    sizes: Sizes
    weights: WeightStore

    @property
    def type(self) -> Tensor:
        """The type of the only result, as torch foresees it."""
        return self.sizes.type(self.node.meta["val"])

    @property
    def types(self) -> list[Tensor]:
        """The types of the results of an operator that has several."""
        return [self.sizes.type(each) for each in self.node.meta["val"]]

    @property
    def element(self) -> Element:
        """The element type of the only result."""
        return element_of(self.node.meta["val"].dtype)

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The dimensions of the only result."""
        return self.sizes.shape(self.node.meta["val"])

    def common(self, *places: int) -> Element:
        """The element type to which torch promotes the arguments at these places."""
        sides: list[Any] = []
        for place in places:
            side = self.node.args[place]
            value = side.meta["val"] if isinstance(side, fx.Node) else side
            # The kind of a number counts, and not its value.
            kinds = ((torch.SymInt, 1), (torch.SymFloat, 1.0), (torch.SymBool, True))
            alike = (one for kind, one in kinds if isinstance(value, kind))
            sides.append(next(alike, value))
        return element_of(torch.result_type(*sides))

    def as_tensor(self, value: Operand, element: Element) -> SSAValue:
        """A tensor or a number as a tensor of these elements."""
        if isinstance(value, SSAValue):
            return cast(value, element)
        if isinstance(value, Polynomial):
            return cast(DimOp(value=str(value)).result, element)
        return number(value, element)

    def constant(self, array: Array) -> SSAValue:
        """A tensor with these elements, in the program or among the weights."""
        if array.size <= INLINE:
            return ConstantOp(value=array).result
        key = self.weights.put(self.node.name, array)
        return GetAttrOp(key, tensor(OF_NUMPY[array.dtype], *array.shape)).result


def cast(value: SSAValue, element: Element) -> SSAValue:
    """The tensor with elements of another type, or itself when it has them."""
    if tensor_type(value).element_type == element:
        return value
    return CastOp(value, to=element).result


def number(value: float, element: Element) -> SSAValue:
    """A tensor without axes that holds one number."""
    with np.errstate(over="ignore"):
        return ConstantOp(value=np.array(value, DTYPES[element])).result


def number_like(value: float, tensor: SSAValue) -> SSAValue:
    """A tensor without axes that holds one number of another tensor's type."""
    return number(value, tensor_type(tensor).element_type)


def shape_of(value: SSAValue) -> tuple[Dim, ...]:
    """The dimensions of a tensor."""
    return sizes(tensor_type(value))


def reshape(value: SSAValue, *shape: Dim) -> SSAValue:
    """The tensor under other dimensions, or itself when it has them."""
    if shape_of(value) == shape:
        return value
    return ReshapeOp(value, shape=to_names(shape)).result
