"""Profiling: how long each kernel of a model takes, and where its memory lies."""

from __future__ import annotations

from .benchmark import benchmark, measure
from .chrome_trace import chrome_trace
from .memory_picture import memory_picture
from .metrics import IndividualMetrics, Node
from .report import report
from .twin import twin_of

__all__ = [
    "IndividualMetrics",
    "Node",
    "benchmark",
    "chrome_trace",
    "measure",
    "memory_picture",
    "report",
    "twin_of",
]
