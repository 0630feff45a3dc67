"""
Lower the loop dialect to LLVM IR, as text: a module for each kernel, one for the
program.

Text, because that is what LLVM reads best: with the exact types, alignments and
attributes that a kernel needs, and vectors and register tiles unrolled only here. A
kernel's function is named after a hash of its text, so that the same kernel is the same
object wherever it stands, and is compiled once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from ...dialects import Dim
from ...dialects.loop import CallOp, KernelOp, ProgramOp, target_of
from ...runtime import ENTRY, PLACING, Reach
from .kernel.kernel import write_kernel
from .math import declarations
from .program.bundle_check import OTHER_WEIGHTS, sum_of_words, write_bundle_check
from .program.bundle_entry import NOT_PLANNED, Places, write_bundle_entry
from .program.bundle_plan import (
    ALIGNMENT,
    MOST,
    limits_of,
    refusals,
    write_filling,
    write_planning,
)
from .program.context_layout import layout_of, row_of
from .program.entry import write_entry
from .program.kernel_entry import write_kernel_entry
from .program.reach import reach_of, reach_of_plans
from .program.run import write_calls, write_program
from .program.support import SUPPORT, support_declarations
from .program.wide_entry import is_wide, write_wide_entry
from .text.constants import text_constant

__all__ = [
    "ALIGNMENT",
    "LlvmModule",
    "LlvmProgram",
    "MOST",
    "NOT_PLANNED",
    "OTHER_WEIGHTS",
    "Places",
    "SUPPORT",
    "function_name",
    "layout_of",
    "limits_of",
    "lower_bundle",
    "lower_by_module",
    "lower_kernels",
    "lower_library",
    "lower_program",
    "module_to_llvm",
    "reach_of_plans",
    "refusals",
    "row_of",
    "sum_of_words",
    "text_constant",
    "write_bundle_check",
]

PLACEHOLDER = "@sr_kernel"


@dataclass(frozen=True)
class LlvmModule:
    """The text of one LLVM module, and what it holds."""

    name: str
    text: str
    sizes: tuple[Dim, ...] = ()
    """The dimensions that its code computes from symbols."""


@dataclass(frozen=True)
class LlvmProgram:
    """
    The modules of a program: its kernels, each once, then the calls and the entry.
    """

    kernels: tuple[LlvmModule, ...]
    main: LlvmModule
    reach: Reach
    """What all numbers that are computed from sizes are less than."""

    @property
    def modules(self) -> tuple[LlvmModule, ...]:
        """All of them."""
        return (*self.kernels, self.main)


def lower_kernels(module: ModuleOp) -> dict[str, LlvmModule]:
    """The LLVM module of every kernel, by the kernel's name."""
    return dict(_each_kernel(module))


def _each_kernel(module: ModuleOp) -> Iterator[tuple[str, LlvmModule]]:
    """Each kernel's name, and its LLVM module."""
    for op in module.ops:
        if isinstance(op, KernelOp):
            text, sizes = write_kernel(op, target_of(module), PLACEHOLDER)
            digest = hashlib.sha256(text.encode()).hexdigest()[:20]
            text = text.replace(f"{PLACEHOLDER}(", f"{function_name(digest)}(")
            text += declarations(text)
            yield op.sym_name.data, LlvmModule(digest, text, sizes)


def lower_library(module: ModuleOp) -> dict[str, str]:
    """
    The LLVM text of each kernel of a library, by its name, with the function that an
    interpreter calls it by.
    """
    found: dict[str, str] = {}
    for op in module.ops:
        if isinstance(op, KernelOp):
            name = op.sym_name.data
            text, _ = write_kernel(op, target_of(module), PLACEHOLDER)
            text = text.replace(f"{PLACEHOLDER}(", f"{function_name(name)}(")
            entry = f"@{ENTRY}{name}"
            text += "\n" + write_kernel_entry(op, function_name(name), entry)
            found[name] = text + declarations(text)
    return found


def function_name(digest: str) -> str:
    """The name of the function that a kernel with this hash is."""
    return f"@sr_k_{digest}"


def lower_program(module: ModuleOp) -> LlvmProgram:
    """
    The LLVM modules of the only program of a module.

    Raises `VerifyException` when there are several, or none, or a kernel is missing.
    """
    lowering = lower_by_module(module)
    while True:
        try:
            next(lowering)
        except StopIteration as end:
            return end.value


def lower_by_module(module: ModuleOp) -> Generator[str, None, LlvmProgram]:
    """
    As `lower_program`, but the text of each module is given when it is written, so that
    it can be compiled while the next one is.
    """
    programs = [op for op in module.ops if isinstance(op, ProgramOp)]
    if len(programs) != 1:
        raise VerifyException(f"expected one program, got {len(programs)}")
    (program,) = programs
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    for op in program.walk():
        if isinstance(op, CallOp) and op.kernel_name not in kernels:
            raise VerifyException(
                f"expected kernel {op.kernel_name} beside the program, got none"
            )
    lowered: dict[str, LlvmModule] = {}
    once: dict[str, LlvmModule] = {}
    for name, each in _each_kernel(module):
        lowered[name] = each
        if each.name not in once:
            once[each.name] = each
            yield each.text
    names = {name: function_name(each.name) for name, each in lowered.items()}
    run, computed = write_program(program, kernels, names)
    entry = write_wide_entry if is_wide(program) else write_entry
    call, compared = entry(program)
    text = run + call
    text += support_declarations(text) + declarations(text)
    main = LlvmModule("main", text, (*computed, *compared))
    yield main.text
    reach = reach_of(program, main.sizes, _computed_inside(kernels, lowered))
    return LlvmProgram(tuple(once.values()), main, reach)


def _computed_inside(
    kernels: Mapping[str, KernelOp], lowered: Mapping[str, LlvmModule]
) -> dict[str, tuple[list[str], tuple[Dim, ...]]]:
    """The symbols of each kernel, and the dimensions that its code computes."""
    return {
        name: ([each.data for each in kernels[name].symbols], each.sizes)
        for name, each in lowered.items()
    }


def lower_bundle(module: ModuleOp, name: str, places: Places | None) -> tuple[str, ...]:
    """
    The texts of the kernels of a module, each once, then of its program and the C
    functions that run it, `name` and others; they need no Python.

    Without places there is a function that plans for sizes, and the code that it needs.
    """
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    lowered = lower_kernels(module)
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    names = {key: function_name(each.name) for key, each in lowered.items()}
    text, computed = write_calls(program, kernels, names)
    # Several programs of one object each have their own.
    text = text.replace("define i32 @sr_run(", "define internal i32 @sr_run(")
    text += write_bundle_entry(program, name, places)
    texts = {each.name: each.text for each in lowered.values()}
    texts["run"] = text + declarations(text)
    if places is None:
        filling, filled = write_filling(program, name)
        inside = _computed_inside(kernels, lowered)
        reach = reach_of(program, (*computed, *filled), inside)
        texts["place"] = PLACING
        texts["plan"] = write_planning(program, name, filling, reach)
    return tuple(texts.values())


def module_to_llvm(module: ModuleOp) -> str:
    """The LLVM IR of kernels, and of the program when there is one, for reading."""
    parts: list[str] = []
    for name, each in lower_kernels(module).items():
        parts.append(f"; kernel @{name}\n{each.text}")
    if any(isinstance(op, ProgramOp) for op in module.ops):
        parts.append(f"; the program\n{lower_program(module).main.text}")
    return "\n".join(parts)
