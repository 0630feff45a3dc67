"""`graph.clamp`: elements limited to a range."""

from __future__ import annotations

from math import ceil, floor, isinf, isnan
from typing import Any

import numpy as np
from xdsl.dialects.builtin import Float64Type, FloatAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim
from ...shape import Array, Tensor, dtype, is_float
from .. import scalar
from ..families.elementwise import UnaryOp, require


@irdl_op_definition
class ClampOp(UnaryOp):
    """
    The elements limited to `min` and `max`, where given; NaN stays.

    ```mlir
    %1 = graph.clamp %0 {min = 0.0 : f64, max = 6.0 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = graph.clamp %0 {min = -1.0 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.clamp"

    min = opt_prop_def(FloatAttr[Float64Type])
    max = opt_prop_def(FloatAttr[Float64Type])

    @classmethod
    def infer(
        cls, input: Tensor, min: float | None = None, max: float | None = None
    ) -> Tensor:
        require(input, "number")
        if any(each is not None and isnan(each) for each in (min, max)):
            raise VerifyException(f"expected bounds that are numbers, got {min}, {max}")
        return input

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The bounds as values of the element type."""
        return _limits(dtype(self.type), **self.values())

    def scalar(self, x: SSAValue) -> SSAValue:
        least, most = self.limits
        if least is not None:
            x = scalar.maximum(x, scalar.constant(least, x.type))
        if most is not None:
            x = scalar.minimum(x, scalar.constant(most, x.type))
        return x

    def below(self) -> Dim | None:
        """Integers are below the one after `max`, where `min` lets none be negative."""
        if is_float(self.type):
            return None
        least, most = self.limits
        if least is None or most is None or least < 0:
            return None
        return int(most) + 1

    def reference(
        self, input: Array, min: float | None = None, max: float | None = None
    ) -> Array:
        of = input.dtype.type
        least, most = _limits(input.dtype, min, max)
        if least is not None:
            input = np.maximum(input, of(least))
        if most is not None:
            input = np.minimum(input, of(most))
        return input


def _limits(
    kind: np.dtype[Any], min: float | None = None, max: float | None = None
) -> tuple[float | None, float | None]:
    """The bounds as values of the element type: rounded and in range for integers."""
    if kind.kind not in "iu":
        return min, max
    info = np.iinfo(kind)

    def within(bound: float) -> int:
        if isinf(bound):
            return info.max if bound > 0 else info.min
        return sorted((info.min, int(bound), info.max))[1]

    least = None if min is None else within(min if isinf(min) else ceil(min))
    most = None if max is None else within(max if isinf(max) else floor(max))
    return least, most
