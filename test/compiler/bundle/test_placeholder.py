"""Inputs and outputs of a bundle lie one after the other, at multiples of 64."""

from __future__ import annotations

from static_runtime.compiler.bundle.placeholder import identifier_of, place
from static_runtime.runtime import TensorInfo


def test_each_begins_at_a_multiple_of_the_alignment():
    one = TensorInfo("a.b", "float32", (17,))
    placed = place([one, TensorInfo("c", "bool", ())])
    assert [each.offset for each in placed] == [0, 128]
    assert [each.identifier for each in placed] == ["a_b", "c"]


def test_a_name_becomes_one_that_c_has():
    assert identifier_of("0/x-y") == "_0_x_y"
