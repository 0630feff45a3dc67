"""
Which values share memory: views, the arguments of regions, and what regions yield.

A view is the memory of what it shows. What a region takes is the memory of an operand,
or of what a loop carries. What it yields is computed where it goes: in the result of
the op, or in a part of it. The pass `own-outputs` makes sure that this can be. An op
that is `graph.in_place` computes its result in the memory of an operand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from ..op import GraphOp
from ..ops.constant import ConstantOp
from ..ops.control_flow import LoopOp
from ..region import ControlOp, parent_of
from .buffer import replaced_by


def root_of(value: SSAValue) -> SSAValue:
    """The value whose memory `value` is, seen through views and into regions."""
    while (further := shown_by(value)) is not None:
        value = further
    return value


def shown_by(value: SSAValue) -> SSAValue | None:
    """The value that `value` is a view of, or a name for in a region."""
    if isinstance(owner := value.owner, GraphOp) and owner.IS_VIEW:
        return owner.operands[0]
    return memory_of(value)


def memory_of(value: SSAValue) -> SSAValue | None:
    """The value outside of a region whose memory an argument of the region is."""
    if not isinstance(value, BlockArgument):
        return None
    parent = parent_of(value)
    return None if parent is None else parent.memory_of(value)


def is_computed(value: SSAValue) -> bool:
    """Whether `value` is the result of an op that runs."""
    return isinstance(value.owner, GraphOp) and not isinstance(value.owner, ConstantOp)


def ops_in(block: Block) -> Iterator[Operation]:
    """The ops of a block, each followed by those of the regions that it runs."""
    for op in block.ops:
        yield op
        if isinstance(op, ControlOp):
            for inner in op.blocks:
                yield from ops_in(inner)


@dataclass(frozen=True)
class Part:
    """The element of a stack, or of what is scanned, that belongs to one trip."""

    whole: SSAValue
    loop: LoopOp
    number: int
    """Its number in what the loop says of directions."""


class MemoryMap:
    """Where every value of a function is in memory."""

    def __init__(self, block: Block, reuses: bool = True):
        """
        The memory of the values of a function; unless it `reuses` operands, as if each
        result of an op that works in place had memory of its own.
        """
        self.results: dict[SSAValue, SSAValue] = {}
        self.parts: dict[SSAValue, Part] = {}
        self.owners: dict[SSAValue, SSAValue] = {}
        self.stands_in: dict[SSAValue, SSAValue] = {}
        for op in ops_in(block):
            if isinstance(op, ControlOp):
                self.add(op)
            elif reuses and (replaced := replaced_by(op)) is not None:
                self.results[op.results[0]] = replaced

    def add(self, op: ControlOp) -> None:
        """Notes where what an op takes and what its regions yield are."""
        if isinstance(op, LoopOp):
            for number, result in enumerate(op.results[: op.carried_count]):
                self.results[root_of(op.operands[op.first + number])] = result
            for argument in op.body.block.args:
                if (whole := op.scanned_operand(argument)) is not None:
                    number = argument.index - op.carried_count
                    self.parts[argument] = Part(whole, op, number)
        for block in op.blocks:
            end = block.last_op
            assert end is not None
            for number, value in enumerate(end.operands):
                self.add_yielded(op, number, root_of(value))

    def add_yielded(self, op: ControlOp, number: int, root: SSAValue) -> None:
        """Notes where a value is that a region yields."""
        result: OpResult | None = op.destination(number)
        if result is None or root is result:
            return
        if isinstance(op, LoopOp) and result.index >= op.carried_count:
            number = op.scanned_count + result.index - op.carried_count
            self.parts[root] = Part(result, op, number)
        else:
            self.results[root] = result

    def owner_of(self, value: SSAValue) -> SSAValue:
        """
        The value that has memory of its own, in which `value` is.

        Raises `VerifyException` when there is none, as before `own-outputs`.
        """
        return self.end(value, self.owners, self.parts)

    def storage_of(self, value: SSAValue) -> SSAValue:
        """The value that is where `value` is: an owner, or its part of a trip."""
        return self.end(value, self.stands_in, {})

    def end(
        self,
        value: SSAValue,
        known: dict[SSAValue, SSAValue],
        parts: Mapping[SSAValue, Part],
    ) -> SSAValue:
        """The end of the way from `value`, which is noted for all that are on it."""
        way: dict[SSAValue, None] = {}
        while value not in known:
            if value in way:
                raise VerifyException(
                    "expected outputs of regions that share no memory, got values that "
                    "are in each other; run own-outputs first"
                )
            way[value] = None
            further = shown_by(value)
            if further is None and value in parts:
                further = parts[value].whole
            elif further is None:
                further = self.results.get(value)
            if further is None:
                known[value] = value
            else:
                value = further
        found = known[value]
        known.update(dict.fromkeys(way, found))
        return found
