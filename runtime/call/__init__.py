"""Calls: modules and runtimes, their arguments and their outputs."""

from __future__ import annotations

from .arguments import bind_symbols, match_inputs, to_array
from .compiled import CompiledModule
from .context import Context
from .coverage import COMPILED, Coverage, Tally, way_of
from .fallback import Reference
from .given import by_name, positional
from .growing import module_of
from .module import OUT, Aside, StaticModule
from .outputs import match_outputs
from .profile import Profile, Steps, profiled_run
from .program_module import ProgramModule
from .statistics import Statistics
from .structure import flat_outputs
from .texts import TEXT, as_texts

__all__ = [
    "Aside",
    "COMPILED",
    "CompiledModule",
    "Context",
    "Coverage",
    "OUT",
    "Profile",
    "ProgramModule",
    "Reference",
    "StaticModule",
    "Statistics",
    "TEXT",
    "Tally",
    "Steps",
    "as_texts",
    "bind_symbols",
    "by_name",
    "flat_outputs",
    "match_inputs",
    "match_outputs",
    "module_of",
    "positional",
    "profiled_run",
    "to_array",
    "way_of",
]
