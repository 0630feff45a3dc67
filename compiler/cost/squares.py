"""
Choose the register tile of a product whose columns are far apart in memory, as are the
rows of a matrix that is multiplied with one vector.

Lane by lane each element would be a load of its own, and the lines of the cache that
they are in would evict each other where rows are a power of two apart. So a square, of
as many k as lanes, is read in vectors along k and transposed in registers. A tile is
one vector wide where nothing else is preferred: two squares side by side read more
lines than a set of the cache has, and took twice as long.
"""

from __future__ import annotations

from ...dialects.loop import (
    PreferenceAttr,
    TargetAttr,
    TileOp,
    is_strided,
    loads_across,
)
from .register_tile import fits

_LEAST = 4
"""The lanes and the k of the smallest square that pays."""


def choose_squares(
    tile: TileOp,
    plain: tuple[int, int, int],
    target: TargetAttr,
    preference: PreferenceAttr,
) -> tuple[tuple[int, int, int], int] | None:
    """
    MR, NR and lanes, and the k that are read at a time; None where columns are not
    apart, or several rows of the other factor share what is read.
    """
    mr, nr, lanes = plain
    if len(tile.sizes) < 3:
        return None
    block, k_count = tile.k_loop.block, tile.sizes[-1]
    column = block.args[1]
    across = loads_across(block, block.args[-2], column)
    if all(is_strided(each.at.step(column), lanes) for each in across):
        # Vectors side by side are shuffled, for several rows of the result.
        return None
    if mr > 1 and all(block.args[0] in each.indices for each in across):
        # Nothing of a square is for another row.
        mr = 1
    if mr > 1 or not across:
        return None
    side = lanes = min(lanes, target.registers.data // 2)
    # Registers hold a square, or halves of two.
    while side * len(across) > lanes or (isinstance(k_count, int) and side > k_count):
        side //= 2
    if side < _LEAST:
        return None
    is_preferred = fits(preference.nr.data, lanes, target)
    return (mr, nr if is_preferred else lanes, lanes), side
