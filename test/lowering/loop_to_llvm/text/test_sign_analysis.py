"""Where it is known that a number is not above zero, and where it only looks so."""

import pytest
from xdsl.dialects import math
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from static_runtime.compiler.ir.context import context
from static_runtime.lowering.loop_to_llvm.text.sign_analysis import never_above_zero

SOFTMAX = """
loop.kernel @softmax(%a: memref<?xf32>, %b: memref<?xf32>) {
  %least = arith.constant 0xff800000 : f32
  loop.for parallel %i to 8 {
    %max = loop.for reduce(max) %j to 64 (%so_far = %least : f32) {
      %x = loop.load %a[%i * 64 + %j] : memref<?xf32>
      %factor = arith.constant 0.5 : f32
      %scaled = arith.mulf %x, %factor : f32
      %next = arith.maximumf %scaled, %so_far : f32
      loop.yield %next : f32
    }
    loop.for parallel %k to 64 {
      %y = loop.load %a[%i * 64 + %k] : memref<?xf32>
      %again = arith.constant 0.5 : f32
      %z = arith.mulf %y, %again : f32
      %lower = arith.subf %z, %max : f32
      %e = math.exp %lower : f32
      loop.store %e, %b[%i * 64 + %k] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
"""

PLANE = """
loop.kernel @plane(%a: memref<?xf32>, %b: memref<?xf32>) {
  %least = arith.constant 0xff800000 : f32
  %max = loop.for reduce(max) %i to "n" (%rows = %least : f32) {
    %row = loop.for reduce(max) %j to 64 (%so_far = %rows : f32) {
      %x = loop.load %a[%i * 100 + %j] : memref<?xf32>
      %next = arith.maximumf %x, %so_far : f32
      loop.yield %next : f32
    }
    loop.yield %row : f32
  }
  loop.for parallel %k to "n" {
    loop.for parallel %l to 64 {
      %y = loop.load %a[%k * 100 + %l] : memref<?xf32>
      %lower = arith.subf %y, %max : f32
      %e = math.exp %lower : f32
      loop.store %e, %b[%k * 64 + %l] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
"""

ONE = """
loop.kernel @one(%a: memref<?xf32>, %b: memref<?xf32>) {
  loop.for parallel %i to 64 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = loop.load %a[%i + 1] : memref<?xf32>
    %p = OP : f32
    %n = arith.negf %p : f32
    %e = math.exp %n : f32
    loop.store %e, %b[%i] : memref<?xf32>
    loop.yield
  }
}
"""


def is_known(text: str) -> bool:
    """Whether the argument of the one exponential is known not to be above zero."""
    module: ModuleOp = Parser(context(), text).parse_module()
    (exponential,) = (op for op in module.walk() if isinstance(op, math.ExpOp))
    return never_above_zero(exponential.operand)


@pytest.mark.parametrize("text", [SOFTMAX, PLANE])
def test_a_number_less_the_greatest_of_all(text: str):
    assert is_known(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "%max = loop.for reduce(max) %j to 64",
            "%max = loop.for reduce(max) %j to 63",
        ),
        ("%y = loop.load %a[%i * 64 + %k]", "%y = loop.load %a[%i * 64 + %k + 1]"),
        ("%y = loop.load %a", "%y = loop.load %b"),
        ("%again = arith.constant 0.5", "%again = arith.constant 0.25"),
        ("%next = arith.maximumf", "%next = arith.minimumf"),
        ("%next = arith.maximumf %scaled", "%next = arith.maximumf %x"),
        ("arith.subf %z, %max", "arith.subf %max, %z"),
        ("loop.store %e, %b", "loop.store %e, %a"),
    ],
    ids=[
        "of_fewer",
        "at_another_place",
        "of_another_buffer",
        "of_other_numbers",
        "the_least",
        "of_what_they_come_from",
        "the_other_way_round",
        "of_what_is_written",
    ],
)
def test_not_a_number_less_the_greatest(old: str, new: str):
    assert old in SOFTMAX
    assert not is_known(SOFTMAX.replace(old, new))


def test_not_a_number_less_the_greatest_of_its_row():
    row = PLANE.replace("%so_far = %rows", "%so_far = %least")
    assert not is_known(row)


@pytest.mark.parametrize(
    ("op", "known"),
    [
        ("math.absf %x", True),
        ("arith.mulf %x, %x", True),
        ("arith.mulf %x, %y", False),
        ("arith.addf %x, %x", False),
    ],
)
def test_what_has_its_sign_turned(op: str, known: bool):
    assert is_known(ONE.replace("OP", op)) == known
