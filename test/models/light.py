"""
The networks that come with the package onnx, with weights that differ.

Their files are small, because a node makes each weight, of one number everywhere: what
they compute then says little. Here each such node is replaced by a tensor at random.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Array = npt.NDArray[np.float32]

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"

NETWORKS = sorted(
    path.stem.removeprefix("light_") for path in FOLDER.glob("light_*.onnx")
)
"""The names of all of them."""


def network(name: str) -> ModelProto:
    """
    A network with random weights, and what goes into its softmax as an output too.

    A softmax of large numbers is one and zeros, whatever they are.
    """
    source = onnx.load(FOLDER / f"light_{name}.onnx")
    random = np.random.default_rng(0)
    graph = source.graph
    shapes = {
        each.name: tuple(map(int, numpy_helper.to_array(each).ravel()))
        for each in graph.initializer
        if each.data_type == TensorProto.INT64
    }
    nodes = list(graph.node)
    factors = names_of_factors(nodes)
    graph.ClearField("node")
    for node in nodes:
        if node.op_type == "ConstantOfShape":
            (result,) = node.output
            weight = weights(random, shapes[node.input[0]], result in factors)
            graph.initializer.append(numpy_helper.from_array(weight, result))
        else:
            graph.node.append(node)
        if node.op_type == "Softmax":
            value = helper.make_tensor_value_info(
                node.input[0], TensorProto.FLOAT, None
            )
            graph.output.append(value)
    return source


def names_of_factors(nodes: list[NodeProto]) -> set[str]:
    """The tensors that channels are multiplied with, or divided by."""
    before = {node.output[0]: node for node in nodes}
    found: set[str] = set()
    for node in nodes:
        if node.op_type == "BatchNormalization":
            found |= {node.input[1], node.input[4]}
        elif node.op_type == "Mul" and node.input[1] in before:
            found.add(before[node.input[1]].input[0])
    return found


def weights(
    random: np.random.Generator, shape: tuple[int, ...], is_factor: bool
) -> Array:
    """Weights with which numbers stay about as large as they are (He, normal)."""
    if len(shape) == 1:
        low, high = (0.7, 1.3) if is_factor else (-0.2, 0.2)
        return random.uniform(low, high, shape).astype(np.float32)
    numbers = random.standard_normal(shape, np.float32)
    return numbers * np.float32(np.sqrt(2 / np.prod(shape[1:])))
