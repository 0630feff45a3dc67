"""Mixtures of experts compute what ONNX Runtime does."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, numpy_helper, parser

from static_runtime import CompileError, compile

from .interpreter import read

Array: TypeAlias = np.ndarray[Any, Any]

pytestmark = pytest.mark.torch

EXPERTS, HIDDEN, INSIDE = 4, 32, 64

SWIGLU = (
    'activation_type = "swiglu", swiglu_fusion = 1, activation_alpha = 1.702, '
    "activation_beta = 1.0, swiglu_limit = 2.0, normalize_routing_weights = 1"
)


def model(
    op: str, places: list[str], weights: dict[str, Array], attributes: str
) -> ModelProto:
    """A node on rows and logits of any number, with weights in their places."""
    found = parser.parse_model(
        '<ir_version: 9, opset_import: ["": 20, "com.microsoft": 1]>'
        f"g (float[n, {HIDDEN}] x, float[n, {EXPERTS}] r) => (float[n, {HIDDEN}] y)"
        f" {{ y = com.microsoft.{op}<{attributes}>(x, r, {', '.join(places)}) }}"
    )
    for name, array in weights.items():
        found.graph.initializer.append(numpy_helper.from_array(array, name))
    return found


def floats(random: np.random.Generator, *shape: int) -> Array:
    """Numbers around zero."""
    return random.standard_normal(shape, np.float32)


def of_floats(attributes: str, gated: bool = False, biased: bool = True) -> ModelProto:
    """A mixture whose weights are floats."""
    random = np.random.default_rng(0)
    width = INSIDE * (1 + gated)
    weights = {
        "w": floats(random, EXPERTS, width, HIDDEN),
        "v": floats(random, EXPERTS, HIDDEN, INSIDE),
    }
    if biased:
        weights |= {
            "b": floats(random, EXPERTS, width),
            "c": floats(random, EXPERTS, HIDDEN),
        }
    places = ["w", "b", "v", "c"] if biased else ["w", "", "v"]
    return model("MoE", places, weights, attributes)


def of_bits(bits: int, block: int, has_zeros: bool) -> ModelProto:
    """A mixture of gated layers whose weights are steps, in blocks or in columns."""
    random = np.random.default_rng(0)
    weights: dict[str, Array] = {}
    for name, columns, depth in (("w", 2 * INSIDE, HIDDEN), ("v", HIDDEN, INSIDE)):
        length = depth * bits // 8
        blocks = (depth // block,) if block else ()
        weights[name] = random.integers(0, 256, (EXPERTS, columns, length), np.uint8)
        scales = random.uniform(0.02, 0.04, (EXPERTS, columns, *blocks))
        weights[f"{name}s"] = scales.astype(np.float32)
        weights[f"{name}b"] = floats(random, EXPERTS, columns)
        zeros = (
            (columns, -(-blocks[0] * bits // 8)) if blocks else (columns * bits // 8,)
        )
        weights[f"{name}z"] = random.integers(0, 256, (EXPERTS, *zeros), np.uint8)
    places = ["w", "ws", "wb", "v", "vs", "vb"]
    if has_zeros:
        places += ["", "", "", "wz", "vz"]
    used = {name: each for name, each in weights.items() if name in places}
    attributes = f"k = 2, expert_weight_bits = {bits}, {SWIGLU}"
    if block:
        attributes += f", block_size = {block}"
    return model("QMoE", places, used, attributes)


def beside(source: ModelProto, tolerance: float = 1e-5) -> None:
    """Checks the results of several numbers of rows against ONNX Runtime."""
    graph = read(source)
    other = onnxruntime.InferenceSession(
        source.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    random = np.random.default_rng(1)
    for count in (1, 3, 37):
        given = floats(random, count, HIDDEN), floats(random, count, EXPERTS)
        (got,) = graph.run(*given)
        (wanted,) = other.run(None, dict(zip("xr", given, strict=True)))
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, 0, tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("name", ["relu", "gelu", "silu", "identity"])
def test_activations(name: str):
    beside(of_floats(f'k = 2, activation_type = "{name}"'))


@pytest.mark.parametrize("many", [1, 3, 4])
def test_several_experts_without_a_bias(many: int):
    beside(of_floats(f"k = {many}, normalize_routing_weights = 1", biased=False))


def test_a_gate_beside_its_factor():
    beside(of_floats(f"k = 2, {SWIGLU}", gated=True))


@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize(("bits", "block"), [(4, 0), (4, 32), (8, 0), (2, 0)])
def test_weights_of_few_bits(bits: int, block: int, has_zeros: bool):
    beside(of_bits(bits, block, has_zeros))


@pytest.mark.parametrize("has_zeros", [False, True])
def test_blocks_of_bytes(has_zeros: bool):
    """ONNX Runtime rounds the other factors to bytes, and we do not."""
    beside(of_bits(8, 32, has_zeros), 0.03)


def test_shares_of_their_own():
    """The logits choose, and other numbers say what an expert counts."""
    random = np.random.default_rng(0)
    weights = {
        "w": random.integers(0, 256, (EXPERTS, INSIDE, HIDDEN // 2), np.uint8),
        "s": np.full((EXPERTS, INSIDE), 0.03, np.float32),
        "v": random.integers(0, 256, (EXPERTS, HIDDEN, INSIDE // 2), np.uint8),
        "t": np.full((EXPERTS, HIDDEN), 0.03, np.float32),
    }
    places = ["w", "s", "", "v", "t", *[""] * 7, "m"]
    source = model("QMoE", places, weights, "k = 2, normalize_routing_weights = 1")
    places = parser.parse_graph(f"g (float[n, {EXPERTS}] m) => () {{}}").input
    source.graph.input.extend(places)
    mixing = random.uniform(0.1, 1, (5, EXPERTS)).astype(np.float32)
    given = floats(random, 5, HIDDEN), floats(random, 5, EXPERTS), mixing
    (got,) = read(source).run(*given)
    other = onnxruntime.InferenceSession(source.SerializeToString())
    (wanted,) = other.run(None, dict(zip("xrm", given, strict=True)))
    np.testing.assert_allclose(got, wanted, 0, 1e-5 * np.abs(wanted).max())


def test_halves_are_computed_as_floats():
    """ONNX Runtime's own halves differ from its floats by as much as these are."""
    random = np.random.default_rng(0)
    source = of_floats(f"k = 2, {SWIGLU}", gated=True)
    given = floats(random, 5, HIDDEN), floats(random, 5, EXPERTS)
    halves = [each.astype(np.float16) for each in given]
    (wanted,) = read(source).run(*(each.astype(np.float32) for each in halves))
    for each in (*source.graph.input, *source.graph.output):
        each.type.tensor_type.elem_type = 10
    for each in source.graph.initializer:
        half = numpy_helper.to_array(each).astype(np.float16)
        each.CopyFrom(numpy_helper.from_array(half, each.name))
    (got,) = read(source).run(*halves)
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, wanted, 0, 2e-3 * np.abs(wanted).max())


def test_compiled_it_computes_the_same():
    source = of_bits(4, 32, has_zeros=True)
    random = np.random.default_rng(1)
    given = floats(random, 7, HIDDEN), floats(random, 7, EXPERTS)
    np.testing.assert_allclose(
        compile(source)(*given), read(source).run(*given)[0], 1e-4, 1e-2
    )


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("k = 5", "expected 1 to 4 experts of a row, got k = 5"),
        ("k = 2, use_sparse_mixer = 1", r"MoE \(use_sparse_mixer\)"),
        ('k = 1, activation_type = "tanh"', r"MoE \(an activation tanh\)"),
        (
            'k = 1, activation_type = "swiglu"',
            "expected fc3_experts_weights or swiglu_fusion for swiglu, got none",
        ),
    ],
)
def test_refusals(attributes: str, message: str):
    with pytest.raises(CompileError, match=message):
        compile(of_floats(attributes))
