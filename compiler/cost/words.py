"""
Tell which instruction set multiplies the factors of a contraction as words of the VNNI
layout, and how large what is packed of them is.
"""

from __future__ import annotations

import numpy as np

from ...dialects import ELEMENT_TYPES, Array, si8, si16, ui8
from ...dialects.graph.storage import PanelsAttr
from ...dialects.loop import (
    VNNI_WORD_BITS,
    Isa,
    TargetAttr,
    TileOp,
    may_pack_words,
)


def isa_of(tile: TileOp, target: TargetAttr, packs_b: bool = False) -> Isa | None:
    """
    The set that has instructions for both factors of a tile, where B is in words, or
    is packed in words.
    """
    factors = tile.factors()
    if factors is None:
        return None
    a, b = (tile.element_of(each) for each in factors)
    isa, at = target.isa(b), factors[1].at
    if isa is None or a not in isa.elements:
        return None
    packs_words = packs_b and may_pack_words(tile, isa)
    return isa if at.vnni is not None or packs_words else None


def rounds_to_words(tile: TileOp, target: TargetAttr) -> bool:
    """
    Whether factors are rounded to what an instruction set multiplies, and B is no
    constant: then all sizes are computed by its instructions, for equal bits.
    """
    isa = isa_of(tile, target, packs_b=True)
    return isa is not None and not isa.is_exact and may_pack_words(tile, isa)


def may_pair(tile: TileOp, target: TargetAttr) -> bool:
    """Whether pairs of products of a tile may be added in 16 bits, if they fit."""
    factors = tile.factors()
    if factors is None or factors[1].at.vnni is None:
        return False
    a, b = (tile.element_of(each) for each in factors)
    isa = target.isa(b, fits=True)
    narrow = isa is not None and isa.pair_bits < VNNI_WORD_BITS
    return narrow and (a, b) == (ui8, si8)


def pairs_fit(weight: Array, panels: PanelsAttr) -> bool:
    """
    Whether the sum of two products of successive k of a weight in panels, each with a
    byte without a sign, fits into 16 bits with a sign, for all of its columns.
    """
    if panels.k_group.data % 2:
        return False
    packed = panels.pack(weight).reshape(-1, 2).astype(np.int32)
    most = ELEMENT_TYPES[ui8].limits[1] * np.clip(packed, 0, None).sum(1)
    least = ELEMENT_TYPES[ui8].limits[1] * np.clip(packed, None, 0).sum(1)
    first, last = ELEMENT_TYPES[si16].limits
    return bool((most <= last).all() and (least >= first).all())


def packed_bytes(isa: Isa | None, bits: int) -> int:
    """The bytes of an element of what is packed; `bits` has an accumulator."""
    return bits // 8 if isa is None else isa.bytes * isa.parts
