"""Compile a module of the graph dialect: run the passes, lower it, run LLVM."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ...dialects.graph import FusionOp, GraphOp
from ...dialects.loop import CallOp, ProgramOp, target_of
from ...lowering.host_to_bytecode import lower_plan_to_bytecode
from ...lowering.host_to_llvm import SUPPORT, lower_by_module
from ...lowering.llvm_to_object import Machine, kept_object, machine_of, objects
from ...lowering.llvm_to_object.kept_kernels import KeptKernels
from ...runtime import Cache
from ...runtime.hostcode import interpreter_text
from ...runtime.library import Artifact
from ..ir import SrContext, note_of, note_of_functions, note_of_ops
from ..passes import Tuner, executed_of, graph_passes, loop_passes
from ..session import (
    MEMORY,
    NOTED,
    CompileError,
    CompileReport,
    Options,
    version,
)
from .describe import constant_block, describe, program_of
from .memory_notes import memory_notes
from .nodes import Origins, operations_in, origins_of, profiled

AfterPass = Callable[[ModulePass, ModuleOp], None]
"""Told of the module after each pass."""


_holding: list[int] = []
"""The threads that hold Python's collector off."""


@contextmanager
def _without_collection() -> Generator[None]:
    """
    Holds Python's collector of cycles off: IR is many objects, and none is garbage.
    """
    enabled = gc.isenabled()
    if enabled:
        _holding.append(get_ident())
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            _holding.remove(get_ident())
            gc.enable()


def _collect_again() -> None:
    """Enables the collector in the child of a fork that lacks the disabling thread."""
    if _holding and get_ident() not in _holding:
        _holding.clear()
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_collect_again)


@dataclass
class _Code:
    """The code of a module: texts for LLVM; one compiles while the next is written."""

    module: ModuleOp
    program: ProgramOp
    store: KeptKernels | None
    kernels: int = 0
    plans: bytes = b""
    shared: list[str] = field(default_factory=lambda: [SUPPORT])
    """The texts that are the same in all programs that have them."""
    written: float = 0.0
    """When the last text was written."""

    def texts(self) -> Generator[str | bytes]:
        """
        The texts, or the code of those that are kept; the rest is known after them.
        Raises `VerifyException`.
        """
        lowered = yield from lower_by_module(self.module, self.store)
        self.kernels = len(lowered.kernels)
        if self.program.symbols:
            plans = lower_plan_to_bytecode(self.program, lowered.reach, False)
            self.plans = plans.to_bytes()
            self.shared.append(interpreter_text())
        self.written = time.perf_counter()


@dataclass
class Driver:
    """How one module is compiled."""

    ctx: SrContext
    options: Options
    target: str
    cache: Cache | None
    after_pass: AfterPass | None = None
    tuner: Tuner | None = None
    """What measures contractions; None where nothing is to be tuned."""
    is_profiled: bool = False
    """Whether calls of kernels note how long they took."""
    observes: bool = False
    """Whether the values that a profile counts are results, too."""
    origins: Origins = field(default_factory=dict[Any, tuple[str, list[str]]])
    """What calls of kernels come from, where they are profiled."""

    def __post_init__(self) -> None:
        """Raises `CompileError` for options by which nothing is compiled."""
        if not self.options.enable_out_variant:
            raise CompileError(
                "expected options with enable_out_variant=True for what is compiled, "
                "got False, by which references run a model in this process"
            )

    def compile(self, module: ModuleOp) -> tuple[Artifact, CompileReport]:
        """The compiled module, and what it took; raises `CompileError`."""
        start = time.perf_counter()
        with _without_collection():
            try:
                ops_read = _count_ops(module)
                own = note_of_ops(module, self.ctx.spelled)
                passes, ops = self.run_passes(module)
                program = program_of(module)
                known = describe(program)
                constants = constant_block(program, self.ctx.weights)
                nodes = profiled(program, self.origins) if self.is_profiled else {}
                before_code = time.perf_counter()
                machine = machine_of(target_of(module))
                code = _Code(module, program, self.store_for(module, machine))
                threads = self.options.usable_threads
                codes, hits = objects(code.texts(), machine, self.cache, threads)
            except VerifyException as error:
                # What follows the first line is the IR around the op.
                sentence, *_ = str(error).splitlines()
                raise CompileError(sentence) from error
            for text in code.shared:
                codes.append(kept_object(text, machine, self.cache))
        end = time.perf_counter()
        calls = [op for op in program.walk() if isinstance(op, CallOp)]
        report = CompileReport(
            seconds=end - start,
            warm=False,
            passes=tuple(passes),
            code_seconds=code.written - before_code,
            ops_read=ops_read,
            ops=ops,
            kernels=len(calls),
            distinct_kernels=code.kernels,
            foreign_calls=sum(bool(each.framework) for each in known.call_outs),
            fewer_products=tuple(self.ctx.fewer_products),
            operations=operations_in(program),
            cached_kernels=hits,
            llvm_seconds=end - code.written,
            **_tuned(self.tuner),
            planned_bytes=known.bytes,
            lower_bound=known.lower_bound,
            constant_bytes=constants.nbytes,
            object_bytes=sum(map(len, codes)),
        )
        notes = {name: getattr(report, name) for name in NOTED} | nodes
        notes |= own | note_of_functions(module)
        if (checked := memory_notes(program)) is not None:
            notes[MEMORY] = checked.to_json()
        if self.ctx.operators is not None:
            notes |= self.trace_note(module)
        return Artifact(known, codes, constants, notes, code.plans), report

    def store_for(self, module: ModuleOp, machine: Machine) -> KeptKernels | None:
        """What finds the code of kernels by their loops, if there is a cache."""
        if self.cache is None:
            return None
        return KeptKernels(self.cache, target_of(module), machine, version())

    def run_passes(self, module: ModuleOp) -> tuple[list[tuple[str, float]], int]:
        """
        Runs the pipeline. Returns the name and the time of each pass, and how many ops
        of the graph were lowered to loops.
        """
        is_traced = self.ctx.operators is not None or self.is_profiled
        passes = graph_passes(
            self.options,
            self.target,
            self.tuner,
            is_traced=is_traced,
            observes=self.observes,
        )
        times = [self.run_pass(each, module) for each in passes]
        ops = _count_ops(module)
        if self.is_profiled:
            self.origins = origins_of(module)
        times += [
            self.run_pass(each, module)
            for each in loop_passes(self.options.check_memory)
        ]
        return times, ops

    def trace_note(self, module: ModuleOp) -> dict[str, Any]:
        """What an artifact notes of a model whose operators somebody asks for."""
        return note_of(self.ctx.operators or (), executed_of(module))

    def run_pass(self, each: ModulePass, module: ModuleOp) -> tuple[str, float]:
        """Runs a pass; its name and its time."""
        start = time.perf_counter()
        each.apply(self.ctx, module)
        seconds = time.perf_counter() - start
        if self.after_pass is not None:
            self.after_pass(each, module)
        return each.name, seconds


def _tuned(tuner: Tuner | None) -> dict[str, Any]:
    """What a report says of a tuner."""
    if tuner is None:
        return {}
    return {
        "measured_kernels": tuner.measured,
        "changed_kernels": tuner.changed,
        "tuning_seconds": tuner.seconds,
    }


def _count_ops(module: ModuleOp) -> int:
    """How many ops of the graph compute something: no constants, and no regions."""
    return sum(
        isinstance(op, GraphOp) and bool(op.operands) and not isinstance(op, FusionOp)
        for op in module.walk()
    )
