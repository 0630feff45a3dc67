"""
The calls of some runs as a Chrome trace: open the file in Perfetto or chrome://tracing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...runtime.call import Profile, StaticModule, profiled_run
from ...runtime.program import Symbols, evaluate
from .twin import Call, twin_of

_PROCESS, _THREAD = 1, 1
"""The thread that runs the program; those that share a kernel with it are not shown."""


def chrome_trace(
    module: StaticModule,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    runs: int = 1,
) -> str:
    """
    Runs a module, after a run that is not shown, and returns the trace as JSON: an
    event for each run and for each call in it, in microseconds from the first.

    Raises as `benchmark` does.
    """
    if runs < 1:
        raise ValueError(f"expected one run or more, got {runs}")
    twin, named = twin_of(module), kwargs or {}
    count = len(twin.module.program.calls)
    shown: list[tuple[Any, Symbols]] = []
    with twin.lock:
        profile = Profile(count)
        profiled_run(twin.module, profile, args, named)
        # A run has as many events as the one before it, unless data decide on them.
        profile = Profile(count, events=2 * int(profile.counts.sum()))
        for _ in range(runs):
            profile.clear()
            steps = profiled_run(twin.module, profile, args, named)
            shown.append((profile.events.tolist(), steps.symbols))
    return json.dumps({"traceEvents": _events(twin.module, twin.calls, shown)})


def _events(
    module: StaticModule,
    calls: Sequence[Call],
    runs: Sequence[tuple[list[tuple[int, int, int]], Symbols]],
) -> list[dict[str, Any]]:
    """The names of the threads, then the events in the order in which they began."""
    name = module.program.name
    found: list[dict[str, Any]] = [
        _named("process_name", f"Static Runtime: {name}"),
        _named("thread_name", "run"),
    ]
    numbered = {each.number: each for each in calls}
    origin = min((events[0][1] for events, _ in runs if events), default=0)
    for events, symbols in runs:
        if events:
            whole = events[0][1] - origin, events[-1][2] - origin
            found.append(_event(name, "run", *whole, {}))
        for number, start, end in events:
            call = numbered[number]
            found.append(
                _event(
                    call.name,
                    call.kind,
                    start - origin,
                    end - origin,
                    _arguments(call, symbols),
                )
            )
    return found


def _named(what: str, name: str) -> dict[str, Any]:
    """The name of a process or thread."""
    return {
        "ph": "M",
        "name": what,
        "pid": _PROCESS,
        "tid": _THREAD,
        "args": {"name": name},
    }


def _event(
    name: str, category: str, start: int, end: int, arguments: dict[str, Any]
) -> dict[str, Any]:
    """A complete event, of nanoseconds."""
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "pid": _PROCESS,
        "tid": _THREAD,
        "ts": start / 1e3,
        "dur": (end - start) / 1e3,
        "args": arguments,
    }


def _arguments(call: Call, symbols: Symbols) -> dict[str, Any]:
    """What is shown of a call."""
    found: dict[str, Any] = {"source": call.source, "ops": [*call.ops]}
    if call.operations is not None:
        found["operations"] = evaluate(call.operations, symbols)
    if call.integer_operations is not None:
        found["integer_operations"] = evaluate(call.integer_operations, symbols)
    if call.bytes is not None:
        found["bytes"] = sum(evaluate(each, symbols) for each in call.bytes)
    return found
