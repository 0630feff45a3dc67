"""`Call`: one call of an exported program, as the reader of its operator sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import fx
from xdsl.ir import SSAValue

from ....dialects import Array, Dim, Element, Tensor
from ....dialects.graph.compose import Number, convert, quantity
from ...ir import WeightStore
from ..stored import constant
from .dtypes import element_of
from .sizes import Sizes

Operand: TypeAlias = SSAValue | Number

Result: TypeAlias = SSAValue | Sequence[SSAValue | None]
"""The result of a reader: a value or several, where None is an unsupported result."""

Reader: TypeAlias = Callable[..., Result]
"""
Builds the ops of an operator of torch.

It is called with a `Call`, then with every argument in the order of the operator's
schema, defaults included: tensors are values, sizes are dimensions.
"""


@dataclass(frozen=True)
class Call:
    """A call of an operator."""

    node: fx.Node
    sizes: Sizes
    weights: WeightStore

    @property
    def type(self) -> Tensor:
        """The type of the only result, as torch infers it."""
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
        """The element type to which torch promotes the arguments at these positions."""
        sides: list[Any] = []
        for place in places:
            side = self.node.args[place]
            value = side.meta["val"] if isinstance(side, fx.Node) else side
            # The kind of a number matters, not its value.
            kinds = ((torch.SymInt, 1), (torch.SymFloat, 1.0), (torch.SymBool, True))
            alike = (one for kind, one in kinds if isinstance(value, kind))
            sides.append(next(alike, value))
        return element_of(torch.result_type(*sides))

    def as_tensor(self, value: Operand, element: Element) -> SSAValue:
        """A tensor or a number as a tensor of this element type."""
        if isinstance(value, SSAValue):
            return convert(value, element)
        return quantity(value, element)

    def constant(self, array: Array) -> SSAValue:
        """A constant tensor, inline or in the weight store."""
        return constant(array, self.node.name, self.weights)
