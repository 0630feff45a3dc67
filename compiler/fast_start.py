"""
`FastStart`: the full code of a module, compiled while quick code answers its calls.

Quick code is of the same program: of the same graph, plans, constants and calls, which
kernels in smaller tiles compute, by LLVM's quickest way to machine code. So contexts,
plans and constants stay when the code is exchanged, and nothing is held twice but code.
The thread that compiles ends before the interpreter does, after the kernel that it is
at; in the child of a fork another one begins.
"""

from __future__ import annotations

import atexit
import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, ref

from ..runtime.call import CompiledModule
from ..runtime.library import Artifact
from .artifact_cache import find_artifact, keep_artifact
from .building import linked
from .driver import Driver, Lowered
from .session import CompileReport, warm_report
from .sibling import Sibling

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class _StoppedError(Exception):
    """Ends a compile whose module, or whose interpreter, ends."""


def begun(
    driver: Driver, module: ModuleOp, notes: Mapping[str, Any], key: str | None
) -> tuple[Rest, CompileReport]:
    """
    A compile with quick code, and what that took; an artifact has these notes besides,
    and is kept by a key.
    """
    lowered = driver.lower(module)
    quick, report = driver.finish(lowered.copy(), quick=True)
    quick = replace(quick, notes={**quick.notes, **notes}, constants=quick.block)
    return Rest(driver, lowered, quick, key), replace(report, tier="fast-start")


@dataclass(frozen=True)
class Rest:
    """What is left to do of a compile once there is quick code."""

    driver: Driver
    lowered: Lowered
    quick: Artifact
    key: str | None

    def begin(self, module: CompiledModule) -> None:
        """Begins to compile for a module with the quick code."""
        aside = module.aside = FastStart(module, self)
        aside.begin()

    def finish(self, go_on: Callable[[], None]) -> tuple[Artifact, CompileReport]:
        """
        The artifact of the full code, kept in the cache, and what it took; it has the
        constants of the quick one. `go_on` raises where that is not wanted any more.
        """
        start, cache = time.perf_counter(), self.driver.cache
        if (found := find_artifact(cache, self.key)) is not None:
            # Another process was faster, or the parent of this one.
            artifact, report = found, warm_report(found, start)
        else:
            artifact, report = self.driver.finish_aside(self.lowered.copy(), go_on)
            notes = {**self.quick.notes, **artifact.notes}
            artifact = replace(artifact, notes=notes, constants=self.quick.block)
            weights = self.driver.ctx.weights
            file = keep_artifact(cache, self.key, artifact, weights)
            if file is not None:
                file.close()
        assert artifact.program == self.quick.program, "both are of one program"
        report = replace(report, seconds=time.perf_counter() - start)
        return replace(artifact, constants=self.quick.block), report


class FastStart:
    """A thread that compiles the full code of a module, and exchanges it."""

    def __init__(self, module: CompiledModule, rest: Rest):
        """The rest of the compile of a module, which calls need not wait for."""
        self._module = ref(module)
        self._rest: Rest | None = rest
        self._name = repr(module)
        self._is_stopped = False
        self._is_exchanged = False
        self._done = Event()
        self._thread: Thread | None = None

    def begin(self) -> None:
        """Begins to compile; where there is no thread for it, who waits does."""
        _running.add(self)
        self._done = Event()
        made = Thread(target=self._run, name="static_runtime-fast-start", daemon=True)
        try:
            made.start()
        except RuntimeError:
            made = None
        self._thread = made

    def wait(self, timeout: float | None) -> bool:
        """Waits until it ends; whether the code was exchanged."""
        if self._thread is None and not self._done.is_set():
            self._run()
        self._done.wait(timeout)
        return self._is_exchanged

    def stop(self) -> None:
        """Ends the thread, after the kernel that it compiles."""
        self._is_stopped = True
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        """Compiles and exchanges."""
        with self:
            assert self._rest is not None, "it is done once"
            artifact, report = self._rest.finish(self._go_on)
            if (module := self._module()) is not None:
                _exchange(module, artifact, report)
                self._is_exchanged = True

    def _go_on(self) -> None:
        """Raises where nobody wants the code any more."""
        if self._is_stopped or self._module() is None:
            raise _StoppedError

    def __enter__(self) -> None:
        """Begins what is told to who waits when it ends."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Ends; an error leaves the quick code in place, which a warning says."""
        self._rest = None
        _running.discard(self)
        self._done.set()
        if isinstance(error, Exception) and not isinstance(error, _StoppedError):
            warnings.warn(
                f"expected the full code of {self._name}, got {type(error).__name__}: "
                f"{error}; code of tier fast-start goes on answering, with the same "
                "results, and more slowly",
                RuntimeWarning,
                stacklevel=2,
            )
        return error is None or isinstance(error, Exception)


_running: WeakSet[FastStart] = WeakSet()
"""Those that have not ended."""


def _exchange(
    module: CompiledModule, artifact: Artifact, report: CompileReport
) -> None:
    """Lets a module be answered by the code of an artifact."""
    module.exchange(partial(_linked, artifact))
    before: CompileReport = module.report
    seconds = before.seconds + report.seconds
    report = replace(report, seconds=seconds, read_seconds=before.read_seconds)
    maker: Any = module.maker
    assert isinstance(maker, Sibling), "it was compiled here"
    module.maker = replace(maker, artifact=artifact, report=report)
    module.report = report
    module.aside = None


def _linked(artifact: Artifact, former: Any) -> Any:
    """The code of an artifact in place of a former one."""
    return linked(artifact, None, former)


def _stop() -> None:
    """Ends all, before LLVM goes with the process."""
    for each in [*_running]:
        each.stop()


def _begin_again() -> None:
    """Begins all again in the child of a fork, which has no thread of them."""
    for each in [*_running]:
        each.begin()


atexit.register(_stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)
