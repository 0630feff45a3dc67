"""
Models that ONNX Runtime's quantiser makes compute what ONNX Runtime computes of them.

Weights have seven bits (`reduce_range`): of more, ONNX Runtime adds up products of
pairs in 16 bits, which saturate, where the processor has no better instruction.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
import pytest
from onnx import (
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    load,
    numpy_helper,
    parser,
    save,
)

import static_runtime as sr
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir import target as targets
from static_runtime.compiler.passes.graph.fold_constants import FoldConstants
from static_runtime.compiler.passes.graph.fold_quantization import FoldQuantization
from static_runtime.compiler.passes.graph.freeze import Freeze
from static_runtime.compiler.passes.graph.sink_dequantize import SinkDequantize
from static_runtime.dialects.graph.ops.conv import ConvOp
from static_runtime.dialects.graph.ops.linear import LinearOp
from static_runtime.dialects.graph.ops.matmul import MatmulOp
from static_runtime.dialects.loop.target import TargetAttr

from ..as_host import skip_unless_runs
from ..compiler.frontends.onnx.interpreter import read
from .stored import DIGITS

pytestmark = pytest.mark.torch

Array: TypeAlias = np.ndarray[Any, Any]

OPTIONS = sr.Options(cache=False, threads=1)

NETWORK = """<ir_version: 9, opset_import: ["" : 18]>
g (float[n,3,16,16] x) => (float[n,10] y) {
    a = Conv<pads=[1,1,1,1]>(x, w1, b1) b = Relu(a)
    c = MaxPool<kernel_shape=[2,2], strides=[2,2]>(b)
    d = Conv<pads=[1,1,1,1], group=2>(c, w2, b2) e = Add(d, c) f = Relu(e)
    h = AveragePool<kernel_shape=[2,2], strides=[2,2]>(f) i = Concat<axis=1>(h, h)
    j = Sigmoid(i) k = GlobalAveragePool(j) l = Flatten(k)
    m = Gemm<transB=1>(l, w3, b3) q = MatMul(m, w4) y = Softmax(q)
}"""

SHAPES = {
    "w1": (8, 3, 3, 3),
    "b1": (8,),
    "w2": (8, 4, 3, 3),
    "b2": (8,),
    "w3": (20, 16),
    "b3": (20,),
    "w4": (20, 10),
}


class Batches:
    """The inputs by which the quantiser finds the ranges of all tensors."""

    def __init__(self, name: str, batches: Sequence[Array]):
        self.batches = iter([{name: each} for each in batches])

    def get_next(self) -> dict[str, Array] | None:
        """The next of them."""
        return next(self.batches, None)


def network() -> ModelProto:
    """The network with weights."""
    model, random = parser.parse_model(NETWORK), np.random.default_rng(0)
    for name, shape in SHAPES.items():
        array = random.standard_normal(shape).astype(np.float32) * 0.3
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model


def images(seed: int) -> Array:
    """Inputs of the network."""
    return np.random.default_rng(seed).standard_normal((8, 3, 16, 16), np.float32)


KINDS: Mapping[str, Mapping[str, Any]] = {
    "QDQ": {"quant_format": "QDQ"},
    "QDQ by channel": {"quant_format": "QDQ", "per_channel": True},
    "QDQ with a sign": {"quant_format": "QDQ", "activation_type": "QInt8"},
    "QDQ without a sign": {"quant_format": "QDQ", "weight_type": "QUInt8"},
    "operators": {"quant_format": "QOperator"},
    "operators by channel": {"quant_format": "QOperator", "per_channel": True},
    "operators without a sign": {"quant_format": "QOperator", "weight_type": "QUInt8"},
    "dynamic": {},
    "dynamic without a sign": {"weight_type": "QUInt8"},
}
"""How a model is quantised."""


def quantized(
    kind: str, model: ModelProto, name: str, batches: Sequence[Array], folder: Path
) -> ModelProto:
    """The model that ONNX Runtime's quantiser makes of another."""
    made: Any = importlib.import_module("onnxruntime.quantization")
    given = dict(KINDS[kind])
    weight = made.QuantType[given.pop("weight_type", "QInt8")]
    how = {"weight_type": weight, "per_channel": given.pop("per_channel", False)}
    how["reduce_range"] = weight == made.QuantType.QInt8
    before, after = folder / "float.onnx", folder / "quantized.onnx"
    save(model, before)
    if given:
        how["quant_format"] = made.QuantFormat[given["quant_format"]]
        activation = given.get("activation_type", "QUInt8")
        how["activation_type"] = made.QuantType[activation]
        made.quantize_static(before, after, Batches(name, batches), **how)
    else:
        made.quantize_dynamic(before, after, **how)
    return load(after)


def session(model: ModelProto) -> onnxruntime.InferenceSession:
    """ONNX Runtime with a model, as it stands."""
    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers)


def every_value(model: ModelProto, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """What ONNX Runtime computes for each value of a model."""
    whole = ModelProto()
    whole.CopyFrom(model)
    own = {each.name for each in whole.graph.output}
    for node in model.graph.node:
        more = [each for each in node.output if each not in own]
        whole.graph.output.extend(ValueInfoProto(name=each) for each in more)
    names = [each.name for each in whole.graph.output]
    return {**inputs, **dict(zip(names, session(whole).run(None, inputs), strict=True))}


def alone(
    node: NodeProto,
    model: ModelProto,
    stored: Mapping[str, TensorProto],
    values: Mapping[str, Array],
) -> ModelProto:
    """The model of one node, whose inputs are those that ONNX Runtime computed."""
    names = [each for each in dict.fromkeys(node.input) if each in values]
    inputs = [
        helper.make_tensor_value_info(
            each,
            helper.np_dtype_to_tensor_dtype(values[each].dtype),
            values[each].shape,
        )
        for each in names
    ]
    outputs = [ValueInfoProto(name=each) for each in node.output]
    kept = [stored[each] for each in dict.fromkeys(node.input) if each in stored]
    graph = helper.make_graph([node], "g", inputs, outputs, kept)
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=9)


@pytest.mark.parametrize("kind", KINDS)
def test_every_tensor_is_within_one_step(kind: str, tmp_path: Path):
    model = quantized(kind, network(), "x", [images(1)], tmp_path)
    values = every_value(model, {"x": images(2)})
    stored = {each.name: each for each in model.graph.initializer}
    for node in model.graph.node:
        graph = read(alone(node, model, stored, values))
        found = graph.run(*(values[each] for each in graph.names("input")))
        for got, name in zip(found, node.output, strict=True):
            wanted = values[name]
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), name
            if wanted.dtype.kind == "f":
                most = np.abs(wanted).max(initial=1e-6)
                np.testing.assert_allclose(got, wanted, 0, 1e-5 * most, err_msg=name)
            else:
                apart = got.astype(np.int64) - wanted.astype(np.int64)
                assert np.abs(apart).max(initial=0) <= 1, name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("runs_host")
def test_a_network_is_as_near_to_floats(kind: str, tmp_path: Path):
    model = quantized(kind, network(), "x", [images(1)], tmp_path)
    x = images(2)
    (exact,) = session(network()).run(None, {"x": x})
    (wanted,) = session(model).run(None, {"x": x})
    (unfolded,) = read(model).run(x)
    got = sr.compile(model, options=OPTIONS)(x)
    # Steps of the results are 1 / 256; ties before it may go another way.
    for each in (wanted, unfolded):
        np.testing.assert_allclose(got, each, 0, 3 / 256)
    assert np.abs(got - exact).max() <= np.abs(wanted - exact).max() + 1 / 256


@pytest.mark.parametrize("kind", [each for each in KINDS if "QDQ" in each])
def test_all_products_are_ones_of_integers(kind: str, tmp_path: Path):
    graph = read(quantized(kind, network(), "x", [images(1)], tmp_path))
    for each in (
        Freeze(),
        FoldConstants(dequantizes=False),
        SinkDequantize(),
        FoldQuantization(),
    ):
        each.apply(graph.ctx, graph.module)
    graph.module.verify()
    products = [
        each
        for each in graph.module.walk()
        if isinstance(each, ConvOp | LinearOp | MatmulOp)
    ]
    assert len(products) == 4
    assert all(each.to is not None for each in products)


@pytest.mark.parametrize("kind", ["QDQ by channel", "QDQ with a sign", "dynamic"])
def test_bits_are_those_of_every_instruction_set(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    skip_unless_runs("x86-64-v3")
    model = quantized(kind, network(), "x", [images(1)], tmp_path)
    found: list[Array] = []
    for isa in ("portable_int8", "portable_vnni", "portable_amx_int8", "x86_pairs"):
        machine = TargetAttr.of("x86-64-v3", 256, 16, True, isas=[isa])
        monkeypatch.setitem(targets.TARGETS, isa, machine)
        graph = read(model)
        driver = Driver(graph.ctx, OPTIONS, isa, None)
        artifact, report = driver.compile(graph.module)
        found.append(make_module(artifact, report, 1)(images(2)))
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("runs_host")
def test_digits_are_read_as_before(kind: str, tmp_path: Path):
    with np.load(DIGITS / "digits_test.npz") as arrays:
        x, labels = arrays["images"], arrays["labels"]
    model = load(DIGITS / "digits.onnx")
    model = quantized(kind, model, "image", [x[::2]], tmp_path)
    module = sr.compile(model, options=OPTIONS)
    assert (module(x).argmax(1) == labels).mean() >= 0.995
