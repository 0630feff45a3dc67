"""
The two calls of LLVM that take long, without the lock of llvmlite.

llvmlite lets one thread of a process into LLVM, whatever it does there. LLVM itself
asks for less: a context with its modules, and a machine, are for one thread at a time.
These two calls change nothing else (`ffi/newpassmanagers.cpp`, `ffi/targets.cpp` of
llvmlite 0.50), so threads with a context and a machine of their own may be in them side
by side. The lock is left as it is, since others take it too; and it is taken here where
llvmlite is not made like this. A fork waits for these calls as it does for the lock.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import string_at
from typing import Any

from llvmlite import binding

from ...runtime.machine import unforked


def unlocked(name: str) -> Callable[..., Any] | None:
    """A function of llvmlite's library without its lock, if that can be had."""
    wrapped = getattr(binding.ffi.lib, name, None)
    return getattr(wrapped, "_cfn", None)


def run_passes(
    passes: binding.ModulePassManager,
    module: binding.ModuleRef,
    builder: binding.PassBuilder,
) -> None:
    """Runs the passes that a builder made on a module of a context of its own."""
    run = unlocked("LLVMPY_RunNewModulePassManager")
    if run is None:
        passes.run(module, builder)
    else:
        with unforked():
            run(passes, module, builder)


def emit_object(machine: binding.TargetMachine, module: binding.ModuleRef) -> bytes:
    """The object code of a module; raises `RuntimeError` when LLVM has none."""
    emit = unlocked("LLVMPY_TargetMachineEmitToMemory")
    if emit is None:
        return machine.emit_object(module)
    with binding.ffi.OutputString() as error:
        with unforked():
            buffer = emit(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    library = binding.ffi.lib
    try:
        start = library.LLVMPY_GetBufferStart(buffer)
        return string_at(start, library.LLVMPY_GetBufferSize(buffer))
    finally:
        library.LLVMPY_DisposeMemoryBuffer(buffer)
