"""
Prove that no two values that live at the same time share memory.

Before:

    %0 = graph.relu %x {
        graph.buffers = [
            #graph.buffer<activations, slot = 0, offset = 0, size = "256">],
        graph.lifetimes = [#graph.lifetime<group = 0, first = 0, last = 2>]} : …

After:

    the same; or an error that names two values and the bytes that they share

It reads what the planning passes wrote and nothing else, so that it does not repeat
their mistakes. Buffers whose offset is `?` are checked when they are placed.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ....dialects.graph.buffer import BUFFERS, LIFETIMES, BufferAttr, LifetimeAttr
from ....dialects.graph.memory import ops_in


@dataclass(frozen=True)
class Placed:
    """A group of values in memory, for as long as it lives."""

    name: str
    group: int
    first: int
    last: int
    begin: int
    end: int

    def meets(self, other: Placed) -> bool:
        """Whether both live at some op, in bytes that both have."""
        in_time = self.first <= other.last and other.first <= self.last
        return in_time and self.begin < other.end and other.begin < self.end


@dataclass(frozen=True)
class VerifyBuffers(ModulePass):
    """Raises an error when two live values overlap."""

    name = "verify-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [each for each in op.walk() if isinstance(each, func.FuncOp)]:
            if not function.is_declaration:
                verify(function.body.block)


def verify(block: Block) -> None:
    """Checks the values of a function, in the order of their first op."""
    live: list[Placed] = []
    for each in sorted(placed(block), key=lambda each: each.first):
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


def placed(block: Block) -> list[Placed]:
    """The values of a function that have a known place among the activations."""
    found: list[Placed] = []
    for op in ops_in(block):
        buffers, lives = op.attributes.get(BUFFERS), op.attributes.get(LIFETIMES)
        if not isa(buffers, ArrayAttr) or not isa(lives, ArrayAttr):
            continue
        for number, (buffer, life) in enumerate(zip(buffers, lives, strict=True)):
            assert isinstance(buffer, BufferAttr)
            assert isinstance(life, LifetimeAttr)
            size, begin = buffer.size, buffer.offset.data
            if buffer.place != "activations" or begin < 0 or not isinstance(size, int):
                continue
            name = op.results[number].name_hint
            found.append(
                Placed(
                    f"%{name} ({op.name})" if name else op.name,
                    life.group.data,
                    life.first.data,
                    life.last.data,
                    begin,
                    begin + size,
                )
            )
    return found
