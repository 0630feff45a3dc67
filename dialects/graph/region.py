"""Ops with regions: arguments, yielded values, and where both lie in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Attribute, Block, BlockArgument, OpResult, SSAValue
from xdsl.irdl import traits_def
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from ..shape import Array
from .op import GraphOp, Requirement

Runner: TypeAlias = Callable[
    [GraphOp, Sequence[Array], Mapping[str, int]], Sequence[Array]
]
"""What runs an op: operands and the values of symbols to results."""


class RegionOp(GraphOp, ABC):
    """An op with regions of one block each, which use only their arguments."""

    traits = traits_def(Pure(), IsolatedFromAbove())

    @abstractmethod
    def argument_types(self) -> Sequence[Attribute]:
        """The types of the arguments of every region."""

    @abstractmethod
    def yield_types(self, block: Block) -> Sequence[Attribute]:
        """The types of the values that a region yields, which has this block."""

    @property
    def blocks(self) -> list[Block]:
        """The block of every region."""
        return [region.block for region in self.regions]

    @classmethod
    def infer(cls, *operands: Any, **properties: Any) -> Any:
        raise AssertionError("the types of the results are what the regions yield")

    def all_requirements(self) -> list[Requirement]:
        """None: the ops in the regions have their own."""
        return []

    @abstractmethod
    def result_types_for(self) -> Sequence[Attribute]:
        """The types of the results, inferred from operands and regions."""

    def reference(self, *operands: Array, **properties: Any) -> tuple[Array, ...]:
        return self.run_reference(operands, {})

    def verify_(self) -> None:
        """
        The arguments, the yielded values and the results have the types of the op.
        """
        self.verify_elements()
        self.verify_operands()
        for block in self.blocks:
            _verify_types("region arguments", self.argument_types(), block.arg_types)
            end = block.last_op
            if end is None or not end.has_trait(IsTerminator):
                raise VerifyException("expected a region that ends in graph.yield")
            _verify_types("to yield", self.yield_types(block), end.operand_types)
        _verify_types("results", self.result_types_for(), self.result_types)

    def verify_operands(self) -> None:
        """Raises `VerifyException` when operands and properties do not fit."""


class ControlOp(RegionOp, ABC):
    """
    An op whose regions run any number of times.

    A yielded value is computed in the memory of the result, or of the argument that it
    becomes in the next trip.
    """

    @abstractmethod
    def memory_of(self, argument: BlockArgument) -> SSAValue | None:
        """
        The operand or result that shares its memory with an argument; None for a part
        of one.
        """

    @abstractmethod
    def destination(self, block: Block, number: int) -> OpResult | None:
        """
        The result that the yielded value of this number, in the region of a block,
        becomes, or becomes a part of.
        """

    @property
    @abstractmethod
    def first_seen(self) -> int:
        """The number of the first argument that is an operand, whole and unchanged."""

    def drop_unused(self) -> None:
        """Removes operands that no region uses."""
        count = len(self.blocks[0].args)
        before = len(self.operands) - count
        for index in reversed(range(self.first_seen, count)):
            arguments = [block.args[index] for block in self.blocks]
            if any(argument.uses for argument in arguments):
                continue
            kept = list(self.operands)
            del kept[before + index]
            self.operands = kept
            for argument in arguments:
                argument.block.erase_arg(argument)


def _verify_types(
    what: str, expected: Sequence[Attribute], got: Sequence[Attribute]
) -> None:
    """Raises `VerifyException` unless both lists of types are equal."""
    if tuple(expected) != tuple(got):
        wanted, have = (", ".join(map(str, each)) for each in (expected, got))
        raise VerifyException(f"expected {what} {wanted}, got {have}")


def run_block(
    block: Block, operands: Sequence[Array], symbols: Mapping[str, int]
) -> tuple[Array, ...]:
    """Runs the ops of a block in numpy; returns the yielded values."""
    values: dict[SSAValue, Array] = dict(zip(block.args, operands, strict=True))
    return run_ops(block, values, symbols)


def _by_reference(
    op: GraphOp, operands: Sequence[Array], symbols: Mapping[str, int]
) -> Sequence[Array]:
    """What an op computes in numpy; one with regions by its own way."""
    return op.run_reference(operands, symbols)


def run_ops(
    block: Block,
    values: dict[SSAValue, Array],
    symbols: Mapping[str, int],
    run: Runner = _by_reference,
) -> tuple[Array, ...]:
    """
    Runs the ops of a block in numpy, with values of its arguments and of ops that are
    none of the graph's; returns what the block ends in.
    """
    known, end = dict(symbols), block.last_op
    assert end is not None
    for op in block.ops:
        if isinstance(op, GraphOp):
            given = [values[each] for each in op.operands]
            values.update(zip(op.results, run(op, given, known), strict=True))
            known |= op.defines(given)
        elif op is not end and not all(each in values for each in op.results):
            raise ValueError(f"expected an op that numpy can run, got {op.name}")
    return tuple(values[each] for each in end.operands)


def parent_of(argument: BlockArgument) -> ControlOp | None:
    """The control op whose region has this argument, if it is one."""
    parent = argument.owner.parent_op()
    return parent if isinstance(parent, ControlOp) else None


def block_of(value: SSAValue) -> Block | None:
    """The block that a value belongs to."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def capture(*blocks: Block) -> list[SSAValue]:
    """
    Turns outside values that any block uses into arguments of all; returns these
    values.
    """
    outside: dict[SSAValue, None] = {}
    for block in blocks:
        for op in block.ops:
            for operand in op.operands:
                if block_of(operand) is not block:
                    outside[operand] = None
    for block in blocks:
        inner = {
            value: block.insert_arg(value.type, len(block.args)) for value in outside
        }
        for op in block.ops:
            for number, operand in enumerate(op.operands):
                if operand in inner:
                    op.operands[number] = inner[operand]
    return list(outside)
