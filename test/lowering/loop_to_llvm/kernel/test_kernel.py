"""The assembly of kernels that go over memory: in vectors, and nothing else."""

import re

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.loop.set_target import SetTarget
from static_runtime.compiler.passes.loop.vectorize_loops import VectorizeLoops
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.loop.target import target_of
from static_runtime.lowering.llvm_to_object import assembly, machine_of
from static_runtime.lowering.loop_to_llvm import lower_kernels

from ...listing import loops

ADD_MAX = """
func.func @main(%x: tensor<1x56x56x256xf32>, %y: tensor<1x56x56x256xf32>)
    -> tensor<1x56x56x256xf32> {
  %0 = graph.add %x, %y : tensor<1x56x56x256xf32>, tensor<1x56x56x256xf32>
    -> tensor<1x56x56x256xf32>
  %1 = graph.relu %0 : tensor<1x56x56x256xf32> -> tensor<1x56x56x256xf32>
  func.return %1 : tensor<1x56x56x256xf32>
}
"""

# A running sum is no elementwise op, and so a kernel of its own; its value dies next.
ADD_MAX_IN_PLACE = """
func.func @main(%x: tensor<1x56x56x256xf32>, %y: tensor<56x1x56x256xf32>)
    -> tensor<1x56x56x256xf32> {
  %0 = graph.cumsum %y {axis = 0 : i64}
    : tensor<56x1x56x256xf32> -> tensor<56x1x56x256xf32>
  %1 = graph.reshape %0 {shape = ["1", "56", "56", "256"]}
    : tensor<56x1x56x256xf32> -> tensor<1x56x56x256xf32>
  %2 = graph.add %x, %1 : tensor<1x56x56x256xf32>, tensor<1x56x56x256xf32>
    -> tensor<1x56x56x256xf32>
  %3 = graph.relu %2 : tensor<1x56x56x256xf32> -> tensor<1x56x56x256xf32>
  func.return %3 : tensor<1x56x56x256xf32>
}
"""

KERNELS = """
loop.kernel @in_place(%a: memref<?xf32>, %b: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel %i to 802816 {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = loop.load %b[%i] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    %w = arith.maximumf %z, %zero : f32
    loop.store %w, %b[%i] : memref<?xf32>
    loop.yield
  }
}
loop.kernel @batch(%a: memref<?xf32>, %b: memref<?xf32>) symbols ["n"] {
  loop.for parallel %i to "64 * n" {
    %x = loop.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    loop.store %y, %b[%i] : memref<?xf32>
    loop.yield
  }
}
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


def backward_jumps(text: str) -> list[str]:
    """The labels that something after them jumps to: one for each loop."""
    found: list[str] = []
    for jump in re.finditer(r"^\s+j\w+\s+(\.LBB\w+)$", text, re.MULTILINE):
        if f"{jump[1]}:" in text[: jump.start()]:
            found.append(jump[1])
    return found


def check_add_max(text: str) -> None:
    """
    Asserts that assembly is Glow's listing of a sum and a maximum in one loop.

    Four vectors a step are loaded, added from memory, compared and stored, and there is
    nothing else but the count: no bodies are left over, and no addresses are compared.
    """
    (loop,) = loops(text)
    assert len(backward_jumps(text)) == 1
    words = [line.split()[0] for line in loop.splitlines()[1:]]
    once = ["vmovups", "vaddps", "vmaxps", "vmovups"]
    assert words[:-1] == [*once * 4, "addq", "cmpq"]
    assert re.fullmatch("jb|jl|jne", words[-1])
    register = r"%ymm\d+"
    assert len(re.findall(rf"vmovups\s+\S+\), {register}", loop)) == 4
    assert len(re.findall(rf"vaddps\s+\S+\), {register}, {register}", loop)) == 4
    assert len(re.findall(rf"vmovups\s+{register}, \S+\)", loop)) == 4
    (zero,) = set(re.findall(rf"vmaxps\s+{register}, ({register})", loop))
    number = zero.removeprefix("%ymm")
    assert re.search(rf"vxorps\s+(%xmm{number}), \1, \1", text)
    assert re.search(r"addq\s+\$32, ", loop)
    # No body is computed by itself, in or after the loop.
    assert text.count("vaddps") == 4
    assert not re.search(r"v(add|max)ss", text)


def last_assembly(model: str) -> str:
    """The assembly of the last kernel of a model."""
    module: ModuleOp = Parser(context(), model).parse_module()
    Driver(context(), Options(cache=False), "x86-64-v3", None).compile(module)
    *_, kernel = lower_kernels(module).values()
    return assembly(kernel.text, machine_of(target_of(module)))


@pytest.mark.parametrize("model", [ADD_MAX, ADD_MAX_IN_PLACE], ids=["apart", "in"])
def test_a_sum_and_a_maximum_are_glows_listing(model: str):
    text = last_assembly(model)
    check_add_max(text)
    # Once, each thread asks whether it has a share.
    assert len(re.findall(r"cmpq\s+%\w+, %\w+\n\s+jge", text)) == 1


@pytest.mark.parametrize("name", ["add_relu", "in_place"])
def test_short_bodies_run_in_four_vectors_a_step(name: str):
    text = assemblies("x86-64-v3")[name]
    check_add_max(text)
    # The size is known, so that nothing at all is asked before the loop.
    assert len(re.findall(r"\bj\w+\s+\.LBB", text)) == 1


def test_what_is_computed_in_place_is_stored_where_it_was_read():
    # The sum is a value that dies in the model, and so is overwritten.
    (loop,) = loops(last_assembly(ADD_MAX_IN_PLACE))
    (added,) = set(re.findall(r"vaddps\s+\d*\((%\w+),", loop))
    (stored,) = set(re.findall(r"vmovups\s+%ymm\d+, \d*\((%\w+),", loop))
    assert added == stored


def test_a_quantised_vector_is_held_rounded_and_packed_by_an_instruction_each():
    text = last_assembly(
        """func.func @main(%x: tensor<4096xf32>) -> tensor<4096xui8> {
          %s = graph.constant dense<0.1> : tensor<f32>
          %p = graph.constant dense<9> : tensor<ui8>
          %1 = graph.quantize %x, %s, %p
            : tensor<4096xf32>, tensor<f32>, tensor<ui8> -> tensor<4096xui8>
          func.return %1 : tensor<4096xui8>
        }"""
    )
    (loop,) = loops(text)
    counts = {
        name: len(re.findall(rf"\b{name}\b", loop))
        for name in ("vmaxps", "vminps", "vcvtps2dq", "vroundps", "vcmpltps")
    }
    assert list(counts.values()) == [4, 4, 4, 0, 0], counts
    # LLVM adds the zero point to words, or to bytes that are packed.
    assert 1 <= len(re.findall(r"\bvpadd[db]\b", loop)) <= 4
    assert "vpackuswb" in loop


def test_no_bodies_are_left_over_of_a_symbol_times_whole_vectors():
    text = assemblies("x86-64-v3")["batch"]
    assert len(backward_jumps(text)) == 1
    assert not re.search("vaddss", text)


@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
def test_every_stage_of_a_row_runs_in_vectors(cpu: str):
    text = assemblies(cpu)["softmax"]
    register = "%ymm" if cpu == "x86-64-v3" else "%zmm"
    greatest, exponential, last = loops(text)
    assert len(re.findall(rf"vmaxps.*{register}", greatest)) >= 4
    # Four vectors of exponentials; each is stored once.
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
