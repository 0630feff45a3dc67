"""
Measure models side by side: each peer in a process of its own, all in turns.

While one peer loads or runs, the others are stopped, so that threads which wait by
spinning take nothing from it. What else the machine does meets all alike, for turns are
short. Each round has one burst of every peer, and one measurement of the machine's
limits; the order is the other way around in every second round.
"""

from __future__ import annotations

import json
import os
import select
import signal
import statistics
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from static_runtime.compiler.profiling.limits import Limits
from static_runtime.compiler.session.errors import CompileError

from .cases import Case
from .peers import limit_of
from .results import Row, Timing
from .work import Work, work_of

ROOT = Path(__file__).resolve().parent.parent

LOAD_SECONDS = 300.0
"""How long a peer may take to load a model and run it once."""

BURST_SECONDS = 120.0
"""How long a burst may take, beside what it was told."""


@dataclass(frozen=True)
class Plan:
    """How models are measured."""

    peers: Sequence[str]
    rounds: int = 15
    milliseconds: float = 60.0


@dataclass
class Worker:
    """The process of one peer, stopped unless it is its turn."""

    process: subprocess.Popen[bytes]
    timing: Timing = field(default_factory=Timing)

    def signal(self, number: int) -> None:
        """Sends a signal to the process and to what it started."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def load(self) -> None:
        """Waits until the model has run once; then it is stopped."""
        known = self.answer(LOAD_SECONDS)
        self.timing.error = known.get("error")

    def burst(self, milliseconds: float) -> None:
        """Lets it run for so long, and notes its figures."""
        if self.timing.failure is not None:
            return
        self.signal(signal.SIGCONT)
        commands = self.process.stdin
        assert commands is not None
        try:
            commands.write(json.dumps({"milliseconds": milliseconds}).encode() + b"\n")
            commands.flush()
        except BrokenPipeError:
            self.timing.failure = "the process ended"
            return
        known = self.answer(BURST_SECONDS + milliseconds / 1e3)
        if self.timing.failure is None:
            self.timing.microseconds.append(known["microseconds"])
            if known["others"] is not None:
                self.timing.others.append(known["others"])

    def answer(self, seconds: float) -> dict[str, Any]:
        """The next line that it says; without one, or with a failure, it is lost."""
        answers = self.process.stdout
        assert answers is not None
        known: dict[str, Any] = {}
        if not select.select([answers], [], [], seconds)[0]:
            self.timing.failure = f"no answer in {seconds:.0f} s"
        elif not (line := answers.readline()):
            self.timing.failure = "the process ended"
        else:
            known = json.loads(line)
            self.timing.failure = known.get("failure")
        self.signal(signal.SIGSTOP if self.timing.failure is None else signal.SIGKILL)
        return known


@contextmanager
def start(peer: str, case: Case, threads: int, log: IO[bytes]) -> Generator[Worker]:
    """A process for a peer, which ends with the block."""
    settings = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    arguments = [peer, str(case.folder), case.name, str(threads)]
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.worker", *arguments],
        cwd=ROOT,
        env={**os.environ, **dict.fromkeys(settings, str(threads))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,
    )
    worker = Worker(process, Timing(limit=limit_of(peer)))
    try:
        yield worker
    finally:
        worker.signal(signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with_nothing_left(pipe)


def with_nothing_left(pipe: IO[bytes]) -> None:
    """Closes a pipe whose other end may be gone."""
    try:
        pipe.close()
    except BrokenPipeError:
        pass


def work_or_none(case: Case) -> Work | None:
    """The work of a case; None for a model that we do not compile, or not fixed."""
    try:
        return work_of(case.model)
    except (CompileError, ValueError):
        return None


def measure(case: Case, threads: int, plan: Plan) -> Row:
    """The row of one model on `threads` threads."""
    work, machine = work_or_none(case), Limits(threads)
    limits: list[tuple[float, float]] = []
    with ExitStack() as stack:
        log = stack.enter_context((case.folder / "workers.log").open("ab"))
        workers: dict[str, Worker] = {}
        for peer in plan.peers:
            worker = stack.enter_context(start(peer, case, threads, log))
            worker.load()
            workers[peer] = worker
        for number in range(plan.rounds):
            size = 0 if work is None else work.bytes
            limits.append((machine.operations_a_second(), machine.bytes_a_second(size)))
            turns = list(workers.values())
            for worker in turns if number % 2 == 0 else reversed(turns):
                worker.burst(plan.milliseconds)
    operations, bytes = (statistics.median(each) for each in zip(*limits, strict=True))
    timings = {name: worker.timing for name, worker in workers.items()}
    return Row(case.name, threads, timings, work, (operations, bytes))
