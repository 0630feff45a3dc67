"""
Windows over images that are padded by amounts computed from sizes that vary, and what
pools compute under them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from ...dims import Dim, ceildiv, greater, lesser, product
from ...shape import dtype, tensor_type
from ..ops.binary import AddOp, DivOp, MaximumOp, MulOp, SubOp
from ..ops.dim import DimOp
from ..ops.pool import SumPoolOp
from . import padding
from .number import number_like
from .pooling import Window
from .shaping import filled, shape_of


@dataclass(frozen=True)
class OpenWindow:
    """A window over an image that is padded by amounts computed from its sizes."""

    window: Window
    """The window over the padded image."""

    low: Sequence[Dim]
    high: Sequence[Dim]
    beyond: Sequence[Dim]
    """Further padding after the image, for a last window that is partly outside."""

    @staticmethod
    def rounded_up(window: Window, spatial: Sequence[Dim]) -> OpenWindow:
        """The window with positions rounded up; none begins after the image."""
        ends: list[tuple[Dim, Dim]] = []
        axes = zip(window.reach, window.strides, window.low, window.high, strict=True)
        for size, (reach, stride, low, high) in zip(spatial, axes, strict=True):
            all_of_them = ceildiv(size + low + high - reach, stride) + 1
            positions = lesser(all_of_them, ceildiv(size + low, stride))
            needed = greater((positions - 1) * stride + reach - size - low, 0)
            ends.append((lesser(needed, high), greater(needed - high, 0)))
        high, beyond = ([each[side] for each in ends] for side in (0, 1))
        none = (0,) * len(spatial)
        plain = replace(window, low=none, high=none)
        return OpenWindow(plain, window.low, high, beyond)

    def around(self, x: SSAValue, value: float) -> SSAValue:
        """Builds the image padded with one value."""
        return self._beyond_of(self._inside_of(x, value), value)

    def _inside_of(self, x: SSAValue, value: float) -> SSAValue:
        """Builds the image padded with one value, but not beyond the padding."""
        return padding.padded(
            x, [0, 0, *self.low], [0, 0, *self.high], "constant", value
        )

    def _beyond_of(self, x: SSAValue, value: float) -> SSAValue:
        """Builds the padded image with one value beyond the padding."""
        none = [0] * (2 + len(self.beyond))
        return padding.padded(x, none, [0, 0, *self.beyond], "constant", value)

    def total(self, x: SSAValue) -> SSAValue:
        """Builds the sums under the window."""
        return SumPoolOp(self.around(x, 0.0), **self.window.properties()).result

    def means(self, x: SSAValue, counts: bool, counts_beyond: bool) -> SSAValue:
        """
        Builds the means under the window, where padding may count, and what is beyond
        it too.
        """
        total = self.total(x)
        if counts and counts_beyond:
            return DivOp(total, number_like(prod(self.window.kernel), total)).result
        ones = filled(np.ones((), dtype(tensor_type(x))), [1, 1, *shape_of(x)[2:]])
        inside = self._beyond_of(self._inside_of(ones, float(counts)), 0.0)
        count = SumPoolOp(inside, **self.window.properties()).result
        return DivOp(total, MaximumOp(count, number_like(1, count))).result

    def places_in(self, numbers: SSAValue, spatial: Sequence[Dim]) -> SSAValue | None:
        """
        Builds the linear indices in an image of elements of its padded form; None where
        padding may be chosen that has no element of its window beside it.

        Padding is chosen where it equals all elements of a window, as it is the first.
        """
        if any(step > 1 for step in self.window.dilation) and any(self.low):
            return None
        axes = zip(spatial, self.low, self.high, self.beyond, strict=True)
        padded = [sum(each, start=0) for each in axes]
        total: SSAValue | None = None
        for axis in reversed(range(len(spatial))):
            size = DimOp(value=str(padded[axis]))
            rest = DivOp(numbers, size).result
            place = SubOp(numbers, MulOp(rest, size)).result
            if self.low[axis] != 0:
                place = SubOp(place, DimOp(value=str(self.low[axis]))).result
                place = MaximumOp(place, number_like(0, place)).result
            part = MulOp(place, DimOp(value=str(product(spatial[axis + 1 :])))).result
            total = part if total is None else AddOp(total, part).result
            numbers = rest
        assert total is not None, "an image has axes"
        return total
