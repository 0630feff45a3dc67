"""Nodes are loaded by the framework that they are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.frameworks.registry import (
    Run,
    add_framework,
    as_arrays,
    load_node,
)


def test_a_node_is_run_by_what_its_framework_loads():
    loaded: list[tuple[str, Sequence[str]]] = []

    def load(node: str, requires: Sequence[str]) -> Run:
        loaded.append((node, requires))
        return lambda arrays, numbers: [arrays[0] * numbers[0]]

    add_framework("of a test", load)
    run = load_node("of a test", "text", ["module"])
    assert loaded == [("text", ["module"])]
    np.testing.assert_array_equal(run([np.array([1, 2])], [3])[0], [3, 6])


def test_an_unknown_framework_is_an_error():
    with pytest.raises(ImportError, match=r"expected a framework of .*, got unknown"):
        load_node("unknown", "", [])


@pytest.mark.parametrize("result", [1.5, np.float32(2), [[1, 2]]])
def test_results_are_arrays(result: Any):
    (array,) = as_arrays([result])
    assert array.tolist() == np.asarray(result).tolist()
