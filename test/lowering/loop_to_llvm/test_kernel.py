"""The assembly of kernels that go over memory: in vectors, and nothing else."""

import re

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from static_runtime.compiler.context import context
from static_runtime.compiler.passes.loop.set_target import SetTarget
from static_runtime.compiler.passes.loop.vectorize_loops import VectorizeLoops
from static_runtime.dialects.loop.target import target_of
from static_runtime.lowering.llvm_to_object import assembly, machine_of
from static_runtime.lowering.loop_to_llvm import lower_kernels

KERNELS = """
loop.kernel @add_relu(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 802816 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = loop.load %b[%i] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    %w = arith.maximumf %z, %zero : f32
    loop.store %w, %c[%i] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @softmax(%a: memref<?xf32>, %b: memref<?xf32>) {
  %least = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  loop.for parallel %i to 64 {
    %max = loop.for reduce(max) %j to 1024 (%so_far = %least : f32) {
      %x = loop.load %a[%i * 1024 + %j] : memref<?xf32>
      %next = arith.maximumf %x, %so_far fastmath<nsz> : f32
      loop.yield %next : f32
    }
    %sum = loop.for reduce(add) %j to 1024 (%so_far = %zero : f32) {
      %x = loop.load %a[%i * 1024 + %j] : memref<?xf32>
      %lower = arith.subf %x, %max : f32
      %e = math.exp %lower : f32
      %next = arith.addf %so_far, %e : f32
      loop.store %e, %b[%i * 1024 + %j] : memref<?xf32>
      loop.yield %next : f32
    }
    %part = arith.divf %one, %sum : f32
    loop.for parallel %j to 1024 {
      %e = loop.load %b[%i * 1024 + %j] : memref<?xf32>
      %y = arith.mulf %e, %part : f32
      loop.store %y, %b[%i * 1024 + %j] : memref<?xf32>
      loop.yield
    }
    loop.yield
  }
}
"""


def assemblies(cpu: str) -> dict[str, str]:
    """The assembly of each kernel for a target."""
    ctx = context()
    module: ModuleOp = Parser(ctx, KERNELS).parse_module()
    for each in (SetTarget(cpu=cpu), VectorizeLoops()):
        each.apply(ctx, module)
    machine = machine_of(target_of(module))
    lowered = lower_kernels(module).items()
    return {name: assembly(each.text, machine) for name, each in lowered}


def loops(text: str) -> list[str]:
    """The loops of one block: from a label to the jump back to it."""
    found: list[str] = []
    for block in re.split(r"^(?=\.LBB\w+:)", text, flags=re.MULTILINE):
        label = re.escape(block.split(":")[0])
        loop = re.match(rf"(?s).*?\bj\w+\s+{label}$", block, re.MULTILINE)
        found += [] if loop is None else [loop[0]]
    return found


def test_short_bodies_run_in_four_vectors_a_step():
    # As in Glow's paper: four vectors are loaded, added, compared and stored, and there
    # is nothing else but the count, since the size is a number of whole steps.
    text = assemblies("x86-64-v3")["add_relu"]
    (loop,) = loops(text)
    words = [line.split()[0] for line in loop.splitlines()[1:]]
    once = ["vmovups", "vaddps", "vmaxps", "vmovups"]
    assert words == [*once * 4, "addq", "cmpq", "jb"]
    assert len(re.findall(r"vaddps\s+\d*\(\S+\), %ymm", loop)) == 4
    assert len(set(re.findall(r"vmaxps\s+%ymm\d+, (%ymm\d+)", loop))) == 1
    assert re.search(r"addq\s+\$32,", loop)


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
def test_every_stage_of_a_row_runs_in_vectors(cpu: str):
    text = assemblies(cpu)["softmax"]
    register = "%ymm" if cpu == "x86-64-v3" else "%zmm"
    greatest, exponential, last = loops(text)
    assert len(re.findall(rf"vmaxps.*{register}", greatest)) >= 4
    # Four vectors of exponentials, each of which is stored once.
    stores = rf"vmovup\w\s+{register}\d+, \S*\(%r(?!sp)"
    assert len(re.findall(stores, exponential)) == 4
    assert re.search(rf"vmulps.*{register}", last)
    for loop in (greatest, exponential, last):
        assert not re.search(r"\bv(?!broadcast)\w+ss\b", loop)
    # With 16 registers some exponentials wait on the stack, and it is faster so.
    for loop in (greatest, last, *([exponential] if register == "%zmm" else [])):
        assert not re.search(rf"{register}\d+, -?\d*\(%rsp\)", loop)
    # One reciprocal for each row.
    assert len(re.findall(r"\bvdiv", text)) == 1
    assert "call" not in text
