"""Arguments in a list and a dict are taken, or refused with what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.call import by_name, positional

MODEL = """
func.func @model(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32>
    attributes {graph.input_names = ["x", "y"]} {
  %0 = graph.add %x, %y : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
X = np.array([1, 2], np.float32)


@pytest.mark.parametrize("given", [X, None, "xy", {"x": X}, iter([X])])
def test_only_a_list_or_a_tuple_has_arguments_by_position(given: Any):
    wanted = f"expected a list or tuple of arguments, got {type(given).__name__}"
    with pytest.raises(TypeError, match=wanted):
        positional(given)


@pytest.mark.parametrize("given", [X, 3, "x", [("x", X)], ()])
def test_only_a_mapping_has_arguments_by_name(given: Any):
    wanted = f"a dict of arguments by name, or None, got {type(given).__name__}"
    with pytest.raises(TypeError, match=wanted):
        by_name(given)


def test_names_are_text():
    with pytest.raises(TypeError, match="expected names of arguments as str, got int"):
        by_name({0: X})


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("kind", [sr.StaticRuntime, sr.RuntimePool])
def test_every_way_to_run_takes_and_refuses_the_same(kind: Any):
    runtime = kind(sr.compile(MODEL, options=sr.Options(cache=False)))
    none: dict[str, Any] = {}
    for kwargs in (None, none):
        assert np.array_equal(runtime.run([X, X], kwargs), 2 * X)
        assert np.array_equal(runtime.run_async([X, X], kwargs).result(60), 2 * X)
        runtime.benchmark([[X, X]], [kwargs], warmup_runs=0, main_runs=1)
    runtime.benchmark([[X, X]], None, warmup_runs=0, main_runs=1)
    wrong: tuple[tuple[Any, Any], ...] = (
        ([X], [X]),
        ([X], "y"),
        (None, None),
        ([X], {0: X}),
    )
    for args, kwargs in wrong:
        for run in (runtime.run, runtime.run_async):
            with pytest.raises(TypeError, match=r"^expected .* arguments.*, got "):
                run(args, kwargs)
        with pytest.raises(TypeError, match=r"^expected .* arguments.*, got "):
            runtime.benchmark([args], [kwargs])
