"""
Where a result may alias an operand, so that its kernel need not run.

    #graph.skip<optimized = true, runtime_skippable = true, operand = 0,
                when = [["b - 1", "t - 1"], ["n"]]>

The kernel copies the operand, from the element `offset` on, when each list of `when`
has a quantity that is zero. The two flags are those of OpenVINO's run-time skip:

    optimized  runtime_skippable
    true       true                 decided when sizes are known
    true       false                always: such an op becomes a view, and is gone
    false      false                never
    false      true                 means nothing, and is refused

A kernel may copy any of several operands, such as the parts of a concatenation when all
others are empty; so an op has a list of skips, and the first that holds counts.

With `indices` the elements of that operand must be 0, 1, 2, … as well, which the run
itself finds out; then no condition on sizes may be needed:

    #graph.skip<optimized = true, runtime_skippable = true, operand = 0, when = [],
                indices = 1>
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim
from ..entries import FLAG, LISTS, TEXT, UNKNOWN, EntriesAttr, entry
from ..shape import verified_dim
from .memory import MemoryMap, has_own_memory, is_computed, ops_in
from .region import block_of

SKIPS = "graph.skips"
"""The attribute of an op that holds the skips of its only result."""


@irdl_attr_definition
class SkipAttr(EntriesAttr):
    """The condition on sizes under which a result aliases an operand."""

    name = "graph.skip"

    optimized: IntAttr = param_def()
    runtime_skippable: IntAttr = param_def()
    operand: IntAttr = param_def()
    conditions: ArrayAttr[ArrayAttr[StringAttr]] = param_def()
    start: StringAttr = param_def()
    indices: IntAttr = param_def()

    FORM: ClassVar = (
        entry("optimized", FLAG),
        entry("runtime_skippable", FLAG),
        entry("operand"),
        entry("when", LISTS, of="conditions"),
        entry("offset", TEXT, of="start", default="0"),
        entry("indices", default=UNKNOWN),
    )

    @staticmethod
    def of(
        operand: int,
        when: Iterable[Sequence[Dim]],
        offset: Dim = 0,
        indices: int = UNKNOWN,
    ) -> SkipAttr:
        """The skip that is decided when the sizes, or the indices, are known."""
        lists = (ArrayAttr(StringAttr(str(q)) for q in clause) for clause in when)
        number, start = IntAttr(operand), StringAttr(str(offset))
        conditions, places = ArrayAttr(lists), IntAttr(indices)
        return SkipAttr(IntAttr(1), IntAttr(1), number, conditions, start, places)

    @property
    def when(self) -> tuple[tuple[Dim, ...], ...]:
        """Lists of quantities; each list must have a zero."""
        return tuple(tuple(dim(q.data) for q in each) for each in self.conditions)

    @property
    def offset(self) -> Dim:
        """The element of the operand that is the first of the result."""
        return dim(self.start.data)

    @property
    def is_decided_at_run_time(self) -> bool:
        """Whether sizes decide, or what tensors hold."""
        return bool(self.runtime_skippable.data)

    @property
    def is_on_data(self) -> bool:
        """Whether the run decides by indices; memory is planned for both cases then."""
        return self.indices.data != UNKNOWN

    def verify(self) -> None:
        """Only what may be skipped is decided at run time, and then by a condition."""
        if self.runtime_skippable.data > self.optimized.data:
            raise VerifyException(
                "expected a skip that is decided at run time to be optimized, got "
                "optimized = false, runtime_skippable = true"
            )
        decided = self.is_decided_at_run_time
        conditions = len(self.conditions) + self.is_on_data
        if decided != bool(conditions):
            raise VerifyException(
                f"expected {'a condition' if decided else 'no condition'} of a skip "
                f"with runtime_skippable = {str(decided).lower()}, got {conditions}"
            )
        for clause in self.conditions:
            for quantity in clause:
                verified_dim(quantity.data)
        verified_dim(self.start.data)


def skips_of(op: Operation) -> tuple[SkipAttr, ...]:
    """The skips of an op; none if there are none."""
    found = op.attributes.get(SKIPS)
    if found is None:
        return ()
    skips = _listed(found)
    if skips is None or len(op.results) != 1:
        raise VerifyException(
            f"expected {SKIPS} of an op with one result, got {found} of {op.name}"
        )
    for each in skips:
        used = max(each.operand.data, each.indices.data)
        if used >= len(op.operands):
            raise VerifyException(
                f"expected {op.name} to skip to one of its {len(op.operands)} "
                f"operands, got {used}"
            )
    return skips


def _listed(found: Attribute) -> tuple[SkipAttr, ...] | None:
    """The skips of a list; None of another attribute."""
    # By classes themselves: `isa` of a parametrized type takes longer than the rest.
    if not isinstance(found, ArrayAttr):
        return None
    listed = cast("ArrayAttr[Attribute]", found)
    skips = tuple(each for each in listed if isinstance(each, SkipAttr))
    return skips if len(skips) == len(listed) else None


def _skipped_to(op: Operation) -> list[SSAValue]:
    """The operands that the result of an op may be at run time."""
    taken = (op.operands[each.operand.data] for each in skips_of(op))
    return list(dict.fromkeys(taken))


class Linked:
    """Which values may alias each other at run time."""

    def __init__(self, block: Block, memory: MemoryMap):
        """The values of a function whose memory is in `memory`."""
        self.memory = memory
        self.groups: dict[SSAValue, list[SSAValue]] = {}
        """The owners of memory that are linked, by each of them."""
        self.moved: set[SSAValue] = set()
        """The owners that may be in the memory of another at run time."""
        for op in ops_in(block):
            for source in _skipped_to(op):
                self.moved.add(self.memory.owner_of(op.results[0]))
                self.link(op.results[0], source)

    def link(self, one: SSAValue, other: SSAValue) -> None:
        """Notes that two values may be one."""
        a, b = self.group_of(one), self.group_of(other)
        if a is b:
            return
        small, large = sorted((a, b), key=len)
        large += small
        self.groups.update(dict.fromkeys(large if len(large) == 2 else small, large))

    def group_of(self, value: SSAValue) -> list[SSAValue]:
        """The owners that are linked with the owner of a value, itself among them."""
        owner = self.memory.owner_of(value)
        return self.groups.get(owner, [owner])

    def may_overwrite(
        self, op: Operation, operand: SSAValue, ends: Mapping[SSAValue, int], end: int
    ) -> bool:
        """
        Whether an op that ends at `end` may overwrite an operand, whatever is skipped:
        all that the operand may be is computed in the block of the op, is needed by
        nothing later, and is read by one name.
        """
        group, owner = self.group_of(operand), self.memory.owner_of(operand)
        if skips_of(op):
            return False
        if len(group) == 1:
            return True
        read = {self.memory.owner_of(each) for each in op.operands}
        if owner in self.moved and has_own_memory(op.results[0]):
            return False
        return read.intersection(group) == {owner} and all(
            is_computed(each) and block_of(each) is op.parent and ends[each] <= end
            for each in group
        )

    def overwrite(self, result: SSAValue, operand: SSAValue) -> None:
        """Notes that a result is computed in the memory of an operand."""
        if self.memory.owner_of(operand) in self.moved:
            self.moved.add(self.memory.owner_of(result))
        if len(self.group_of(operand)) > 1:
            self.link(result, operand)
