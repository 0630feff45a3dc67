"""The base class of `graph.quantize` and `graph.dequantize`."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import TensorType
from xdsl.irdl import operand_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import broadcast
from ...element_type import ELEMENT_TYPES
from ...shape import Tensor, sizes
from ..op import SingleResultOp
from .elementwise import require


class ScaledOp(SingleResultOp, ABC):
    """
    An op between numbers and steps of a scale, counted from a zero point.

    Scale and zero point broadcast to the input: one for the tensor, one for each
    channel, or, where an axis of the input is split in two, one for each block.
    """

    input = operand_def(TensorType)
    scale = operand_def(TensorType)
    zero_point = operand_def(TensorType)


def require_scaled(input: Tensor, scale: Tensor, zero_point: Tensor) -> None:
    """Raises `VerifyException` unless scale and zero point belong to an input."""
    require(scale, "float")
    if ELEMENT_TYPES[scale.element_type].is_stored:
        raise VerifyException(f"expected a scale that is computed with, got {scale}")
    require(zero_point, "integer")
    if broadcast(input, scale, zero_point) != sizes(input):
        raise VerifyException(
            f"expected a scale and a zero point that broadcast to {input}, got {scale} "
            f"and {zero_point}"
        )
