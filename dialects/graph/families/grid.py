"""
The elements along one axis of an image that a grid point samples, and their weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...shape import Array
from .interpolation import Interpolation

MODES = ("nearest", "linear", "cubic")
PADDINGS = ("zeros", "border", "reflection")

FARTHEST = 1e9
"""Grid coordinates are clipped to this distance from zero."""


@dataclass(frozen=True)
class Grid:
    """How an image is sampled along one axis."""

    mode: str
    padding: str
    align_corners: bool

    cubic: float = -0.75
    """The coefficient of the cubic mode."""

    @property
    def taps(self) -> Array:
        """The offsets of the sampled elements from the element before a point."""
        return np.arange(
            *{"nearest": (0, 1), "linear": (0, 2), "cubic": (-1, 3)}[self.mode]
        )

    def table(self, points: Array, size: int) -> tuple[Array, Array]:
        """
        The elements that each point samples and their weights, along a new last axis.
        """
        of = points.dtype.type
        position = self.positions(points, size)
        if self.mode != "cubic":
            position = self.brought_inside(position, size)
        taps = self.taps.astype(points.dtype)
        if self.mode == "nearest":
            elements = np.round(position)[..., None]
            weights = np.ones_like(elements)
        else:
            before = np.floor(position)
            how = Interpolation(self.mode, "half_pixel", cubic=self.cubic)
            weights = how.kernel(np.abs(taps - (position - before)[..., None]))
            elements = before[..., None] + taps
        if self.mode == "cubic":
            elements = self.brought_inside(elements, size)
        is_inside = (elements >= 0) & (elements <= size - 1)
        inside = np.clip(elements, 0, size - 1).astype(np.int64)
        return inside, np.where(is_inside, weights, of(0))

    def positions(self, points: Array, size: int) -> Array:
        """The positions of grid points, in units of elements."""
        of = points.dtype.type
        near = np.clip(points, of(-FARTHEST), of(FARTHEST))
        above = np.where(np.isnan(points), of(-1), near) + of(1)
        if self.align_corners:
            return above * of(0.5) * of(size - 1)
        return (above * of(size) - of(1)) * of(0.5)

    def brought_inside(self, position: Array, size: int) -> Array:
        """
        Positions moved into the image by border or reflection; unchanged for zero
        padding.
        """
        of = position.dtype.type
        if self.padding == "zeros":
            return position
        if self.padding == "reflection":
            least = of(0 if self.align_corners else -0.5)
            span = of(max(size - 1, 1) if self.align_corners else size)
            from_least: Array = np.abs(position - least)
            turns: Array = np.floor(from_least / span)
            rest: Array = from_least - turns * span
            turned: Array = np.where(turns % 2 == 0, rest, span - rest)
            position = turned + least
        return np.clip(position, of(0), of(size - 1))
