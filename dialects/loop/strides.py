"""Tell which lanes that are apart are read by loads of vectors, and shuffled."""

from __future__ import annotations

from typing import TypeGuard

from .. import Dim

_MOST = 8
"""Vectors, at most, that are loaded for one: each takes a load and a shuffle."""


def is_strided(step: Dim, lanes: int) -> TypeGuard[int]:
    """
    Whether elements `step` from each other are picked by shuffles from vectors side by
    side: as many vectors as the step, at most half as many as there are lanes.
    """
    most = min(lanes // 2, _MOST)
    return isinstance(step, int) and step not in (0, 1) and abs(step) <= most
