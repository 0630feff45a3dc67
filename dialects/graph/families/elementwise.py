"""Base classes of elementwise ops on one tensor or on several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TensorType, f32, i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import operand_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import broadcast
from ...element_type import Element
from ...shape import Array, Tensor, is_float, tensor, with_element
from .. import scalar
from ..nest import Nest, elementwise
from ..op import SingleResultOp

Accepts: TypeAlias = Literal["float", "number", "any", "integer", "bool"]

_EXAMPLES: Mapping[Accepts, Element] = {
    **dict.fromkeys(("float", "number", "any"), f32),
    "integer": i64,
    "bool": i1,
}
"""The elements of an example of what accepts them."""


def require(type: Tensor, accepts: Accepts) -> None:
    """Raises `VerifyException` when elements of `type` are not of the accepted kind."""
    boolean, floating = type.element_type == i1, is_float(type)
    if not {
        "float": floating,
        "number": not boolean,
        "integer": not floating and not boolean,
        "bool": boolean,
        "any": True,
    }[accepts]:
        raise VerifyException(f"expected {accepts} elements, got {type}")


def _example(op: type[SingleResultOp], *operands: Tensor) -> str:
    """The line of an op without properties on operands of these types."""
    names, types = (f"%{number}" for number in range(len(operands))), map(str, operands)
    call = f"{op.name} {', '.join(names)} : {', '.join(types)}"
    return f"%{len(operands)} = {call} -> {op.infer(*operands)}"


class UnaryOp(SingleResultOp, ABC):
    """An op that maps each element of one tensor to an element of the same type."""

    ACCEPTS: ClassVar[Accepts] = "float"

    NUMPY: ClassVar[Callable[[Array], Array]]
    """The numpy function with the same meaning, unless `reference` is overridden."""

    input = operand_def(TensorType)

    @classmethod
    def infer(cls, input: Tensor, *_: Any, **properties: Any) -> Tensor:
        require(input, cls.ACCEPTS)
        return input

    @classmethod
    def examples(cls) -> list[str]:
        """That of the family, where the docstring has none."""
        x = tensor(_EXAMPLES[cls.ACCEPTS], 2, 3)
        return super().examples() or [_example(cls, x)]

    @abstractmethod
    def scalar(self, x: SSAValue) -> SSAValue:
        """Builds the computation of one element."""

    def reference(self, input: Array, *_: Any, **properties: Any) -> Array:
        return type(self).NUMPY(input)

    def nests(self) -> Sequence[Nest]:
        return [elementwise(self.shape, [self.shape], self.scalar)]


class MathOp(UnaryOp, ABC):
    """An op that applies one op of MLIR's `math` dialect to each element."""

    MATH: ClassVar[Callable[[SSAValue], Operation]]
    """The op on a scalar."""

    def scalar(self, x: SSAValue) -> SSAValue:
        return type(self).MATH(x).results[0]


class BinaryOp(SingleResultOp, ABC):
    """
    An op on the elements of two tensors of one dtype, which broadcast as in numpy.
    """

    ACCEPTS: ClassVar[Accepts] = "any"

    SCALAR: ClassVar[str] = ""
    """
    The name in `scalar.py` of the op on two scalars, unless `scalar` is overridden.
    """

    NUMPY: ClassVar[Callable[[Array, Array], Array]]
    """The numpy function with the same meaning."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        if lhs.element_type != rhs.element_type:
            raise VerifyException(
                f"expected operands of one dtype, got {lhs} and {rhs}"
            )
        require(lhs, cls.ACCEPTS)
        return tensor(lhs.element_type, *broadcast(lhs, rhs))

    @classmethod
    def examples(cls) -> list[str]:
        """That of the family, where the docstring has none."""
        element = _EXAMPLES[cls.ACCEPTS]
        row = tensor(element, 3)
        return super().examples() or [_example(cls, tensor(element, 2, 3), row)]

    def reference(self, lhs: Array, rhs: Array) -> Array:
        with np.errstate(all="ignore"):
            return type(self).NUMPY(lhs, rhs)

    def scalar(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Builds the computation of one element."""
        return scalar.binary(self.SCALAR)(lhs, rhs)

    def nests(self) -> Sequence[Nest]:
        return [elementwise(self.shape, self.operand_sizes(), self.scalar)]


class CompareOp(BinaryOp, ABC):
    """An op that compares the elements of two tensors; the result is boolean."""

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        return with_element(super().infer(lhs, rhs), i1)

    def nests(self) -> Sequence[Nest]:
        body = partial(scalar.compare, self.SCALAR)
        return [elementwise(self.shape, self.operand_sizes(), body)]
