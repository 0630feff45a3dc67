"""
Which values share memory: views, the arguments of regions, and what regions yield.

A view shares the memory of its operand. An argument of a region shares the memory of an
operand, or of a loop-carried value. A yielded value is computed in the memory of the
op's result, or in a part of it; the pass `own-outputs` makes this possible. An op with
`graph.in_place` computes its result in the memory of an operand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim
from .op import GraphOp
from .ops.constant import ConstantOp
from .ops.control_flow import LoopOp
from .ops.fusion import YieldOp
from .ops.subview import SubviewOp
from .region import ControlOp, parent_of
from .storage.buffer import replaced_by


def root_of(value: SSAValue) -> SSAValue:
    """
    The value whose memory `value` shares, traced through views and region arguments.
    """
    while (further := _shown_by(value)) is not None:
        value = further
    return value


def offset_of(value: SSAValue) -> Dim:
    """The element of its root that is the first of a value."""
    offset: Dim = 0
    while (further := _shown_by(value)) is not None:
        if isinstance(owner := value.owner, SubviewOp):
            offset = offset + dim(owner.offset.data)
        value = further
    return offset


def _shown_by(value: SSAValue) -> SSAValue | None:
    """
    The value that `value` is a view of, or that it stands for as a region argument.
    """
    if isinstance(owner := value.owner, GraphOp) and owner.IS_VIEW:
        return owner.operands[0]
    return memory_of(value)


def memory_of(value: SSAValue) -> SSAValue | None:
    """
    The value outside a region that shares its memory with an argument of the region.
    """
    if not isinstance(value, BlockArgument):
        return None
    parent = parent_of(value)
    return None if parent is None else parent.memory_of(value)


def has_own_memory(value: SSAValue) -> bool:
    """
    Whether a value, or a view of it, is an output, yielded by a region, or overwritten
    by a loop that carries it: then it is computed in memory that is given.
    """
    return any(is_given(use) for use in uses_of(value))


def uses_of(value: SSAValue) -> Iterator[Use]:
    """The uses of a value and of its views, other than by views."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, GraphOp) and op.IS_VIEW:
            yield from uses_of(op.results[0])
        else:
            yield use


def is_given(use: Use) -> bool:
    """Whether a use gives memory to the value that is used."""
    op = use.operation
    if isinstance(op, LoopOp):
        return op.first <= use.index < op.first + op.carried_count
    return isinstance(op, (func.ReturnOp, YieldOp))


def is_computed(value: SSAValue) -> bool:
    """Whether `value` is the result of an op that runs."""
    return isinstance(value.owner, GraphOp) and not isinstance(value.owner, ConstantOp)


def ops_in(block: Block) -> Iterator[Operation]:
    """The ops of a block, each followed by the ops of its regions."""
    for op in block.ops:
        yield op
        if isinstance(op, ControlOp):
            for inner in op.blocks:
                yield from ops_in(inner)


@dataclass(frozen=True)
class Part:
    """The element of a stack, or of a scanned operand, that belongs to one trip."""

    whole: SSAValue
    loop: LoopOp
    number: int
    """Its index in the `backward` property of the loop."""


class MemoryMap:
    """Where every value of a function is in memory."""

    def __init__(self, block: Block, reuses: bool = True):
        """
        The memory of the values of a function; unless `reuses`, in-place results count
        as having memory of their own.
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
        """Notes the memory of an op's region arguments and yielded values."""
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
                self.add_yielded(op, block, number, root_of(value))

    def add_yielded(
        self, op: ControlOp, block: Block, number: int, root: SSAValue
    ) -> None:
        """Notes the memory of a value that a region yields."""
        result: OpResult | None = op.destination(block, number)
        if result is None or root is result:
            return
        if isinstance(op, LoopOp) and result.index >= op.carried_count:
            number = op.scanned_count + result.index - op.carried_count
            self.parts[root] = Part(result, op, number)
        else:
            self.results[root] = result

    def owner_of(self, value: SSAValue) -> SSAValue:
        """
        The value with memory of its own that contains `value`.

        Raises `VerifyException` when there is none, as can be before `own-outputs`.
        """
        return self.end(value, self.owners, self.parts)

    def storage_of(self, value: SSAValue) -> SSAValue:
        """
        The value with the same storage as `value`: an owner, or its part of one trip.
        """
        return self.end(value, self.stands_in, {})

    def end(
        self,
        value: SSAValue,
        known: dict[SSAValue, SSAValue],
        parts: Mapping[SSAValue, Part],
    ) -> SSAValue:
        """
        The end of the chain of shared memory from `value`, cached for all values on it.
        """
        way: dict[SSAValue, None] = {}
        while value not in known:
            if value in way:
                raise VerifyException(
                    "expected outputs of regions that share no memory, got values that "
                    "are in each other; run own-outputs first"
                )
            way[value] = None
            further = _shown_by(value)
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
