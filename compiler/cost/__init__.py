"""What costs how much on a target, and which way of computing is chosen for it."""

from __future__ import annotations

from .blocking import choose_blocking
from .branch_work import Work, distributed, pays, total, work_of
from .candidates import candidates
from .columns import columns_at_once
from .functions import constants_of
from .idle_loops import leaves_if_idle
from .kernel_work import bytes_touched, integer_operations_of, operations_of
from .packing import contractions_of, panels_in, reads_alone, suits
from .register_tile import choose_shape, size_or_open
from .squares import choose_squares
from .strategy import (
    LEAST_PACKED_WORK,
    Plan,
    choose_strategies,
    choose_strategy,
    most_k_of_panels,
    packed_whole,
)
from .tile_registers import MOST_KC, choose_tile_registers
from .unrolling import (
    MAX_SHORT_BODY,
    MAX_UNROLLED_K,
    bodies_at_once,
    bytes_ahead,
    fetches,
    k_ahead,
    k_at_once,
    masks_rest,
    most_inserted,
    moves_alone,
    needs_few_passes,
    vectors_at_once,
    vectors_checked,
)
from .window import choose_window
from .words import pairs_fit

__all__ = [
    "LEAST_PACKED_WORK",
    "MAX_SHORT_BODY",
    "MAX_UNROLLED_K",
    "MOST_KC",
    "Plan",
    "Work",
    "bodies_at_once",
    "bytes_ahead",
    "fetches",
    "k_ahead",
    "bytes_touched",
    "candidates",
    "choose_blocking",
    "choose_shape",
    "choose_squares",
    "choose_strategies",
    "choose_strategy",
    "choose_tile_registers",
    "choose_window",
    "packed_whole",
    "pairs_fit",
    "columns_at_once",
    "constants_of",
    "contractions_of",
    "k_at_once",
    "distributed",
    "size_or_open",
    "leaves_if_idle",
    "masks_rest",
    "most_inserted",
    "most_k_of_panels",
    "moves_alone",
    "needs_few_passes",
    "integer_operations_of",
    "operations_of",
    "panels_in",
    "reads_alone",
    "pays",
    "suits",
    "total",
    "vectors_at_once",
    "vectors_checked",
    "work_of",
]
