"""
Interpolation along a resized axis: source positions, taps and weights.

It is written twice: here for arrays, and in `resize.py` as ops, where the sizes may be
symbols. Both compute positions by the same steps in the same precision, since the
choice of a nearest element depends on their last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, ceildiv, greater, guess
from ...shape import Array

ROUNDED = ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")
"""The nearest-element modes, named after the rounding of positions."""

_MODES = (*ROUNDED, "linear", "cubic")

COORDINATES = (
    *("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners"),
    *("asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"),
)
"""How a result index becomes a source position, by ONNX's names."""

_LEAST_SCALE = 2.0**-14
"""The least scale by which a kernel is widened: each point has a row of taps."""


@dataclass(frozen=True)
class Interpolation:
    """How one axis is resized."""

    mode: str
    coordinates: str

    scale: float | None = None
    """The ratio of the new size to the old; None when it follows from the sizes."""

    multiplies: bool = False
    """
    Whether points are multiplied by the inverse of the scale, not divided by the scale.
    """

    cubic: float = -0.75
    """The coefficient of the cubic mode."""

    exclude_outside: bool = False
    """
    Whether taps beyond the ends have no weight; else the end elements replace them.
    """

    antialias: bool = False
    """Whether downsampling widens the kernel over all elements that a point covers."""

    start: float = 0.0
    end: float = 1.0
    """The end of the cropped region, as a fraction of the axis."""

    outside: float | None = None
    """
    The value of points beyond the ends; None when they are interpolated like others.
    """

    def __post_init__(self):
        """Raises `VerifyException` for an unknown mode or coordinate transform."""
        for name, known in ((self.mode, _MODES), (self.coordinates, COORDINATES)):
            if name not in known:
                raise VerifyException(f"expected one of {', '.join(known)}, got {name}")
        if self.scale is not None and not 0 < self.scale < float("inf"):
            raise VerifyException(f"expected a scale above zero, got {self.scale}")

    @property
    def is_nearest(self) -> bool:
        """Whether each point takes one element."""
        return self.mode in ROUNDED

    @property
    def keeps_equal(self) -> bool:
        """
        Whether an axis that is resized to its own size stays as it is. An interpolated
        one does not: its weights of zero turn infinities into NaN.
        """
        if not self.is_nearest or self.scale not in (None, 1.0):
            return False
        match self.coordinates:
            case "tf_crop_and_resize":
                return False
            case "align_corners" if not self.multiplies:
                # A quotient may be just beside the whole number that it should be.
                return self.mode in ("round_prefer_floor", "round_prefer_ceil")
            case _:
                return True

    def repeats(self, count: Dim, size: Dim) -> int:
        """
        How often each element is taken, side by side, where an axis of `count` elements
        gets `size`; 0 where it is not so. What is computed in floats is the same as
        long as these have the numbers of points exactly.
        """
        first = guess(count)
        times = guess(size) // first if first > 0 else 0
        if times < 2 or size != count * times or self.scale not in (None, times):
            return 0
        if self.multiplies and times & (times - 1):
            # An inverse that is rounded may lead to the element before.
            return 0
        centred = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel")
        match self.mode:
            case "floor":
                found = self.coordinates in ("asymmetric", "tf_half_pixel_for_nn")
            case "round_prefer_floor" | "round_prefer_ceil":
                # Half of an element before the middle of one is no nearer to another.
                found = self.coordinates in centred
            case _:
                found = False
        return times if found else 0

    def stays(self, count: int, size: int) -> bool:
        """Whether TensorFlow's centres are not moved, as the axis keeps its size."""
        is_equal = count == size and self.scale in (None, 1.0)
        return is_equal and self.coordinates == "tf_half_pixel_for_nn"

    def reach(self, count: Dim, size: Dim) -> Dim:
        """
        How many elements before a point have a weight, and as many after it, where an
        axis of `count` elements gets `size`; raises `VerifyException` for a scale by
        which that would be too many.
        """
        least = 1 if self.mode == "linear" else 2
        if not self.antialias or size == 0:
            return least
        if self.scale is not None:
            if self.scale < _LEAST_SCALE:
                raise VerifyException(
                    f"expected a scale of {_LEAST_SCALE} or more to widen a kernel, "
                    f"got {self.scale}"
                )
            return ceil(least / min(self.scale, 1.0))
        return greater(ceildiv(count * least, size), least)

    def positions(self, count: int, size: int, kind: np.dtype[np.floating]) -> Array:
        """The source position of each point."""
        of = kind.type
        x = np.arange(size).astype(kind)
        if self.coordinates == "tf_crop_and_resize":
            if size == 1:
                return np.array([0.5 * (self.start + self.end) * (count - 1)], kind)
            step = of((self.end - self.start) * (count - 1) / max(size - 1, 1))
            return of(self.start * (count - 1)) + x * step
        if self.coordinates == "align_corners":
            if self.multiplies:
                return x * (of(count - 1) / of(max(size - 1, 1)))
            return x * of(count - 1) / of(max(size - 1, 1))
        if self.coordinates != "asymmetric" and not self.stays(count, size):
            x = x + of(0.5)
        if self.multiplies:
            x = x * (of(count) / of(size) if self.scale is None else of(1 / self.scale))
        else:
            x = x / (of(size) / of(count) if self.scale is None else of(self.scale))
        if self.coordinates in ("asymmetric", "tf_half_pixel_for_nn"):
            return x
        x = x - of(0.5)
        if self.coordinates == "pytorch_half_pixel" and size == 1:
            return np.zeros_like(x)
        if self.coordinates == "half_pixel_symmetric" and self.scale is not None:
            x = x + of(0.5) * (of(count) - of(size) / of(self.scale))
        return x

    def nearest(self, positions: Array, count: int) -> Array:
        """The index of the element nearest to each position."""
        half = positions.dtype.type(0.5)
        points = {
            "floor": lambda: np.floor(positions),
            "ceil": lambda: np.ceil(positions),
            "round_prefer_floor": lambda: np.ceil(positions - half),
            "round_prefer_ceil": lambda: np.floor(positions + half),
        }[self.mode]()
        return np.clip(points.astype(np.int64), 0, count - 1)

    def table(self, positions: Array, count: int) -> tuple[Array, Array]:
        """
        The elements that each position samples and their weights, one row per position.
        """
        kind = positions.dtype.type
        size = len(positions)
        reach = int(str(self.reach(count, size)))
        taps = np.arange(1 - reach, 1 + reach)
        shrink = 1.0
        if self.antialias and size:
            shrink = min(size / count if self.scale is None else self.scale, 1.0)
        before = np.floor(positions)
        distance = np.abs(taps.astype(kind) - (positions - before)[:, None])
        distance = distance * kind(shrink)
        weights = self.kernel(distance)
        points = before.astype(np.int64)[:, None] + taps
        if self.exclude_outside:
            weights = np.where((points < 0) | (points >= count), kind(0), weights)
        if self.exclude_outside or self.antialias:
            whole: Array = weights.sum(1, keepdims=True)
            # A point that is beyond all elements has a share of none.
            whole[whole == 0] = kind(1)
            weights = weights / whole
        return np.clip(points, 0, count - 1), weights

    def kernel(self, distance: Array) -> Array:
        """The weight of an element at a distance from a position."""
        kind = distance.dtype.type
        if self.mode == "linear":
            return np.maximum(kind(1) - distance, kind(0))
        a, d = kind(self.cubic), distance
        near: Array = ((a + kind(2)) * d - (a + kind(3))) * d * d + kind(1)
        far: Array = (((d - kind(5)) * d + kind(8)) * d - kind(4)) * a
        return np.where(d <= 1, near, np.where(d < 2, far, kind(0)))
