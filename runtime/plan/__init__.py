"""Plans of memory for the sizes of a run, and the blocks that they place slots in."""

from __future__ import annotations

from .block import LOCK, NO_BLOCK, aligned_block, fits, watch
from .kept_error import KeptError
from .memory_report import MemoryReport, report_memory
from .plan_code import PlanCode, PlanLayout, Planner
from .plan_table import PlanTable
from .skips import Skipped

__all__ = [
    "KeptError",
    "LOCK",
    "MemoryReport",
    "NO_BLOCK",
    "PlanCode",
    "PlanLayout",
    "PlanTable",
    "Planner",
    "Skipped",
    "aligned_block",
    "fits",
    "report_memory",
    "watch",
]
