"""Compile a module of the graph dialect: run the passes, lower it, run LLVM."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import get_ident
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from ...dialects.graph import FusionOp, GraphOp
from ...dialects.loop import CallOp, ProgramOp, target_of
from ...lowering.host_to_bytecode import lower_plan_to_bytecode
from ...lowering.host_to_llvm import SUPPORT, lower_by_module
from ...lowering.llvm_to_object import (
    QUICK,
    Machine,
    kept_object,
    machine_of,
    objects,
)
from ...lowering.llvm_to_object.kept_kernels import KeptKernels
from ...runtime import Cache
from ...runtime.hostcode import interpreter_text
from ...runtime.library import Artifact
from ...runtime.program import Program
from ..building import alone
from ..ir import SrContext, note_of, note_of_functions, note_of_ops
from ..passes import (
    QUICK_ROWS,
    Tuner,
    executed_of,
    graph_passes,
    lowering_passes,
    program_passes,
)
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


_LET_GO = 0.0002
"""Seconds for which a compile beside calls leaves the lock to others, each time."""

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


@contextmanager
def _told() -> Generator[None]:
    """Tells what is wrong with IR in a sentence, as a `CompileError`."""
    try:
        yield
    except VerifyException as error:
        # What follows the first line is the IR around the op.
        sentence, *_ = str(error).splitlines()
        raise CompileError(sentence) from error


@dataclass
class Lowered:
    """A model in loops, whose schedule is still to be chosen."""

    module: ModuleOp
    passes: list[tuple[str, float]]
    """What ran, and how long."""

    ops_read: int
    ops: int
    notes: dict[str, Any]
    """What an artifact notes of the ops."""

    start: float
    """When the first pass began."""

    def copy(self) -> Lowered:
        """The same with IR of its own."""
        return replace(self, module=self.module.clone(), passes=[*self.passes])


@dataclass
class _Code:
    """The code of a module: texts for LLVM; one compiles while the next is written."""

    module: ModuleOp
    program: ProgramOp
    known: Program
    machine: Machine
    begun: float
    """When the first text was begun."""
    store: KeptKernels | None
    """What finds the code of kernels by their loops."""
    nodes: dict[str, Any]
    """What calls of kernels come from, where they are profiled."""

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
    matrices: bool = True
    """Whether code may use the registers of AMX, for which a process asks Linux."""
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
        return self.finish(self.lower(module))

    def lower(self, module: ModuleOp) -> Lowered:
        """The module in loops; raises `CompileError`."""
        start = time.perf_counter()
        with _without_collection(), _told():
            ops_read = _count_ops(module)
            notes = note_of_ops(module, self.ctx.spelled)
            is_traced = self.ctx.operators is not None or self.is_profiled
            passes = graph_passes(
                self.options,
                self.target,
                self.tuner,
                is_traced=is_traced,
                observes=self.observes,
                matrices=self.matrices,
            )
            times = [self.run_pass(each, module) for each in passes]
            ops = _count_ops(module)
            if self.is_profiled:
                self.origins = origins_of(module)
            times += [self.run_pass(each, module) for each in lowering_passes()]
        return Lowered(module, times, ops_read, ops, notes, start)

    def run_passes(self, module: ModuleOp) -> None:
        """Runs the pipeline; raises `CompileError`."""
        with _told():
            self.schedule(self.lower(module))

    def finish(
        self, lowered: Lowered, quick: bool = False
    ) -> tuple[Artifact, CompileReport]:
        """
        The code of a module in loops, and what it took; raises `CompileError`. It is
        `quick` to make where it is soon exchanged, and then nothing of it is kept.
        """
        cache, threads = None if quick else self.cache, self.options.usable_threads
        with _without_collection(), _told():
            code = self._scheduled(lowered, quick)
            codes, hits = objects(code.texts(), code.machine, cache, threads)
        return self._made(lowered, code, codes, hits)

    def finish_aside(
        self, lowered: Lowered, go_on: Callable[[], None]
    ) -> tuple[Artifact, CompileReport]:
        """
        The same beside calls of the model: by one thread, which asks before each kernel
        whether to `go_on`, which raises if not. Other compiles go between kernels.
        """
        with alone(), _without_collection(), _told():
            code = self._scheduled(lowered)
        given, texts = code.texts(), list[str | bytes]()
        while True:
            go_on()
            time.sleep(_LET_GO)
            with alone(), _without_collection(), _told():
                if (text := next(given, None)) is None:
                    break
            texts.append(text)
        codes, hits = objects(
            texts, code.machine, self.cache, 1, lambda done, of: go_on()
        )
        with alone():
            return self._made(lowered, code, codes, hits)

    def _scheduled(self, lowered: Lowered, quick: bool = False) -> _Code:
        """The code of a module, before any of it is written."""
        self.schedule(lowered, QUICK_ROWS if quick else 0)
        machine = machine_of(target_of(lowered.module))
        if quick:
            machine = replace(machine, code=QUICK)
        program = program_of(lowered.module)
        known = describe(program)
        nodes = profiled(program, self.origins) if self.is_profiled else {}
        store, begun = self.store_for(lowered.module, machine), time.perf_counter()
        return _Code(lowered.module, program, known, machine, begun, store, nodes)

    def schedule(self, lowered: Lowered, most_rows: int = 0) -> None:
        """Chooses how kernels run, in tiles of `most_rows` rows at most if given."""
        for each in program_passes(self.options.check_memory, most_rows):
            lowered.passes.append(self.run_pass(each, lowered.module))

    def _made(
        self, lowered: Lowered, code: _Code, codes: list[bytes], hits: int
    ) -> tuple[Artifact, CompileReport]:
        """The artifact of objects, and what it took."""
        program, known = code.program, code.known
        constants = constant_block(program, self.ctx.weights)
        for each in code.shared:
            codes.append(kept_object(each, code.machine, self.cache))
        end = time.perf_counter()
        calls = [op for op in program.walk() if isinstance(op, CallOp)]
        report = CompileReport(
            seconds=end - lowered.start,
            warm=False,
            passes=tuple(lowered.passes),
            code_seconds=code.written - code.begun,
            ops_read=lowered.ops_read,
            ops=lowered.ops,
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
        notes = {name: getattr(report, name) for name in NOTED} | code.nodes
        notes |= lowered.notes | note_of_functions(lowered.module)
        if (checked := memory_notes(program)) is not None:
            notes[MEMORY] = checked.to_json()
        if self.ctx.operators is not None:
            notes |= self.trace_note(lowered.module)
        return Artifact(known, codes, constants, notes, code.plans), report

    def store_for(self, module: ModuleOp, machine: Machine) -> KeptKernels | None:
        """What finds the code of kernels by their loops, if there is a cache."""
        if self.cache is None or machine.code == QUICK:
            return None
        return KeptKernels(self.cache, target_of(module), machine, version())

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
