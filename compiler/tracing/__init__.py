"""Tracing: what models execute, as the selection of a selective build."""

from .compilation import selection_of
from .trace import Trace, trace

__all__ = [
    "Trace",
    "selection_of",
    "trace",
]
