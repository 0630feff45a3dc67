"""
The targets that the compiler knows by name, and the host.

A name is one of LLVM's: x86-64 (SSE2), x86-64-v2 (SSE4.2), x86-64-v3 (AVX2 and FMA),
x86-64-v4 (AVX-512), cooperlake (and products of bf16), sapphirerapids (and AMX),
aarch64 (NEON). The host is described by its feature flags and not by its name, which
virtual machines get wrong.
"""

from __future__ import annotations

from difflib import get_close_matches

from ..dialects.loop.target import CACHES, TargetAttr
from ..runtime.host import enabled, host
from .errors import CompileError

TARGETS = {
    "x86-64": TargetAttr.of("x86-64", 128, 16, False),
    "x86-64-v2": TargetAttr.of("x86-64-v2", 128, 16, False),
    "x86-64-v3": TargetAttr.of("x86-64-v3", 256, 16, True),
    "x86-64-v4": TargetAttr.of("x86-64-v4", 512, 32, True),
    "cooperlake": TargetAttr.of("cooperlake", 512, 32, True, dots="avx512bf16"),
    "sapphirerapids": TargetAttr.of("sapphirerapids", 512, 32, True, dots="amx"),
    "aarch64": TargetAttr.of("aarch64", 128, 32, True),
}


def find_target(name: str) -> TargetAttr:
    """The target called `name`; raises `CompileError` naming the known ones."""
    if name == "host":
        return host_target()
    if name not in TARGETS:
        known = ["host", *TARGETS]
        nearest = get_close_matches(name, known) or known
        raise CompileError(f"expected a target like {', '.join(nearest)}, got {name}")
    return TARGETS[name]


def host_target() -> TargetAttr:
    """The machine that this runs on, by its feature flags."""
    machine = host()
    caches = machine.caches[0] or CACHES[0], machine.caches[1] or CACHES[1]
    if machine.triple.startswith(("aarch64", "arm64")):
        return TargetAttr.of("aarch64", 128, 32, True, machine.features, caches)
    if not machine.triple.startswith("x86_64"):
        raise CompileError(
            f"expected a host of x86-64 or AArch64, got {machine.triple}; pass a target"
        )
    found = enabled(machine)
    wide = found.issuperset(("avx512f", "avx512vl", "avx512bw"))
    fused = found.issuperset(("avx2", "fma"))
    vector, registers = (512, 32) if wide and fused else (256 if fused else 128, 16)
    dots = "avx512bf16" if vector == 512 and "avx512bf16" in found else ""
    if dots and "amx-bf16" in found:
        dots = "amx"
    return TargetAttr.of(
        "x86-64", vector, registers, fused, machine.features, caches, dots
    )
