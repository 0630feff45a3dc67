"""
The machines that the compiler knows by name, and the one that it runs on.

A name is one of LLVM's: x86-64 (SSE2), x86-64-v2 (SSE4.2), x86-64-v3 (AVX2 and FMA),
x86-64-v4 (AVX-512), cooperlake (and products of bf16), sapphirerapids (and AMX),
aarch64 (NEON). The host is described by its feature flags and not by its name, which
virtual machines get wrong.
"""

from __future__ import annotations

from difflib import get_close_matches

from ..dialects.loop.target import CACHES, TargetAttr
from .errors import CompileError
from .host import cache_sizes, host_features

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
    from llvmlite import binding

    triple = binding.get_process_triple()
    if triple.startswith(("aarch64", "arm64")):
        features = host_features()
        return TargetAttr.of(
            "aarch64", 128, 32, True, features.flatten(), cache_sizes(*CACHES)
        )
    if not triple.startswith("x86_64"):
        raise CompileError(
            f"expected a host of x86-64 or AArch64, got {triple}; pass a target"
        )
    features = host_features()
    wide = all(features.get(each) for each in ("avx512f", "avx512vl", "avx512bw"))
    fused = bool(features.get("avx2") and features.get("fma"))
    vector, registers = (512, 32) if wide and fused else (256 if fused else 128, 16)
    dots = "avx512bf16" if vector == 512 and features.get("avx512bf16") else ""
    if dots and features.get("amx-bf16"):
        dots = "amx"
    return TargetAttr.of(
        *("x86-64", vector, registers, fused, features.flatten()),
        caches=cache_sizes(*CACHES),
        dots=dots,
    )
