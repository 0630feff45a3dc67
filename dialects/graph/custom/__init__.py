"""Ops that users bring, and the kinds of their kernels."""

from __future__ import annotations

from .kernels import (
    PREFIX,
    Kernel,
    Native,
    NativeKernel,
    argument_type,
    check_kernels,
)
from .op import CustomOp, can_fold

__all__ = [
    "CustomOp",
    "Kernel",
    "Native",
    "NativeKernel",
    "PREFIX",
    "argument_type",
    "can_fold",
    "check_kernels",
]
