"""What costs how much on a target, and which way of computing is chosen for it."""

from __future__ import annotations

from .blocking import choose_blocking
from .candidates import candidates
from .functions import CONSTANTS
from .packing import contractions_of, is_one_block, panels_in, suits
from .register_tile import fits, known
from .strategy import strategy
from .tile_registers import choose_tile_registers

__all__ = [
    "CONSTANTS",
    "candidates",
    "choose_blocking",
    "choose_tile_registers",
    "contractions_of",
    "fits",
    "is_one_block",
    "known",
    "panels_in",
    "strategy",
    "suits",
]
