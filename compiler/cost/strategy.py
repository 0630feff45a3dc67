"""
Choose how each contraction is computed (`dialects/loop/strategy.py`).

It is decided on loops, as they will be when the weights are packed: there all of a
contraction is seen, its epilogue, the loops around it, and how its operands lie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from xdsl.ir import SSAValue

from ...dialects import product, tensor_type
from ...dialects.graph import ConstantOp, GraphOp, WeightOp
from ...dialects.graph.storage import PANELS, PanelsAttr, byte_size
from ...dialects.kernel import Group, group_of
from ...dialects.loop import (
    FEW_ROWS,
    MANY_ROWS,
    MANY_TILES,
    OWN,
    KernelOp,
    LoadOp,
    PreferenceAttr,
    StrategyAttr,
    TargetAttr,
    TileOp,
    loads_across,
    packs_if_many,
    preference_of,
)
from .around import loops_over
from .blocking import (
    KIB,
    SCRATCH,
    bits_of,
    choose_blocking,
    pays_to_pack_a,
    stream,
)
from .packing import contractions_of, panels_in
from .register_tile import (
    MOST_ROWS,
    OPEN_COUNT,
    choose_nr,
    most_rows,
    size_or_open,
)
from .tile_registers import choose_tile_registers, most_kc
from .words import isa_of, may_pair, packed_bytes, rounds_to_words

_PANEL_BYTES = 96 * KIB
"""
The bytes of a panel for one block of k, where caches are small: with 64 KiB
convolutions of 64 channels had two blocks, between which 3 MB of results were stored
and loaded, and took 1.1 of the time on a Zen 4; most others take 0.98 to 1.01 with it.
"""

_MOST_PANEL_BYTES = 128 * KIB
"""
The same where that is an eighth of the second cache: products of 1024 and 2048 take
0.95 and 0.97 of the time with it on a Zen 5, as their results come from the third cache
for each block; whole models 0.99 to 1.00.
"""

_WHOLE_PANEL_BYTES = 320 * KIB
"""
Bytes of a panel of all k, at most: of 2304 by 32 it takes 0.97 to 0.99 of the time of
three blocks, of 1152 0.94, and 0.86 where 37 MB of results lie between two blocks (Zen
5, second caches of 1 MiB).
"""

_PACKED_TILES = 4
"""
Tiles of rows of A that are packed, if there are as many: with two each row of panels is
read from beyond the second cache twice as often, and products of 36 to 2,048 rows and
1,024 to 4,096 k took 1.0 to 1.3 times as long (Skylake, AVX-512).
"""

_PACKED_PANEL_BYTES = 64 * KIB
"""
The same of what is packed while it runs, into scratch memory that has room for few
columns of more; with 48 KiB products of 1024 and 2048 took 1.04 of the time on a Zen 4.
"""

LEAST_PACKED_WORK = 1 << 13
"""Multiply-adds below which nothing is packed; chosen by hand."""


BuildKernel: TypeAlias = Callable[[Group], KernelOp]
"""What builds the loops of a group, as the lowering will."""


@dataclass(frozen=True)
class Plan:
    """The strategies of the contractions of an op, in their order, and its weights."""

    strategies: list[StrategyAttr] = field(default_factory=list[StrategyAttr])
    panels: dict[int, PanelsAttr] = field(default_factory=dict[int, PanelsAttr])
    """How weights lie, by the number of the operand."""
    asks: bool = False
    """
    Whether the target has an instruction for weights whose pairs of products fit into
    16 bits, and the factors beside them are bytes without a sign.
    """


def choose_strategies(op: GraphOp, target: TargetAttr, build: BuildKernel) -> Plan:
    """How the contractions of an op are computed, and what becomes of its weights."""
    group, preference = group_of(op), preference_of(op)
    nests = () if group is None else [e for e in group.nests if e.is_contraction]
    if group is None or not nests:
        return Plan()
    values: dict[SSAValue, SSAValue] = {
        each: each for each in (*op.operands, group.result)
    }
    wanted: dict[int, PanelsAttr] = {}
    for number, nest in contractions_of(op).items():
        weight = op.operands[number].owner
        assert isinstance(weight, WeightOp)
        panels = panels_in(nest, weight.result, target, preference)
        if panels is not None:
            wanted[number] = panels
            packed = WeightOp(weight.key.data, tensor_type(weight.result))
            packed.attributes[PANELS] = panels
            values[weight.result] = packed.result
    made = Group(group.result, tuple(nests), (), None).of(values)
    tiles = [each for each in build(made).walk() if isinstance(each, TileOp)]
    return Plan(
        [choose_strategy(each, target, preference) for each in tiles],
        wanted,
        bool(tiles) and all(may_pair(each, target) for each in tiles),
    )


def packed_whole(
    op: GraphOp, target: TargetAttr, build: BuildKernel, rows: int, bytes: int
) -> dict[int, PanelsAttr]:
    """
    The panels of the operands of a product that are computed by the run, by their
    number, where all of B is packed first, by a kernel of its own: where it has more
    bytes than these, and these rows or more read it.
    """
    group, preference = group_of(op), preference_of(op)
    wanted: dict[int, PanelsAttr] = {}
    for number, nest in contractions_of(op, weights=False).items():
        factor = op.operands[number]
        type = tensor_type(factor)
        if isinstance(factor.owner, ConstantOp) or nest.type != type.element_type:
            continue
        if not all(isinstance(each, int) for each in nest.bounds):
            continue
        size = byte_size(type)
        if not isinstance(size, int) or size <= bytes:
            continue
        panels = panels_in(nest, factor, target, preference)
        if panels is not None and panels.k_group.data == 1:
            wanted[number] = panels
    if group is None or not wanted:
        return {}
    tiles = [each for each in build(group).walk() if isinstance(each, TileOp)]
    pays = all(
        _packs_loads(each, target, preference) and _is_large(each, rows, bytes)
        for each in tiles
    )
    return wanted if pays else {}


def _packs_loads(tile: TileOp, target: TargetAttr, preference: PreferenceAttr) -> bool:
    """Whether a product packs B as it is loaded."""
    strategy, factors = choose_strategy(tile, target, preference), tile.factors()
    packs = strategy.kind.data == "gemm" and strategy.vnni.data == 1
    return packs and factors is not None and not tile.made_of(factors[1])


def _is_large(tile: TileOp, many_rows: int, most_bytes: int) -> bool:
    """Whether B of a product has more bytes than these, and is read by many rows."""
    rows, columns, *reduced = tile.sizes
    bytes = product([columns, *reduced, bits_of(tile) // 8])
    if not isinstance(rows, int) or not isinstance(bytes, int):
        return False
    return rows >= many_rows and bytes > most_bytes


def choose_strategy(
    tile: TileOp, target: TargetAttr, preference: PreferenceAttr = OWN
) -> StrategyAttr:
    """How a tile is computed."""
    factors = tile.factors()
    if factors is None:
        column = tile.k_loop.block.args[1]
        moving = [each for each in tile.loads if column in each.indices]
        return StrategyAttr.of("depthwise" if len(moving) > 1 else "plain")
    kind = _kind_of(tile, target, preference)
    in_tiles = choose_tile_registers(tile, target, kind == "gemm")
    if in_tiles is not None:
        _, b = factors
        isa = isa_of(tile, target, kind == "gemm")
        assert isa is not None, "tile registers belong to a set"
        kind = "gemm" if b.at.blocked is None else "im2row"
        nr = in_tiles.schedule.nr.data
        return StrategyAttr.of(kind, nr, isa.k_group, most_kc(b))
    found = _strategy(kind, tile, target, preference)
    choice = choose_blocking(tile, found, target, preference)
    if choice is None and found.kind.data == "widened":
        found = _strategy("direct", tile, target, preference)
        choice = choose_blocking(tile, found, target, preference)
    if choice is None:
        return _strategy("plain", tile, target, preference)
    if found.kind.data == "direct" and pays_to_pack_a(
        tile, choice, found, target, preference
    ):
        return _strategy("im2row", tile, target, preference)
    return found


def _kind_of(tile: TileOp, target: TargetAttr, preference: PreferenceAttr) -> str:
    """The strategy of a product, as far as it does not depend on the blocks."""
    factors = tile.factors()
    if factors is None or len(tile.sizes) < 3 or 0 in tile.sizes:
        return "plain"
    _, b = factors
    if b.at.blocked is not None:
        # Panels of bf16 are widened once for a block, or by the k-loop of each tile.
        widens = bool(tile.made_of(b)) and b.at.vnni is None
        # Of steps the run widens some, where it knows of many rows (`contraction/`).
        is_often = packs_if_many(tile) or _is_used_often(tile, b, target, preference)
        return "widened" if widens and is_often else "direct"
    if rounds_to_words(tile, target):
        return "gemm"
    if preference.packs("b", _pays_to_pack(tile, b, target)):
        return "gemm"
    return "plain" if stream(tile, target, b, preference) is None else "gemv"


def _strategy(
    kind: str, tile: TileOp, target: TargetAttr, preference: PreferenceAttr
) -> StrategyAttr:
    """The strategy of a product that is computed so, and its panels."""
    factors, bits = tile.factors(), bits_of(tile)
    assert factors is not None, "a product has two factors"
    at, vnni, nr = factors[1].at, 1, 0
    if at.blocked is not None:
        nr = at.blocked.width
        vnni = 1 if at.vnni is None else at.vnni.width
    isa = isa_of(tile, target, kind == "gemm")
    if kind == "gemm":
        columns = tile.sizes[1]
        if rounds_to_words(tile, target):
            # Vectors of fewer lanes have no instructions.
            columns = OPEN_COUNT
        nr, _ = choose_nr(columns, bits, target, preference.nr.data)
    if isa is not None and kind == "gemm":
        vnni = isa.k_group
    bytes = packed_bytes(isa, bits)
    if not nr:
        return StrategyAttr.of(kind, nr, vnni)
    if kind != "gemm" and isa is None:
        kc = _most_k(tile, nr * bytes, target, packs_a=kind == "im2row")
    else:
        room = _PACKED_PANEL_BYTES if kind == "gemm" else _PANEL_BYTES
        kc = _most_kc(nr * bytes, target, room)
    return StrategyAttr.of(kind, nr, vnni, preference.kc.data or kc)


def _most_k(tile: TileOp, row: int, target: TargetAttr, packs_a: bool) -> int:
    """
    KC at most of a product of floats with panels of `row` bytes a k: what all k may be
    for panels and two tiles of rows of A to be in the second cache, with other things
    beside them; of more k, what is usual. What is packed of A has a few tiles of rows.
    """
    l2, bytes = target.l2.data * KIB, bits_of(tile) // 8
    usual = _most_kc(row, target, _panel_bytes(target))
    if packs_a:
        vectors = max(row // bytes // target.lanes(8 * bytes), 1)
        mr = max(most_rows(vectors, target), 1)
        tiles = min(-(-size_or_open(tile.sizes[0]) // mr), _PACKED_TILES)
        return min(usual, SCRATCH // 2 // (max(tiles, 1) * mr * bytes))
    of_a = l2 // 4 // (2 * MOST_ROWS * bytes)
    of_b = min(_WHOLE_PANEL_BYTES, l2 * 5 // 16) // row
    most = max(min(of_a, of_b), usual)
    whole = product(tile.sizes[2:])
    # Not the k themselves, so that products of fewer have the same strategy.
    return most if isinstance(whole, int) and whole <= most else usual


def most_k_of_panels(target: TargetAttr) -> int:
    """KC at most of a product of f32 with many columns."""
    nr, _ = choose_nr(OPEN_COUNT, 32, target)
    return _most_kc(nr * 4, target, _panel_bytes(target))


def _panel_bytes(target: TargetAttr) -> int:
    """The bytes of a panel for one block of k, at most."""
    return max(_PANEL_BYTES, min(_MOST_PANEL_BYTES, target.l2.data * KIB // 8))


def _most_kc(row: int, target: TargetAttr, room: int) -> int:
    """
    KC at most, for rows of some bytes: a panel may be half as large again as the first
    cache, or have `room`. What comes from the second is read in order, and prefetched.
    """
    return max(max(3 * target.l1.data * KIB // 2, room) // row, 1)


def _is_used_often(
    tile: TileOp, b: LoadOp, target: TargetAttr, preference: PreferenceAttr
) -> bool:
    """Whether panels of B are to be made numbers once for all that uses them."""
    assert b.at.blocked is not None
    many = MANY_ROWS
    if tile.beside:
        vectors = max(b.at.blocked.width // target.lanes(bits_of(tile)), 1)
        many = MANY_TILES * most_rows(vectors, target, preference.mr.data)
    return _times_used(tile, b) >= many


def _times_used(tile: TileOp, b: LoadOp) -> int:
    """How often an element of B is used at least, for all that is known."""
    sizes = (tile.sizes[0], *loops_over(tile, b))
    return prod(each for each in sizes if isinstance(each, int))


def _pays_to_pack(tile: TileOp, b: LoadOp, target: TargetAttr) -> bool:
    """
    Whether B is worth packing: many rows use what is packed once. Where the columns of
    B are apart, a product of one row inside a loop packs squares only with vectors of
    256 bits or less. Reading them in place takes 0.6 to 1.2 of the time of packing them
    with 256 bits, and 0.5 to 1.0 with 512 (both on a Zen 4).
    """
    rows, columns, *reduced = (size_or_open(each) for each in tile.sizes)
    rows = size_or_open(product([rows, *map(size_or_open, loops_over(tile, b))]))
    multiply_adds = size_or_open(product([rows, columns, *reduced]))
    body = tile.k_loop.block
    # Columns that are apart are read once, and transposed.
    is_apart = b in loads_across(body, body.args[-2], body.args[1])
    is_narrow = target.vector.data <= 256
    few = FEW_ROWS if not is_apart else 1 if tile.around and is_narrow else 2
    return rows >= few and columns > 1 and multiply_adds >= LEAST_PACKED_WORK
