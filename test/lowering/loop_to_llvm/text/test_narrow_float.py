"""
Floats of 8 bits are converted in vectors, in integers, on every target.

That they have the bits of the nearest element is tried in `test_stored_types.py`.
"""

from __future__ import annotations

import re

import pytest

from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.element_type import ELEMENT_TYPES
from static_runtime.lowering.host_to_llvm import lower_program

TURNED = """
func.func @main(%x: tensor<643xTYPE>) -> tensor<643xTYPE> {
  %0 = graph.cast %x {to = f32} : tensor<643xTYPE> -> tensor<643xf32>
  %1 = graph.neg %0 : tensor<643xf32> -> tensor<643xf32>
  %2 = graph.cast %1 {to = TYPE} : tensor<643xf32> -> tensor<643xTYPE>
  return %2 : tensor<643xTYPE>
}
"""

FLOATS = [row.type for row in ELEMENT_TYPES.values() if row.format is not None]


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "x86-64-v4", "aarch64"])
@pytest.mark.parametrize("element", FLOATS, ids=str)
def test_vectors_are_converted_in_integers(element: object, target: str):
    options, ctx = Options(cache=False), context()
    text = TURNED.replace("TYPE", str(element))
    made = Compilation(text, target=target, options=options)
    module = made.front_end(made.source())(ctx)
    Driver(ctx, options, target, None).run_passes(module)
    kernel = "\n".join(each.text for each in lower_program(module).kernels)
    assert re.search(r"zext <\d+ x i8> \S+ to <\d+ x i32>", kernel)
    assert re.search(r"trunc <\d+ x i32> \S+ to <\d+ x i8>", kernel)
    assert not re.search("fpext|fptrunc", kernel)
