"""Compile LLVM IR as it is, for functions of the house's own."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from ..elf import Image
from ..hostcode import pool_text
from .code import link_functions
from .fork import LLVM_LOCK, check_whole, unforked


def _object_of(text: str, machine: str) -> bytes:
    """The object of LLVM IR for a machine, x86_64 or aarch64, on Linux."""
    check_whole()
    with unforked(), LLVM_LOCK:
        from llvmlite import binding

        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        target = binding.Target.from_triple(f"{machine}-unknown-linux-gnu")
        # With jit=True the code is of the large model, as that of kernels is.
        with target.create_target_machine(reloc="pic", jit=True) as made:
            return made.emit_object(binding.parse_assembly(text))


def pool_object(machine: str) -> bytes:
    """The functions of the pool of threads as an object for a machine."""
    return _object_of(pool_text(machine), machine)


def link_text(text: str, exported: Sequence[str]) -> Image:
    """The addresses of functions by name, from LLVM IR that is compiled as it is."""
    return link_functions([_object_of(text, platform.machine())], exported)
