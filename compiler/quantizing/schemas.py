"""
What steps a range of numbers gets: the schemas of Glow, with the types of our kernels.

A step of a value stands for `(step - zero_point) * scale`. Each schema has zero among
its steps, as paddings and Relu need, and nothing inside of a range saturates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

CALIBRATIONS = ("none", "kl")
"""How a range is found: by what was seen, or by `calibration.py`."""


@dataclass(frozen=True)
class StepsOf:
    """The steps of one value."""

    scale: np.float32
    zero_point: int
    signed: bool
    """Whether steps are from -128 to 127, or from 0 to 255."""


def _asymmetric(least: float, greatest: float) -> StepsOf:
    """Steps without a sign that reach over a range and zero."""
    least, greatest = min(least, 0.0), max(greatest, 0.0)
    scale = _scale(greatest - least, 255)
    zero = int(np.clip(np.rint(-least / float(scale)), 0, 255))
    return StepsOf(scale, zero, False)


def _symmetric(least: float, greatest: float) -> StepsOf:
    """Steps with a sign, as many on either side of zero."""
    return StepsOf(_scale(max(abs(least), abs(greatest)), 127), 0, True)


def _symmetric_with_uint8(least: float, greatest: float) -> StepsOf:
    """The same, but steps without a sign for what is never below zero."""
    if least < 0:
        return _symmetric(least, greatest)
    return StepsOf(_scale(greatest, 255), 0, False)


def _symmetric_with_power2_scale(least: float, greatest: float) -> StepsOf:
    """Symmetric steps whose scale is the next greater power of two."""
    scale = float(_scale(max(abs(least), abs(greatest)), 127))
    fraction, exponent = np.frexp(scale)
    exponent = int(exponent) - int(fraction == 0.5)
    return StepsOf(np.float32(np.ldexp(1.0, exponent)), 0, True)


def _scale(length: float, steps: int) -> np.float32:
    """How far apart steps are that divide a length; one for nothing but zeros."""
    return np.float32(length / steps) if length else np.float32(1)


SCHEMAS: Mapping[str, Callable[[float, float], StepsOf]] = MappingProxyType(
    {
        "asymmetric": _asymmetric,
        "symmetric": _symmetric,
        "symmetric_with_uint8": _symmetric_with_uint8,
        "symmetric_with_power2_scale": _symmetric_with_power2_scale,
    }
)
"""The steps of a range from a least to a greatest number, by the name of a schema."""

WINDOWED = "asymmetric"
"""The schema whose steps reach over a range that need not be symmetric."""
