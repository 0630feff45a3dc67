"""
What the compiler takes of the lowerings: kernels, LLVM text, and machine code.

Beside the pipeline, whose last pass to loops is a lowering, this file alone imports
them; the driver, the tools and the tuner have from here what they need.
"""

from __future__ import annotations

from ..lowering.graph_to_loop.kernel import build_kernel
from ..lowering.llvm_to_object import machine_of, objects
from ..lowering.loop_to_llvm import (
    function_name,
    lower_kernels,
    lower_program,
    module_to_llvm,
)

__all__ = [
    "build_kernel",
    "function_name",
    "lower_kernels",
    "lower_program",
    "machine_of",
    "module_to_llvm",
    "objects",
]
