"""ONNX models that are put together node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper
from onnx.numpy_helper import from_array

Model: TypeAlias = bytes | str
"""An ONNX model, or a text of the graph dialect."""

SHAPE = (4, 16)
OPSET = helper.make_opsetid("", 20)
OWN = helper.make_opsetid("own", 1)


class Graph:
    """A graph of ONNX that grows node by node."""

    def __init__(self, prefix: str = "") -> None:
        """A graph without nodes and inputs, whose names begin like this."""
        self.prefix = prefix
        self.nodes: list[NodeProto] = []
        self.inputs: dict[str, Sequence[int | str]] = {}
        self.weights: list[TensorProto] = []
        self.functions: list[FunctionProto] = []

    def input(self, name: str = "x", shape: Sequence[int | str] = SHAPE) -> str:
        """Adds an input of f32."""
        self.inputs[name] = shape
        return name

    def weight(self, array: Any) -> str:
        """Adds an initialiser."""
        name = f"{self.prefix}w{len(self.weights)}"
        self.weights.append(from_array(np.asarray(array), name))
        return name

    def scale(self, at: int, *shape: int) -> str:
        """Adds an initialiser of f32 that is that of no other `at`."""
        return self.weight(np.full(shape, 1 / (at + 2), np.float32))

    def add(self, op: str, *inputs: str, results: int = 1, **attributes: Any) -> str:
        """Adds a node; the name of its only result, or what those of several begin."""
        name = f"{self.prefix}v{len(self.nodes)}"
        names = [name] if results == 1 else [f"{name}.{at}" for at in range(results)]
        domain = "" if op[0].isupper() else "own"
        node = helper.make_node(op, inputs, names, domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def graph(self, *outputs: str) -> GraphProto:
        """The graph with these outputs."""

        def value(name: str, shape: Sequence[int | str] | None):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        inputs = [value(*each) for each in self.inputs.items()]
        results = [value(each, None) for each in outputs]
        return helper.make_graph(self.nodes, "main", inputs, results, self.weights)

    def model(self, *outputs: str) -> bytes:
        """The model with these outputs."""
        made: ModelProto = helper.make_model(
            self.graph(*outputs),
            opset_imports=[OPSET, OWN],
            functions=self.functions,
            ir_version=9,
        )
        return made.SerializeToString()
