"""Choosing between ways to compute a contraction by running them on this machine."""

from __future__ import annotations

from .tuner import Tuner

__all__ = [
    "Tuner",
]
