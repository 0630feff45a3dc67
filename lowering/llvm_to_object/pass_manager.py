"""
`pass_manager`: LLVM's passes for one module, freed when they have run.

In llvmlite 0.50 a pass manager inherits `close` from a base class that frees nothing,
which comes before the one that would (`binding/newpassmanagers.py`): 60 KB are lost for
each module. So it is freed here, unless llvmlite does it by then. What is left are the
1.5 KB of `PassInstrumentationCallbacks` (`ffi/newpassmanagers.cpp`), which nothing that
llvmlite exports can free. A pass builder cannot be kept for the next module instead:
a run leaves callbacks in it that point into the stack.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from enum import Enum

from llvmlite import binding


class Passes(Enum):
    """Which of LLVM's passes a module takes."""

    ALL = "all"
    FEW = "few"
    """Those that always pay."""

    INLINE = "inline"
    """That without which functions that are to be inlined would be called."""


@contextmanager
def pass_manager(
    builder: binding.PassBuilder, which: Passes = Passes.ALL
) -> Generator[binding.ModulePassManager]:
    """The passes of a builder, or fewer of them, until the block ends."""
    match which:
        case Passes.ALL:
            passes = builder.getModulePassManager()
        case Passes.FEW:
            passes = _few_passes()
        case Passes.INLINE:
            passes = binding.create_new_module_pass_manager()
            passes.add_always_inliner_pass()
    try:
        yield passes
    finally:
        if frees_nothing(passes):
            binding.ffi.lib.LLVMPY_DisposeNewModulePassManger(passes)
            passes.detach()
        passes.close()


def _few_passes() -> binding.ModulePassManager:
    """
    What inlines functions, joins blocks, and combines instructions. LLVM's choice of
    instructions moves what is the same in every iteration out of loops by itself.
    """
    passes = binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    return passes


def frees_nothing(passes: binding.ModulePassManager) -> bool:
    """Whether closing a pass manager leaks its passes."""
    nothing = getattr(binding.ffi.ObjectRef, "_dispose", None)
    return nothing is not None and getattr(type(passes), "_dispose", None) is nothing
