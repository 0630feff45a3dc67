"""
f16 is converted in vectors, by instructions where a target has them, else in integers.

That both have the bits of the nearest element is tried in `test_half_types.py`.
"""

from __future__ import annotations

import re

import pytest

from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.lowering.host_to_llvm import lower_program

PRODUCT = """
func.func @main(%x: tensor<64x64xHALF>, %w: tensor<64x96xHALF>)
    -> tensor<64x96xHALF> {
  %0 = graph.matmul %x, %w : tensor<64x64xHALF>, tensor<64x96xHALF>
      -> tensor<64x96xHALF>
  return %0 : tensor<64x96xHALF>
}
"""


def kernels(element: str, target: str) -> str:
    """The text of the kernels of a product."""
    options, ctx = Options(cache=False), context()
    made = Compilation(PRODUCT.replace("HALF", element), target=target, options=options)
    module = made.front_end(made.source())(ctx)
    Driver(ctx, options, target, None).run_passes(module)
    return "\n".join(each.text for each in lower_program(module).kernels)


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4", "aarch64"])
def test_instructions_widen_and_narrow_vectors(target: str):
    text = kernels("f16", target)
    assert re.search(r"fpext <\d+ x half>", text)
    assert re.search(r"fptrunc <\d+ x float> \S+ to <\d+ x half>", text)
    assert "@llvm.fma.v" in text


def test_a_target_without_them_has_integers():
    text = kernels("f16", "x86-64")
    assert "half" not in text
    assert re.search(r"shl <\d+ x i32>", text)


@pytest.mark.parametrize("target", ["cooperlake", "sapphirerapids"])
def test_a_model_of_bf16_takes_no_instructions_that_flush(target: str):
    text = kernels("bf16", target)
    assert "bf16" not in text
    assert "@llvm.fma.v16f32" in text
