"""
Bring interleaved stores into one body, where their vectors are woven by shuffles; and
loops that read the same.

Before:

    loop.for parallel %i to 64 {
      %x = loop.load %a[%i] : memref<?xf32>
      loop.store %x, %c[%i * 2] : memref<?xf32>
      loop.yield
    }
    loop.for parallel %j to 64 {
      %y = loop.load %b[%j] : memref<?xf32>
      loop.store %y, %c[%j * 2 + 1] : memref<?xf32>
      loop.yield
    }

After:

    loop.for parallel %i to 64 {
      %x = loop.load %a[%i] : memref<?xf32>
      loop.store %x, %c[%i * 2] : memref<?xf32>
      %y = loop.load %b[%i] : memref<?xf32>
      loop.store %y, %c[%i * 2 + 1] : memref<?xf32>
      loop.yield
    }

Stores of elements two apart are written lane by lane, but two such stores are two whole
vectors, which shuffles weave (`StoreOp.woven`). They come from loops that follow each
other, as of the real and the imaginary parts of numbers; or from the few bodies of the
innermost loop, as of an image that is enlarged, where elements are read side by side
along the loop around it. Where loops are joined, none reads the buffer that they store
to, nor one that may be the same memory. So are loops that store nothing between each
other, but read the same: the halves of a rotary embedding need all elements of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects import Dim
from ....dialects.loop import (
    ForOp,
    KernelOp,
    LoadOp,
    StoreOp,
    Subscript,
    YieldOp,
    byte_count,
    element_type,
    is_strided,
    target_of,
)
from ...cost import MAX_SHORT_BODY
from ..loop_bodies import is_scalar, write_out

_LEAST_BYTES = 16
"""
The bytes of a vector that the bodies of a short loop fill by themselves: rows of eight
f32 that are repeated took 1.29 of the time when they were woven, of two 0.48.
"""

_MOST_OPS = 48
"""The ops in the body of loops that read the same, so that values stay in registers."""


@dataclass(frozen=True)
class WeaveStores(ModulePass):
    """Joins loops, and writes out short ones, where they share stores or loads."""

    name = "weave-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [each for each in op.ops if isinstance(each, KernelOp)]:
            if not kernel.may_share:
                _join_all(kernel.body.block)
            lanes = target_of(op).lanes(32)
            for loop in [each for each in kernel.walk() if isinstance(each, ForOp)]:
                size = loop.size
                if isinstance(size, int) and _is_short(loop, size, lanes):
                    write_out(loop)


def _join_all(block: Block) -> None:
    """Joins loops of a block that follow each other, where stores of them are woven."""
    for op in list(block.ops):
        run = [op] if isinstance(op, ForOp) and op.parent is block else []
        while run and isinstance(following := run[-1].next_op, ForOp):
            if len(run) == StoreOp.MOST_WOVEN:
                break
            run.append(following)
        chains = [*map(_chain_of, run)]
        if len(run) > 1 and (count := _woven(chains) or _reading_alike(chains)):
            for chain in chains[1:count]:
                _join(chains[0], chain)


def _chain_of(loop: ForOp) -> list[ForOp]:
    """A loop and those inside of it, each alone in the one around."""
    chain = [loop]
    while isinstance(inner := chain[-1].body.block.first_op, ForOp):
        if inner.next_op is not chain[-1].end:
            break
        chain.append(inner)
    return chain


def _woven(chains: Sequence[Sequence[ForOp]]) -> int:
    """How many chains of loops, from the first on, store what lies between; or none."""
    store = _only_store(chains[0][-1])
    if store is None or any(each.kind != "parallel" for each in chains[0]):
        return 0
    at = store.at
    count, starts = at.step(chains[0][-1].index), set[int]()
    if not isinstance(count, int) or not 2 <= count <= len(chains):
        return 0
    for chain in chains[:count]:
        other = _only_store(chain[-1])
        if other is None or other.buffer is not store.buffer:
            return 0
        start = other.at.offset - at.offset
        if not isinstance(start, int) or start in starts:
            return 0
        if _walk(chain, other) != _walk(chains[0], store):
            return 0
        starts.add(start)
    return count if max(starts) - min(starts) == count - 1 else 0


def _reading_alike(chains: Sequence[Sequence[ForOp]]) -> int:
    """
    How many chains of loops, from the first on, go the same way through the buffer that
    they store to, and read of one that the first reads; or none.
    """
    store = _only_store(chains[0][-1])
    if store is None or any(each.kind != "parallel" for each in chains[0]):
        return 0
    if store.at.step(chains[0][-1].index) != 1:
        return 0
    read, length, count = _read_along(chains[0]), 0, 0
    for chain in chains:
        other = _only_store(chain[-1])
        length += len(chain[-1].body.block.ops)
        if other is None or other.buffer is not store.buffer or length > _MOST_OPS:
            break
        if _walk(chain, other) != _walk(chains[0], store) or not (
            read & _read_along(chain)
        ):
            break
        count += 1
    return count if count > 1 else 0


def _read_along(chain: Sequence[ForOp]) -> set[SSAValue]:
    """The buffers that the innermost of some loops loads in vectors."""
    loop = chain[-1]
    loads = (each for each in loop.body.block.ops if isinstance(each, LoadOp))
    return {each.buffer for each in loads if each.at.step(loop.index) == 1}


def _walk(chain: Sequence[ForOp], store: StoreOp) -> list[tuple[str, Dim, Dim]]:
    """How loops run, and how far a store goes with each of them."""
    return [(each.kind, each.size, store.at.step(each.index)) for each in chain]


def _only_store(loop: ForOp) -> StoreOp | None:
    """
    The only store of a loop, by indices of loops, where there is no loop inside, and
    the others read elements of other buffers, and indices only to find them.
    """
    ops = [*loop.body.block.ops]
    stores = [each for each in ops if isinstance(each, StoreOp)]
    if len(stores) != 1 or not all(map(is_scalar, ops)):
        return None
    (store,) = stores
    if store.at.blocked_indices or store.at.is_computed_in(loop.body.block):
        return None
    others = [each for each in ops if each is not store]
    return None if any(store.buffer in each.operands for each in others) else store


def _join(chain: Sequence[ForOp], other: Sequence[ForOp]) -> None:
    """Moves the body of a chain of loops into that of one before it."""
    for mine, its in zip(chain, other, strict=True):
        its.index.replace_all_uses_with(mine.index)
    for op in [*other[-1].body.block.ops]:
        if not isinstance(op, YieldOp):
            op.detach()
            chain[-1].body.block.insert_op_before(op, chain[-1].end)
    Rewriter.erase_op(other[0])


def _is_short(loop: ForOp, size: int, lanes: int) -> bool:
    """
    Whether the bodies of a loop store elements side by side, the loop around it goes
    on behind them, and what they read is in vectors along that loop.
    """
    around, store = loop.parent_op(), _only_store(loop)
    if not isinstance(around, ForOp) or store is None:
        return False
    if loop.kind != "parallel" or around.kind != "parallel":
        return False
    ops = [*loop.body.block.ops]
    if not 2 <= size <= StoreOp.MOST_WOVEN:
        return False
    is_vector = size * byte_count(element_type(store.buffer)) >= _LEAST_BYTES
    if (is_vector and size & (size - 1) == 0) or len(ops) > MAX_SHORT_BODY:
        return False
    loads = [each.at for each in ops if isinstance(each, LoadOp)]
    return (
        (store.at.step(loop.index), store.at.step(around.index)) == (1, size)
        and any(each.step(loop.index) != 1 for each in loads)
        and all(_is_along(each, loop, around, lanes) for each in loads)
    )


def _is_along(at: Subscript, loop: ForOp, around: ForOp, lanes: int) -> bool:
    """Whether lanes of the loop around read one element, or what few vectors have."""
    if at.blocks_of(loop.index) or at.is_computed_in(around.body.block):
        return False
    step = at.step(around.index)
    return step in (0, 1) or is_strided(step, lanes)
