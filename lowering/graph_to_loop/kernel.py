"""
Build the kernel of a group: checks of the indices that it looks up, and its loops.

A nest becomes loops of its own (`nest_loops.py`), or several one after the other inside
of a row where its reductions share rows (`row_loops.py`); a contraction becomes a tile
(`tile_loops.py`). A greedy choice, an order and a descent have kernels of their own
(`choice_loops.py`, `ranking_loops.py`, `descent_loops.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import Dim, product, symbol, symbols_of, tensor_type, total
from ...dialects.graph import Extent, GraphOp, Linear
from ...dialects.graph.custom import CustomOp
from ...dialects.kernel import (
    Group,
    KernelNest,
    copies,
    filled,
    group_of,
    linears,
    moved,
)
from ...dialects.loop import CheckIndexOp, KernelOp, buffer_type, preference_of
from .choice_loops import build_choice
from .descent_loops import build_descent
from .native import build_native, work_of
from .nest_loops import NestBuilder
from .ranking_loops import build_ranking
from .renaming import Renaming
from .row_loops import build_stages
from .tile_loops import build_contraction

NESTS = 64
"""The most nests of a kernel; a padding has one for each border."""

_NAME = "sym_name"

MOVES = 4
"""
The most nests of a kernel that only move elements, as a concatenation has one for each
part: so concatenations of however many parts share few kernels. So it is of parts that
are filled with more numbers than this, as those of labels; a padding has one.
"""

_MOST_FILL = 1 << 31
"""The numbers below this that a kernel is given as a symbol, which is not negative."""

_ALONE = 1 << 16
"""
The points of a kernel that looks up, below which it checks the indices itself; else it
would have a call more, and no use for several threads. Chosen by hand.
"""


@dataclass(frozen=True)
class Kernel:
    """A kernel, and what a call of it must pass: buffers, then the result; symbols."""

    op: KernelOp
    buffers: tuple[SSAValue, ...]
    symbols: tuple[str, ...]
    work: Dim
    """The points of its loops."""

    names: tuple[str, ...] = ()
    """The names of the symbols, where some of them stand for numbers of a group."""

    def of(self, group: Group) -> Kernel:
        """The same kernel for a group that is alike."""
        symbols = _symbols_of(self.names, group)
        return replace(self, buffers=tuple(group.buffers()), symbols=symbols)


def build_kernels(
    op: GraphOp, name: str, built: dict[Hashable, Kernel]
) -> Iterator[Kernel]:
    """
    Builds the kernels that compute an op or a fusion, one after the other; those that
    only move parts are `built` once for all ops.
    """
    if (choice := op.choice()) is not None:
        made, buffers, rename = build_choice(op, choice, name)
        work = product((*choice.bounds, choice.candidates))
    elif (ranking := op.ranking()) is not None:
        made, buffers, rename = build_ranking(op, ranking, name)
        work = ranking.points
    elif (descent := op.descent()) is not None:
        made, buffers, rename = build_descent(op, descent, name)
        work = descent.points
    elif isinstance(op, CustomOp) and (native := op.native()) is not None:
        made, buffers, rename = build_native(op, native, name)
        work = work_of(op)
    else:
        whole = group_of(op)
        assert whole is not None, "an op with a kernel has loops"
        for group in pieces(whole):
            if not group.numbers:
                yield build_kernel(group, name)
                continue
            key = preference_of(op), _moves_of(group)
            if key not in built:
                built[key] = build_kernel(group, name)
            yield built[key].of(group)
        return
    yield Kernel(made, tuple(buffers), tuple(rename.names), work)


def build_kernel(group: Group, name: str) -> Kernel:
    """Builds the kernel of `group`."""
    buffers, rename = group.buffers(), Renaming()
    values = [*buffers, group.result]
    types = [buffer_type(tensor_type(value).element_type) for value in values]
    body = Block(arg_types=types)
    arguments = dict(zip(values, body.args, strict=True))
    if group.replaced is not None:
        # One buffer, which is passed once: no two pointers are the same.
        arguments[group.replaced] = body.args[-1]
    with ImplicitBuilder(body):
        for check in group.checks:
            CheckIndexOp(
                arguments[check.indices],
                rename(check.count),
                rename(check.bound),
                check.wraps,
                rename(check.start),
                rename(check.step),
            )
        for nest in group.nests:
            if group.replaced is not None and copies(nest, group.replaced):
                continue
            builder = NestBuilder(nest, arguments, body.args[-1], rename)
            if nest.stages:
                build_stages(builder)
            elif nest.is_contraction:
                build_contraction(builder)
            else:
                builder.build()
    names = tuple(rename.names)
    op = KernelOp(name, [str(each) for each in rename.names.values()], body)
    work = total([product(nest.bounds) for nest in group.nests])
    return Kernel(op, tuple(buffers), _symbols_of(names, group), work, names)


def _symbols_of(names: Sequence[str], group: Group) -> tuple[str, ...]:
    """What a call passes for symbols of these names: sizes, and numbers of a group."""
    return tuple(str(group.numbers.get(each, each)) for each in names)


def _moves_of(group: Group) -> Hashable:
    """All that the loops of a group depend on whose nests only move elements."""
    buffers = {each: at for at, each in enumerate(group.buffers())}
    return (
        tensor_type(group.result).element_type,
        tuple(tensor_type(each).element_type for each in buffers),
        tuple(_move_of(each, buffers) for each in group.nests),
    )


def _move_of(nest: KernelNest, buffers: Mapping[SSAValue, int]) -> Hashable:
    """All that the loops of one of these nests depend on."""
    load = moved(nest)
    what: Hashable = _fill_of(nest)
    if load is not None:
        what = buffers[load.buffer], load.at
    elif isinstance(nest.epilogue, Extent):
        what = nest.epilogue
    assert what is not None, "the nest stores what it loads, or a number"
    return nest.bounds, nest.type, nest.onto, nest.ordered, what, nest.store.at


def contents(op: KernelOp) -> Hashable:
    """All that a kernel is but its name: kernels of equal contents are one."""
    numbers: dict[SSAValue, int] = {}
    found: list[Hashable] = []

    def define(values: Sequence[SSAValue]) -> None:
        for each in values:
            numbers[each] = len(numbers)
        found.append(tuple(each.type for each in values))

    def add(op: Operation) -> None:
        found.append((op.name, tuple(numbers[each] for each in op.operands)))
        found.extend((*op.properties.items(), *op.attributes.items()))
        for region in op.regions:
            for block in region.blocks:
                define(block.args)
                for each in block.ops:
                    add(each)
            found.append(None)
        define(op.results)

    name = op.properties.pop(_NAME)
    add(op)
    op.properties[_NAME] = name
    return tuple(found)


def pieces(group: Group) -> Iterator[Group]:
    """
    The groups whose kernels compute what a group does, one after the other: itself, or
    some nests each when there are many, since LLVM takes longer than in proportion over
    a long function, and each number of parts would be another one.
    """
    work = total([product(nest.bounds) for nest in group.nests])
    if group.checks and not (isinstance(work, int) and work < _ALONE):
        # What cannot fail is shared by threads.
        yield replace(group, nests=())
        group = replace(group, checks=())
    fills = {_fill_of(each) for each in group.nests} - {None}

    def is_little(nest: KernelNest) -> bool:
        return _only_moves(nest) or (len(fills) > MOVES and _only_fills(nest))

    many = sum(map(is_little, group.nests))
    if many <= MOVES and len(group.nests) <= NESTS:
        yield group
        return
    checks = group.checks
    for moves, run in groupby(group.nests, is_little):
        nests, most = tuple(run), MOVES if moves else NESTS
        for first in range(0, len(nests), most):
            part, numbers = nests[first : first + most], dict[str, Dim]()
            if moves and group.replaced is None and not group.checks:
                part, numbers = _placed(part)
            yield Group(group.result, part, checks, group.replaced, numbers)
            # What is looked up is checked before anything is stored.
            checks = ()


def _placed(
    nests: Sequence[KernelNest],
) -> tuple[tuple[KernelNest, ...], dict[str, Dim]]:
    """
    Nests with symbols in place of what says where in the result their first element
    lies, how far apart its rows, whether that is a number or computed from sizes, and
    which integer fills it; and the values of these symbols. So parts of equal sizes are
    one kernel, wherever they are and whatever is beside them.
    """
    taken = {
        name for nest in nests for size in _sizes(nest) for name in symbols_of(size)
    }
    fresh = (name for at in count() if (name := f"n{at}") not in taken)
    names: dict[tuple[str, Dim], str] = {}

    def given(kind: str, size: Dim) -> Dim:
        if isinstance(size, int) and size < 2:
            return size
        if (kind, size) not in names:
            names[kind, size] = next(fresh)
        return symbol(names[kind, size])

    first = nests[0].store.at.offset
    found: list[KernelNest] = []
    for nest in nests:
        at = nest.store.at
        factors = tuple((axis, given("row", factor)) for axis, factor in at.factors)
        more = at.offset - first
        # A sum of many sizes would be a symbol for each.
        is_near = isinstance(more, int)
        start = given("start", first) + more if is_near else given("start", at.offset)
        stored, fill = replace(nest.store, at=Linear(factors, start)), filled(nest)
        if fill is not None and fill.element == i64 and 1 < fill.value < _MOST_FILL:
            number = Extent(given("fill", int(fill.value)))
            nest = replace(nest, element=number, epilogue=number)
        found.append(replace(nest, store=stored))
    return tuple(found), {name: size for (_, size), name in names.items()}


def _sizes(nest: KernelNest) -> Iterator[Dim]:
    """The dimensions that a nest without look-ups depends on."""
    yield from nest.bounds
    for at in linears(*nest.roots):
        yield at.offset
        yield from (factor for _, factor in at.factors)


def _only_moves(nest: KernelNest) -> bool:
    """Whether each point of a nest stores an element that it loads."""
    return not nest.reductions and not nest.stages and moved(nest) is not None


def _only_fills(nest: KernelNest) -> bool:
    """Whether each point of a nest stores one number."""
    return not nest.reductions and not nest.stages and filled(nest) is not None


def _fill_of(nest: KernelNest) -> Hashable:
    """The number that a nest stores, as a key; None where it computes others."""
    value = filled(nest)
    # Its text tells zeros apart.
    return None if value is None else (repr(value.value), value.element)
