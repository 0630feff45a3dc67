"""
Make kernels that differ in nothing but numbers one kernel that takes them as symbols.

Before:

    loop.kernel @scale_0(…) { loop.for parallel %i to 960 lanes 8 { … %a[%i + 960] … } }
    loop.kernel @scale_1(…) { loop.for parallel %i to 640 lanes 8 { … %a[%i + 640] … } }
    …
    loop.call @scale_0(%0, %1) symbols []
    loop.call @scale_1(%2, %3) symbols []

After:

    loop.kernel @scale_0(…) symbols ["n0"] {
      loop.for parallel %i to "320 * n0" lanes 8 { … %a[%i + "320 * n0"] … }
    }
    …
    loop.call @scale_0(%0, %1) symbols ["3"]
    loop.call @scale_0(%2, %3) symbols ["2"]

LLVM takes most of a cold compile, and takes it for each kernel. A number stays where
all members of a family have the same one. Numbers in the same ratios share a symbol,
which their greatest common divisors multiply: so loops still know that they are whole
vectors, and panels that they are full. The factors of a size that only the run knows
are such numbers too. What is unrolled, or decides how code is written, stays a number,
and kernels that differ in it stay apart: short loops and windows, and bounds that leave
a rest of vectors, panels or unrolled k. Of a tile only two bounds may become symbols:
the columns, where one block has all of them, and the axis of k that is cut into blocks,
whose size becomes one too; in stacks of products with constants k stays. Tiles that
pack must have the same schedule; others may differ in MC,
and the merged kernel takes the least.
Bits do not change: the order of a sum depends on the number of its elements alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import gcd, prod

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects import Dim, Polynomial, dim, symbol, terms_of, total
from ....dialects.loop import (
    WORK,
    CallOp,
    ForOp,
    KernelOp,
    ScheduleAttr,
    TileOp,
    texts_of,
)
from ...cost import MAX_UNROLLED_K

_MAX_TAPS = 8
"""Numbers, at most, that stay: windows, strides of convolutions, lanes."""

_MAX_UNROLLED = 64
"""Indices of an innermost loop, at most, that LLVM unrolls; chosen by hand."""

_MIN_KNOWN_WORK = 1 << 20
"""
Multiply-adds of a product, below which numbers that are known are worth more than the
time to compile them: some ten microseconds.
"""

_LEAST_OPEN = 16
"""What each factor of a size that only the run knows counts at the least."""

_Give = Callable[[int], Dim]
"""What takes the place of a number that may become a symbol."""


class ShareKernels(ModulePass):
    """Merges the kernels of each family, and passes their numbers in the calls."""

    name = "share-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        families: dict[Hashable, list[_Member]] = {}
        kernels = [each for each in op.ops if isinstance(each, KernelOp)]
        for kernel in [each for each in kernels if not _is_little(each)]:
            member = _Member(kernel)
            families.setdefault(member.template, []).append(member)
        shared: dict[str, tuple[str, Sequence[int]]] = {}
        for members in families.values():
            if len(members) > 1:
                shared |= _merge(members)
        for call in [each for each in op.walk() if isinstance(each, CallOp)]:
            if call.kernel_name in shared:
                name, values = shared[call.kernel_name]
                more = [StringAttr(str(each)) for each in values]
                call.callee = SymbolRefAttr(name)
                call.symbols = ArrayAttr([*call.symbols, *more])


def _is_little(kernel: KernelOp) -> bool:
    """Whether a kernel is a small product."""
    counts: list[int] = []
    for tile in _tiles(kernel):
        around = (each.size for each in tile.around)
        counts.append(prod(map(_count, (*tile.sizes, *around))))
    return bool(counts) and sum(counts) < _MIN_KNOWN_WORK


def _count(size: Dim) -> int:
    """How many indices an axis has, or may have at the least if it is large."""
    terms = terms_of(size)
    return max((by * _LEAST_OPEN ** len(each) for each, by in terms), default=0)


class _Member:
    """A kernel, and its text with places for numbers."""

    def __init__(self, kernel: KernelOp):
        """The places of a kernel, which stays as it is."""
        self.kernel = kernel
        self.numbers: list[int] = []

        def give(number: int) -> Dim:
            self.numbers.append(number)
            return number

        self.template = tuple(_Walk(give).kernel(kernel))


def _merge(members: Sequence[_Member]) -> dict[str, tuple[str, Sequence[int]]]:
    """
    Makes the first kernel that of all members, and erases the others; by the name of
    each its kernel, and the values of the symbols that this takes more.
    """
    first, *others = (each.kernel for each in members)
    taken = {each.data for each in first.symbols}
    names: dict[tuple[int, ...], str] = {}
    given: list[Dim] = []
    for column in zip(*(each.numbers for each in members), strict=True):
        factor = gcd(*column)
        ratios = tuple(each // factor for each in column)
        if len(set(ratios)) == 1:
            given.append(column[0])
            continue
        if ratios not in names:
            names[ratios] = _fresh(taken)
        given.append(symbol(names[ratios]) * factor)
    left = iter(given)
    _join_schedules([each.kernel for each in members])
    _Walk(lambda _: next(left), writes=True).kernel(first)
    more = [StringAttr(each) for each in names.values()]
    first.symbols = ArrayAttr([*first.symbols, *more])
    for each in others:
        each.detach()
        each.erase()
    return {
        each.kernel.sym_name.data: (
            first.sym_name.data,
            [ratios[number] for ratios in names],
        )
        for number, each in enumerate(members)
    }


def _fresh(taken: set[str]) -> str:
    """A name of a symbol that is not taken, which it then is."""
    name = next(name for at in range(len(taken) + 1) if (name := f"n{at}") not in taken)
    taken.add(name)
    return name


def _tiles(kernel: KernelOp) -> list[TileOp]:
    return [each for each in kernel.walk() if isinstance(each, TileOp)]


def _join_schedules(kernels: Sequence[KernelOp]) -> None:
    """
    Gives the tiles of the first kernel schedules that are right for all kernels: NC is
    0 where a block has all columns, and MC is the least of all.
    """
    for tiles in zip(*map(_tiles, kernels), strict=True):
        schedules = [_canonical(each) for each in tiles if each.schedule is not None]
        if schedules:
            fewest = min(each.mc.data for each in schedules)
            tiles[0].schedule = schedules[0].with_block(mc=fewest)


def _canonical(tile: TileOp) -> ScheduleAttr:
    """
    The schedule of a tile, with an NC or KC of 0 where a block has the whole axis; as
    it is where it packs, which takes blocks of known sizes.
    """
    schedule = tile.schedule
    assert schedule is not None, "a tile in blocks has a schedule"
    if schedule.pack.data:
        return schedule
    columns, depth = tile.sizes[1], tile.sizes[2 + schedule.axis.data]
    if isinstance(columns, int) and columns <= schedule.nc.data:
        schedule = schedule.with_block(nc=0)
    if isinstance(depth, int) and 0 < depth <= schedule.kc.data:
        schedule = schedule.with_block(kc=0)
    return schedule


def _block_of_k(tile: TileOp, schedule: ScheduleAttr) -> int | None:
    """
    How many values a block of a tile has of the axis of k that is cut into blocks,
    where that and how many there are may become symbols: whole units of unrolled k.
    """
    depth, kc = tile.sizes[2 + schedule.axis.data], schedule.kc.data
    if schedule.pack.data or _is_stack(tile) or not isinstance(depth, int):
        return None
    is_whole = depth % MAX_UNROLLED_K == kc % MAX_UNROLLED_K == 0
    return (kc or depth) if is_whole and depth > _MAX_TAPS else None


def _is_stack(tile: TileOp) -> bool:
    """
    Whether a tile is one product of a stack with packed constants. Its k stays: beside
    the index of the stack, rows at distances that only the run knows take all
    registers; with k of its own a U-Net of 16 products for each convolution took 34.0
    ms instead of 44.0 (AMD EPYC with AVX-512).
    """
    factors = tile.factors()
    if factors is None or factors[1].at.blocked is None:
        return False
    return any(each.index in factors[1].indices for each in tile.around)


class _Walk:
    """Goes over the places of a kernel, always in one order."""

    def __init__(self, give: _Give, writes: bool = False):
        """With `writes` what `give` returns replaces the numbers in the kernel."""
        self.give, self.writes = give, writes
        self.template: list[Hashable] = []
        self.values: dict[SSAValue, int] = {}

    def kernel(self, op: KernelOp) -> list[Hashable]:
        """The template of a kernel: what is not given."""
        attributes = dict(op.attributes)
        work = attributes.pop(WORK, None)
        self.template += [*sorted(attributes.items()), op.symbols]
        if isinstance(work, StringAttr):
            text = self.dim(work.data)
            if self.writes:
                op.attributes[WORK] = StringAttr(text)
        self.block(op.body.block)
        return self.template

    def block(self, block: Block) -> None:
        """Goes over the ops of a block."""
        self.define(block.args)
        for op in block.ops:
            self.op(op)
        self.template.append(None)

    def define(self, values: Sequence[SSAValue]) -> None:
        """Numbers values, and notes their types."""
        for each in values:
            self.values[each] = len(self.values)
        self.template.append(tuple(each.type for each in values))

    def op(self, op: Operation) -> None:
        """Goes over the places of an op, and over what is inside."""
        self.template += [op.name, tuple(self.values[each] for each in op.operands)]
        rest: dict[str, Attribute] = {**op.properties, **op.attributes}
        found: dict[str, Attribute] = {}
        match op:
            case ForOp():
                found["bound"] = StringAttr(self.bound(op))
            case TileOp():
                found |= self.tile(op)
                rest.pop("schedule", None)
            case _:
                texts = texts_of(rest.get("strides"))
                if texts is not None:
                    strides = map(StringAttr, map(self.stride, texts))
                    found["strides"] = ArrayAttr(strides)
        self.template += [item for item in sorted(rest.items()) if item[0] not in found]
        if self.writes:
            op.properties.update(found)
        for region in op.regions:
            self.block(region.block)
        self.define(op.results)

    def bound(self, op: ForOp) -> str:
        """The bound of a loop: where it is short and the innermost one, as it is."""
        inner = any(isinstance(each, ForOp | TileOp) for each in op.body.block.ops)
        unit = op.width * op.side
        return self.dim(op.bound.data, _MAX_TAPS if inner else _MAX_UNROLLED, unit)

    def tile(self, op: TileOp) -> dict[str, Attribute]:
        """
        The bounds of a tile, with what is given for its columns and for the axis of k
        that is cut into blocks, where a block has all of them.
        """
        kept, found = [each.data for each in op.bounds], dict[str, Attribute]()
        # Where a number may change, and what it stays a multiple of.
        places: dict[int, int] = {}
        axis, block, schedule = 0, None, None
        if op.schedule is not None:
            schedule, axis = _canonical(op), 2 + op.schedule.axis.data
            places |= {1: schedule.nr.data} if not schedule.nc.data else {}
            block = _block_of_k(op, schedule)
            if block is not None:
                places[axis] = MAX_UNROLLED_K
            # Kernels may differ in MC, unless they pack.
            sizes = {} if schedule.pack.data else {"mc": 0}
            sizes |= {} if block is None else {"kc": 0}
            self.template += [schedule.with_block(**sizes), block is None]
        for at, text in enumerate(kept):
            if at in places:
                kept[at] = self.dim(text, unit=places[at])
            else:
                self.template.append(text)
        if schedule is not None and block is not None:
            of = self.give(block)
            found["schedule"] = schedule.in_blocks(0 if of == dim(kept[axis]) else of)
        return found | {"bounds": ArrayAttr([StringAttr(each) for each in kept])}

    def stride(self, text: str) -> str:
        """
        The text of a stride, or of a blocked one, whose blocks stay as large where they
        have several elements.
        """
        stride, blocked, blocks = text.partition(" blocked ")
        size, by, step = blocks.partition(" by ")
        if by and step == "0":
            size = self.dim(size)
        self.template += [blocked, size if step != "0" else "", by]
        step = self.dim(step) if by else step
        return f"{self.dim(stride)}{blocked}{size}{by}{step}"

    def dim(self, text: str, few: int = _MAX_TAPS, unit: int = 1) -> str:
        """
        The text of a dimension: for each of its factors that is not small, what is
        given, where all are whole units. What is left of units is written for a known
        number, and is faster.
        """
        terms = terms_of(dim(text))
        if any(factor % unit for _, factor in terms):
            self.template.append(text)
            return text
        given: list[Dim] = []
        for monomial, factor in terms:
            is_place = factor > few
            self.template += [monomial, None if is_place else factor]
            size = Polynomial(((monomial, 1),)) if monomial else 1
            given.append(size * (self.give(factor) if is_place else factor))
        return str(total(given))
