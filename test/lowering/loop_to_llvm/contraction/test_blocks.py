"""Blocks are of products alone; what else says that it has some is refused."""

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from static_runtime.compiler.ir.context import context
from static_runtime.lowering.loop_to_llvm import lower_kernels

SCHEDULED = """
builtin.module attributes {loop.target = #loop.target<"x86-64-v3", vector = 256,
    registers = 16, fma = true>} {
  loop.kernel @copied(%y: memref<?xf32>) {
    %zero = arith.constant 0.0 : f32
    loop.tile %i to 64, %j to 64, reduce %k to 3 from %zero : f32 by 6, 16, 8
        as #loop.schedule<nr = 16, mc = 60, nc = 128, kc = 512 of 0> k_loop (%sum) {
      loop.yield %sum : f32
    } epilogue (%row, %column, %total) {
      loop.store %total, %y[%row * 64 + %column] : memref<?xf32>
      loop.yield
    }
  }
}
"""


def test_a_schedule_without_a_product_is_refused():
    module = Parser(context(), SCHEDULED).parse_module()
    with pytest.raises(VerifyException, match="expected a k-loop that adds up prod"):
        lower_kernels(module)
