"""
Processes that try mutants, and a parent that sees how each of them ends.

A worker tries one mutant after another and says so before each. When it dies, its last
mutant is a finding, and another worker goes on behind it. What is limited is time of
the processor, so that the load of the machine does not matter, and address space.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import math
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from static_runtime.compiler.freed_memory import give_back_freed_memory

from ..runtime.resident import resident_bytes
from .corpus import mutant, seeds
from .outcome import Outcome, Slow
from .trial import attempt

SLOW = 20.0
"""Seconds of the processor that a mutant may take, before it is told to stop."""

SILENT = 300.0
"""Seconds without a word and without work, after which a process waits for ever."""

MEMORY = 6 << 30
"""Bytes of address space of a worker."""

FULL = 10
"""One mutant in this number is compiled to machine code, and run."""


@dataclass(frozen=True)
class Task:
    """Mutants of a kind with some numbers, for one worker."""

    kind: str
    start: int
    count: int
    full: int = FULL
    rounds: int = 1
    """How often all of them are tried; memory must not grow from the second on."""

    limit: float = SLOW
    """Seconds of the processor for each."""


@dataclass(frozen=True)
class Tried:
    """A mutant, and what became of it."""

    name: str
    outcome: Outcome
    seconds: float = 0.0
    """Of the processor."""


def limit_resources() -> None:
    """Ends what takes too long or too much; a traceback is written first."""
    faulthandler.enable()
    faulthandler.register(signal.SIGXCPU, all_threads=True, chain=True)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def too_slow(*_: Any) -> None:
        raise Slow("expected an end")

    signal.signal(signal.SIGPROF, too_slow)


def serve() -> None:
    """Tries the mutants that lines on stdin ask for; says on stdout how they end."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    limit_resources()
    for line in sys.stdin:
        task = Task(**json.loads(line))
        seeds(task.kind)
        for _ in range(task.rounds):
            for number in range(task.start, task.start + task.count):
                answers.write(f"{task.kind}:{number}\n")
                answers.write(json.dumps(timed(task, number)) + "\n")
            answers.write(f"{trimmed()}\n")
        answers.write("done\n")


def timed(task: Task, number: int) -> Sequence[Any]:
    """What becomes of a mutant, the time it takes, and the memory afterwards."""
    start = time.process_time()
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    # Who does not even hear that is ended, twice as late.
    most = math.ceil(start + 2 * task.limit)
    resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
    in_full = number % task.full == 0
    try:
        signal.setitimer(signal.ITIMER_PROF, task.limit)
        outcome = attempt(mutant(task.kind, number), in_full)
    except Slow:
        outcome = Outcome("slow", "where errors are made")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = time.process_time() - start
    return (outcome.what, outcome.where, outcome.text, seconds)


def trimmed() -> int:
    """Bytes of this process in memory, without what is free already."""
    gc.collect()
    give_back_freed_memory()
    return resident_bytes()


class Worker:
    """One process, started again when it dies."""

    def __init__(self, folder: Path):
        """A worker whose tracebacks, when it is stopped, are in `folder`."""
        self.folder = folder
        self.log = folder / f"worker-{os.getpid()}-{id(self)}.log"
        self.process: subprocess.Popen[str] | None = None
        self.heard = b""
        self.sizes: list[int] = []
        """Bytes of the process after each round of a task."""

    def started(self) -> subprocess.Popen[str]:
        """The process, which lives."""
        if self.process is None:
            self.heard = b""
            environment = {**os.environ, "STATIC_RUNTIME_CACHE": str(self.folder / "c")}
            with self.log.open("w") as log:
                self.process = subprocess.Popen(
                    [sys.executable, str(Path(__file__).parent), "--serve"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    env=environment,
                )
        return self.process

    def stop(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def run(self, task: Task) -> Iterator[Tried]:
        """Each mutant of a task, with what became of it."""
        while True:
            name = ""
            for name, words in self.answers(task):
                if words is None:
                    break
                *told, seconds = words
                yield Tried(name, Outcome(*told), seconds)
            else:
                return
            yield Tried(name, self.death())
            number = int(name.rpartition(":")[2])
            rest = task.start + task.count - number - 1
            if rest <= 0:
                return
            task = replace(task, start=number + 1, count=rest, rounds=1)

    def answers(self, task: Task) -> Iterator[tuple[str, list[Any] | None]]:
        """The name of each mutant and what is said of it; None when the worker died."""
        process = self.started()
        assert process.stdin is not None
        process.stdin.write(json.dumps(task.__dict__) + "\n")
        process.stdin.flush()
        name = f"{task.kind}:{task.start}"
        while True:
            line = self.line(process)
            if line == "done\n":
                return
            if not line:
                yield name, None
                return
            if line.startswith("["):
                yield name, json.loads(line)
            elif line.strip().isdecimal():
                self.sizes.append(int(line))
            else:
                name = line.strip()

    def line(self, process: subprocess.Popen[str]) -> str:
        """What a process says next; nothing when it died, or waits for ever."""
        assert process.stdout is not None
        used = -1.0
        while b"\n" not in self.heard:
            if select.select([process.stdout], [], [], SILENT)[0]:
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    return ""
                self.heard += data
                continue
            before, used = used, cpu_seconds(process.pid)
            if used - before < 1:
                process.send_signal(signal.SIGXCPU)
                return ""
        line, _, self.heard = self.heard.partition(b"\n")
        return line.decode() + "\n"

    def death(self) -> Outcome:
        """How the process ended, and the traceback that it left."""
        assert self.process is not None
        code = self.process.wait()
        self.process.communicate()
        self.process = None
        self.sizes.append(0)
        text = self.log.read_text(errors="replace")
        kind = "hang" if code == -signal.SIGXCPU else "crash"
        # An error of these tests themselves is raised where it is seen.
        assert code < 0, text
        name = signal.Signals(-code).name
        frames = [each for each in text.splitlines() if each.startswith("  File")]
        last = frames[0].strip() if frames else text[-200:]
        return Outcome(kind, f"{name} in {last}", text[-3000:])


def cpu_seconds(pid: int) -> float:
    """The seconds of the processor that a process has taken."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
