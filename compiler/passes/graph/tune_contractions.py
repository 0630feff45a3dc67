"""
Attach to each contraction what it prefers to the rules of the cost model.

Here with `tune-contractions{nr=24}`.

Before:

    %1 = graph.matmul %x, %w : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

After:

    %1 = graph.matmul %x, %w {preference = #loop.preference<nr = 24>}
        : tensor<7x64xf32>, tensor<64x120xf32> -> tensor<7x120xf32>

A compilation that tunes sets the pass up with a tuner, which measures what is faster on
this machine (`compiler/tuning/`); without one, and without options, none is attached.
`pack-weights` and `size-tiles` follow a preference where registers and scratch memory
allow it. Bits do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ....dialects.graph import FusionOp, GraphOp
from ....dialects.kernel import group_of
from ....dialects.loop import OWN, PREFERENCE, PreferenceAttr, TargetAttr, target_of


class Tuner(Protocol):
    """What knows the preference of a contraction on a target, by measuring it."""

    measured: int
    """The contractions that were measured, not known before."""
    changed: int
    """Those that were better in another way than by the cost model."""
    seconds: float
    """What that took in all."""

    def preference(self, op: GraphOp, target: TargetAttr) -> PreferenceAttr:
        """What to prefer of an op."""
        ...


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

    unroll: int = 0
    """k that are written one after the other."""

    pack: str = ""
    """What is packed: `a`, `b`, `a and b` or `nothing`."""

    tuner: Tuner | None = field(default=None, init=False)
    """Whom to ask where no option is given; no option itself, so not in any text."""

    @classmethod
    def measuring(cls, tuner: Tuner | None) -> TuneContractions:
        """The pass that asks a tuner, if there is one."""
        made = cls()
        object.__setattr__(made, "tuner", tuner)
        return made

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = PreferenceAttr.of(
            nr=self.nr,
            mr=self.mr,
            kc=self.kc,
            mc=self.mc,
            nc=self.nc,
            unroll=self.unroll,
            pack=self.pack,
        )
        if asked == OWN and self.tuner is None:
            return
        for each in list(contractions(op)):
            found = asked
            if asked == OWN and self.tuner is not None:
                found = self.tuner.preference(each, target_of(op))
            if found != OWN:
                each.attributes[PREFERENCE] = found


def contractions(module: ModuleOp) -> Iterator[GraphOp]:
    """The ops, or fusions of ops, whose kernels have a contraction."""
    for op in module.walk():
        if not isinstance(op, GraphOp) or isinstance(op.parent_op(), FusionOp):
            continue
        group = group_of(op)
        if group is not None and any(nest.is_contraction for nest in group.nests):
            yield op
