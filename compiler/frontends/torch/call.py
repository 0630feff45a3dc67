"""`Call`: one call of an exported program, as the reader of its operator sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import fx
from xdsl.ir import Block, SSAValue

from ....dialects import Array, Dim, Element, Tensor, with_element
from ....dialects.graph.compose import Number, convert, quantity, rounding
from ...ir import WeightStore
from ..stored import constant
from .dtypes import part_of
from .sizes import Sizes

Operand: TypeAlias = SSAValue | Number


@dataclass(frozen=True)
class Pair:
    """A tensor of complex numbers, in two tensors: real parts and imaginary parts."""

    real: SSAValue
    imaginary: SSAValue

    @property
    def parts(self) -> tuple[SSAValue, SSAValue]:
        """The real parts, then the imaginary ones."""
        return self.real, self.imaginary


Result: TypeAlias = SSAValue | Pair | Sequence[SSAValue | Pair | None]
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
    block: Block
    """Where ops are built, at its end."""

    draws: bool = False
    """Whether the model has a seed for numbers at random."""

    is_inside: bool = False
    """Whether f32 stands for floats of 16 bits, to which the results are rounded."""

    def _inside(self, element: Element) -> Element:
        """The element type that the reader is to compute with."""
        return rounding.wide(element) if self.is_inside else element

    @property
    def type(self) -> Tensor:
        """The type of the only result, as torch infers it."""
        return self._typed(self.node.meta["val"])

    def _typed(self, foreseen: Any) -> Tensor:
        """The type of a tensor, as torch infers it, or of the parts of complex ones."""
        type = self.sizes.part_type(foreseen)
        return with_element(type, self._inside(type.element_type))

    @property
    def types(self) -> list[Tensor]:
        """The types of the results of an operator that has several."""
        return [*map(self._typed, self.node.meta["val"])]

    @property
    def element(self) -> Element:
        """The element type of the only result."""
        return self._inside(part_of(self.node.meta["val"].dtype))

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
        return self._inside(part_of(torch.result_type(*sides)))

    def as_tensor(self, value: Operand, element: Element) -> SSAValue:
        """A tensor or a number as a tensor of this element type."""
        if isinstance(value, SSAValue):
            return convert(value, element)
        return quantity(value, element)

    def constant(self, array: Array) -> SSAValue:
        """A constant tensor, inline or in the weight store."""
        return constant(array, self.node.name, self.weights)


def of_operand(build: Callable[..., Result]) -> Reader:
    """The reader of an operator that means a function of its operand."""

    def read(call: Call, x: SSAValue | Pair) -> Result:
        return build(x)

    return read
