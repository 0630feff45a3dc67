"""LLVM's passes: few where that is enough, and freed when they have run."""

from __future__ import annotations

from dataclasses import replace

from llvmlite import binding

from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.compiler.session.options import Options
from static_runtime.lowering.host_to_llvm import LlvmProgram, lower_program
from static_runtime.lowering.llvm_to_object import (
    FEW_PASSES,
    QUICK,
    Machine,
    assembly,
    compile_text,
    target_machine,
)
from static_runtime.lowering.llvm_to_object.pass_manager import (
    frees_nothing,
    pass_manager,
)

from ...runtime.resident import growth

MACHINE = Machine("x86_64-unknown-linux-gnu", "x86-64-v3", "")
TEXT = "define i64 @twice(i64 %x) {\n  %y = mul i64 %x, 2\n  ret i64 %y\n}\n"

QUARTER = """
define internal i64 @twice(i64 %x) alwaysinline {
  %y = mul i64 %x, 2
  ret i64 %y
}
define i64 @quarter(i64 %x) nounwind MARK {
entry:
  %y = call i64 @twice(i64 %x)
  br label %next
next:
  %z = call i64 @twice(i64 %y)
  ret i64 %z
}
"""

LINEAR = """
func.func @main(%x: tensor<ROWSx64xf32NAMES>) -> tensor<ROWSx96xf32NAMES> {
  %w = graph.constant dense<2.0> : tensor<64x96xf32>
  %0 = graph.matmul %x, %w : tensor<ROWSx64xf32NAMES>, tensor<64x96xf32>
    -> tensor<ROWSx96xf32NAMES>
  func.return %0 : tensor<ROWSx96xf32NAMES>
}
"""


def lowered(rows: str, names: str) -> LlvmProgram:
    """The LLVM text of a linear layer of `rows` rows."""
    ctx, text = context(), LINEAR.replace("ROWS", rows).replace("NAMES", names)
    module = parse_module(ctx, text, "linear")
    Driver(ctx, Options(cache=False), "x86-64-v3", None).compile(module)
    return lower_program(module)


def test_few_passes_inline_and_simplify_as_all_do():
    few, every = (
        assembly(QUARTER.replace("MARK", mark), MACHINE) for mark in (FEW_PASSES, "")
    )
    assert "call" not in few
    # But for the order of what is in no function, the code is the same.
    body = few[few.index("quarter:") : few.index(".Lfunc_end")]
    assert body in every
    assert "twice" not in body


def test_quick_code_has_no_call_of_what_is_to_be_inlined():
    text = QUARTER.replace("MARK", "")
    quick = assembly(text, replace(MACHINE, code=QUICK))
    body = quick[quick.index("quarter:") : quick.index(".Lfunc_end")]
    assert "call" not in body
    assert body not in assembly(text, MACHINE)


def test_tiles_and_what_runs_a_program_take_few_passes():
    for rows, names in (("?", ', ["n"]'), ("24", "")):
        made = lowered(rows, names)
        (kernel,) = made.kernels
        assert FEW_PASSES in kernel.text
        assert FEW_PASSES in made.main.text


def test_a_compile_leaves_next_to_nothing_behind():
    compile_text(TEXT, MACHINE)
    # Passes that are not freed are 50 KB.
    assert growth(4, lambda: compile_text(TEXT, MACHINE)) < 1e4


class Freed(binding.ModulePassManager):
    """A pass manager as llvmlite might make it, which frees itself."""

    times = 0

    def _dispose(self) -> None:
        self.times += 1
        binding.ffi.lib.LLVMPY_DisposeNewModulePassManger(self)


def test_what_llvmlite_frees_is_not_freed_again():
    own = Freed()

    class Builder:
        """Gives the pass manager that frees itself."""

        def getModulePassManager(self) -> binding.ModulePassManager:
            return own

    assert not frees_nothing(own)
    with pass_manager(Builder()) as passes:  # pyright: ignore[reportArgumentType]
        assert passes is own
    assert own.times == 1
    assert own.closed


def test_passes_end_with_their_block():
    with (
        target_machine(MACHINE) as machine,
        binding.create_pipeline_tuning_options() as tuning,
        binding.create_pass_builder(machine, tuning) as builder,
    ):
        with pass_manager(builder) as passes:
            assert not passes.closed
        assert passes.closed
