"""What LLVM makes without llvmlite's lock is what it makes with it."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from llvmlite import binding

from static_runtime.lowering.llvm_to_object import (
    Machine,
    compile_text,
    objects,
    target_machine,
)
from static_runtime.lowering.llvm_to_object.unlocked import (
    emit_object,
    run_passes,
    unlocked,
)

MACHINE = Machine("x86_64-unknown-linux-gnu", "x86-64-v3", "")

TEXT = """
define i64 @twice(i64 %x) {
  %y = mul i64 %x, 3
  %z = sub i64 %y, %x
  ret i64 %z
}
"""

PATIENCE = 300
"""Seconds after which what must happen is taken for never."""


class Locked:
    """llvmlite's library as it might be made: functions which only take calls."""

    def __init__(self, library: Any):
        self.library = library

    def __getattr__(self, name: str) -> Any:
        return partial(getattr(self.library, name))


@contextmanager
def prepared() -> Generator[
    tuple[
        binding.TargetMachine,
        binding.ModuleRef,
        binding.PassBuilder,
        binding.ModulePassManager,
    ]
]:
    """A machine, a module in a context of its own, and passes for it."""
    with (
        target_machine(MACHINE) as machine,
        binding.create_context() as context,
        binding.parse_assembly(TEXT, context) as module,
        binding.create_pipeline_tuning_options() as tuning,
        binding.create_pass_builder(machine, tuning) as builder,
        builder.getModulePassManager() as passes,
    ):
        yield machine, module, builder, passes


def test_passes_run_and_objects_are_written_as_llvmlite_does():
    with prepared() as (machine, module, builder, passes):
        passes.run(module, builder)
        expected = str(module), machine.emit_object(module)
    with prepared() as (machine, module, builder, passes):
        run_passes(passes, module, builder)
        assert (str(module), emit_object(machine, module)) == expected
    assert "shl" in expected[0]


def test_passes_do_not_wait_for_the_lock():
    with prepared() as (_, module, builder, passes):
        run = threading.Thread(target=run_passes, args=(passes, module, builder))
        with binding.ffi.lib.LLVMPY_RunNewModulePassManager._lock:
            run.start()
            run.join(PATIENCE)
            assert not run.is_alive()
        assert "shl" in str(module)


def test_objects_are_written_without_the_lock():
    assert unlocked("LLVMPY_TargetMachineEmitToMemory") is not None


def test_a_function_that_is_not_there_has_no_unlocked_form():
    assert unlocked("LLVMPY_NoSuchFunction") is None


@pytest.mark.parametrize("threads", [1, 3])
def test_a_library_of_another_make_is_used_with_its_lock(
    threads: int, monkeypatch: pytest.MonkeyPatch
):
    texts = [TEXT.replace("3", str(each)) for each in range(3, 9)]
    expected = [compile_text(text, MACHINE) for text in texts]
    monkeypatch.setattr(binding.ffi, "lib", Locked(binding.ffi.lib))
    assert unlocked("LLVMPY_RunNewModulePassManager") is None
    assert unlocked("LLVMPY_TargetMachineEmitToMemory") is None
    assert objects(texts, MACHINE, None, threads) == (expected, 0)
