"""
Turn the text of LLVM modules into object code, by LLVM's own passes, cached on disk.

A module is compiled once for a target and a version of LLVM, whichever model it is part
of. Kernels come as they shall run, in vectors and tiles; so LLVM's vectorisers are off,
and what is left to its passes is to simplify, to inline and to hoist.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from llvmlite import binding

from ..dialects.loop.target import TargetAttr
from ..runtime.cache import Cache

PASSES = 1
"""
How hard LLVM's passes try, as the `1` of -O1. What -O2 adds takes a fifth of a compile,
and no model of the suite is faster for it.
"""

CODE = 2
"""How hard LLVM tries to choose instructions and registers."""

UNROLLED = '"unrolled"'
"""An attribute of a function whose loops are unrolled as far as they shall be."""

LOCK = threading.Lock()
"""LLVM's global state is set up by one thread."""


@dataclass(frozen=True)
class Machine:
    """What LLVM must know to write code for a target."""

    triple: str
    cpu: str
    features: str

    @property
    def key(self) -> str:
        """All of it, and the version of LLVM, as text."""
        version = ".".join(map(str, binding.llvm_version_info))
        return f"{version} {self.triple} {self.cpu} {self.features} O{PASSES}{CODE}"


def machine_of(target: TargetAttr) -> Machine:
    """The machine that a target of the loop dialect means."""
    cpu, features = target.cpu.data, target.features.data
    if cpu.startswith("aarch64"):
        triple = "aarch64-unknown-linux-gnu"
        cpu = "generic"
    else:
        triple = binding.get_process_triple()
        if not triple.startswith("x86_64"):
            triple = "x86_64-unknown-linux-gnu"
    if target.vector.data == 512:
        features = ",".join(filter(None, [features, "-prefer-256-bit"]))
    return Machine(triple, cpu, features)


def target_machine(machine: Machine) -> binding.TargetMachine:
    """LLVM's own form of a machine."""
    with LOCK:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    return binding.Target.from_triple(machine.triple).create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=CODE, reloc="pic", jit=True
    )


def compile_text(text: str, machine: Machine) -> bytes:
    """
    The object code of a module; raises `RuntimeError` when the text is not LLVM's.
    """
    return target_machine(machine).emit_object(optimized(text, machine))


def assembly(text: str, machine: Machine) -> str:
    """The assembly of a module, for reading and for tests."""
    return target_machine(machine).emit_assembly(optimized(text, machine))


def optimized(text: str, machine: Machine) -> binding.ModuleRef:
    """A module after LLVM's passes."""
    lowered = target_machine(machine)
    module = binding.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(lowered.target_data)
    module.verify()
    tuning = binding.create_pipeline_tuning_options(speed_level=PASSES)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_unrolling = UNROLLED not in text
    builder = binding.create_pass_builder(lowered, tuning)
    builder.getModulePassManager().run(module, builder)
    return module


def objects(
    texts: Iterable[str], machine: Machine, cache: Cache | None
) -> tuple[list[bytes], int]:
    """The object code of each module, and how many were in the cache."""
    found: list[bytes] = []
    hits = 0
    for text in texts:
        key = hashlib.sha256(f"object\n{machine.key}\n{text}".encode()).hexdigest()
        known = None if cache is None else cache.get(key)
        hits += known is not None
        if known is None:
            known = compile_text(text, machine)
            if cache is not None:
                cache.put(key, known)
        found.append(known)
    return found, hits
