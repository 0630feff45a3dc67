"""Recurrent nets, and how they are said in ONNX: one node for each layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper, numpy_helper
from torch import Tensor, nn

Array = npt.NDArray[np.float32]

WIDTH = 256
LAYERS = 2

ORDER = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2)}
"""Where in torch's rows of weights each gate of ONNX stands."""


class Recurrent(nn.Module):
    """Two recurrent layers; the states of the second are returned."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.cells: Any = {"LSTM": nn.LSTM, "GRU": nn.GRU}[kind](WIDTH, WIDTH, LAYERS)

    def forward(self, x: Tensor) -> Tensor:
        """f32[steps, batch, 256] -> the same."""
        return self.cells(x)[0]


def recurrent_onnx(module: Recurrent, steps: int, batch: int | str) -> onnx.ModelProto:
    """The module as one node of ONNX per layer."""
    nodes: list[onnx.NodeProto] = []
    weights = [numpy_helper.from_array(np.array([1], np.int64), "directions")]
    options: dict[str, Any] = {"linear_before_reset": 1} if module.kind == "GRU" else {}
    value = "in0"
    for layer in range(LAYERS):
        names = [f"{name}{layer}" for name in "WRB"]
        for name, array in zip(names, gates(module, layer), strict=True):
            weights.append(numpy_helper.from_array(array[None], name))
        states = f"states{layer}"
        result = "out0" if layer == LAYERS - 1 else f"layer{layer}"
        nodes += [
            helper.make_node(
                module.kind, [value, *names], [states], hidden_size=WIDTH, **options
            ),
            helper.make_node("Squeeze", [states, "directions"], [result]),
        ]
        value = result
    ends = [
        helper.make_tensor_value_info(
            name, onnx.TensorProto.FLOAT, [steps, batch, WIDTH]
        )
        for name in ("in0", "out0")
    ]
    graph = helper.make_graph(nodes, module.kind.lower(), ends[:1], ends[1:], weights)
    opset = helper.make_opsetid("", 18)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9)


def gates(module: Recurrent, layer: int) -> Iterator[Array]:
    """The weights of inputs, of states, and the biases of both, in ONNX's order."""

    def ordered(name: str) -> Array:
        array = getattr(module.cells, f"{name}_l{layer}").detach().numpy()
        parts = np.split(array, len(ORDER[module.kind]))
        return np.concatenate([parts[gate] for gate in ORDER[module.kind]])

    yield ordered("weight_ih")
    yield ordered("weight_hh")
    yield np.concatenate([ordered("bias_ih"), ordered("bias_hh")])
