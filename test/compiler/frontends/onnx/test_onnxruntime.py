"""What is read computes what ONNX Runtime does: single ops, and whole networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, numpy_helper

from .cases import CASES, check_close
from .interpreter import Array, read

pytestmark = pytest.mark.torch


def session(source: ModelProto) -> onnxruntime.InferenceSession:
    """ONNX Runtime with a model."""
    data = source.SerializeToString()
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("name", CASES)
def test_computes_what_onnx_runtime_does(name: str):
    case = CASES[name]
    graph, other = read(case.model), session(case.model)
    for sizes in case.sizes:
        inputs = case.inputs(sizes)
        check_close(graph.run(*inputs.values()), other.run(None, inputs))


LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
"""Networks that come with onnx, whose weights are all the same number."""

NETWORKS = ("densenet121", "inception_v2", "resnet50", "shufflenet", "squeezenet")


def network(name: str) -> ModelProto:
    """A network with weights that differ, where it makes equal ones."""
    source = onnx.load(LIGHT / f"light_{name}.onnx")
    random = np.random.default_rng(0)
    shapes = {
        each.name: tuple(map(int, numpy_helper.to_array(each).ravel()))
        for each in source.graph.initializer
    }
    nodes = list(source.graph.node)
    source.graph.ClearField("node")
    for node in nodes:
        if node.op_type == "ConstantOfShape":
            weight = weights(random, shapes[node.input[0]])
            tensor = numpy_helper.from_array(weight, node.output[0])
            source.graph.initializer.append(tensor)
        else:
            source.graph.node.append(node)
    return source


def weights(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Weights that keep numbers as large as they are; in a row they are positive."""
    numbers = random.standard_normal(shape)
    if len(shape) == 1:
        return (np.abs(numbers) * 0.1 + 0.5).astype(np.float32)
    return (numbers * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_compute_what_onnx_runtime_does(name: str):
    source = network(name)
    graph, other = read(source), session(source)
    (image,) = graph.names("input")
    random = np.random.default_rng(1)
    x = random.standard_normal((1, 3, 224, 224)).astype(np.float32)
    check_close(graph.run(x), other.run(None, {image: x}))
