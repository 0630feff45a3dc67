"""
Print the processor seconds until the first answer of a model, by full and quick code.

    python -m bench.first_answer                  the models of docs/fast_start.md
    python -m bench.first_answer resnet50 minilm  other models of the suite

Seconds are those of the thread that compiles and calls, from `sr.compile` to the first
answer, with what it imports; runs have one thread. Each is of a fresh process with an
empty cache, and with `--rounds 5` the median of as many, in turns; the artifact is that
which such a process left. The call is the second one, in milliseconds of that thread.
Answers of one model must have equal bits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import static_runtime as sr

from .cases import Case, several, suite_case
from .fresh import in_a_process, in_a_thread

MODELS = ("densenet121", "resnet50", "mobilenet_v2", "minilm", "lstm")

TIERS = ("full", "fast-start")

WAYS = (*TIERS, "artifact")
"""The tiers, without an artifact, and full code from one."""


def answered(folder: str, name: str, tier: str) -> dict[str, Any]:
    """The seconds until the first answer, and of a call, and a hash of its bits."""
    case = Case(Path(folder), name)
    inputs, start = case.inputs(), time.thread_time()
    options = sr.Options(threads=1, tier=tier)
    module = sr.compile(case.model, options=options)
    results = module(*inputs)
    end = time.thread_time()
    module(*inputs)
    call, seconds = time.thread_time() - end, end - start
    digest = hashlib.sha256()
    for each in several(results):
        digest.update(np.ascontiguousarray(each).tobytes())
    return {"seconds": seconds, "call": call, "bits": digest.hexdigest()}


def fresh(case: Case, tier: str, cache: str) -> dict[str, Any]:
    """The same in a fresh process with a cache in a folder."""
    words = ["-m", "bench.first_answer", "--answer", case.name]
    words += ["--folder", str(case.folder), "--tier", tier]
    return in_a_process(cache, *words)


def in_turns(case: Case, rounds: int) -> Iterator[Mapping[str, dict[str, Any]]]:
    """What each way took, by rounds, in an order that turns."""
    for number in range(rounds):
        found: dict[str, dict[str, Any]] = {}
        for tier in TIERS[:: 1 if number % 2 == 0 else -1]:
            with TemporaryDirectory() as cache:
                found[tier] = fresh(case, tier, cache)
                if tier == "full":
                    found["artifact"] = fresh(case, tier, cache)
        bits = {each["bits"] for each in found.values()}
        assert len(bits) == 1, f"expected equal bits of {case.name}, got {found}"
        yield found


def parsed() -> argparse.Namespace:
    """The arguments of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--answer", help="print one answer of a model, and its seconds")
    parser.add_argument("--folder", default="")
    parser.add_argument("--tier", default="full")
    return parser.parse_args()


def main() -> None:
    """Prints a line for each model."""
    arguments = parsed()
    if arguments.answer:
        given = arguments.folder, arguments.answer, arguments.tier
        print(json.dumps(in_a_thread(answered, *given)))
        return
    print("| model | full | fast start | ratio | artifact | call, full | call, quick |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in arguments.models:
        with TemporaryDirectory() as folder:
            rounds = [*in_turns(suite_case(name, Path(folder)), arguments.rounds)]
        times = [median(each[way]["seconds"] for each in rounds) for way in WAYS]
        calls = [median(each[way]["call"] for each in rounds) * 1e3 for way in TIERS]
        ratio = median(
            each["fast-start"]["seconds"] / each["full"]["seconds"] for each in rounds
        )
        full, quick, artifact = (f"{each:.2f}" for each in times)
        row = [name, full, quick, f"{ratio:.2f}", artifact]
        row += [f"{each:.1f}" for each in calls]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
