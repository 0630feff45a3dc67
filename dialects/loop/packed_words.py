"""
Tell whether a kernel that packs both factors of a contraction packs them as words of
the VNNI layout (`isa.py`): what cost model and lowering ask alike.
"""

from __future__ import annotations

from xdsl.dialects import arith

from .isa import Isa
from .ops.tile import TileOp


def may_pack_words(tile: TileOp, isa: Isa) -> bool:
    """
    Whether the factors of a tile, where both are packed, are packed as words that an
    instruction set multiplies.

    Where its sums are exact that changes nothing. Else the k-loop must itself round a
    factor to the elements of the set, which only an option lets it do: what a model has
    in a type of 16 bits is computed as it says. Zeros fill up the last word of the only
    reduced index.
    """
    factors = tile.factors()
    if factors is None or factors[1].at.blocked is not None:
        return False
    if any(tile.element_of(each) not in isa.elements for each in factors):
        return False
    made = [op for each in factors for op in tile.made_of(each)]
    rounds = any(isinstance(each, arith.TruncFOp) for each in made)
    return isa.is_exact or (rounds and len(tile.sizes) == 3)
