"""
The compiler's only door to the lowerings: kernels, LLVM text, and machine code.

Besides the pipeline, which contains the lowering pass `graph-to-loop`, only this file
imports them; the driver, the tools and the tuner import them from here.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ...lowering.graph_to_loop import build_kernel
from ...lowering.host_to_bytecode import (
    lower_plan_to_bytecode,
    lower_program_to_bytecode,
)
from ...lowering.host_to_llvm import (
    SUPPORT,
    lower_bundle,
    lower_by_module,
    lower_library,
    lower_program,
    module_to_llvm,
)
from ...lowering.llvm_to_object import Machine, kept_object, machine_of, objects
from ...lowering.llvm_to_object.linked import linked_object
from ...lowering.loop_to_llvm import kernel_function, lower_kernels, text_constant
from ...lowering.program_to_host import (
    MOST,
    NOT_PLANNED,
    OTHER_WEIGHTS,
    Places,
    limits_of,
    refusals,
    sum_of_words,
)

__all__ = [
    "MOST",
    "Machine",
    "NOT_PLANNED",
    "OTHER_WEIGHTS",
    "Places",
    "SUPPORT",
    "build_kernel",
    "kept_object",
    "kernel_function",
    "limits_of",
    "linked_object",
    "lower_bundle",
    "lower_by_module",
    "lower_kernels",
    "lower_library",
    "lower_plan_to_bytecode",
    "lower_program",
    "lower_program_to_bytecode",
    "machine_of",
    "module_to_llvm",
    "module_to_mlir",
    "objects",
    "refusals",
    "sum_of_words",
    "text_constant",
]


def module_to_mlir(module: ModuleOp) -> ModuleOp:
    """What a program does besides kernels, in MLIR; only readers of IR import this."""
    from ...lowering import host_to_mlir

    return host_to_mlir.module_to_mlir(module)
