"""The host as a target: what compiled code depends on, and which targets run here."""

from __future__ import annotations

from functools import cache

from ..runtime.host import Host, enabled, host
from .errors import CompileError

V2 = "cx16 popcnt sse3 sse4.1 sse4.2 ssse3"
V3 = f"{V2} avx avx2 bmi bmi2 f16c fma lzcnt movbe"
V4 = f"{V3} avx512bw avx512cd avx512dq avx512f avx512vl"
NEEDED = {
    "x86-64": "",
    "x86-64-v2": V2,
    "x86-64-v3": V3,
    "x86-64-v4": V4,
    "cooperlake": f"{V4} avx512bf16 avx512vnni",
    "sapphirerapids": (
        f"{V4} amx-bf16 amx-int8 amx-tile avx512bf16 avx512bitalg avx512fp16 "
        "avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512vpopcntdq avxvnni gfni "
        "vaes vpclmulqdq"
    ),
    "aarch64": "",
}
"""What a machine must have, in LLVM's words, to run code for a target."""


def host_text() -> str:
    """The triple, the features and the version of LLVM that host code depends on."""
    return text_of(host())


def machine_text() -> str:
    """What times depend on, as far as that is known: the host, and its processor."""
    return f"{host().cpu} {host_text()}"


@cache
def text_of(machine: Host) -> str:
    """What tells the code for a machine from that for others."""
    from llvmlite import binding

    version = ".".join(map(str, binding.llvm_version_info))
    l1, l2 = (size or 0 for size in machine.caches)
    return f"{machine.triple} {machine.features} {version} {l1} {l2}"


def check_runs_here(target: str) -> None:
    """Raises `CompileError` for a target whose code this machine cannot run."""
    if target not in NEEDED:
        return
    found = enabled(host())
    missing = [each for each in NEEDED[target].split() if each not in found]
    machine = host().triple.split("-")[0]
    if machine != ("aarch64" if target == "aarch64" else "x86_64"):
        missing = [f"another machine than {machine}"]
    if missing:
        raise CompileError(
            f"expected a target that runs on this machine, got {target}, which needs "
            f"{', '.join(missing)}; leave it out to compile for this machine"
        )
