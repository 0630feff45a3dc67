"""
Windows of transposed convolutions over the spatial axes of NxCx...: which elements of
the result each element of the input adds to.

Element `i` along an axis adds tap `k` to element `i * stride + k * dilation`. So the
elements of the result with one remainder by the stride, a *phase*, are an ordinary
convolution with the taps that reach them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim
from ...shape import Array


@dataclass(frozen=True, eq=False)
class Phases:
    """Phases of one axis, one after the other, with as many taps each."""

    taps: Array
    """The number of each tap, a row for each phase."""

    offset: int
    """The element that the first tap of a phase takes, less that of the result."""

    step: int
    """How far apart the elements are that two taps in a row take."""


@dataclass(frozen=True)
class TransposedWindow:
    """The window of a transposed convolution; each tuple has a number for each axis."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    low: tuple[int, ...]
    """Elements that are cut off before the image."""
    high: tuple[int, ...]
    """Elements that are cut off after it."""
    output_padding: tuple[int, ...]
    """Elements of the result after the last that an element of the input reaches."""
    dilation: tuple[int, ...]

    @classmethod
    def of(
        cls,
        kernel: Sequence[Dim],
        strides: Sequence[int],
        padding: Sequence[int],
        output_padding: Sequence[int],
        dilation: Sequence[int],
    ) -> TransposedWindow:
        """The window of these numbers; raises `VerifyException`."""
        count = len(kernel)
        numbers = tuple(each for each in kernel if isinstance(each, int) and each > 0)
        given = {len(each) for each in (numbers, strides, output_padding, dilation)}
        if given != {count} or len(padding) != 2 * count:
            raise VerifyException(
                "expected a kernel, a stride, two paddings, an output padding and a "
                f"dilation for each of {count} spatial axes, got {tuple(kernel)}, "
                f"{tuple(strides)}, {tuple(padding)}, {tuple(output_padding)} and "
                f"{tuple(dilation)}"
            )
        if min((*strides, *dilation, 1)) < 1 or min((*padding, *output_padding, 0)) < 0:
            raise VerifyException(
                "expected strides and dilations of one or more and paddings of zero "
                f"or more, got {tuple(strides)}, {tuple(dilation)}, {tuple(padding)} "
                f"and {tuple(output_padding)}"
            )
        low, high = tuple(padding[:count]), tuple(padding[count:])
        return cls(
            numbers, tuple(strides), low, high, tuple(output_padding), tuple(dilation)
        )

    def phases(self, axis: int) -> list[Phases]:
        """The phases of an axis; those that one convolution can find are together."""
        size, stride, step = self.kernel[axis], self.strides[axis], self.dilation[axis]
        common = gcd(stride, step)
        every = stride // common
        found: list[Phases] = []
        for phase in range(stride):
            first = next(
                (k for k in range(every) if (k * step - phase) % stride == 0), size
            )
            taps = np.arange(first, size, every)[None]
            offset = (phase - first * step) // stride if taps.size else 0
            last = found[-1] if found else None
            if last and (last.offset, last.taps.shape[1]) == (offset, taps.size):
                found[-1] = Phases(np.concatenate([last.taps, taps]), offset, last.step)
            else:
                found.append(Phases(taps, offset, step // common))
        return found

    def first(self, axis: int) -> int:
        """The first element that is computed, counted in strides."""
        least = min(self._reach(each) - each.offset for each in self.phases(axis))
        return min(least, self.low[axis] // self.strides[axis])

    def grows(self, axis: int) -> int:
        """How many more elements are computed than there are elements."""
        last = (self.kernel[axis] - 1) * self.dilation[axis] + self.output_padding[axis]
        needed = (last - self.high[axis]) // self.strides[axis]
        least = max(-each.offset for each in self.phases(axis))
        return max(needed, least) - self.first(axis)

    def around(self, axis: int, phases: Phases) -> tuple[int, int]:
        """The zeros before and after the image with which all elements are computed."""
        low = self._reach(phases) - phases.offset - self.first(axis)
        return low, self.grows(axis) + self._reach(phases) - low

    @staticmethod
    def _reach(phases: Phases) -> int:
        """How far the last tap of a phase is from the first."""
        return max(phases.taps.shape[1] - 1, 0) * phases.step


def transposed_sizes(
    spatial: Sequence[Dim], window: TransposedWindow
) -> tuple[Dim, ...]:
    """The size of each spatial axis of the result; raises `VerifyException`."""
    if len(spatial) != len(window.kernel):
        raise VerifyException(
            f"expected {len(window.kernel)} spatial axes, got {len(spatial)}"
        )
    result: list[Dim] = []
    for at, size in enumerate(spatial):
        wide = (size - 1) * window.strides[at] + 1 + window.output_padding[at]
        wide = wide + (window.kernel[at] - 1) * window.dilation[at]
        result.append(wide - window.low[at] - window.high[at])
        if size == 0 or (isinstance(result[at], int) and int(str(result[at])) < 0):
            raise VerifyException(
                f"expected an image that padding leaves elements of, got {size} along "
                f"spatial axis {at}"
            )
    return tuple(result)
