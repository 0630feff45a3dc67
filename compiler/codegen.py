"""
The compiler's only door to the lowerings: kernels, LLVM text, and machine code.

Besides the pipeline, which contains the lowering pass `graph-to-loop`, only this file
imports them; the driver, the tools and the tuner import them from here.
"""

from __future__ import annotations

from ..lowering.graph_to_loop import build_kernel, kernel_name
from ..lowering.llvm_to_object import Machine, kept_object, machine_of, objects
from ..lowering.llvm_to_object.linked import linked_object
from ..lowering.loop_to_bytecode import (
    write_bytecode,
    write_row_plan,
    write_tensor_plan,
)
from ..lowering.loop_to_llvm import (
    ALIGNMENT,
    MOST,
    NOT_PLANNED,
    OTHER_WEIGHTS,
    SUPPORT,
    Places,
    function_name,
    limits_of,
    lower_bundle,
    lower_by_module,
    lower_kernels,
    lower_library,
    lower_program,
    module_to_llvm,
    refusals,
    sum_of_words,
    text_constant,
    write_bundle_check,
)

__all__ = [
    "ALIGNMENT",
    "MOST",
    "NOT_PLANNED",
    "OTHER_WEIGHTS",
    "Machine",
    "Places",
    "SUPPORT",
    "build_kernel",
    "function_name",
    "kept_object",
    "kernel_name",
    "limits_of",
    "linked_object",
    "lower_bundle",
    "lower_by_module",
    "lower_kernels",
    "lower_library",
    "lower_program",
    "machine_of",
    "module_to_llvm",
    "objects",
    "refusals",
    "sum_of_words",
    "text_constant",
    "write_bundle_check",
    "write_bytecode",
    "write_row_plan",
    "write_tensor_plan",
]
