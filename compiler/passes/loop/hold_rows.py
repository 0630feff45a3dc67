"""
Write out the loops over rows that are shorter than vectors, and hold rows in registers.

Before:

    loop.for parallel %i to 64 lanes 16 {
      %m = loop.for reduce(max) %j to 2 (%so_far = %low : f32) {
        %x = loop.load %a[%i * 2 + %j] : memref<?xf32>
        %g = arith.maximumf %x, %so_far : f32
        loop.yield %g : f32
      }
      loop.for parallel %k to 2 {
        %y = loop.load %a[%i * 2 + %k] : memref<?xf32>
        %d = arith.subf %y, %m : f32
        loop.store %d, %c[%i * 2 + %k] : memref<?xf32>
        loop.yield
      }
      loop.yield
    }

After:

    loop.for parallel %i to 64 lanes 16 {
      %x = loop.load %a[%i * 2] : memref<?xf32>
      %g = arith.maximumf %x, %low : f32
      %y = loop.load %a[%i * 2 + 1] : memref<?xf32>
      %h = arith.maximumf %y, %g : f32
      %d = arith.subf %x, %h : f32
      loop.store %d, %c[%i * 2] : memref<?xf32>
      %e = arith.subf %y, %h : f32
      loop.store %e, %c[%i * 2 + 1] : memref<?xf32>
      loop.yield
    }

Lanes are rows, whose elements lie apart: each loop over the columns, of a softmax over
a few classes say, would pick its lanes from vectors again, and store them one by one
for the next. Now each element is loaded once, what one stage keeps for a later one is a
value, and loads and stores of whole rows side by side are vectors that shuffles sort.
Sums add the same elements in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ....dialects.loop import (
    ForOp,
    KernelOp,
    LoadOp,
    StoreOp,
)
from ..loop_bodies import write_out
from ..short_rows import Place, place_of, stages_of_short_rows


@dataclass(frozen=True)
class HoldRows(ModulePass):
    """Writes out loops over short rows whose lanes are rows."""

    name = "hold-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [each for each in op.ops if isinstance(each, KernelOp)]:
            for loop in [each for each in kernel.walk() if isinstance(each, ForOp)]:
                if loop.width > 1 and (stages := stages_of_short_rows(loop)):
                    for stage in stages:
                        write_out(stage)
                    _hold(loop)


def _hold(loop: ForOp) -> None:
    """Uses what was loaded or stored before, and stores each element once."""
    values, stores = dict[Place, SSAValue](), dict[Place, StoreOp]()
    for op in [*loop.body.block.ops]:
        if isinstance(op, LoadOp):
            place = place_of(op)
            if place in values:
                Rewriter.replace_op(op, [], [values[place]])
            else:
                values[place] = op.result
        elif isinstance(op, StoreOp):
            place = place_of(op)
            values[place] = op.value
            if place in stores:
                Rewriter.erase_op(stores[place])
            stores[place] = op
