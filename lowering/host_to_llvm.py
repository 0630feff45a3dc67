"""
Lower programs to LLVM IR, as text: a module for each kernel, one for what a program
does besides, which are functions of the host level.

A kernel's function is named after a hash of its text, so that the same kernel is the
same object wherever it stands, and is compiled once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from ..dialects import Dim
from ..dialects.loop import CallOp, KernelOp, ProgramOp, target_of
from ..runtime.hostcode import (
    Function,
    interpreter_functions,
    llvm_text,
    placing_text,
)
from ..runtime.machine import ENTRY
from .loop_to_llvm import (
    KernelStore,
    LlvmModule,
    each_kernel,
    kernel_function,
    lower_kernels,
    sizes_inside,
    written_kernel,
)
from .program_to_host import (
    Places,
    Reach,
    callee_of,
    data_entry,
    is_wide,
    lending,
    lower_body,
    lower_bundle_check,
    lower_bundle_plan,
    lower_bundle_runs,
    lower_enter,
    lower_entry,
    lower_kernel_entry,
    lower_plan,
    lower_sharing,
    lower_wide_entry,
    new_arrays,
    python_calls,
    reach_of,
)


def _support() -> list[Function]:
    """The functions that the programs of all models call."""
    return [*lending(), *python_calls(), *new_arrays()]


SUPPORT = llvm_text(_support()) + (
    # Of no function; a module that has it takes few passes.
    'attributes #0 = { "few-passes" }\n'
)
"""These functions as one LLVM module."""


@cache
def data_entry_text() -> str:
    """The functions that run any model as data, with what they call, as one module."""
    found = [*data_entry(), *interpreter_functions(), *_support()]
    # The first of a name is meant: others are for modules that lack it.
    by_name = {each.signature.name: each for each in reversed(found)}
    return llvm_text([*by_name.values()])


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


def lower_program(module: ModuleOp) -> LlvmProgram:
    """
    The LLVM modules of the only program of a module.

    Raises `VerifyException` unless there is one program, and each of its kernels.
    """
    lowering = lower_by_module(module)
    while True:
        try:
            next(lowering)
        except StopIteration as end:
            return end.value


def lower_by_module(
    module: ModuleOp, store: KernelStore | None = None
) -> Generator[str | bytes, None, LlvmProgram]:
    """
    As `lower_program`, but the text of each module is given when it is written, so that
    it can be compiled while the next one is; or a kernel's code, if a store has it.
    """
    program = _program_in(module)
    kernels = _kernels_in(module)
    for op in program.walk():
        if isinstance(op, CallOp) and op.kernel_name not in kernels:
            raise VerifyException(
                f"expected kernel {op.kernel_name} beside the program, got none"
            )
    lowered: dict[str, LlvmModule] = {}
    once: dict[str, LlvmModule] = {}
    for name, each in each_kernel(module, store):
        lowered[name] = each
        if each.name not in once:
            once[each.name] = each
            yield each.given
    body = lower_body(program, is_polled=True, forks=True)
    entry, compared = _entry_of(program)
    functions = [*body.functions, *lower_enter(program), *entry]
    main = LlvmModule(
        "main", _with_kernels(functions, kernels, lowered), (*body.sizes, *compared)
    )
    yield main.text
    sizes = {name: each.sizes for name, each in lowered.items()}
    reach = reach_of(program, main.sizes, _computed_inside(kernels, sizes))
    return LlvmProgram(tuple(once.values()), main, reach)


def reach_in(module: ModuleOp, known: dict[str, tuple[Dim, ...]]) -> Reach:
    """
    What all numbers of the only program of a module are less than. What a kernel's code
    computes is `known` by its name, or else is found, which takes as long as to write
    that code, and is then known.
    """
    program, kernels = _program_in(module), _kernels_in(module)
    new = [each for name, each in kernels.items() if name not in known]
    for kernel in new:
        known[kernel.sym_name.data] = sizes_inside(kernel, target_of(module))
    body = lower_body(program, is_polled=True)
    _, compared = _entry_of(program)
    sizes = {name: known[name] for name in kernels}
    inside = _computed_inside(kernels, sizes)
    return reach_of(program, (*body.sizes, *compared), inside)


def _entry_of(program: ProgramOp) -> tuple[list[Function], tuple[Dim, ...]]:
    """`sr_call` for a program, and the dimensions that it computes."""
    return (lower_wide_entry if is_wide(program) else lower_entry)(program)


def _program_in(module: ModuleOp) -> ProgramOp:
    """The program of a module; raises `VerifyException` unless there is one."""
    match [op for op in module.ops if isinstance(op, ProgramOp)]:
        case [program]:
            return program
        case []:
            raise VerifyException(
                "expected one program, got none; run graph-to-loop first"
            )
        case programs:
            raise VerifyException(f"expected one program, got {len(programs)}")


def _kernels_in(module: ModuleOp) -> dict[str, KernelOp]:
    """The kernels of a module by name."""
    return {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}


def _with_kernels(
    functions: Iterable[Function],
    kernels: Mapping[str, KernelOp],
    lowered: Mapping[str, LlvmModule],
) -> str:
    """Functions as text, with those by which threads share the kernels they call."""
    names = {name: kernel_function(each.name) for name, each in lowered.items()}
    callees = {name: callee_of(kernels[name], names[name]) for name in names}
    # Kernels may differ in the loop dialect and be the same function all the same.
    shared = lower_sharing({names[name]: kernels[name] for name in names})
    return llvm_text([*shared, *functions], callees)


def _computed_inside(
    kernels: Mapping[str, KernelOp], sizes: Mapping[str, tuple[Dim, ...]]
) -> dict[str, tuple[list[str], tuple[Dim, ...]]]:
    """The symbols of each kernel, and the dimensions that its code computes."""
    return {
        name: ([each.data for each in kernels[name].symbols], inside)
        for name, inside in sizes.items()
    }


def lower_library(module: ModuleOp) -> dict[str, str]:
    """
    The LLVM text of each kernel of a library, by its name, with the function that an
    interpreter calls it by.
    """
    found: dict[str, str] = {}
    for name, kernel in _kernels_in(module).items():
        function = kernel_function(name)
        callees = {name: callee_of(kernel, function)}
        made = lower_sharing({function: kernel})
        made += lower_kernel_entry(kernel, name, f"{ENTRY}{name}")
        text = llvm_text(made, callees, defined=[function])
        found[name] = written_kernel(kernel, target_of(module), name, text)
    return found


def lower_bundle(
    module: ModuleOp,
    name: str,
    places: Places | None,
    weights: Iterable[npt.NDArray[np.uint8]],
) -> tuple[str, ...]:
    """
    The texts of the kernels of a module, each once, then of its program and the C
    functions that run it, `name` and others; they need no Python.

    Without places there is a function that plans for sizes, and the code that it needs.
    """
    program, kernels = _program_in(module), _kernels_in(module)
    lowered = lower_kernels(module)
    # Several programs of one object each have their own.
    body = lower_body(program, is_polled=False, linkage="internal")
    runs = [*body.functions, *lower_bundle_runs(program, name, places)]
    texts = {each.name: each.text for each in lowered.values()}
    texts["run"] = _with_kernels(runs, kernels, lowered)
    if places is None:
        sizes = {name: each.sizes for name, each in lowered.items()}
        reach = reach_of(program, body.sizes, _computed_inside(kernels, sizes))
        plan = lower_plan(program, reach, is_placed=True, linkage="internal")
        texts["place"] = placing_text()
        texts["plan"] = llvm_text([plan, lower_bundle_plan(program, name)])
    texts["check"] = llvm_text([lower_bundle_check(name, weights)])
    return tuple(texts.values())


def module_to_llvm(module: ModuleOp) -> str:
    """
    The LLVM IR of kernels, and of the program when there is one, for reading. Raises
    `VerifyException` where there is neither.
    """
    parts: list[str] = []
    for name, each in each_kernel(module):
        parts.append(f"; kernel @{name}\n{each.text}")
    if any(isinstance(op, ProgramOp) for op in module.ops):
        parts.append(f"; the program\n{lower_program(module).main.text}")
    if not parts:
        raise VerifyException(
            "expected kernels or a program, got neither; run graph-to-loop first"
        )
    return "\n".join(parts)
