"""
Turn the text of LLVM modules into object code, by LLVM's own passes, cached on disk.

A module is compiled once for a target and a version of LLVM, whichever model it is part
of. Kernels come as they shall run, in vectors and tiles; so LLVM's vectorisers are off,
and what is left to its passes is to simplify, to inline and to hoist.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

from llvmlite import binding

from ...dialects.loop import TargetAttr
from ...runtime import Cache
from ...runtime.machine import LLVM_LOCK, get_host, unforked
from .guarded_lock import guard_lock
from .pass_manager import Passes, pass_manager
from .thread_pool import CompilePool, Job
from .uninterrupted import uninterrupted
from .unlocked import emit_object, run_passes

guard_lock()

PASSES = 1
"""
How hard LLVM's passes try, as the `1` of -O1. What -O2 adds takes a fifth of a compile,
and no model of the suite is faster for it.
"""

CODE = 2
"""How hard LLVM tries to choose instructions and registers."""

QUICK = 0
"""
As hard, for code that is soon exchanged (`docs/fast_start.md`). The text says what is
fused, and nothing of it may be reordered.
"""

FEW_PASSES = '"few-passes"'
"""
An attribute of a function of a module that few passes suffice for: its loops are
written as they shall run. All of LLVM's passes take longer than its code generation,
three quarters of that to find nothing.
"""


@dataclass(frozen=True)
class Machine:
    """What LLVM must know to write code for a target."""

    triple: str
    cpu: str
    features: str
    code: Literal[0, 2] = CODE
    """How hard LLVM tries: `CODE`, or `QUICK`, with the least passes that suffice."""

    @property
    def key(self) -> str:
        """All of it, and the version of LLVM, as text."""
        version = ".".join(map(str, binding.llvm_version_info))
        tries = f"O{PASSES}{self.code}"
        return f"{version} {self.triple} {self.cpu} {self.features} {tries}"

    def passes_for(self, text: str) -> Passes:
        """The passes that a module of this text takes."""
        if self.code == QUICK:
            return Passes.INLINE
        return Passes.FEW if FEW_PASSES in text else Passes.ALL


_FAST_DPWSSD = "+fast-dpwssd"
"""
What lets LLVM write VPDPWSSD, where a machine has it, for a product of words and a sum:
depthwise convolutions of bytes take 0.82 of the time on a Zen 4.
"""

_idle: dict[Machine, list[binding.TargetMachine]] = {}
"""LLVM's own forms of machines that no thread uses just now."""

_kept: dict[tuple[str, Machine], bytes] = {}
"""The objects of texts that are part of every program, once they were needed."""


def machine_of(target: TargetAttr) -> Machine:
    """The machine that a target of the loop dialect means."""
    cpu, features = target.cpu.data, target.features.data
    if cpu.startswith("aarch64"):
        triple = "aarch64-unknown-linux-gnu"
        cpu = "generic"
    else:
        triple = get_host().triple
        if not triple.startswith("x86_64"):
            triple = "x86_64-unknown-linux-gnu"
    more: list[str] = []
    if target.vector.data == 512:
        more.append("-prefer-256-bit")
    if target.vector.data == 512 or "+avxvnni" in features:
        more.append(_FAST_DPWSSD)
    return Machine(triple, cpu, ",".join(filter(None, [features, *more])))


@uninterrupted
def know_targets() -> None:
    """Initializes all targets of LLVM, unless they are."""
    with unforked(), LLVM_LOCK:
        _initialize()


@cache
def _initialize() -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()


def target_machine(machine: Machine) -> binding.TargetMachine:
    """LLVM's own form of a machine."""
    know_targets()
    return binding.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=machine.code,
        reloc="pic",
        jit=True,
    )


@contextmanager
def borrowed_machine(machine: Machine) -> Generator[binding.TargetMachine]:
    """
    LLVM's own form of a machine, which no other thread has until the block ends. It is
    used again: what LLVM derives from features takes as long as a small kernel.
    """
    idle = _idle.setdefault(machine, [])
    try:
        made = idle.pop()
    except IndexError:
        made = target_machine(machine)
    yield made
    idle.append(made)


def parse(text: str, context: binding.ContextRef | None = None) -> binding.ModuleRef:
    """
    A module of LLVM's text, in a context of its own or in one that is given; raises
    `RuntimeError` when the text is not LLVM's.

    The module holds its context, which is freed after it and never closed by hand:
    closing a context frees its modules, and a module that an interruption leaves in a
    traceback would be freed twice.
    """
    return binding.parse_assembly(text, context or binding.create_context())


@uninterrupted
def compile_text(text: str, machine: Machine) -> bytes:
    """
    The object code of a module; raises `RuntimeError` when the text is not LLVM's.
    """
    with optimized(text, machine) as (module, lowered):
        return emit_object(lowered, module)


@uninterrupted
def assembly(text: str, machine: Machine) -> str:
    """The assembly of a module, for reading and for tests."""
    with optimized(text, machine) as (module, lowered):
        return lowered.emit_assembly(module)


@contextmanager
def optimized(
    text: str, machine: Machine
) -> Generator[tuple[binding.ModuleRef, binding.TargetMachine]]:
    """
    A module after LLVM's passes, and its machine. Nobody else has them, or the context
    of the module, in this block, so that threads may be in LLVM side by side.
    """
    with (
        borrowed_machine(machine) as lowered,
        parse(text) as module,
    ):
        module.triple = machine.triple
        module.data_layout = str(lowered.target_data)
        module.verify()
        optimize(module, lowered, machine.passes_for(text))
        yield module, lowered


def optimize(
    module: binding.ModuleRef, machine: binding.TargetMachine, which: Passes
) -> None:
    """Runs LLVM's passes on a module, and frees them."""
    tuning = binding.create_pipeline_tuning_options(speed_level=PASSES)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    with (
        tuning,
        binding.create_pass_builder(machine, tuning) as builder,
        pass_manager(builder, which) as passes,
    ):
        run_passes(passes, module, builder)


def kept_object(text: str, machine: Machine, cache: Cache | None) -> bytes:
    """The object code of a module that programs share, compiled once in a process."""
    made = _found_object(text, machine, cache)
    if made is None and machine.code == QUICK:
        # Better code of it may be there, and takes no time.
        made = _found_object(text, replace(machine, code=CODE), cache)
    if made is None:
        made = _kept[text, machine] = compile_text(text, machine)
        if cache is not None and machine.code != QUICK:
            cache.put(key_of_text(text, machine), made)
    return made


def _found_object(text: str, machine: Machine, cache: Cache | None) -> bytes | None:
    """The object code of a module that programs share, if it was compiled before."""
    made = _kept.get((text, machine))
    if made is None and cache is not None:
        made = cache.get(key_of_text(text, machine))
        if made is not None:
            _kept[text, machine] = made
    return made


def key_of_text(text: str, machine: Machine) -> str:
    """What the object of a module is found by in a cache."""
    return hashlib.sha256(f"object\n{machine.key}\n{text}".encode()).hexdigest()


def objects(
    texts: Iterable[str | bytes],
    machine: Machine,
    cache: Cache | None,
    threads: int = 1,
    done: Callable[[int, int], None] | None = None,
) -> tuple[list[bytes], int]:
    """
    The object code of each module, and how many were in the cache: given as bytes, or
    found by their text.

    Threads compile the others, a module at a time, and begin while texts are given.
    The objects, and which error is raised when there are several, do not depend on the
    number of threads. `done` is told how many modules are, and of how many.
    """
    keys: list[str] = []
    found: dict[str, bytes] = {}
    jobs: dict[str, Job[bytes]] = {}
    hits = 0
    with CompilePool(threads) as pool:
        for text in texts:
            if isinstance(text, bytes):
                keys.append(key := hashlib.sha256(text).hexdigest())
                found[key] = text
                hits += 1
                continue
            key = key_of_text(text, machine)
            keys.append(key)
            known = None if cache is None else cache.get(key)
            if known is not None:
                found[key] = known
                hits += 1
            elif key in jobs:
                hits += cache is not None
            else:
                jobs[key] = pool.submit(len(text), partial(compile_text, text, machine))
        for at, (key, job) in enumerate(jobs.items()):
            if done is not None:
                done(at, len(jobs))
            found[key] = pool.result(job)
            if cache is not None:
                cache.put(key, found[key])
    return [found[key] for key in keys], hits
