"""
Attach to each contraction what it prefers to the rules of the cost model.

Here with `tune-contractions{nr=24}`.

Before:

    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

After:

    %1 = graph.matmul %x, %w {preference = #loop.preference<nr = 24>}
        : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

A compilation that tunes has a tuner, which measures what is faster on this machine
(`compiler/tuning/`); without one, and without options, nothing is attached.
`pack-weights` and `size-tiles` follow a preference where registers and scratch memory
allow it. Bits do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ....dialects.graph.op import GraphOp
from ....dialects.graph.ops.fusion import FusionOp
from ....dialects.kernel.group import group_of
from ....dialects.loop.preference import KEY, OWN, PreferenceAttr
from ....dialects.loop.target import target_of
from ...context import tuner_of


@dataclass(frozen=True)
class TuneContractions(ModulePass):
    """Attaches the options of the pass, or else the preference of a tuner."""

    name = "tune-contractions"

    nr: int = 0
    """Columns of a panel; 0 for the cost model's, here and below."""

    mr: int = 0
    """Rows of the largest register tile."""

    kc: int = 0
    """k of a block."""

    mc: int = 0
    """Rows of a block."""

    nc: int = 0
    """Columns of a block."""

    pack: str = ""
    """What is packed: `a`, `b`, `a and b` or `nothing`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = PreferenceAttr.of(
            nr=self.nr,
            mr=self.mr,
            kc=self.kc,
            mc=self.mc,
            nc=self.nc,
            pack=self.pack,
        )
        tuner = tuner_of(ctx)
        if asked == OWN and tuner is None:
            return
        for each in list(contractions(op)):
            found = asked
            if asked == OWN and tuner is not None:
                found = tuner.preference(each, target_of(op))
            if found != OWN:
                each.attributes[KEY] = found


def contractions(module: ModuleOp) -> Iterator[GraphOp]:
    """The ops, or fusions of ops, whose kernels have a contraction."""
    for op in module.walk():
        if not isinstance(op, GraphOp) or isinstance(op.parent_op(), FusionOp):
            continue
        group = group_of(op)
        if group is not None and any(nest.is_contraction for nest in group.nests):
            yield op
