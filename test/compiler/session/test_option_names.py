"""Names that are no option: the nearest is told, or why there is nothing to choose."""

from __future__ import annotations

from typing import Any

import pytest

import static_runtime as sr
from static_runtime.compiler.session.option_names import REFUSED, check_names


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("planer", "planner"),
        ("optimise_memory", "optimize_memory"),
        ("enable_out_variants", "enable_out_variant"),
        ("memory_planner", "memory_planner_algorithm"),
        ("manage_outputs", "manage_output_tensors"),
    ],
)
def test_the_nearest_name_is_told(name: str, nearest: str):
    given: dict[str, Any] = {name: True}
    wanted = f"^expected an option like {nearest}, got {name}$"
    with pytest.raises(TypeError, match=wanted):
        sr.Options(**given)


def test_a_name_that_is_like_none_is_told_all():
    with pytest.raises(TypeError, match=r"an option like planner, cache, .*, got zzz$"):
        check_names(["zzz"])


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("value", [True, False, 3])
def test_what_has_no_meaning_here_is_refused_with_the_reason(name: str, value: object):
    given: dict[str, Any] = {name: value}
    with pytest.raises(sr.CompileError) as caught:
        sr.Options(**given)
    assert str(caught.value) == f"expected no option {name}, got some: {REFUSED[name]}"
