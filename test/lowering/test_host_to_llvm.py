"""The text of a program is what its kernels are called by, each once."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.loop import KernelOp
from static_runtime.lowering.host_to_llvm import lower_program

ROWS = """
func.func @main(%x: tensor<?x64xf32, ["n"]>, %y: tensor<?x64xf32, ["n"]>)
    -> (tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>) {
  %0 = graph.sum %x {axes = array<i64: 1>, keepdims = false}
    : tensor<?x64xf32, ["n"]> -> tensor<?xf32, ["n"]>
  %1 = graph.sum %y {axes = array<i64: 1>, keepdims = false}
    : tensor<?x64xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %0, %1 : tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>
}
"""


def test_a_kernel_that_two_calls_have_is_one_function():
    options = Options(cache=False)
    compilation = Compilation(ROWS, target="x86-64-v3", options=options)
    ctx = context()
    module = compilation.front_end(compilation.source())(ctx)
    Driver(ctx, options, "x86-64-v3", None).run_passes(module)
    lowered = lower_program(module)
    (kernel,) = lowered.kernels
    main = lowered.main.text
    assert main.count(f"declare void @sr_k_{kernel.name}(") == 1
    assert main.count(f"@share.sr_k_{kernel.name}(") == 3
    assert [text for text in main.splitlines() if text.startswith("define i32")]
    for op in [*module.ops]:
        if isinstance(op, KernelOp):
            op.detach()
    with pytest.raises(VerifyException, match=r"expected kernel .* got none"):
        lower_program(module)
