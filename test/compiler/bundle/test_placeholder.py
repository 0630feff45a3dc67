"""Inputs and outputs of a bundle lie one after the other, at multiples of 64."""

from __future__ import annotations

from static_runtime.compiler.bundle.placeholder import place
from static_runtime.runtime.program import TensorInfo


def test_each_begins_at_a_multiple_of_the_alignment():
    one = TensorInfo("a.b", "float32", (17,))
    placed = place([one, TensorInfo("c", "bool", ())], is_open=False)
    assert [each.offset for each in placed] == [0, 128]
    assert [each.identifier for each in placed] == ["a_b", "c"]


def test_a_plan_says_where_tensors_of_any_size_are():
    (placed,) = place([TensorInfo("x", "float32", ("n", 3))], is_open=True)
    assert (placed.offset, placed.elements) == (0, 0)
    assert placed.text == "float32, n x 3"
