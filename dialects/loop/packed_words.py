"""
Tell whether a kernel that packs both factors of a contraction packs them as words of
the VNNI layout (`isa.py`): what cost model and lowering ask alike.
"""

from __future__ import annotations

from .isa import Isa
from .ops.tile import TileOp


def may_pack_words(tile: TileOp, isa: Isa) -> bool:
    """
    Whether the factors of a tile, where both are packed, are packed as words that an
    instruction set multiplies.

    Where its sums are exact that changes nothing. Else a target has the set only where
    an option allows it (`set-target`), and zeros fill up the last word of the only
    reduced index.
    """
    factors = tile.factors()
    if factors is None or factors[1].at.blocked is not None:
        return False
    if any(tile.element_of(each) not in isa.elements for each in factors):
        return False
    return isa.is_exact or len(tile.sizes) == 3
