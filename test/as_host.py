"""
Make a described machine the host, and skip what this machine cannot run for it.

Under `pytest --host NAME` the description is that of the whole run: of this process,
and by `described/sitecustomize.py` of each that a test starts. Where this machine can
run code for it, nothing else changes. Where it cannot, a test that runs what it
compiled is skipped once that is compiled and assembled, when it is to be linked.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.host import check_runs_here
from static_runtime.runtime.machine import code, host
from static_runtime.runtime.machine.host import Host, ThisMachine, enabled

from .hosts import HOSTS, NEVER_CHOSEN, VARIABLE

HOOK = Path(__file__).parent / "described"
"""The folder of what Python imports at the start of each process."""

THIS = ThisMachine()
"""The machine that tests really run on, whichever is the host."""


@cache
def missing(machine: Host) -> Sequence[str]:
    """What this machine lacks to run code for another; asks the system for AMX."""
    ours, theirs = (each.triple.split("-")[0] for each in (THIS, machine))
    if ours != theirs:
        return [theirs]
    return sorted(enabled(machine) - enabled(THIS) - NEVER_CHOSEN)


def runs_here(machine: Host) -> bool:
    """Whether this machine can run code for another."""
    return not missing(machine)


def skip(lacking: Sequence[str]) -> NoReturn:
    """Ends the test, whose code cannot run."""
    pytest.skip(f"this machine cannot run code for the host: no {', '.join(lacking)}")


def skip_unless_host_runs() -> None:
    """Skips the test where this machine cannot run code for the host."""
    if lacking := missing(host.get_host()):
        skip(lacking)


def skip_unless_runs(target: str) -> None:
    """Skips the test where code for a target of this name cannot run."""
    skip_unless_host_runs()
    try:
        check_runs_here(target)
    except CompileError as error:
        pytest.skip(str(error))


def put_in_place(name: str) -> None:
    """Makes a description the host of this process, and of those that it starts."""
    host.MACHINE = HOSTS[name]
    os.environ[VARIABLE] = name
    paths = (str(HOOK), os.environ.get("PYTHONPATH", ""))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    if lacking := missing(HOSTS[name]):
        from static_runtime.compiler import building
        from static_runtime.compiler.profiling import limits
        from static_runtime.compiler.tuning import scratch

        def refuse(*_: Any) -> NoReturn:
            skip(lacking)

        # The pool of threads is linked otherwise: it is code for this very process.
        code.link = building.link = refuse
        scratch.link_functions = limits.link_functions = refuse
