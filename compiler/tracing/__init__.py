"""Tracing: what models execute, as the selection of a selective build."""

from .static import static_selection
from .trace import Trace

__all__ = [
    "Trace",
    "static_selection",
]
