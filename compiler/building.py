"""What one thread at a time does: to make IR, and to make functions of its ops."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..runtime.call import CompiledModule, Context, module_of
from ..runtime.checking import MemoryChecks, MemoryNotes
from ..runtime.library import Artifact
from ..runtime.machine import Code, link
from .session import FUNCTIONS_NOTE, MEMORY, CompileReport

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
    is_strict: bool = False,
) -> CompiledModule:
    """
    The module of an artifact, linked; a run may use `threads` threads. Where it was
    compiled to be traced, its calls set `marks`.
    """
    references = []
    if artifact.program.call_outs:
        from .frontends import add_frameworks
        from .ir import references_of

        add_frameworks()
        with alone():
            references = references_of(artifact.program)
    start = time.perf_counter()
    code = linked(artifact, marks)
    constants, run = artifact.block, Context.run
    if (noted := artifact.notes.get(MEMORY)) is not None:
        run = MemoryChecks(MemoryNotes.of_json(noted), constants).run
    module = module_of(
        *(artifact.program, code, constants, references, threads),
        *(artifact.plan_code, manages_outputs, is_strict, run),
    )
    linking = time.perf_counter() - start
    module.report = replace(report, seconds=report.seconds + linking)
    return module


def linked(
    artifact: Artifact,
    marks: npt.NDArray[np.uint8] | None = None,
    former: Code | None = None,
) -> Code:
    """The code of an artifact, with the state of a former one of its program if any."""
    given: dict[str, int] = {}
    if symbols := artifact.notes.get(FUNCTIONS_NOTE):
        from .ir import addresses_of

        given = addresses_of(symbols)
    return link(artifact.objects, marks, bool(artifact.plans), given, former)
