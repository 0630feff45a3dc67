"""
The targets that the compiler knows by name, and the host.

A name is one of LLVM's: x86-64 (SSE2), x86-64-v2 (SSE4.2), x86-64-v3 (AVX2 and FMA),
x86-64-v4 (AVX-512), cooperlake (and products of bf16), sapphirerapids (and AMX),
aarch64 (NEON). The host is described by its feature flags and not by its name, which
virtual machines get wrong.
"""

from __future__ import annotations

from collections.abc import Set
from difflib import get_close_matches

from ...dialects.loop import CACHES, TargetAttr, isas_of
from ...runtime.machine import TARGETS as FEATURES
from ...runtime.machine import enabled, get_host
from ..session import CompileError

_ARM, _X86 = "aarch64", "x86-64"
"""LLVM's names of the least machine of each architecture."""


def _described(
    cpu: str,
    features: Set[str],
    text: str = "",
    caches: tuple[int, int] = CACHES,
) -> TargetAttr:
    """The target with vectors, registers and instruction sets of these features."""
    if cpu == _ARM:
        vector, registers, fused = 128, 32, True
    else:
        wide = features >= {"avx512f", "avx512vl", "avx512bw"}
        fused = features >= {"avx2", "fma"}
        vector, registers = (512, 32) if wide and fused else (256 if fused else 128, 16)
    isas = isas_of(features, vector)
    return TargetAttr.of(cpu, vector, registers, fused, text, caches, isas)


TARGETS = {
    name: _described(name, {*features.split()}) for name, features in FEATURES.items()
}


def without_matrices(features: Set[str]) -> Set[str]:
    """Features but for AMX, which a process must ask its system for."""
    return {each for each in features if not each.startswith("amx")}


def find_target(name: str, matrices: bool = True) -> TargetAttr:
    """
    The target called `name`, with the registers of matrices that it has or without;
    raises `CompileError` naming the known ones.
    """
    if name == "host":
        return _host_target(matrices)
    if name not in TARGETS:
        known = ["host", *TARGETS]
        nearest = get_close_matches(name, known) or known
        raise CompileError(f"expected a target like {', '.join(nearest)}, got {name}")
    if matrices:
        return TARGETS[name]
    return _described(name, without_matrices({*FEATURES[name].split()}))


def isa_name(target: str) -> str:
    """The name of a target; for the host, that of the greatest one that runs on it."""
    if target != "host":
        return target
    machine = get_host()
    if machine.triple.startswith(("aarch64", "arm64")):
        return _ARM
    found = enabled(machine)
    runs = (name for name, each in FEATURES.items() if found >= {*each.split()})
    return [name for name in runs if name != _ARM][-1]


def _host_target(matrices: bool) -> TargetAttr:
    """The machine that this runs on, by its feature flags."""
    machine = get_host()
    features = enabled(machine)
    features = features if matrices else without_matrices(features)
    caches = machine.caches[0] or CACHES[0], machine.caches[1] or CACHES[1]
    if machine.triple.startswith(("aarch64", "arm64")):
        return _described(_ARM, features, machine.features, caches)
    if not machine.triple.startswith("x86_64"):
        raise CompileError(
            f"expected a host of x86-64 or AArch64, got {machine.triple}; pass a target"
        )
    return _described(_X86, features, machine.features, caches)
