"""Profiles of activations: what was seen of them, and the steps that follow from it."""

from __future__ import annotations

from .histogram import Histogram
from .profile import LEAST_SCALE, MOST_SCALE, Profile, merge_profiles
from .read import parse_profile, read_profile
from .schemas import CALIBRATIONS, SCHEMAS, StepsOf
from .settings import Settings

__all__ = [
    "CALIBRATIONS",
    "Histogram",
    "LEAST_SCALE",
    "MOST_SCALE",
    "Profile",
    "SCHEMAS",
    "Settings",
    "StepsOf",
    "merge_profiles",
    "parse_profile",
    "read_profile",
]
