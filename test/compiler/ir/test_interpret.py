"""A function that references run: symbols, weights, and errors with their place."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.interpret import interpret
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.compiler.ir.weights import WeightStore
from static_runtime.dialects.graph.ops.activation import ReluOp
from static_runtime.dialects.shape import Array

from ..frontends.interpret import main

LOOKUP = """
func.func @main(%x: tensor<?x3xf32, ["n"]>, %i: tensor<2xi64>) -> tensor<2x3xf32> {
  %w = graph.get_attr "table" : tensor<3xf32>
  %a = graph.add %x, %w : tensor<?x3xf32, ["n"]>, tensor<3xf32> -> tensor<?x3xf32, ["n"]>
  %b = graph.index_select %a, %i {axis = 0 : i64, wraps = false} : tensor<?x3xf32, ["n"]>, tensor<2xi64> -> tensor<2x3xf32> loc("rows")
  func.return %b : tensor<2x3xf32>
}
"""  # noqa: E501

COUNTED = """
func.func @main(%x: tensor<?xf32, ["n"]>) -> tensor<?xf32, ["count"]> {
  %t = graph.cast %x {to = i1} : tensor<?xf32, ["n"]> -> tensor<?xi1, ["n"]>
  %c = graph.cast %t {to = i64} : tensor<?xi1, ["n"]> -> tensor<?xi64, ["n"]>
  %s = graph.sum %c {axes = array<i64: 0>, keepdims = false} : tensor<?xi64, ["n"]> -> tensor<i64>
  graph.define_symbol %s {symbol = "count", low = "0", high = "n"} : tensor<i64>
  %y = graph.slice %x {starts = ["0"], sizes = ["count"], steps = array<i64: 1>} : tensor<?xf32, ["n"]> -> tensor<?xf32, ["count"]>
  func.return %y : tensor<?xf32, ["count"]>
}
"""  # noqa: E501


def parsed(text: str) -> ModuleOp:
    """The module of a text."""
    return parse_module(context(), text, "<test>")


def test_weights_and_indices():
    weights = WeightStore()
    weights.put("table", np.arange(3, dtype=np.float32))
    x, at = np.ones((4, 3), np.float32), np.array([3, 0])
    (y,) = interpret(main(parsed(LOOKUP)), weights, [x, at], {"n": 4})
    np.testing.assert_array_equal(y, [[1, 2, 3]] * 2)


def test_errors_have_the_op_and_its_place():
    weights = WeightStore()
    weights.put("table", np.zeros(3, np.float32))
    x, at = np.ones((4, 3), np.float32), np.array([3, 4])
    with pytest.raises(IndexError) as caught:
        interpret(main(parsed(LOOKUP)), weights, [x, at], {"n": 4})
    assert "in graph.index_select at rows" in caught.value.__notes__


def test_symbols_that_a_run_defines_are_known_after():
    (y,) = interpret(
        main(parsed(COUNTED)),
        WeightStore(),
        [np.array([0, 3, 4], np.float32)],
        {"n": 3},
    )
    np.testing.assert_array_equal(y, [0, 3])


def test_a_result_of_another_type_is_no_answer(monkeypatch: pytest.MonkeyPatch):
    text = """
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = graph.relu %x : tensor<3xf32> -> tensor<3xf32>
      func.return %y : tensor<3xf32>
    }
    """

    def wrong(op: ReluOp, x: Array) -> Array:
        return x.astype(np.float64)

    monkeypatch.setattr(ReluOp, "reference", wrong)
    with pytest.raises(AssertionError, match=r"relu: expected tensor<3xf32>, got fl"):
        interpret(main(parsed(text)), WeightStore(), [np.ones(3, np.float32)], {})
