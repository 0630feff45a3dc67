"""
Random contractions of every element type, for machines with any caches, compute what
their references do in f64, and integers their bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir import target as targets
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.host import check_runs_here
from static_runtime.dialects.graph.element_array import to_numbers

from ..as_host import skip_unless_runs
from .random_contractions import Array, RandomContraction

COUNT = 100
"""Those that `make test-rest` has; `make soak` has thirty times as many."""


def compiled(made: RandomContraction, patch: pytest.MonkeyPatch) -> StaticModule:
    """The model for its machine, or for the host where this one cannot run that."""
    cpu = made.machine.cpu.data
    try:
        check_runs_here(cpu)
        patch.setitem(targets.TARGETS, "drawn", made.machine)
        target = "drawn"
    except CompileError:
        target = "host"
    ctx = context()
    module = made.module(ctx)
    driver = Driver(ctx, sr.Options(cache=False), target, None)
    artifact, report = driver.compile(module)
    skip_unless_runs(target)
    return make_module(artifact, report, made.threads)


def result(made: RandomContraction, module: StaticModule, *inputs: Array) -> Array:
    """What a call gives, as numbers."""
    found: Any = module(*inputs)
    return to_numbers(found, made.sums)


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize(
    "seed",
    [
        *range(COUNT),
        *(pytest.param(e, marks=pytest.mark.soak) for e in range(COUNT, 30 * COUNT)),
    ],
)
def test_computes_what_the_reference_does(seed: int, monkeypatch: pytest.MonkeyPatch):
    made = RandomContraction(seed)
    module = compiled(made, monkeypatch)
    got, wanted = result(made, module, *made.inputs()), made.wanted()
    assert got.shape == wanted.shape
    greatest = np.abs(wanted).max(initial=1)
    np.testing.assert_allclose(got, wanted, 0, made.tolerance * greatest)
    if made.has_rows:
        image, *rest = made.inputs()
        np.testing.assert_array_equal(result(made, module, image[:1], *rest), got[:1])
