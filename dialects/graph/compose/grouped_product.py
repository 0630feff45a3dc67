"""
Products of groups of rows, each with a matrix of its own: a mixture of experts.

    rows  a a a b b c c c c c      tiles of two:  a a | a . | b b | c c | c c | c .
    ends  3 5 10                   matrices:       0     0     1     2     2     2

The rows are sorted by group, and the run says where each group ends. The rows of a
group fill up tiles, whose size is known, and the last tile has rows that nothing reads.
A tile is a product with one matrix, which is looked up. Each group leaves less than one
tile of rows empty, which bounds the number of tiles.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, SSAValue

from ...dims import is_nonnegative, lesser
from ...polynomial import floordiv
from ..ops.binary import AddOp, SubOp
from ..ops.cast import CastOp
from ..ops.compare import LeOp, LtOp
from ..ops.control_flow import IfOp
from ..ops.cumulative import CumsumOp
from ..ops.division import FloorDivOp
from ..ops.fusion import YieldOp
from ..ops.index_select import IndexSelectOp
from ..ops.matmul import MatmulOp
from ..ops.reduce import SumOp
from ..ops.where import WhereOp
from .bounds import between, clamped
from .counting import counted
from .number import convert, element_of, number, number_like, plus, quantity, times
from .parts import joined, part
from .shaping import expanded, reshaped, shape_of

_TILE = 16
"""
The rows of a tile, which share what is read of a matrix: with 8, 2,048 rows of 8 to 32
groups took 1.1 to 1.2 of the time (a Xeon with AVX-512), with 64 up to twice as much.
"""

_FEW = 4
"""
The most rows of a group, on average, that are multiplied one by one, each with a matrix
that the one before has brought near: tiles would be mostly empty. With two it takes
0.65 of the time of tiles, with eight 1.15.
"""


def grouped_product(rows: SSAValue, matrices: SSAValue, ends: SSAValue) -> SSAValue:
    """
    Builds each of `rows`, S x K, times the matrix of its group, of G x K x N: S x N.
    Group g has the rows from `ends[g - 1]` to `ends[g]`, G integers that do not fall;
    rows after the last of them become zero.
    """
    (count, _), (groups, _, columns) = shape_of(rows), shape_of(matrices)
    if groups == 0:
        return expanded(number_like(0, rows), (count, columns))
    ends = between(convert(ends, i64), number(0, i64), quantity(count, i64))
    here = counted(count, 0, 1)
    group = _group_of(here, ends)
    few = is_nonnegative(_FEW * groups - count, {})
    if few or is_nonnegative(count - _FEW * groups, {}):
        build = _row_by_row if few else _tile_by_tile
        result = build(rows, matrices, ends, group)
    else:
        is_few = LeOp(quantity(count, i64), quantity(_FEW * groups, i64)).result
        result = _either(is_few, rows, matrices, ends, group)
    is_member = reshaped(LtOp(group, quantity(groups, i64)).result, (count, 1))
    return WhereOp(is_member, result, number_like(0, result)).result


def _either(is_few: SSAValue, *values: SSAValue) -> SSAValue:
    """Builds the products in one of both ways, which a run chooses."""
    # What is widened is widened where it is read.
    narrow = [
        each.owner.operands[0]
        if isinstance(each.owner, CastOp) and each.owner.only_widens
        else each
        for each in values
    ]
    blocks = [Block(arg_types=[each.type for each in narrow]) for _ in range(2)]
    for block, build in zip(blocks, (_row_by_row, _tile_by_tile), strict=True):
        with ImplicitBuilder(block):
            pairs = zip(block.args, values, strict=True)
            YieldOp(build(*(convert(each, element_of(to)) for each, to in pairs)))
    return IfOp.of(is_few, narrow, *blocks).outputs[0]


def _row_by_row(
    rows: SSAValue, matrices: SSAValue, ends: SSAValue, group: SSAValue
) -> SSAValue:
    """Builds a product for each row, where most groups have one at most."""
    (count, k), (_, _, columns) = shape_of(rows), shape_of(matrices)
    each = reshaped(rows, (count, 1, k))
    result = MatmulOp(each, _looked_up(matrices, group)).result
    return reshaped(result, (count, columns))


def _tile_by_tile(
    rows: SSAValue, matrices: SSAValue, ends: SSAValue, group: SSAValue
) -> SSAValue:
    """Builds a product for each tile, and takes out of them what the rows become."""
    (count, k), (groups, _, columns) = shape_of(rows), shape_of(matrices)
    starts = _starts(ends)
    sizes = plus(SubOp(ends, starts).result, _TILE - 1)
    tile_ends = CumsumOp(FloorDivOp(sizes, number(_TILE, i64)), axis=0).result
    # How much further back a row of a group is among the rows of tiles.
    further = SubOp(times(_starts(tile_ends), _TILE), starts).result
    tiles = lesser(count, floordiv(count + groups * (_TILE - 1), _TILE))
    tile_group = _group_of(counted(tiles, 0, 1), tile_ends)
    here = counted(tiles * _TILE, 0, 1)
    back = reshaped(_looked_up(further, tile_group), (tiles, 1))
    which = SubOp(reshaped(here, (tiles, _TILE)), back).result
    tiled = _looked_up(rows, reshaped(which, (tiles * _TILE,)))
    tiled = reshaped(tiled, (tiles, _TILE, k))
    result = MatmulOp(tiled, _looked_up(matrices, tile_group)).result
    result = reshaped(result, (tiles * _TILE, columns))
    place = AddOp(counted(count, 0, 1), _looked_up(further, group)).result
    return _looked_up(result, place)


def _group_of(places: SSAValue, ends: SSAValue) -> SSAValue:
    """The number of groups that end at or before each place."""
    (count,), (groups,) = shape_of(places), shape_of(ends)
    row, column = reshaped(ends, (1, groups)), reshaped(places, (count, 1))
    ended = convert(LeOp(row, column).result, i64)
    return SumOp(ended, axes=(1,), keepdims=False).result


def _looked_up(x: SSAValue, indices: SSAValue) -> SSAValue:
    """The slices of `x` at indices, or at the nearest there are."""
    size = shape_of(x)[0]
    if isinstance(size, int):
        # So the compiler knows that they need no check.
        indices = clamped(indices, 0, size - 1)
    else:
        indices = between(indices, number(0, i64), quantity(size - 1, i64))
    return IndexSelectOp(x, indices, axis=0, wraps=False).result


def _starts(ends: SSAValue) -> SSAValue:
    """Where groups start."""
    (groups,) = shape_of(ends)
    zero = reshaped(number_like(0, ends), (1,))
    return joined([zero, part(ends, 0, 0, groups - 1)], 0)
