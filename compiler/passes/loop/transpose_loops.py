"""
Put next to the lanes of vectors the loop along which lie the elements that they read.

Here the target has vectors of 256 bits.

Before:

    loop.for parallel %i to 64 {
      loop.for parallel %k to 100 {
        loop.for parallel %j to 128 lanes 8 {
          %x = loop.load %a[%j * 6400 + %k * 64 + %i] : memref<?xf32>
          loop.store %x, %b[%i * 12800 + %k * 128 + %j] : memref<?xf32>
          …

After:

    loop.for parallel %k to 100 {
      loop.for parallel %i to 64 transposed 8 {
        loop.for parallel %j to 128 lanes 8 {
          %x = loop.load %a[%j * 6400 + %k * 64 + %i] : memref<?xf32>
          loop.store %x, %b[%i * 12800 + %k * 128 + %j] : memref<?xf32>
          …

Eight bodies along `%i` in eight lanes read eight vectors along `%i`, which the emitter
transposes in registers. Lane by lane these were 64 loads, and where lanes are far
apart, each of them the only one from its cache line before that is evicted. It is for
nests of parallel loops around one short body, so that their order does not matter.
There are no more lanes than half of the registers: the vectors that are read, and what
they become.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ....dialects.loop import (
    ForOp,
    KernelOp,
    YieldOp,
    loads_across,
    target_of,
)
from ...cost import MAX_SHORT_BODY, constants_of
from .vectorize_loops import nests

_LEAST = 4
"""The lanes of the smallest square that pays, of a vector of 128 bits."""


@dataclass(frozen=True)
class TransposeLoops(ModulePass):
    """Orders loops whose lanes read elements apart, and says how many run at once."""

    name = "transpose-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [each for each in op.ops if isinstance(each, KernelOp)]:
            most = target_of(op).registers.data // 2
            for root in list(nests(kernel.body.block)):
                for chain in list(_chains(root)):
                    _transpose(chain, most)


def _chains(root: ForOp) -> Iterator[list[ForOp]]:
    """
    The loops of a nest in chains: a loop and those inside, each alone in the one
    around, with one body at last. What is beside a loop stays outside of its chain.
    """
    chain = [root]
    while len(ops := _without_end(chain[-1].body.block)) == 1:
        (inner,) = ops
        if not isinstance(inner, ForOp):
            break
        chain.append(inner)
    yield chain
    for each in ops:
        if isinstance(each, ForOp):
            yield from _chains(each)


def _without_end(block: Block) -> list[Operation]:
    """The ops of a body before its end."""
    return [each for each in block.ops if not isinstance(each, YieldOp)]


def _transpose(chain: Sequence[ForOp], most: int) -> None:
    """Puts the loop around the vectors that most loads are along, where that pays."""
    vectors = [each for each in chain if each.width > 1]
    if len(vectors) != 1 or any(each.kind != "parallel" for each in chain):
        return
    (vector,), body = vectors, chain[-1].body.block
    if len(body.ops) > MAX_SHORT_BODY or not all(map(_is_simple, body.ops)):
        return
    found: Counter[ForOp] = Counter()
    for each in chain:
        lanes = _lanes_of(each, vector, most)
        if each is not vector and lanes >= _LEAST:
            found[each] = len(loads_across(body, each.index, vector.index))
    loop, count = max(found.items(), key=lambda item: item[1], default=(vector, 0))
    if count == 0:
        return
    lanes = IntegerAttr(_lanes_of(loop, vector, most), i64)
    others = [each for each in chain if each not in (vector, loop)]
    _reorder(chain, [*others, loop, vector])
    vector.lanes, loop.transposed = lanes, lanes
    vector.vectors = None


def _is_simple(op: Operation) -> bool:
    """Whether an op is one instruction, or few."""
    return not op.regions and not constants_of([op])


def _lanes_of(loop: ForOp, vector: ForOp, most: int) -> int:
    """The side of the squares: a power of two that both loops have indices for."""
    lanes = min(vector.width, most)
    while isinstance(loop.size, int) and lanes > max(loop.size, 1):
        lanes //= 2
    return lanes


def _reorder(chain: Sequence[ForOp], wanted: Sequence[ForOp]) -> None:
    """Nests the loops of a chain in another order, around the same body."""
    place, body = chain[0].parent_block(), chain[-1].body.block
    assert place is not None
    after = chain[0].next_op
    inside = _without_end(body)
    for each in inside:
        each.detach()
    for each in reversed(chain):
        each.detach()
    for outer, inner in pairwise(wanted):
        outer.body.block.insert_op_before(inner, outer.end)
    for each in inside:
        wanted[-1].body.block.insert_op_before(each, wanted[-1].end)
    if after is None:
        place.add_op(wanted[0])
    else:
        place.insert_op_before(wanted[0], after)
