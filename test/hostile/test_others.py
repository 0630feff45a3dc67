"""Who is asked answers, refuses or dies, and the worker that asks lives on."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from . import edges_trial
from .others import DiedError, ask

MODEL = helper.make_model(
    helper.make_graph(
        [helper.make_node("Neg", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=10,
)
DATA = MODEL.SerializeToString()


def test_another_evaluator_that_dies_ends_nothing_but_itself():
    x = np.ones(2, np.float32)
    for _ in range(2):
        (y,) = ask("onnx_evaluator", DATA, {"x": x})
        np.testing.assert_array_equal(y, -x)
        with pytest.raises(ValueError, match="Error"):
            ask("onnx_evaluator", DATA, {})
        with pytest.raises(DiedError, match="SIGSEGV in dying"):
            ask("dying", DATA, {"x": x})


def test_its_death_is_noted_beside_what_we_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(edges_trial, "OTHERS", ("onnx_evaluator", "dying"))
    outcome = edges_trial.edge_outcome(DATA, True, False)
    assert (outcome.what, outcome.where) == ("others", "SIGSEGV in dying")
    monkeypatch.setattr(edges_trial, "OTHERS", ("onnx_evaluator",))
    assert edges_trial.edge_outcome(DATA, True, False).what == "same"
