"""What one thread at a time does: to make IR, and to make functions of its ops."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..runtime.call import StaticModule
from ..runtime.library import Artifact
from ..runtime.machine import link
from .session import CompileReport

_lock = threading.RLock()
"""One thread at a time makes IR: xDSL knows one place to build at in a process."""


def _lock_again() -> None:
    """Makes the lock new in a child, where a thread that held it is not."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lock_again)


def alone() -> threading.RLock:
    """The lock that a thread holds while it makes IR."""
    return _lock


def make_module(
    artifact: Artifact,
    report: CompileReport,
    threads: int = 1,
    marks: npt.NDArray[np.uint8] | None = None,
    manages_outputs: bool = False,
) -> StaticModule:
    """
    The module of an artifact, linked; a run may use `threads` threads. Where it was
    compiled to be traced, its calls set `marks`.
    """
    references = []
    if artifact.program.call_outs:
        from .ir import references_of

        with alone():
            references = references_of(artifact.program)
    start = time.perf_counter()
    code = link(artifact.objects, marks, bool(artifact.plans))
    module = StaticModule(
        *(artifact.program, code, artifact.block, references, threads),
        artifact.plan_code,
        manages_outputs,
    )
    linking = time.perf_counter() - start
    module.report = replace(report, seconds=report.seconds + linking)
    return module
