"""Reductions: `graph.sum`, `prod`, `reduce_max`, `reduce_min`, `mean`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, product
from ...element_type import ELEMENT_TYPES, Element
from ...shape import (
    Array,
    Tensor,
    normalize_axis,
    sizes,
    tensor,
    tensor_type,
    with_element,
)
from ..element_array import to_elements
from ..families.elementwise import Accepts, require
from ..families.product import sum_element, widened
from ..literal import to_attribute
from ..nest import Combiner, Linear, Nest, Read, axis, same
from ..op import Requirement, SingleResultOp
from ..order import Carried, Order, without
from .binary import DivOp
from .cast import CastOp
from .constant import ConstantOp
from .dim import DimOp


class ReduceOp(SingleResultOp, ABC):
    """An op that combines the elements along some axes of a tensor."""

    ACCEPTS: ClassVar[Accepts] = "number"
    ROUNDS: ClassVar[bool] = True
    """Whether the result depends on the order in which elements are combined."""

    input = operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(i64))
    keepdims = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(cls, input: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        require(input, cls.ACCEPTS)
        shape = sizes(input)
        reduced = {normalize_axis(each, len(shape)) for each in axes}
        if len(reduced) < len(axes) or list(axes) != sorted(reduced):
            raise VerifyException(
                f"expected axes counted from the front in rising order, got {axes}"
            )
        kept = [
            1 if number in reduced else size
            for number, size in enumerate(shape)
            if keepdims or number not in reduced
        ]
        return tensor(input.element_type, *kept)

    @property
    def reduced(self) -> tuple[int, ...]:
        """The axes along which elements are combined."""
        return tuple(self.values()["axes"])

    def carry(self, operand: int, order: Order) -> Carried | None:
        where = [order.index(each) for each in self.reduced]
        axes = tuple(sorted(where))
        same_row = len(_row(axes)) == len(_row(self.reduced))
        if self.ROUNDS and not (list(axes) == where and same_row):
            return None  # Elements would be combined in another order.
        left = order if self.values()["keepdims"] else without(order, self.reduced)
        properties = {**self.properties, "axes": to_attribute(axes)}
        return Carried((order,), left, properties)

    @abstractmethod
    def reference(self, input: Array, axes: tuple[int, ...], keepdims: bool) -> Any: ...

    def combined(self, combine: Combiner) -> Nest:
        """The nest over the parallel axes, then the reduced ones."""
        shape = sizes(tensor_type(self.input))
        kept = [each for each in range(len(shape)) if each not in self.reduced]
        order = [*kept, *self.reduced]
        at = tuple(axis(order.index(each)) for each in range(len(shape)))
        keepdims = self.values()["keepdims"]
        write = tuple(
            Linear() if each in self.reduced else at[each]
            for each in range(len(shape))
            if keepdims or each not in self.reduced
        )
        bounds = tuple(shape[each] for each in order)
        in_turn = len(self.reduced) - len(_row(self.reduced))
        return Nest(
            bounds, (Read(0, at),), same, write, len(self.reduced), combine, in_turn
        )


def _row(axes: Sequence[int]) -> Sequence[int]:
    """The last axis and those beside it: what makes a row, whatever its shape."""
    return [each for each in axes if {*range(each, max(axes))} <= {*axes}]


@irdl_op_definition
class SumOp(ReduceOp):
    """
    The sum along `axes`; with `to` it has that type, to which a load widens elements.

    ```mlir
    %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = true} : tensor<2x3x5xf32> -> tensor<2x1x5xf32>
    %2 = graph.sum %0 {axes = array<i64: 0, 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<3xf32>
    %3 = graph.sum %0 {axes = array<i64: 2>, keepdims = false} : tensor<2x3x5xf32> -> tensor<2x3xf32>
    %4 = graph.sum %0 {axes = array<i64: 0>, keepdims = true, to = i32} : tensor<2x3xsi8> -> tensor<1x3xi32>
    ```
    """

    name = "graph.sum"

    to = opt_prop_def(TypeAttribute)

    @classmethod
    def infer(
        cls,
        input: Tensor,
        axes: tuple[int, ...],
        keepdims: bool,
        to: Element | None = None,
    ) -> Tensor:
        if (element := sum_element(input, input, to)) is None:
            raise VerifyException(f"expected bytes for sums of {to}, got {input}")
        return with_element(super().infer(input, axes, keepdims), element)

    def reference(
        self,
        input: Array,
        axes: tuple[int, ...],
        keepdims: bool,
        to: Element | None = None,
    ) -> Array:
        input = widened(input, to)
        return np.sum(input, axes, dtype=input.dtype, keepdims=keepdims)

    def nests(self) -> Sequence[Nest]:
        return [self.combined("add")]


@irdl_op_definition
class ProdOp(ReduceOp):
    """
    The product along `axes`.

    ```mlir
    %1 = graph.prod %0 {axes = array<i64: 1>, keepdims = false} : tensor<2x3xf32> -> tensor<2xf32>
    ```
    """

    name = "graph.prod"

    def reference(self, input: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        return np.prod(input, axes, dtype=input.dtype, keepdims=keepdims)

    def nests(self) -> Sequence[Nest]:
        return [self.combined("mul")]


def elements_missing(type: Tensor, axes: Sequence[int]) -> Dim:
    """What is negative where there are results, and no elements for them."""
    shape = sizes(type)
    results = product(size for each, size in enumerate(shape) if each not in axes)
    return (product(shape[each] for each in axes) - 1) * results


class ExtremeOp(ReduceOp, ABC):
    """
    The greatest or least element; without `or_identity` no reduced axis may be empty.
    """

    ACCEPTS: ClassVar[Accepts] = "any"
    ROUNDS: ClassVar[bool] = False

    COMBINE: ClassVar[Combiner]
    """How elements are combined."""

    NUMPY: ClassVar[np.ufunc]
    """The function of numpy that does the same."""

    or_identity = opt_prop_def(UnitAttr)

    @classmethod
    def infer(
        cls,
        input: Tensor,
        axes: tuple[int, ...],
        keepdims: bool,
        or_identity: bool = False,
    ) -> Tensor:
        result = super().infer(input, axes, keepdims)
        missing = elements_missing(input, axes)
        if not or_identity and isinstance(missing, int) and missing < 0:
            raise VerifyException(f"expected elements to reduce, got {input}")
        return result

    def requirements(self) -> Sequence[Requirement]:
        if self.or_identity is not None:
            return ()
        type = tensor_type(self.input)
        missing = elements_missing(type, self.reduced)
        return [Requirement(missing, f"expected elements to reduce in {type}")]

    def reference(
        self,
        input: Array,
        axes: tuple[int, ...],
        keepdims: bool,
        or_identity: bool = False,
    ) -> Array:
        least, greatest = ELEMENT_TYPES[self.type.element_type].limits
        initial = least if self.COMBINE == "max" else greatest
        return self.NUMPY.reduce(input, axes, keepdims=keepdims, initial=initial)

    def nests(self) -> Sequence[Nest]:
        return [self.combined(self.COMBINE)]


@irdl_op_definition
class ReduceMaxOp(ExtremeOp):
    """
    The greatest element along `axes`, or NaN when one is NaN.

    ```mlir
    %1 = graph.reduce_max %0 {axes = array<i64: 1>, keepdims = true} : tensor<2x3xf32> -> tensor<2x1xf32>
    %2 = graph.reduce_max %0 {axes = array<i64: 1>, keepdims = true, or_identity} : tensor<2x3xf32> -> tensor<2x1xf32>
    ```
    """

    name = "graph.reduce_max"
    COMBINE: ClassVar = "max"
    NUMPY: ClassVar = np.maximum


@irdl_op_definition
class ReduceMinOp(ExtremeOp):
    """
    The least element along `axes`, or NaN when one is NaN.

    ```mlir
    %1 = graph.reduce_min %0 {axes = array<i64: 0>, keepdims = false} : tensor<2x3xf32> -> tensor<3xf32>
    ```
    """

    name = "graph.reduce_min"
    COMBINE: ClassVar = "min"
    NUMPY: ClassVar = np.minimum


@irdl_op_definition
class MeanOp(ReduceOp):
    """
    The mean along `axes`; NaN when there are no elements.

    ```mlir
    %1 = graph.mean %0 {axes = array<i64: 2, 3>, keepdims = true} : tensor<2x3x5x7xf32> -> tensor<2x3x1x1xf32>
    ```
    """

    name = "graph.mean"
    ACCEPTS: ClassVar = "float"

    def reference(self, input: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
        total = np.sum(input, axes, dtype=input.dtype, keepdims=keepdims)
        count = np.prod([input.shape[each] for each in axes])
        with np.errstate(invalid="ignore"):
            return np.asarray(total / input.dtype.type(count))

    def decompose(self) -> Sequence[SSAValue]:
        shape, type = sizes(tensor_type(self.input)), self.type
        count = product(shape[each] for each in self.reduced)
        total = SumOp(self.input, **self.properties).result
        if isinstance(count, int):
            divisor = ConstantOp(value=to_elements(count, type.element_type)).result
        else:
            divisor = CastOp(DimOp(value=str(count)), to=type.element_type).result
        return [DivOp(total, divisor).result]
