"""
Lower a program to functions of the host level: what a call does besides kernels.

Each of these is built once, for machine code and for bytecode: sizes, addresses, the
calls in order, plans, the entry that Python calls, and the entry of a bundle.
"""

from __future__ import annotations

from .body import lower_body, lower_whole
from .bundle import (
    NOT_PLANNED,
    OTHER_WEIGHTS,
    Places,
    lower_bundle_check,
    lower_bundle_plan,
    lower_bundle_runs,
    sum_of_words,
)
from .call import lower_enter
from .data_entry import data_entry
from .entry import lower_entry
from .lending import lending
from .new_arrays import new_arrays
from .notes import SPEND
from .plan import MAX_SIZE, limits_of, lower_plan, plan_layout, refusals
from .polls import length_of
from .python_calls import python_calls
from .reach import Reach, reach_of
from .sharing import callee_of, lower_kernel_entry, lower_sharing
from .wide_entry import is_wide, lower_wide_entry

__all__ = [
    "MAX_SIZE",
    "NOT_PLANNED",
    "OTHER_WEIGHTS",
    "Places",
    "Reach",
    "SPEND",
    "callee_of",
    "data_entry",
    "is_wide",
    "length_of",
    "lending",
    "limits_of",
    "lower_body",
    "lower_bundle_check",
    "lower_bundle_plan",
    "lower_bundle_runs",
    "lower_enter",
    "lower_entry",
    "lower_kernel_entry",
    "lower_plan",
    "lower_sharing",
    "lower_whole",
    "lower_wide_entry",
    "plan_layout",
    "new_arrays",
    "python_calls",
    "reach_of",
    "refusals",
    "sum_of_words",
]
