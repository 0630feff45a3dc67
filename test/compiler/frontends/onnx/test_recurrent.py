"""Recurrent layers compute what ONNX Runtime does, for any number of steps and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import static_runtime as sr

from .cases import check_close
from .interpreter import Array

pytestmark = pytest.mark.torch

WIDTH, HIDDEN = 5, 6

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}

SIZES = ((1, 1), (4, 3), (7, 2))
"""Numbers of steps and of rows."""


@dataclass(frozen=True)
class Layer:
    """One node."""

    op: str
    given: frozenset[str] = frozenset()
    """The inputs that there are but for X, W and R."""

    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])

    batch: str | int = "batch"

    opset: int = 18

    @property
    def directions(self) -> int:
        """How many directions there are."""
        return 2 if self.attributes.get("direction") == "bidirectional" else 1

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return ["y", "y_h", "y_c"][: 3 if self.op == "LSTM" else 2]

    @property
    def model(self) -> ModelProto:
        """The model, whose weights are stored."""
        random = np.random.default_rng(3)
        gates, count = GATES[self.op], self.directions
        shapes = {
            "W": (count, gates * HIDDEN, WIDTH),
            "R": (count, gates * HIDDEN, HIDDEN),
            "B": (count, 2 * gates * HIDDEN),
            "P": (count, 3 * HIDDEN),
        }
        weights = [
            numpy_helper.from_array(
                random.standard_normal(shape).astype(np.float32), name
            )
            for name, shape in shapes.items()
            if name in self.given or name in "WR"
        ]
        names = ["X", "W", "R", "B", "lengths", "h", "c", "P"]
        names = names if self.op == "LSTM" else names[:6]
        used = [name if name in self.given or name in "XWR" else "" for name in names]
        node = helper.make_node(
            self.op, used, self.outputs, hidden_size=HIDDEN, **self.attributes
        )
        state = [count, self.batch, HIDDEN]
        kinds = {
            "X": (TensorProto.FLOAT, ["steps", self.batch, WIDTH]),
            "lengths": (TensorProto.INT32, [self.batch]),
            "h": (TensorProto.FLOAT, state),
            "c": (TensorProto.FLOAT, state),
        }
        graph = helper.make_graph(
            [node],
            "layer",
            [
                helper.make_tensor_value_info(name, *kinds[name])
                for name in used
                if name in kinds
            ],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
                for name in self.outputs
            ],
            weights,
        )
        opset = helper.make_opsetid("", self.opset)
        return helper.make_model(graph, opset_imports=[opset], ir_version=9)

    def inputs(self, steps: int, batch: int) -> dict[str, Array]:
        """Arrays for the inputs."""
        random = np.random.default_rng(steps)
        state = (self.directions, batch, HIDDEN)
        found: dict[str, Array] = {
            "X": random.standard_normal((steps, batch, WIDTH)).astype(np.float32),
            "lengths": random.integers(1, steps + 1, batch).astype(np.int32),
            "h": random.standard_normal(state).astype(np.float32),
            "c": random.standard_normal(state).astype(np.float32),
        }
        return {
            name: array for name, array in found.items() if name in {"X", *self.given}
        }


def layer(op: str, given: str = "B", **attributes: Any) -> Layer:
    """A layer that takes these inputs."""
    return Layer(op, frozenset(given.split()), attributes)


DIRECTIONS = ("forward", "reverse", "bidirectional")

CASES = {
    **{
        f"{op} {direction} {given}": layer(op, given, direction=direction)
        for op in GATES
        for direction in DIRECTIONS
        for given in ("", "B h" + " c" * (op == "LSTM"), "B lengths h")
    },
    **{
        f"LSTM {direction} with all": layer(
            "LSTM", "B lengths h c P", direction=direction, clip=0.4
        )
        for direction in DIRECTIONS
    },
    "coupled gates": layer("LSTM", "B h c P", input_forget=1),
    "other gates": layer(
        "LSTM",
        "B c",
        direction="bidirectional",
        activations=[
            *("HardSigmoid", "Softsign", "LeakyRelu"),
            *("Sigmoid", "Elu", "ScaledTanh"),
        ],
        activation_alpha=[0.3, 0.2, 0.5, 1.7],
        activation_beta=[0.4, 0.6],
    ),
    "GRU late reset": layer("GRU", "B h", linear_before_reset=1),
    "GRU late reset with all": layer(
        "GRU", "B lengths h", direction="bidirectional", linear_before_reset=1, clip=0.5
    ),
    "GRU of other gates": layer(
        "GRU", activations=["HardSigmoid", "Softplus"], clip=2.0
    ),
    **{
        f"RNN of {function}": layer("RNN", "B h", activations=[function], **numbers)
        for function, numbers in {
            "Relu": {},
            "Sigmoid": {},
            "Softsign": {},
            "Affine": {"activation_alpha": [0.3], "activation_beta": [0.1]},
            "ThresholdedRelu": {"activation_alpha": [0.3]},
        }.items()
    },
    "opset 7": Layer("GRU", frozenset({"B", "h"}), {}, opset=7),
    "opset 14": Layer("LSTM", frozenset({"B", "h"}), {}, opset=14),
    "one row": Layer("LSTM", frozenset({"B", "h", "c"}), {}, batch=1),
}


@pytest.mark.parametrize("name", CASES)
def test_computes_what_onnx_runtime_does(name: str):
    case = CASES[name]
    data = case.model.SerializeToString()
    other = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    module = sr.compile(case.model, options=sr.Options(cache=False))
    for steps, batch in SIZES:
        inputs = case.inputs(steps, batch if case.batch == "batch" else 1)
        expected: Sequence[Array] = other.run(None, inputs)
        check_close(module(*inputs.values()), expected)
