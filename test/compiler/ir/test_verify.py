"""Values are defined before they are used, in regions that see them."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.compiler.ir.verify import MOST_REGIONS, verify

TYPE = "tensor<2xf32>"

REFUSED = {
    f"%0 = graph.relu %0 : {TYPE} -> {TYPE}": (
        "graph.relu: expected operands that are computed before, got operand 0, which "
        "is its own result"
    ),
    f"%a = graph.relu %b : {TYPE} -> {TYPE} %b = graph.relu %a : {TYPE} -> {TYPE}": (
        "got %b, which is the result of a later graph.relu"
    ),
    "func.func @f() { return ^b: return }": "expected regions of one block, got s",
}


@pytest.mark.parametrize("text", REFUSED, ids=["own", "later", "blocks"])
def test_refused(text: str):
    module = parse_module(context(), text, "file.mlir")
    with pytest.raises(VerifyException, match=REFUSED[text]):
        verify(module)


def test_values_around_a_region_are_seen_from_it():
    text = """loop.kernel @f(%a: memref<?xf32>) {
      %x = arith.constant 1.0 : f32
      loop.for parallel %i to 4 {
        loop.store %x, %a[%i] : memref<?xf32>
        loop.yield
      }
    }"""
    verify(parse_module(context(), text, "file.mlir"))


def test_regions_that_are_too_deep():
    text = "module {" * 50 + "}" * 50
    outer = parse_module(context(), text, "file.mlir")
    innermost = list(outer.walk())[-1]
    inner = parse_module(context(), text, "file.mlir")
    innermost.regions[0].block.add_op(inner)
    message = f"expected regions at most {MOST_REGIONS} deep"
    with pytest.raises(VerifyException, match=message):
        verify(outer)
