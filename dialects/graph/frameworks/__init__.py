"""The frameworks that run nodes which we have no op for."""

from __future__ import annotations

from .registry import Run, add_framework, as_arrays

__all__ = ["Run", "add_framework", "as_arrays"]
