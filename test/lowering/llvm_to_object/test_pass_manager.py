"""LLVM's passes are freed when they have run."""

from __future__ import annotations

from llvmlite import binding

from static_runtime.lowering.llvm_to_object import (
    Machine,
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


def test_a_compile_leaves_next_to_nothing_behind():
    compile_text(TEXT, MACHINE)
    # Passes that are not freed are 50 KB.
    assert growth(10, lambda: compile_text(TEXT, MACHINE)) < 5e3


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
