"""Run two modules of one model in turns, in one process, and compare what they give."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

import static_runtime as sr
from static_runtime.runtime.inputs import random_inputs, sizes_of

from .cases import several

Repeat: TypeAlias = Callable[[int], Any]
"""What makes a call a number of times."""


def inputs_of(module: sr.StaticModule) -> list[Any]:
    """Numbers for a model, in the order of its inputs."""
    program = module.program
    return [*random_inputs(program, 0, sizes_of(program, ())).values()]


def assert_same(modules: Sequence[sr.StaticModule], inputs: Sequence[Any]) -> None:
    """Raises unless two modules compute the same bits."""
    results = [several(each(*inputs)) for each in modules]
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def in_turns(
    modules: Sequence[sr.StaticModule],
    inputs: Sequence[Any],
    rounds: int,
    burst: float,
    clock: Callable[[], float] = time.perf_counter,
) -> list[tuple[float, float]]:
    """The seconds of a call of each of two modules with the same inputs, by rounds."""
    runs = [each.repeater(*inputs) for each in modules]
    return repeated_in_turns(runs, rounds, burst, clock)


def repeated_in_turns(
    runs: Sequence[Repeat],
    rounds: int,
    burst: float,
    clock: Callable[[], float] = time.perf_counter,
) -> list[tuple[float, float]]:
    """
    The seconds of a call of each of two that repeat one, by rounds.

    In a round each runs for about `burst` seconds by the clock; the second goes first
    in every other round.
    """

    def seconds(run: Repeat, times: int) -> float:
        start = clock()
        run(times)
        return clock() - start

    once = min(seconds(run, 1) for run in [*runs] * 3)
    times = max(round(burst / max(once, 1e-9)), 1)
    found: list[tuple[float, float]] = []
    for number in range(rounds):
        order = 1 if number % 2 == 0 else -1
        one, other = [seconds(each, times) / times for each in runs[::order]][::order]
        found.append((one, other))
    return found
