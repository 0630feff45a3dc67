"""What the machine that this runs on can do, and which targets it can run."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import CompileError

if TYPE_CHECKING:
    from llvmlite.binding import FeatureMap

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


ARCH_PRCTL = 158
"""The number of the call of Linux on x86-64 that asks for registers of matrices."""

ASK, MATRIX_DATA = 0x1023, 18
"""What is asked: ARCH_REQ_XCOMP_PERM for the state XTILEDATA."""


def host_features() -> FeatureMap:
    """
    What this machine has, in LLVM's words; AMX only where the system lets us use it.

    Whoever runs code for the host has called this: it asks the system for AMX.
    """
    from llvmlite import binding

    features = binding.get_host_cpu_features()
    matrices = [each for each in features if each.startswith("amx-")]
    if any(features[each] for each in matrices) and not grants_matrices():
        features.update(dict.fromkeys(matrices, False))
    return features


@cache
def grants_matrices() -> bool:
    """Asks Linux for registers of matrices, which it grants a process on demand."""
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).syscall(ARCH_PRCTL, ASK, MATRIX_DATA) == 0


@cache
def host_text() -> str:
    """The triple, the features and the version of LLVM that host code depends on."""
    from llvmlite import binding

    version = ".".join(map(str, binding.llvm_version_info))
    features = host_features().flatten()
    return f"{binding.get_process_triple()} {features} {version} {cache_sizes(0, 0)}"


@cache
def machine_text() -> str:
    """What times depend on, as far as that is known: the host, and its processor."""
    from llvmlite import binding

    return f"{binding.get_host_cpu_name()} {host_text()}"


@cache
def cache_sizes(l1: int, l2: int) -> tuple[int, int]:
    """KiB of the first cache of data and of the second; these where none are told."""
    sizes = {1: l1, 2: l2}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level = int((folder / "level").read_text())
            kind = (folder / "type").read_text().strip()
            size = int((folder / "size").read_text().strip().removesuffix("K"))
        except (OSError, ValueError):
            continue
        if level in sizes and kind in ("Data", "Unified"):
            sizes[level] = size
    return sizes[1], sizes[2]


def check_runs_here(target: str) -> None:
    """Raises `CompileError` for a target whose code this machine cannot run."""
    from llvmlite import binding

    if target not in NEEDED:
        return
    features = host_features()
    missing = [each for each in NEEDED[target].split() if not features.get(each)]
    machine = binding.get_process_triple().split("-")[0]
    if machine != ("aarch64" if target == "aarch64" else "x86_64"):
        missing = [f"another machine than {machine}"]
    if missing:
        raise CompileError(
            f"expected a target that runs on this machine, got {target}, which needs "
            f"{', '.join(missing)}; leave it out to compile for this machine"
        )
