"""The host as a target: what compiled code depends on, and which targets run here."""

from __future__ import annotations

from functools import cache

from ...runtime.machine import TARGETS, Host, get_host, lacking
from .errors import CompileError


def host_text() -> str:
    """The triple, the features and the version of LLVM that host code depends on."""
    return _text_of(get_host())


def machine_text() -> str:
    """What measured times depend on: the processor, and what its code depends on."""
    return f"{get_host().cpu} {host_text()}"


def target_text(target: str, tune: bool = False) -> str:
    """A target, and what this machine can do, which its code may depend on."""
    return f"{target} {machine_text() if tune else host_text()}"


@cache
def _text_of(machine: Host) -> str:
    """What the code for a machine depends on."""
    from llvmlite import binding

    version = ".".join(map(str, binding.llvm_version_info))
    l1, l2 = (size or 0 for size in machine.caches)
    return f"{machine.triple} {machine.features} {version} {l1} {l2}"


def check_runs_here(target: str, tune: bool = False) -> None:
    """
    Raises `CompileError` for a target whose code this machine cannot run, or cannot
    measure where that is asked for.
    """
    if tune and target != "host":
        raise CompileError(
            f"expected the target host, to measure on, got {target} with tune=True; "
            "leave one of them out"
        )
    if target not in TARGETS:
        return
    missing = lacking(target, get_host())
    if missing:
        raise CompileError(
            f"expected a target that runs on this machine, got {target}, which needs "
            f"{', '.join(missing)}; leave it out to compile for this machine"
        )
