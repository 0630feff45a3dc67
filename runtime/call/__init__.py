"""Calls: modules and runtimes, their arguments and their outputs."""

from __future__ import annotations

from .arguments import match_inputs, to_array
from .context import Context
from .fallback import Reference
from .module import OUT, StaticModule
from .profile import Profile, Steps, profiled_run
from .statistics import Statistics
from .structure import flat_outputs

__all__ = [
    "Context",
    "OUT",
    "Profile",
    "Reference",
    "StaticModule",
    "Statistics",
    "Steps",
    "flat_outputs",
    "match_inputs",
    "profiled_run",
    "to_array",
]
