"""A profile is of the runs that were given it, and of no others."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.profiling import twin_of
from static_runtime.runtime.call.profile import Profile, profiled_run

from ...compiler.profiling.models import CHAIN, POINTS
from ..texts import as_compiled

pytestmark = pytest.mark.usefixtures("runs_host")

W = np.ones((8, 8), np.float32)
X = np.ones((5, 8), np.float32)


def test_a_run_without_a_profile_notes_nothing():
    twin = twin_of(sr.compile(CHAIN)).module
    profile = Profile(len(twin.program.calls))
    steps = profiled_run(twin, profile, (X, W), {})
    assert profile.counts.tolist() == [1, 1, 1]
    assert steps.symbols == {"n": 5}
    assert min(steps.prepare, steps.run, steps.give_back, steps.drop) >= 0
    assert profile.times.sum() <= steps.run
    profiled_run(twin, None, (X, W), {})
    twin(X, W)
    assert profile.counts.tolist() == [1, 1, 1]


def test_a_run_that_fails_ends_its_profile():
    twin = twin_of(sr.compile(POINTS)).module
    profile = Profile(len(twin.program.calls))
    x = np.ones((4, 3), np.float32)
    with pytest.raises(IndexError, match="expected an index from"):
        profiled_run(twin, profile, (x, np.array([1, 9])), {})
    assert profile.counts.tolist() == [0]
    field = twin.context.layout.profile
    assert twin.context.words[field] == 0
    assert twin(x, np.array([1, 2])).shape == (2, 3)


def test_a_module_that_is_not_profiled_notes_nothing():
    module = as_compiled(sr.compile(CHAIN))
    profile = Profile(len(module.program.calls))
    profiled_run(module, profile, (X, W), {})
    assert profile.counts.tolist() == [0, 0, 0]
