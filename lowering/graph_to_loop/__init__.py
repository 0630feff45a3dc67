"""
Lower a planned function of the graph dialect to kernels and the program that calls
them.

Before:

    %1 = graph.relu %0 {graph.buffers = [#graph.buffer<outputs, slot = 0, …>], …}
        : tensor<4xf32> -> tensor<4xf32>

After:

    loop.kernel @relu_0(%a: memref<?xf32>, %b: memref<?xf32>) {
      loop.for parallel %i to 4 {
        %x = loop.load %a[%i] : memref<?xf32>
        %y = arith.maximumf %x, %zero : f32
        loop.store %y, %b[%i] : memref<?xf32>
        loop.yield
      }
    }
    loop.program @main inputs […] outputs […] slots […] plan <…> work "4" {
      %0 = loop.view inputs 0 : memref<?xf32>
      %1 = loop.view outputs 0 : memref<?xf32>
      loop.call @relu_0(%0, %1) symbols [] : memref<?xf32>, memref<?xf32>
    }

There is one way down for all ops: what to compute is in their nests, how to loop is
here, and neither knows the other. An op without nests is called out to its numpy
reference.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from ...dialects.kernel import forget_groups
from ...dialects.loop import KernelOp
from .kernel import build_kernel
from .program import ProgramBuilder

__all__ = [
    "GraphToLoop",
    "build_kernel",
]


@dataclass(frozen=True)
class GraphToLoop(ModulePass):
    """Lowers every function to kernels and a program."""

    name = "graph-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels: dict[Hashable, KernelOp] = {}
        for function in [each for each in op.ops if isinstance(each, func.FuncOp)]:
            if function.is_declaration:
                raise VerifyException(
                    f"expected a body of function {function.sym_name.data}, got none"
                )
            program = ProgramBuilder(function, kernels).build()
            Rewriter.insert_op(program, InsertPoint.before(function))
            Rewriter.erase_op(function)
        Rewriter.insert_op(list(kernels.values()), InsertPoint.at_start(op.body.block))
        forget_groups()
