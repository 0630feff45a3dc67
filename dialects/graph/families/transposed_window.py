"""
Windows of transposed convolutions: which elements of the result each element of the
input adds to.

Element `i` along an axis adds tap `k` to element `i * stride + k * dilation`. So the
elements of the result with the same remainder modulo the stride, a *phase*, are an
ordinary convolution with the taps that reach them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim
from ...shape import Array

_MOST_STRIDE = 1 << 40
"""A stride that no result in memory has; each phase of it takes some bytes here."""


@dataclass(frozen=True, eq=False)
class Phases:
    """Consecutive phases of one axis with equally many taps."""

    taps: Array
    """The indices of the taps, a row for each phase."""

    offset: int
    """
    The element that the first tap reads, relative to the result's index in its phase.
    """

    step: int
    """The distance between the elements that consecutive taps read."""


@dataclass(frozen=True)
class TransposedWindow:
    """The window of a transposed convolution; each tuple has a number for each axis."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    low: tuple[int, ...]
    """Elements that are cropped before the image."""
    high: tuple[int, ...]
    """Elements that are cropped after it."""
    output_padding: tuple[int, ...]
    """Elements of the result after the last one that the input reaches."""
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
        if max((*strides, 0)) > _MOST_STRIDE:
            raise VerifyException(
                f"expected strides of up to {_MOST_STRIDE}, got {tuple(strides)}"
            )
        low, high = tuple(padding[:count]), tuple(padding[count:])
        return cls(
            numbers, tuple(strides), low, high, tuple(output_padding), tuple(dilation)
        )

    def phases(self, axis: int) -> list[Phases]:
        """
        The phases of an axis, grouped so that one convolution computes each group.
        """
        size, stride, step = self.kernel[axis], self.strides[axis], self.dilation[axis]
        common = gcd(stride, step)
        reached: dict[int, list[int]] = {}
        for tap in range(size):
            reached.setdefault(tap * step % stride, []).append(tap)
        found: list[Phases] = []
        begin = 0
        for phase in [*sorted(reached), stride]:
            if phase > begin:
                # There may be as many as a size has elements.
                none = np.empty((phase - begin, 0), np.int64)
                found.append(Phases(none, 0, step // common))
            if phase == stride:
                break
            begin = phase + 1
            taps = np.array([reached[phase]])
            offset = (phase - int(taps[0, 0]) * step) // stride
            last = found[-1] if found else None
            if last and (last.offset, last.taps.shape[1]) == (offset, taps.size):
                found[-1] = Phases(np.concatenate([last.taps, taps]), offset, last.step)
            else:
                found.append(Phases(taps, offset, step // common))
        return found

    def first(self, axis: int) -> int:
        """The index, in strides, of the first element that is computed."""
        least = min(self._reach(each) - each.offset for each in self.phases(axis))
        return min(least, self.low[axis] // self.strides[axis])

    def grows(self, axis: int) -> int:
        """
        The difference between the number of points computed per phase and the input's
        size.
        """
        last = (self.kernel[axis] - 1) * self.dilation[axis] + self.output_padding[axis]
        needed = (last - self.high[axis]) // self.strides[axis]
        least = max(-each.offset for each in self.phases(axis))
        return max(needed, least) - self.first(axis)

    def around(self, axis: int, phases: Phases) -> tuple[int, int]:
        """The zero padding before and after the image that a group of phases needs."""
        low = self._reach(phases) - phases.offset - self.first(axis)
        return low, self.grows(axis) + self._reach(phases) - low

    @staticmethod
    def _reach(phases: Phases) -> int:
        """The distance between the first and the last tap of a phase."""
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
