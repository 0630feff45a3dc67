"""
Choose for each kernel the loops whose indices several threads may share.

Before:

    loop.kernel @relu(%a: memref<?xf32>, %b: memref<?xf32>) {
      loop.for parallel %i to 1000000 lanes 8 { … }
    }

After:

    loop.kernel @relu(%a: memref<?xf32>, %b: memref<?xf32>)
        attributes {work = "16000000"} {
      loop.for parallel %i to 1000000 lanes 8 split { … }
    }

Each thread runs a range of the indices of a loop that is `split`: the outermost of its
nest that has enough of them, for any open sizes if there is such a loop; never one that
reduces or whose order matters; of a tile they share the rows or the columns, whichever
make more equal parts, or are more. So bits do not depend on the number of threads. The
work of a kernel is the number of multiply-adds that take as long; one that waits for
its weight counts as three. Where the work is known and small the kernel stays as it is;
elsewhere a call compares it with the cost of a thread. A kernel that checks indices, or
reads what another index of the loop wrote, is one thread's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects import Dim, ceildiv, evaluate, product, symbols_of
from ....dialects.loop import (
    WORK,
    ArgsortOp,
    ForOp,
    KernelOp,
    LoadOp,
    StoreOp,
    TileOp,
)
from ....runtime.abi import GRAIN

_MIN_TRIPS = 8
"""Iterations of a loop, at least, that threads share evenly enough; chosen by hand."""

_THREADS = (2, 4)
"""Numbers of threads for which parts are to be about equal."""

_UNEVEN = 0.1
"""
How much longer than the others the largest part may take for a tile's rows and columns
to be shared alike: rows in 17 tiles took 1.01 of the time of columns in 16 panels
(vgg16, 2 threads of a Zen 5). Of less, what each thread packs and reads decides.
"""

_MUCH_FEWER = 3
"""How many times fewer parts leave many threads without one; chosen by hand."""

_OPEN_UNITS = 1 << 20
"""Units whose number only a run knows."""

_LOAD_WORK = 3
"""
The work of a multiply-add whose load of B no other row shares, in those of a tile: one
that waits for memory. Chosen by hand.
"""

_MOVE_WORK = 16
"""The work of an iteration for each store, in multiply-adds; chosen by hand."""


@dataclass(frozen=True)
class ParallelizeLoops(ModulePass):
    """Splits loops of kernels that have work for several threads."""

    name = "parallelize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [each for each in op.ops if isinstance(each, KernelOp)]:
            found = [_splittable(each) for each in _roots(kernel.body.block)]
            loops = [each for each in found if each is not None]
            if not loops or len(loops) < len(found) or not _is_divisible(kernel, loops):
                continue
            work = work_of(kernel.body.block)
            if isinstance(work, int) and work < 2 * GRAIN:
                continue
            for each in loops:
                each.split()
            kernel.attributes[WORK] = StringAttr(str(work))


def _roots(block: Block) -> Iterator[ForOp | TileOp]:
    """The outermost loops and tiles of a block."""
    for op in block.ops:
        if isinstance(op, ForOp | TileOp):
            yield op


def _is_divisible(kernel: KernelOp, shares: Sequence[_Share]) -> bool:
    """Whether threads that share a kernel do not meet."""
    results = kernel.body.block.args[-1:]
    accesses = [
        each
        for each in kernel.walk()
        if isinstance(each, LoadOp | StoreOp) and each.buffer in results
    ]
    if kernel.may_fail or not any(isinstance(each, LoadOp) for each in accesses):
        return not kernel.may_fail
    # No two indices store to one element; so each may read where it stores itself.
    if len(shares) > 1:
        return False
    return len({_element_of(each, shares[0].op) for each in accesses}) == 1


def _element_of(access: LoadOp | StoreOp, loop: ForOp | TileOp) -> object:
    """
    Where an access goes for one index of a loop, whatever loops are inside; or for one
    accumulator of a tile.
    """
    outer: set[tuple[SSAValue, Dim]] = set()
    inner: list[tuple[str, str]] = []
    for index, stride in access.at.terms:
        owner = index.owner
        around = owner.parent_op() if isinstance(owner, Block) else None
        if (
            isinstance(around, ForOp)
            and around is not loop
            and _is_inside(around, loop)
        ):
            inner.append((str(around.size), str(stride)))
        else:
            outer.add((index, stride))
    return access.at.offset, frozenset(outer), tuple(sorted(inner)), access.at.blocked


def _is_inside(op: Operation, loop: ForOp | TileOp) -> bool:
    """Whether an op is part of the body of a loop."""
    parent = op.parent_op()
    return parent is not None and (parent is loop or _is_inside(parent, loop))


@dataclass(frozen=True)
class _Share:
    """What threads may share: units of a loop or of a tile."""

    units: Dim
    op: ForOp | TileOp
    what: str = ""

    @property
    def count(self) -> int:
        """How many units there are; many where only a run knows."""
        return self.units if isinstance(self.units, int) else _OPEN_UNITS

    @property
    def unevenness(self) -> int:
        """By how many `_UNEVEN` the largest part is larger than equal ones."""
        if not self.count:
            return 0
        parts = (-(-self.count // each) * each / self.count for each in _THREADS)
        return int((max(parts) - 1) / _UNEVEN)

    @property
    def least(self) -> int:
        """How many units there are where each open size is one."""
        found = evaluate(self.units, dict.fromkeys(symbols_of(self.units), 1))
        assert isinstance(found, int), "a size without symbols is a number"
        return found

    def split(self) -> None:
        """Lets threads share it."""
        if isinstance(self.op, TileOp):
            self.op.split = StringAttr(self.what)
        else:
            self.op.split = UnitAttr()


def _splittable(root: ForOp | TileOp) -> _Share | None:
    """The outermost loop that has enough indices, or what has most of all."""
    found: list[_Share] = []
    while isinstance(root, ForOp) and root.kind == "parallel":
        found.append(_Share(root.size, root))
        inner = list(_roots(root.body.block))
        if len(inner) != 1:
            break
        (root,) = inner
    if isinstance(root, TileOp):
        if _packs_anew(root):  # each thread would pack again what a tile packs of B
            found = [each for each in found if each.op not in root.over]
        found += _shares_of(root)
    # An open batch may be of one row: a loop inside of it that has enough comes first.
    enough = [each for each in found if each.least >= _MIN_TRIPS]
    enough = enough or [each for each in found if each.count >= _MIN_TRIPS]
    if enough and isinstance(enough[0].op, ForOp):
        return enough[0]
    most = max((each.count for each in found), default=0)
    near = [each for each in found if _MUCH_FEWER * each.count >= most]
    best = max(near, key=lambda each: (-each.unevenness, each.count), default=None)
    return best if best is not None and best.count > 1 else None


def _packs_anew(tile: TileOp) -> bool:
    """Whether a tile packs B, which is not in panels already."""
    factors = tile.factors()
    packs = tile.schedule is not None and tile.schedule.packs("b")
    return packs and factors is not None and factors[1].at.blocked is None


def _shares_of(tile: TileOp) -> list[_Share]:
    """The columns and rows of a tile, in as many as it computes at once."""
    rows, columns, *_ = tile.sizes
    mr, nr, _ = tile.register_tile
    found = [_Share(ceildiv(columns, nr), tile, "columns")]
    if tile.schedule is not None:
        nr = tile.schedule.nr.data
        found = [_Share(ceildiv(columns, nr), tile, "columns")]
        if _packs_anew(tile):
            return found
    return [*found, _Share(ceildiv(rows, mr), tile, "rows")]


def work_of(block: Block) -> Dim:
    """How much work the loops of a block are."""
    total: Dim = 0
    for op in block.ops:
        match op:
            case TileOp():
                total = total + product(op.sizes) * _wait(op.sizes[0])
            case ArgsortOp():
                total = total + op.points * _MOVE_WORK
            case ForOp():
                inner = work_of(op.body.block)
                total = total + op.size * (_move_work(op) if inner == 0 else inner)
            case _:
                pass
    return total


def _move_work(loop: ForOp) -> int:
    """The work of an iteration of a loop that has none inside, by what it stores."""
    stores = sum(isinstance(each, StoreOp) for each in loop.body.block.ops)
    return _MOVE_WORK * max(stores, 1)


def _wait(rows: Dim) -> int:
    """How much longer a multiply-add takes than in registers, beside so few rows."""
    return max(-(-_LOAD_WORK // rows), 1) if isinstance(rows, int) and rows else 1
