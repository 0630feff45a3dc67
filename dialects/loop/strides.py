"""Tell which lanes that are apart are read by loads of vectors, and shuffled."""

from __future__ import annotations

from .. import Dim

_MOST = 8
"""Vectors, at most, that are loaded for one: each takes a load and a shuffle."""


def is_strided(step: Dim, lanes: int) -> bool:
    """
    Whether elements `step` from each other are picked from vectors side by side that
    begin and end with one of them: those are fewer than half of the lanes.
    """
    most = min(lanes // 2, _MOST)
    return isinstance(step, int) and step not in (0, 1) and abs(step) <= most
