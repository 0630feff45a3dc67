"""Calls: modules and runtimes, their arguments and their outputs."""

from __future__ import annotations

from .arguments import match_inputs, to_array
from .fallback import Reference
from .module import OUT, StaticModule
from .runtime import StaticRuntime
from .statistics import Statistics

__all__ = [
    "OUT",
    "Reference",
    "StaticModule",
    "StaticRuntime",
    "Statistics",
    "match_inputs",
    "to_array",
]
