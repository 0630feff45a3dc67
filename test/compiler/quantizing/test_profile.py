"""Profiles add up, keep products in floats, and say why a value has no steps."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.quantizing import (
    SCHEMAS,
    Histogram,
    Profile,
    Settings,
    merge_profiles,
    read_profile,
)

SEEN = np.linspace(-1, 3, 1000, dtype=np.float32)

PROFILE = Profile(
    "a" * 64,
    {"x": Histogram.of(SEEN), "relu": Histogram.of(np.maximum(SEEN, 0))},
    ("conv", "fc"),
)


def of(*arrays: list[float]) -> list[Profile]:
    """A profile of one value for each array."""
    return [
        Profile("m", {"x": Histogram.of(np.array(each, np.float32))}, ("fc",))
        for each in arrays
    ]


def test_profiles_add_up_in_any_order():
    profiles = of([1, 2, 3], [-100], [1e-5, 0.1], [])
    texts = {merge_profiles(each).text for each in permutations(profiles)}
    assert len(texts) == 1
    (whole,) = of([1, 2, 3, -100, 1e-5, 0.1])
    assert texts == {whole.text}


def test_profiles_of_several_models_do_not_add_up():
    one, other = of([1], [2])
    with pytest.raises(sr.CompileError, match="expected profiles of one model, m, got"):
        merge_profiles([one, replace(other, model="n")])
    with pytest.raises(sr.CompileError, match="expected profiles of one model"):
        merge_profiles([one, replace(other, values={})])
    with pytest.raises(sr.CompileError, match="expected a profile, got none"):
        merge_profiles([])


def test_profiles_of_several_ways_do_not_add_up():
    one, other = of([1], [2])
    other = other.with_settings(Settings(calibration="kl"))
    message = "expected profiles with calibration='none', as the first has it, got one "
    with pytest.raises(sr.CompileError, match=message):
        merge_profiles([one, other])


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("calibration", ["none", "kl"])
def test_steps_follow_from_the_range(schema: str, calibration: str):
    made = PROFILE.with_settings(Settings(schema, calibration))
    for name in made.values:
        least, greatest = made.range_of(name)
        assert -1 <= least <= 0 < greatest <= 3
        assert made.steps_of(name) == SCHEMAS[schema](least, greatest)
        assert made.why_not(name) == ""


def test_a_value_without_steps_says_why():
    values = {
        "unseen": Histogram.empty(),
        "tiny": Histogram.of(np.array([1e-30], np.float32)),
        "huge": Histogram.of(np.array([1e30], np.float32)),
        "kept": Histogram.of(SEEN),
        "zeros": Histogram.of(np.zeros(9, np.float32)),
    }
    made = Profile("m", values, ("fc",), Settings(keep=("f32:kept",)))
    why = {name: made.why_not(name) for name in values}
    assert why == {
        "unseen": "it was never seen",
        "tiny": "its scale would be 3.92e-33",
        "huge": "its scale would be 3.92e+27",
        "kept": "it is kept",
        "zeros": "",
    }
    assert [made.steps_of(name) is None for name in values] == [True] * 4 + [False]
    for calibration in ("none", "kl"):
        again = made.with_settings(Settings(calibration=calibration))
        zeros = again.steps_of("zeros")
        assert zeros is not None
        assert (zeros.scale, zeros.zero_point) == (1, 0)


def test_an_unknown_name_is_told_with_the_nearest():
    with pytest.raises(sr.CompileError, match="of the model like 'conv' to be kept"):
        PROFILE.with_settings(Settings(keep=("f32:convv",)))


def test_a_profile_is_saved_whole(tmp_path: Path):
    PROFILE.save(tmp_path / "a.yaml")
    found = read_profile(tmp_path / "a.yaml")
    assert found == PROFILE
    with pytest.raises(sr.CompileError, match=r"cannot write .*no such file"):
        PROFILE.save(tmp_path / "none" / "a.yaml")
    assert [*tmp_path.iterdir()] == [tmp_path / "a.yaml"]


def test_a_profile_is_shown_in_short():
    assert repr(PROFILE).startswith("Profile(2 values, Settings(schema='asymmetric'")
