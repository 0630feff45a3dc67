"""What is read computes what ONNX Runtime does: single ops, and whole networks."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto

import static_runtime as sr

from ....models.light import network
from .cases import CASES, check_close
from .interpreter import read
from .test_detection import ATTRIBUTES, INPUTS, random, suppression

pytestmark = pytest.mark.torch


def session(source: ModelProto) -> onnxruntime.InferenceSession:
    """ONNX Runtime with a model."""
    data = source.SerializeToString()
    return onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])


NEWEST = 26
"""The opset up to which ONNX Runtime reads models."""

DIFFERS = {
    "powers of integers",  # which it computes as floats, and cuts at the greatest
    "einsum ...ij,...jk",  # for which it knows ellipses of one rank only
}
"""Cases in which it is not ONNX that it computes; ONNX's own code is asked as well."""


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, case in CASES.items()
        if case.opset <= NEWEST and name not in DIFFERS
    ],
)
def test_computes_what_onnx_runtime_does(name: str):
    case = CASES[name]
    graph, other = read(case.model), session(case.model)
    for sizes in case.sizes:
        inputs = case.inputs(sizes)
        check_close(graph.run(*inputs.values()), other.run(None, inputs))


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("attributes", ATTRIBUTES)
def test_chooses_the_boxes_that_onnx_runtime_does(attributes: str, inputs: str):
    source = suppression(attributes, inputs)
    module, other = sr.compile(source), session(source)
    for seed in range(60):
        given = dict(zip("xslot", random(seed).arrays, strict=True))
        (wanted,) = other.run(None, given)
        np.testing.assert_array_equal(module(**given), wanted)


NETWORKS = ("densenet121", "inception_v2", "resnet50", "shufflenet", "squeezenet")
"""The networks that numpy computes in seconds."""


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_compute_what_onnx_runtime_does(name: str):
    source = network(name)
    graph, other = read(source), session(source)
    (image,) = graph.names("input")
    random = np.random.default_rng(1)
    x = random.standard_normal((1, 3, 224, 224)).astype(np.float32)
    check_close(graph.run(x), other.run(None, {image: x}))
