"""
Have the memory of a program checked before and after each of its calls.

Before:

    loop.program @main … slots [#loop.slot<size = "256", offset = 0, live = 0 to 1>] {
      loop.call @relu(%x, %0) symbols []
      loop.call @neg(%0, %y) symbols []
    }

After:

    loop.program @main … attributes {loop.checked = {groups = array<i64: 0, 1>,
        last = array<i64: 1>}} { … }

What is noted is read off the calls, and not off the plan, so that it does not repeat
the plan's mistakes: the number of the last call that needs each slot, and which slots
and outputs may be the same memory (`groups`, slots first). All of a loop may need what
a call within it does. The lowering then asks the runtime before and after each call
(`runtime/checking/memory_check.py`). The text of kernels stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ....dialects.loop import (
    CALLS,
    CHECKED,
    CallOp,
    ElementOp,
    ProgramOp,
    RepeatOp,
    ViewOp,
    memory_of,
)


@dataclass(frozen=True)
class InstrumentMemory(ModulePass):
    """Notes until when each slot is needed, which asks for checks of memory."""

    name = "instrument-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in [each for each in op.ops if isinstance(each, ProgramOp)]:
            groups, uses = _groups(program), _Uses(program)
            own = groups[: len(program.slots)]
            last: dict[int, int] = {}
            for slot, group in enumerate(own):
                last[group] = max(last.get(group, -1), uses.last.get(slot, -1))
            rows = {"groups": groups, "last": [last[group] for group in own]}
            program.attributes[CHECKED] = DictionaryAttr(
                {name: DenseArrayBase.from_list(i64, row) for name, row in rows.items()}
            )


def _groups(program: ProgramOp) -> list[int]:
    """The group of each slot, then of each output: what may be the same memory."""
    first_output = len(program.slots)
    groups = list(range(first_output + len(program.outputs)))

    def number_of(region: str, number: int) -> int | None:
        known = {"activations": 0, "outputs": first_output}.get(region)
        return None if known is None else known + number

    for one, other in _pairs(program):
        a, b = number_of(*one), number_of(*other)
        if a is not None and b is not None and groups[a] != groups[b]:
            old, new = sorted((groups[a], groups[b]), reverse=True)
            groups = [new if each == old else each for each in groups]
    return groups


_Memory = tuple[str, int]
"""A region of memory, and a number in it."""


def _pairs(program: ProgramOp) -> Iterator[tuple[_Memory, _Memory]]:
    """What may be the same memory: a slot and its skips, and the buffers of a copy."""
    for skip in program.skips:
        one = "activations", skip.slot.data
        yield one, (skip.region.data, skip.number.data)
    for op in program.walk():
        if isinstance(op, CallOp) and op.unless_same is not None:
            source, target = map(memory_of, op.buffers)
            yield source, target


@dataclass
class _Uses:
    """The number of the last call that needs each slot."""

    program: ProgramOp
    last: dict[int, int] = field(default_factory=dict[int, int])
    calls: int = 0
    """The ops so far that are counted."""

    def __post_init__(self) -> None:
        self.visit(self.program.body.block.ops)

    def visit(self, ops: Iterable[Operation]) -> None:
        """Notes the uses of ops, and of the ops within them."""
        for op in ops:
            for slot in _slots_of(op):
                self.last[slot] = self.calls
            self.calls += isinstance(op, CALLS)
            for region in op.regions:
                for block in region.blocks:
                    self.visit(block.ops)
            if isinstance(op, RepeatOp):
                for slot in {each for inner in op.walk() for each in _slots_of(inner)}:
                    self.last[slot] = self.calls - 1


def _slots_of(op: Operation) -> Iterator[int]:
    """The slots that an op itself works on."""
    if isinstance(op, ViewOp | ElementOp):
        return
    for operand in op.operands:
        if isinstance(operand.owner, ViewOp | ElementOp):
            region, number = memory_of(operand)
            if region == "activations":
                yield number
