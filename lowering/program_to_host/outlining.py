"""
Outlining: which calls of a program become a function of their own.

LLVM takes longer than in proportion over a function that is long. So the calls of a
long program are outlined, some in each function, and `sr_run` calls these in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Block, Operation

from ...dialects.loop import ViewOp

MOST_CALLS = 64
"""Calls after which an outlined function ends, unless they are in a branch or loop."""


_FEW_OPS = 12
"""Ops of a program at most that the entry has in line, where a call would cost more."""


def inlining(ops: Iterable[Operation]) -> str:
    """The attribute of the function of a whole program, which has these ops."""
    return "alwaysinline" if sum(1 for op in ops for _ in op.walk()) <= _FEW_OPS else ""


def outlined(block: Block) -> Iterator[list[Operation]]:
    """The ops of a block in one or more lists; each becomes a function."""
    ops: list[Operation] = []
    calls = 0
    for op in block.ops:
        if calls >= MOST_CALLS:
            yield ops
            ops, calls = [], 0
        ops.append(op)
        calls += sum(not isinstance(each, ViewOp) for each in op.walk())
    yield ops
