"""Calls: modules and runtimes, their arguments and their outputs."""

from __future__ import annotations

from .arguments import match_inputs, to_array
from .context import Context
from .fallback import Reference
from .module import OUT, StaticModule
from .statistics import Statistics

__all__ = [
    "Context",
    "OUT",
    "Reference",
    "StaticModule",
    "Statistics",
    "match_inputs",
    "to_array",
]
