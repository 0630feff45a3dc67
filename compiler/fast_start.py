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
from threading import Event, RLock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ..runtime.call import CompiledModule
from ..runtime.library import Artifact
from ..runtime.machine import Code, unforked
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
        made = FastStart(self)
        assert isinstance(module.maker, Sibling), "it was compiled here"
        module.maker = replace(module.maker, aside=made)
        made.add(module)
        made.begin()

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
    """A thread that compiles the full code of modules, and exchanges it."""

    def __init__(self, rest: Rest):
        """The rest of a compile, which calls need not wait for."""
        self._modules: WeakSet[CompiledModule] = WeakSet()
        self._lock = RLock()
        """Held while it is told of a module, and while it exchanges code."""
        self._rest: Rest | None = rest
        self._full: tuple[Artifact, CompileReport] | None = None
        self._is_stopped = False
        self._done = Event()
        self._thread: Thread | None = None
        _known.add(self)

    def add(self, module: CompiledModule) -> None:
        """Lets a module of quick code have the full code, at once if it is there."""
        with unforked(), self._lock:
            module.aside = self
            self._modules.add(module)
            if self._full is not None:
                _exchange(module, *self._full)

    def begin(self) -> None:
        """Begins to compile; where there is no thread for it, who waits does."""
        made = Thread(target=self._run, name="static_runtime-fast-start", daemon=True)
        try:
            made.start()
        except RuntimeError:
            made = None
        self._thread = made

    def begin_again(self) -> None:
        """Begins again, in the child of a fork, what had not ended."""
        self._lock = RLock()
        if self._rest is not None and self._full is None:
            self._done = Event()
            self.begin()

    def wait(self, timeout: float | None) -> bool:
        """Waits until it ends; whether the code was exchanged."""
        if self._thread is None:
            with self._lock:
                if not self._done.is_set():
                    self._run()
        self._done.wait(timeout)
        return self._full is not None

    def stop(self) -> None:
        """Ends the thread, after the kernel that it compiles."""
        self._is_stopped = True
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        """Compiles and exchanges."""
        with self:
            assert self._rest is not None, "it is done once"
            full = self._rest.finish(self._go_on)
            # A child has all modules exchanged, or none.
            with unforked(), self._lock:
                for each in self._modules:
                    _exchange(each, *full)
                self._full = full

    def _go_on(self) -> None:
        """Raises where nobody wants the code any more."""
        if self._is_stopped or not self._modules:
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
        try:
            if isinstance(error, Exception) and not isinstance(error, _StoppedError):
                self._warn_of(error)
        finally:
            self._done.set()
        return error is None or isinstance(error, Exception)

    def _warn_of(self, error: Exception) -> None:
        """Says that quick code goes on, and why."""
        names = " and ".join(sorted(map(repr, self._modules)))
        warnings.warn(
            f"expected the full code of {names}, got {type(error).__name__}: {error}; "
            "code of tier fast-start goes on answering, with the same results, and "
            "more slowly",
            RuntimeWarning,
            stacklevel=2,
        )


_known: WeakSet[FastStart] = WeakSet()
"""Those that somebody has, ended or not."""


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
    module.maker = replace(maker, artifact=artifact, report=report, aside=None)
    module.report = report
    module.aside = None


def _linked(artifact: Artifact, former: Code) -> Code:
    """The code of an artifact in place of a former one."""
    return linked(artifact, None, former)


def _stop() -> None:
    """Ends all, before LLVM goes with the process."""
    for each in [*_known]:
        each.stop()


def _begin_again() -> None:
    """Begins all again in the child of a fork, which has no thread of them."""
    for each in [*_known]:
        each.begin_again()


atexit.register(_stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)
