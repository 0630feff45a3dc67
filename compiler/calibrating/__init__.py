"""Profiles are made here: a model is run on samples, and its activations counted."""

from __future__ import annotations

from .calibration import Calibration
from .report import report

__all__ = ["Calibration", "report"]
