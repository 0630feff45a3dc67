"""
The machine that this process runs on, as far as code and its schedule depend on it.

Who needs to know asks `get_host()`; nothing else in the house asks LLVM, the system or
its files what the machine is. So a test can replace it by the description of another
machine. Each fact is asked for when it is first needed, since LLVM takes long to load.
"""

from __future__ import annotations

import ctypes
import math
import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Protocol

_ARCH_PRCTL = 158
"""The number of the call of Linux on x86-64 that asks for registers of matrices."""

_ASK, _MATRIX_DATA = 0x1023, 18
"""What is asked: ARCH_REQ_XCOMP_PERM for the state XTILEDATA."""

CPU_FILE = Path("/proc/cpuinfo")
"""Where Linux lists the features of each core."""

CACHE_FILES = Path("/sys/devices/system/cpu/cpu0/cache")
"""Where Linux describes the caches of a core."""

QUOTA_FILE = Path("/sys/fs/cgroup/cpu.max")
"""Where a control group says how much of the processor it may use."""


V2 = "cx16 popcnt sse3 sse4.1 sse4.2 ssse3"
V3 = f"{V2} avx avx2 bmi bmi2 f16c fma lzcnt movbe"
V4 = f"{V3} avx512bw avx512cd avx512dq avx512f avx512vl"
TARGETS = {
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
"""
The machines that have a name, one of LLVM's, and the features that code for each may
use, in LLVM's words; what the compiler makes of these is derived from them.
"""

_LINUX_NAMES = {
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "amx-bf16": "amx_bf16",
    "amx-int8": "amx_int8",
    "amx-tile": "amx_tile",
    "avx512bf16": "avx512_bf16",
    "avx512bitalg": "avx512_bitalg",
    "avx512fp16": "avx512_fp16",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vnni": "avx512_vnni",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "avxvnni": "avx_vnni",
}
"""Linux's names of features in `TARGETS` that differ from LLVM's."""


class Host(Protocol):
    """A machine that code runs on."""

    @property
    def triple(self) -> str:
        """Its architecture and system, as LLVM's triple."""
        ...

    @property
    def cpu(self) -> str:
        """LLVM's name of the processor, which virtual machines get wrong."""
        ...

    @property
    def features(self) -> str:
        """
        What it has and has not, as LLVM's text of `+` and `-`; AMX only where the
        system lets this process use it.
        """
        ...

    @property
    def caches(self) -> tuple[int | None, int | None]:
        """KiB of the first cache of data and of the second; None if unknown."""
        ...

    @property
    def threads(self) -> int:
        """How many threads this process may run at once."""
        ...


class ThisMachine:
    """The machine itself, asked once; only what it may use is counted at each look."""

    @property
    @cache
    def triple(self) -> str:
        """The triple of this process."""
        from llvmlite import binding

        return binding.get_process_triple()

    @property
    @cache
    def cpu(self) -> str:
        """The processor, by LLVM's guess."""
        from llvmlite import binding

        return binding.get_host_cpu_name()

    @property
    @cache
    def features(self) -> str:
        """The flags of the processor; asks Linux for AMX where there is one."""
        from llvmlite import binding

        found = binding.get_host_cpu_features()
        matrices = [each for each in found if each.startswith("amx-")]
        if any(found[each] for each in matrices) and not grants_matrices():
            found.update(dict.fromkeys(matrices, False))
        return found.flatten()

    @property
    @cache
    def caches(self) -> tuple[int | None, int | None]:
        """What Linux says of the caches of its first core."""
        return read_caches()

    @property
    def threads(self) -> int:
        """The cores that this process may use by its affinity and by its quota."""
        if hasattr(os, "sched_getaffinity"):
            count = len(os.sched_getaffinity(0))
        else:
            count = os.cpu_count() or 1
        return min(count, quota())


class BareMachine(ThisMachine):
    """
    The machine itself by what Linux says, for code of named targets: it knows the
    features that `TARGETS` name, and no LLVM is asked.
    """

    @property
    @cache
    def triple(self) -> str:
        """The triple of this process; Python knows the first part."""
        return f"{platform.machine()}-unknown-linux-gnu"

    @property
    @cache
    def cpu(self) -> str:
        """Any processor of the architecture."""
        return "generic"

    @property
    @cache
    def features(self) -> str:
        """The features of `TARGETS` that every core has; AMX as in `ThisMachine`."""
        flags = _read_flags()
        named = sorted({each for text in TARGETS.values() for each in text.split()})
        found = {each for each in named if _LINUX_NAMES.get(each, each) in flags}
        if any(each.startswith("amx-") for each in found) and not grants_matrices():
            found = {each for each in found if not each.startswith("amx-")}
        return ",".join(f"{'+' if each in found else '-'}{each}" for each in named)


MACHINE: Host = ThisMachine()
"""The machine that `host` answers with, which only tests replace."""


def get_host() -> Host:
    """The machine that this process runs on."""
    return MACHINE


def enabled(machine: Host) -> frozenset[str]:
    """The features that a machine has."""
    flags = machine.features.split(",")
    return frozenset(each[1:] for each in flags if each.startswith("+"))


def lacking(target: str, machine: Host) -> list[str]:
    """What a machine lacks to run code for a named target; nothing if it runs."""
    architecture = "aarch64" if target == "aarch64" else "x86_64"
    own = machine.triple.split("-")[0].replace("arm64", "aarch64")
    if own != architecture:
        return [f"another machine than {own}"]
    found = enabled(machine)
    return [each for each in TARGETS[target].split() if each not in found]


def _read_flags() -> frozenset[str]:
    """The flags that all cores of `CPU_FILE` have; none where it does not say."""
    try:
        lines = CPU_FILE.read_text().splitlines()
    except OSError:
        return frozenset()
    cores = [line.partition(":")[2] for line in lines if line.startswith("flags")]
    first, *others = [{*each.split()} for each in cores] or [set[str]()]
    return frozenset(first.intersection(*others))


def read_caches() -> tuple[int | None, int | None]:
    """The sizes in `CACHE_FILES`, each None where a file does not say it."""
    sizes: dict[int, int | None] = {1: None, 2: None}
    for folder in sorted(CACHE_FILES.glob("index*")):
        try:
            level = int((folder / "level").read_text())
            kind = (folder / "type").read_text().strip()
            size = int((folder / "size").read_text().strip().removesuffix("K"))
        except (OSError, ValueError):
            continue
        # Some virtual machines know of a cache and not of its size, and say 0K.
        if level in sizes and kind in ("Data", "Unified") and size > 0:
            sizes[level] = size
    return sizes[1], sizes[2]


def quota() -> int:
    """The cores that the control group of this process may use, if it says."""
    try:
        limit, period = QUOTA_FILE.read_text().split()
        return max(1, math.ceil(int(limit) / int(period)))
    except (OSError, ValueError, ZeroDivisionError):
        return sys.maxsize


@cache
def grants_matrices() -> bool:
    """Asks Linux for registers of matrices, which it grants a process on demand."""
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).syscall(_ARCH_PRCTL, _ASK, _MATRIX_DATA) == 0
