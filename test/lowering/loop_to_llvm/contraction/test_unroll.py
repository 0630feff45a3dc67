"""What the loops of contractions are made of: little but multiply-adds and loads."""

import re
from collections.abc import Iterator

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.loop.target import target_of
from static_runtime.lowering.llvm_to_object import assembly, machine_of
from static_runtime.lowering.loop_to_llvm import lower_kernels

from ...listing import loops

MATMUL = """
func.func @main(%x: tensor<120x512xf32>) -> tensor<120x256xf32> {
  %w = graph.constant dense<2.0> : tensor<512x256xf32>
  %0 = graph.matmul %x, %w : tensor<120x512xf32>, tensor<512x256xf32>
    -> tensor<120x256xf32>
  func.return %0 : tensor<120x256xf32>
}
"""


def convolution(channels: int, size: int, groups: int) -> str:
    """The text of a convolution, 3 by 3, of an image to as many channels."""
    inside = size - 2
    x = f"tensor<1x{channels}x{size}x{size}xf32>"
    w = f"tensor<{channels}x{channels // groups}x3x3xf32>"
    out = f"tensor<1x{channels}x{inside}x{inside}xf32>"
    return f"""func.func @main(%x: {x}) -> {out} {{
      %w = graph.constant dense<2.0> : {w}
      %0 = graph.conv %x, %w {{strides = array<i64: 1, 1>,
        padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
        groups = {groups} : i64}} : {x}, {w} -> {out}
      func.return %0 : {out}
    }}"""


CONVOLUTION = convolution(64, 16, 1)
DEPTHWISE = convolution(144, 56, 144)


def compiled(text: str, cpu: str) -> ModuleOp:
    """A model in the loop dialect."""
    ctx = context()
    module: ModuleOp = Parser(ctx, text).parse_module()
    Driver(ctx, Options(cache=False), cpu, None).compile(module)
    return module


def inner_loops(text: str, cpu: str) -> Iterator[list[str]]:
    """The instructions of each innermost loop of a model that multiplies and adds."""
    module = compiled(text, cpu)
    machine = machine_of(target_of(module))
    for kernel in lower_kernels(module).values():
        for loop in loops(assembly(kernel.text, machine)):
            lines = re.findall(r"^\t([a-z]\w+.*)", loop, re.MULTILINE)
            if count(lines, "vfmadd"):
                yield lines


def count(lines: list[str], word: str) -> int:
    """How many instructions have a word."""
    return sum(word in each for each in lines)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("text", [MATMUL, CONVOLUTION], ids=["matmul", "convolution"])
def test_four_steps_share_what_a_loop_costs(text: str, cpu: str):
    found = list(inner_loops(text, cpu))
    assert any(count(each, "vfmadd") % 48 == 0 for each in found)
    for each in found:
        # Accumulators, weights and addresses are in registers.
        assert not count(each, "(%rsp)")
        loads = sum(bool(re.match(r"vmovups|vbroadcastss", line)) for line in each)
        fetched = count(each, "prefetch")
        assert len(each) <= count(each, "vfmadd") + loads + fetched + 8


def test_what_all_rows_use_is_not_spilled():
    found = list(inner_loops(DEPTHWISE, "x86-64-v3"))
    assert not any(count(each, "(%rsp)") for each in found)
    (tile,) = (each for each in found if count(each, "vfmadd") == 108)
    # A load for each weight and a store for each result; elements of the image are
    # operands.
    assert len(tile) <= 108 + 18 + 12 + 12


CHANNELS_LAST = """
func.func @main(%x: tensor<1x58x58x144xf32>) -> tensor<1x56x56x144xf32> {
  %w = graph.constant dense<2.0> : tensor<3x3x1x144xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>,
    padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
    groups = 144 : i64, channels_last}
    : tensor<1x58x58x144xf32>, tensor<3x3x1x144xf32> -> tensor<1x56x56x144xf32>
  func.return %0 : tensor<1x56x56x144xf32>
}
"""


def test_a_window_is_loaded_once_for_all_rows():
    found = list(inner_loops(CHANNELS_LAST, "x86-64-v4"))
    assert not any(count(each, "(%rsp)") for each in found)
    (tile,) = (each for each in found if count(each, "vfmadd") == 9 * 14)
    # Sixteen places of each of three lines, and the weights.
    loads = [each for each in tile if re.match(r"vmovups\s+[^%]*\(", each)]
    of_factors = [each for each in tile if each.startswith("vfmadd") and "(" in each]
    assert len(loads) + len(of_factors) <= 3 * 16 + 9


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
def test_k_of_an_open_image_add_to_what_a_tap_begins_at(cpu: str):
    x = 'tensor<1x64x?x?xf32, ["h", "w"]>'
    out = 'tensor<1x64x?x?xf32, ["h - 2", "w - 2"]>'
    text = CONVOLUTION.replace("tensor<1x64x16x16xf32>", x)
    module = compiled(text.replace("tensor<1x64x14x14xf32>", out), cpu)
    kernels = [each.text for each in lower_kernels(module).values()]
    blocks = re.findall(r"^(\w+):\n((?:  .*\n)+)", "\n".join(kernels), re.MULTILINE)
    steps = [
        body for name, body in blocks if "fma" in body and f"label %{name}," in body
    ]
    assert steps
    for each in steps:
        # By a pitch that the run knows, which strength reduction would take apart.
        assert not re.search(r"mul nsw i64 %\w+, %", each)
