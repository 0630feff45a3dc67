"""What the loops of contractions are made of: little but multiply-adds and loads."""

import re
from collections.abc import Iterator

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from static_runtime.compiler.context import context
from static_runtime.compiler.driver import Driver
from static_runtime.compiler.options import Options
from static_runtime.dialects.loop.target import target_of
from static_runtime.lowering.llvm_to_object import assembly, machine_of
from static_runtime.lowering.loop_to_llvm import lower_kernels

MATMUL = """
func.func @main(%x: tensor<120x512xf32>) -> tensor<120x256xf32> {
  %w = graph.constant dense<2.0> : tensor<512x256xf32>
  %0 = graph.matmul %x, %w : tensor<120x512xf32>, tensor<512x256xf32>
    -> tensor<120x256xf32>
  func.return %0 : tensor<120x256xf32>
}
"""

CONVOLUTION = """
func.func @main(%x: tensor<1x64x16x16xf32>) -> tensor<1x64x14x14xf32> {
  %w = graph.constant dense<2.0> : tensor<64x64x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
    dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x64x16x16xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x14x14xf32>
  func.return %0 : tensor<1x64x14x14xf32>
}
"""

DEPTHWISE = """
func.func @main(%x: tensor<1x144x56x56xf32>) -> tensor<1x144x54x54xf32> {
  %w = graph.constant dense<2.0> : tensor<144x1x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
    dilation = array<i64: 1, 1>, groups = 144 : i64}
    : tensor<1x144x56x56xf32>, tensor<144x1x3x3xf32> -> tensor<1x144x54x54xf32>
  func.return %0 : tensor<1x144x54x54xf32>
}
"""


def loops(text: str, cpu: str) -> Iterator[list[str]]:
    """The instructions of each innermost loop of a model that multiplies and adds."""
    ctx = context()
    module: ModuleOp = Parser(ctx, text).parse_module()
    Driver(ctx, Options(cache=False), cpu, None).compile(module)
    machine = machine_of(target_of(module))
    for kernel in lower_kernels(module).values():
        code = assembly(kernel.text, machine)
        for block in re.split(r"^(?=\.LBB\w+:)", code, flags=re.MULTILINE):
            label = re.escape(block.split(":")[0])
            loop = re.match(rf"(?s).*?\bj\w+\s+{label}$", block, re.MULTILINE)
            lines = (
                re.findall(r"^\t([a-z]\w+.*)", loop[0], re.MULTILINE) if loop else []
            )
            if count(lines, "vfmadd"):
                yield lines


def count(lines: list[str], word: str) -> int:
    """How many instructions have a word."""
    return sum(word in each for each in lines)


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("text", [MATMUL, CONVOLUTION], ids=["matmul", "convolution"])
def test_four_steps_share_what_a_loop_costs(text: str, cpu: str):
    found = list(loops(text, cpu))
    assert any(count(each, "vfmadd") % 48 == 0 for each in found)
    for each in found:
        # Totals, weights and addresses are in registers.
        assert not count(each, "(%rsp)")
        loads = sum(bool(re.match(r"vmovups|vbroadcastss", line)) for line in each)
        assert len(each) <= count(each, "vfmadd") + loads + 9


def test_what_all_rows_use_is_not_spilled():
    found = list(loops(DEPTHWISE, "x86-64-v3"))
    assert not any(count(each, "(%rsp)") for each in found)
    (tile,) = (each for each in found if count(each, "vfmadd") == 36)
    # A load for each of six weights; elements of the image are operands.
    assert len(tile) <= 36 + 6 + 6
