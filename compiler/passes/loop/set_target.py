"""
Say which machine the module is compiled for.

With `set-target{cpu=x86-64-v3}` it is any machine with AVX2 and FMA.

Before:

    builtin.module { … }

After:

    builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256,
        registers = 16, fma = true>} { … }

With `exact` instruction sets whose sums round otherwise than multiply-adds do, those
for products of bf16, are left out: bits are then the same on every machine.

The passes and the emitter below ask the attribute and nothing else, so that what they
do can be tested on any machine. `host` is the machine that this runs on.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ....dialects.loop import TARGET
from ...ir import find_target


@dataclass(frozen=True)
class SetTarget(ModulePass):
    """Sets the target of the module."""

    name = "set-target"

    cpu: str = "host"
    """`host`, or a name such as x86-64-v3 that `compiler/ir/target.py` knows."""
    exact: bool = False
    """Whether instruction sets that round what they add up are left out."""

    matrices: bool = True
    """Whether code may use registers of matrices, which a process must ask for."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = find_target(self.cpu, self.matrices)
        op.attributes[TARGET] = target.exact if self.exact else target
