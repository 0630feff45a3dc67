"""
Lower the kernels of the loop dialect to LLVM IR, as text: a module for each.

Text, because that is what LLVM reads best: with the exact types, alignments and
attributes that a kernel needs, and vectors and register tiles unrolled only here. A
kernel's function is named after a hash of its text, so that the same kernel is the same
object wherever it stands, and is compiled once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp

from ...dialects import Dim
from ...dialects.loop import KernelOp, TargetAttr, target_of
from .kernel.kernel import write_kernel
from .math import declarations
from .text.constants import text_constant

__all__ = [
    "KernelStore",
    "LlvmModule",
    "each_kernel",
    "kernel_function",
    "lower_kernels",
    "sizes_inside",
    "text_constant",
    "written_kernel",
]

PLACEHOLDER = "@sr_kernel"


@dataclass(frozen=True)
class LlvmModule:
    """The text of one LLVM module, and what it holds."""

    name: str
    text: str
    sizes: tuple[Dim, ...] = ()
    """The dimensions that its code computes from symbols."""
    code: bytes = b""
    """Its object code, where that was kept: then there is no text."""

    @property
    def given(self) -> str | bytes:
        """The text that LLVM compiles, or the code that it made."""
        return self.code or self.text


class KernelStore(Protocol):
    """What may know the object code of a kernel."""

    def find(self, kernel: KernelOp) -> LlvmModule | None:
        """The module of a kernel, with its code, if it is known."""
        ...

    def keep(self, kernel: KernelOp, made: LlvmModule) -> None:
        """Takes the module of a kernel that was not found."""
        ...


def lower_kernels(module: ModuleOp) -> dict[str, LlvmModule]:
    """The LLVM module of every kernel, by the kernel's name."""
    return dict(each_kernel(module))


def each_kernel(
    module: ModuleOp, store: KernelStore | None = None
) -> Iterator[tuple[str, LlvmModule]]:
    """Each kernel's name, and its LLVM module: of a store if it is there."""
    for op in module.ops:
        if isinstance(op, KernelOp):
            made = None if store is None else store.find(op)
            if made is None:
                made = _written(op, target_of(module))
                if store is not None:
                    store.keep(op, made)
            yield op.sym_name.data, made


def _written(kernel: KernelOp, target: TargetAttr) -> LlvmModule:
    """The LLVM module of a kernel."""
    text, sizes = write_kernel(kernel, target, PLACEHOLDER)
    digest = hashlib.sha256(text.encode()).hexdigest()[:20]
    text = text.replace(f"{PLACEHOLDER}(", f"@{kernel_function(digest)}(")
    return LlvmModule(digest, text + declarations(text), sizes)


def sizes_inside(kernel: KernelOp, target: TargetAttr) -> tuple[Dim, ...]:
    """The dimensions that a kernel's code computes from symbols."""
    return write_kernel(kernel, target, PLACEHOLDER)[1]


def written_kernel(kernel: KernelOp, target: TargetAttr, name: str, more: str) -> str:
    """The text of a kernel with a name of its own, beside more text."""
    text, _ = write_kernel(kernel, target, PLACEHOLDER)
    text = text.replace(f"{PLACEHOLDER}(", f"@{kernel_function(name)}(") + "\n" + more
    return text + declarations(text)


def kernel_function(digest: str) -> str:
    """The name of the function that a kernel with this hash is."""
    return f"sr_k_{digest}"
