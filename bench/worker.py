"""
The process of one peer: it loads a model, then times bursts of calls when told to.

    python -m bench.worker PEER FOLDER NAME THREADS

Commands and answers are lines of JSON. The first answer says how far the results are
from torch's. A burst is `{"milliseconds": 150}`; its answer has the median time of a
call, and how many processors others used meanwhile.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import statistics
import sys
import time
from itertools import repeat
from pathlib import Path
from typing import IO, Any

from .cases import Case, several
from .peers import PEERS, Call

SAMPLE_SECONDS = 20e-6
"""A call that takes less is timed together with others."""

WARM = 0.2
"""The part of a burst that goes before it and does not count."""

LEAST_SAMPLES = 3


def seconds_of(call: Call, times: int) -> float:
    """The seconds that `times` calls take."""
    start = time.perf_counter_ns()
    for _ in repeat(None, times):
        call()
    return (time.perf_counter_ns() - start) / 1e9


def processor_seconds() -> float | None:
    """What all processors have worked so far; None where Linux does not tell."""
    try:
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return None
    # user nice system idle iowait irq softirq steal
    _, user, nice, system, _, _, irq, soft, steal, *_ = words
    ticks = os.sysconf("SC_CLK_TCK")
    return sum(map(int, (user, nice, system, irq, soft, steal))) / ticks


def burst(call: Call, milliseconds: float) -> dict[str, Any]:
    """The median microseconds of a call, and how many processors others used."""
    times = 1
    end = time.perf_counter() + milliseconds * WARM / 1e3
    while (one := seconds_of(call, times)) < SAMPLE_SECONDS:
        times *= 2
    while time.perf_counter() < end:
        one = seconds_of(call, times)
    times = max(1, int(times * SAMPLE_SECONDS / one))
    all_before, own_before = processor_seconds(), time.process_time()
    start = time.perf_counter()
    end = start + milliseconds / 1e3
    samples: list[float] = []
    while len(samples) < LEAST_SAMPLES or time.perf_counter() < end:
        samples.append(seconds_of(call, times) / times)
    own, wall = time.process_time() - own_before, time.perf_counter() - start
    all_after, others = processor_seconds(), None
    if all_before is not None and all_after is not None:
        others = max(0.0, (all_after - all_before - own) / wall)
    return {"microseconds": statistics.median(samples) * 1e6, "others": others}


def die_with_parent() -> None:
    """Ends this process with the one that started it, even when it is stopped."""
    if sys.platform == "linux":
        death_signal = 1
        ctypes.CDLL(None).prctl(death_signal, signal.SIGKILL)


def answer_to(
    commands: IO[str], answers: IO[str], peer: str, case: Case, threads: int
) -> None:
    """Answers commands until there are no more."""

    def answer(known: dict[str, Any]) -> None:
        answers.write(json.dumps(known) + "\n")
        answers.flush()

    # Whatever a peer meets is what its row says.
    try:
        call = PEERS[peer](case, threads)
        answer({"error": case.error(several(call()))})
        for line in commands:
            answer(burst(call, **json.loads(line)))
    except Exception as error:
        answer({"failure": f"{type(error).__name__}: {error}"[:500]})


def main(peer: str, folder: str, name: str, threads: str) -> None:
    """Serves one peer; what it prints goes to the errors, and not among the answers."""
    die_with_parent()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answer_to(sys.stdin, answers, peer, Case(Path(folder), name), int(threads))
    answers.close()
    # Some libraries do not end by themselves.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
