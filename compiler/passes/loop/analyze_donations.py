"""
Find the inputs in whose memory a call may want an output.

Before:

    loop.program @append inputs [ cache, at, row ] outputs [ cache_out ] {
      loop.call @copy(%cache, %cache_out) symbols [] unless_same
      loop.call @scatter(%at, %row, %cache_out) symbols []
    }

After:

    loop.program @append … donations [#loop.donation<input = 0, output = 0>] { … }

A program may give an input the memory of an output when it reads the input no more
once it has begun with the output. One call may do both: a copy is skipped where its two
buffers are the same memory, and a kernel that `may_share` them overwrites elements that
it has read. A caller that passes one array for both, `module(cache, at, row,
out=cache)`, then has no copy made. So a cache of keys and values grows by a row at the
cost of a row, and the state of a recurrent layer stays where it is.

This reads off the calls of a program, in their order. A call within a branch or a loop
counts for all of it, and a slot for all that it may be for some sizes
(`mark-runtime-skippable`). Where indices decide, it is no input that is an output too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects.loop import (
    CallOp,
    DonationAttr,
    ElementOp,
    KernelOp,
    ProgramOp,
    ViewOp,
    may_be_one,
    memory_of,
)

_MAX_PAIRS = 1 << 16
"""The most pairs of an input and an output that are looked at."""

_Memory: TypeAlias = tuple[str, int]
"""A region of memory, and a number in it."""


@dataclass(frozen=True)
class AnalyzeDonations(ModulePass):
    """Pairs outputs with the inputs whose memory a call may want them in."""

    name = "analyze-donations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in [each for each in op.ops if isinstance(each, ProgramOp)]:
            program.properties["donations"] = ArrayAttr(_donations(program))


def _donations(program: ProgramOp) -> Iterator[DonationAttr]:
    """The pairs of an input and an output that may be the same memory."""
    ops = list(program.body.block.ops)
    may_be: dict[_Memory, set[_Memory]] = {}
    for skip in program.skips:
        if skip.is_on_data:
            # It is not taken where the input is an output.
            continue
        one = "activations", skip.slot.data
        other = skip.region.data, skip.number.data
        may_be.setdefault(one, set()).update({other, *may_be.get(other, ())})
    touched = [
        {each for used in _memory(op) for each in (used, *may_be.get(used, ()))}
        for op in ops
    ]
    first: dict[_Memory, int] = {}
    last: dict[_Memory, int] = {}
    for at, memory in enumerate(touched):
        for each in memory:
            first.setdefault(each, at)
            last[each] = at
    kernels = program.kernels
    inputs, outputs = len(program.inputs), len(program.outputs)
    if inputs * outputs > _MAX_PAIRS:
        return
    taken, made = program.input_types, program.output_types
    for output in range(outputs):
        begins = first.get(("outputs", output))
        for input in range(inputs):
            ends = last.get(("inputs", input))
            if begins is None or ends is None or ends > begins:
                continue
            if not may_be_one(taken[input], made[output]):
                continue
            if ends < begins or _in_place(ops[ends], kernels, input, output, may_be):
                yield DonationAttr.of(input, output)


def _in_place(
    op: Operation,
    kernels: Mapping[str, KernelOp],
    input: int,
    output: int,
    may_be: Mapping[_Memory, set[_Memory]],
) -> bool:
    """Whether an op that reads an input may store to an output in the same memory."""
    source, target = ("inputs", input), ("outputs", output)
    if not isinstance(op, CallOp) or memory_of(op.buffers[-1]) != target:
        return False
    if not _is_whole(op.buffers[-1]):
        return False
    shared = {0} if op.unless_same is not None else kernels[op.kernel_name].may_share
    for number, buffer in enumerate(op.buffers[:-1]):
        memory = memory_of(buffer)
        if source in may_be.get(memory, ()):
            return False
        if memory == source and not (number in shared and _is_whole(buffer)):
            return False
    return True


def _memory(op: Operation) -> Iterator[_Memory]:
    """What an op, or one within it, works on."""
    for each in op.walk():
        if not isinstance(each, ViewOp):
            yield from (
                memory_of(value)
                for value in each.operands
                if isinstance(value.owner, ViewOp | ElementOp)
            )


def _is_whole(buffer: SSAValue) -> bool:
    """Whether a buffer begins where the memory that it is of does."""
    return isinstance(buffer.owner, ViewOp) and buffer.owner.start.data == "0"
