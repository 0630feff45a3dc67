"""
Prove that no two values that live at the same time share memory.

Before:

    %0 = graph.relu %x {
        graph.buffers = [
            #graph.buffer<activations, slot = 0, offset = 0, size = "256">],
        graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : …

After:

    the same; or an error that names two values and the bytes that they share

It reads only the attributes that the planning passes wrote, so that it does not repeat
their mistakes, and which regions may run at once. Values of one group share memory
because one is a view of the other, a region argument for it, or computed in its memory:
then nothing needs the other after that op, and its loops read each element before they
store to it. Where a result may be an operand, sizes decide before memory is planned; if
indices do, both have memory, and the operand's is its own as long as the result is
needed: so the plan holds whatever the run finds. Buffers whose offset is `?` are
checked once the offset is known.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ....dialects.graph import (
    GraphOp,
    Linked,
    MemoryMap,
    defined_symbols,
    ops_in,
    skips_of,
)
from ....dialects.graph.storage import (
    BUFFERS,
    LIFETIMES,
    BufferAttr,
    LifetimeAttr,
    replaced_by,
)
from ....dialects.kernel import group_of, may_replace
from ....runtime.planning import Record, in_branches, overlap
from ..defined_functions import defined_functions
from .analyze_aliases import branch_rows, lives, spans
from .mark_runtime_skippable import skips_for
from .reuse_operands import is_free


@dataclass(frozen=True)
class _Placed:
    """The memory and the lifetime of a group of values."""

    name: str
    group: int
    life: Record
    begin: int
    end: int

    @property
    def first(self) -> int:
        """The first op that needs it."""
        return self.life.first

    @property
    def last(self) -> int:
        """The last op that needs it."""
        return self.life.last

    def meets(self, other: _Placed) -> bool:
        """Whether the lifetimes and the bytes of both overlap."""
        in_memory = self.begin < other.end and other.begin < self.end
        return in_memory and overlap(self.life, other.life)


@dataclass(frozen=True)
class VerifyBuffers(ModulePass):
    """Raises an error when two live values share bytes."""

    name = "verify-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            verify(function.body.block)
            _verify_groups(function.body.block)
            _verify_skips(function.body.block)
            _verify_kept(function.body.block)
            _verify_in_place(function.body.block)


def verify(block: Block) -> None:
    """Checks the values of a function, in the order of their first op."""
    found, rows = (
        sorted(_placed(block), key=lambda each: each.first),
        branch_rows(block),
    )
    if rows:
        lives = in_branches([each.life for each in found], rows)
        found = [replace(it, life=life) for it, life in zip(found, lives, strict=True)]
    elif _are_apart(_wholes(found)):
        return
    # The slow check by pairs can name the values of a conflict.
    live: list[_Placed] = []
    for each in found:
        if not rows:
            live = [other for other in live if other.last >= each.first]
        for other in live:
            if other.group != each.group and other.meets(each):
                begin, end = max(each.begin, other.begin), min(each.end, other.end)
                raise VerifyException(
                    "expected memory of its own for each live value, got bytes "
                    f"{begin} to {end} of the activations shared by {other.name} and "
                    f"{each.name}"
                )
        live.append(each)


def _wholes(found: Sequence[_Placed]) -> list[_Placed]:
    """For each group the smallest range of bytes and of ops that covers its members."""
    groups: dict[int, _Placed] = {}
    for each in found:
        known = groups.get(each.group, each)
        groups[each.group] = replace(
            each,
            life=Record(0, min(each.first, known.first), max(each.last, known.last)),
            begin=min(each.begin, known.begin),
            end=max(each.end, known.end),
        )
    return sorted(groups.values(), key=lambda each: each.first)


def _are_apart(found: Sequence[_Placed]) -> bool:
    """
    Whether no two groups, sorted by their first op, meet. The live groups are disjoint
    until the first conflict, so only neighbours in memory need to be compared.
    """
    live: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    for at, each in enumerate(found):
        while ends and ends[0][0] < each.first:
            _, old = heappop(ends)
            del live[bisect_left(live, (found[old].begin, old))]
        if each.begin == each.end:
            continue
        at_begin = bisect_left(live, (each.begin, at))
        if any(
            found[old].meets(each)
            for _, old in live[max(at_begin - 1, 0) : at_begin + 1]
        ):
            return False
        live.insert(at_begin, (each.begin, at))
        heappush(ends, (each.last, at))
    return True


def _verify_groups(block: Block) -> None:
    """Checks that the values of one group share memory according to their ops."""
    owners: dict[int, SSAValue] = {}
    for op, owner, life in _noted_lives(block, MemoryMap(block)):
        if owners.setdefault(life.group.data, owner) is not owner:
            raise VerifyException(
                f"expected a group of views of one value, got group "
                f"{life.group.data} with the result of {op.name} too"
            )


def _noted_lives(
    block: Block, memory: MemoryMap
) -> Iterator[tuple[Operation, SSAValue, LifetimeAttr]]:
    """Each op with the owner of a result's memory, and the lifetime noted there."""
    for op in ops_in(block):
        noted = op.attributes.get(LIFETIMES)
        for number, life in enumerate(noted if isa(noted, ArrayAttr) else ()):
            assert isinstance(life, LifetimeAttr)
            yield op, memory.owner_of(op.results[number]), life


def _verify_skips(block: Block) -> None:
    """Checks that a result may alias what its skip names, under that condition."""
    late = defined_symbols(block)
    for op in ops_in(block):
        marked = skips_of(op)
        known = list(skips_for(op, late)) if marked else ()
        for each in marked:
            if each.optimized.data and not each.is_decided_at_run_time:
                raise VerifyException(
                    f"expected {op.name}, which is always skipped, to be a view, got "
                    "an op; run eliminate-no-ops first"
                )
            if each.optimized.data and each not in known:
                raise VerifyException(
                    f"expected {op.name} to be skipped as its loops allow, got {each}"
                )


def _verify_kept(block: Block) -> None:
    """
    Checks that an operand which a result may be, as indices decide, keeps its memory as
    long as anything needs it by that name.
    """
    memory, last = MemoryMap(block), dict[SSAValue, int]()
    for _, owner, life in _noted_lives(block, memory):
        last[owner] = max(last.get(owner, 0), life.last.data)
    needed = dict(last)
    for op in reversed([*ops_in(block)]):
        for each in skips_of(op):
            result = memory.owner_of(op.results[0])
            source = memory.owner_of(op.operands[each.operand.data])
            if result not in last or source not in last:
                continue
            needed[source] = max(needed[source], needed[result])
            if each.is_on_data and last[source] < needed[source]:
                raise VerifyException(
                    f"expected {op.name}, whose result may be {source.type}, to keep "
                    f"that until op {needed[source]}, got memory until {last[source]}"
                )


def _verify_in_place(block: Block) -> None:
    """
    Checks that overwritten operands have no later use, and are read before the store.
    """
    memory, span_of = MemoryMap(block, reuses=False), spans(block)
    linked = Linked(block, memory)
    last = {owner: end for owner, (_, end) in lives(block, memory).items()}
    for op in ops_in(block):
        if not isinstance(op, GraphOp) or (operand := replaced_by(op)) is None:
            continue
        end = span_of[op][1]
        is_over = last[memory.owner_of(operand)] == end
        is_free_too = linked.may_overwrite(op, operand, last, end)
        if not is_over or not is_free_too or not is_free(op, operand, memory):
            raise VerifyException(
                f"expected {op.name} to overwrite what its block computed and nothing "
                f"else needs, got another value of {operand.type}"
            )
        linked.overwrite(op.results[0], operand)
        group = group_of(op)
        if group is None or not may_replace(group, operand):
            raise VerifyException(
                f"expected {op.name} to read {operand.type} only where it stores "
                f"{op.result_types[0]}, got loops that do not"
            )


def _placed(block: Block) -> list[_Placed]:
    """The values of a function that have a known offset among the activations."""
    found: list[_Placed] = []
    for op in ops_in(block):
        buffers, lives = op.attributes.get(BUFFERS), op.attributes.get(LIFETIMES)
        if not isa(buffers, ArrayAttr) or not isa(lives, ArrayAttr):
            continue
        for number, (buffer, life) in enumerate(zip(buffers, lives, strict=True)):
            assert isinstance(buffer, BufferAttr)
            assert isinstance(life, LifetimeAttr)
            size, begin = buffer.size, buffer.offset.data
            if (
                buffer.region_name != "activations"
                or begin < 0
                or not isinstance(size, int)
            ):
                continue
            name = op.results[number].name_hint
            found.append(
                _Placed(
                    f"%{name} ({op.name})" if name else op.name,
                    life.group.data,
                    Record(0, life.first.data, life.last.data),
                    begin,
                    begin + size,
                )
            )
    return found
