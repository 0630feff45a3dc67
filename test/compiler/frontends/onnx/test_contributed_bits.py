"""Look-ups in tables of few bits compute what ONNX Runtime does."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, helper, numpy_helper, parser

from static_runtime import CompileError

from .interpreter import Array, read

pytestmark = pytest.mark.torch

KINDS = {"uint4": ml_dtypes.uint4, "int4": ml_dtypes.int4, "uint8": np.uint8}


def model(weights: dict[str, Array], attributes: str, indices: str) -> ModelProto:
    """A node with a table of these steps, scales and zero points."""
    given = ", ".join(each for each in weights if each != "w")
    found = parser.parse_model(
        '<ir_version: 10, opset_import: ["": 21, "com.microsoft": 1]>'
        f"g (int64[{indices}] i) => (float y) {{ y ="
        f" com.microsoft.GatherBlockQuantized<{attributes}>(w, i, {given}) }}"
    )
    found.graph.output[0].ClearField("type")
    for name, array in weights.items():
        found.graph.initializer.append(numpy_helper.from_array(array, name))
    return found


def beside(source: ModelProto, indices: Array) -> None:
    """Checks the numbers that are looked up against ONNX Runtime."""
    (got,) = read(source).run(indices)
    other = onnxruntime.InferenceSession(source.SerializeToString())
    (wanted,) = other.run(None, {"i": indices})
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(got, wanted, 1e-6, 1e-6)


@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize(
    ("bits", "depth"), [(4, 64), (4, 40), (8, 64), (8, 40), (2, 64)]
)
def test_rows_of_bytes(bits: int, depth: int, has_zeros: bool):
    """A row of 40 numbers ends in a block that is cut."""
    random = np.random.default_rng(0)
    blocks = -(-depth // 16)
    weights = {
        "w": random.integers(0, 256, (9, depth * bits // 8), np.uint8),
        "s": random.uniform(0.1, 1, (9, blocks)).astype(np.float32),
    }
    if has_zeros:
        shape = 9, -(-blocks * bits // 8)
        weights["z"] = random.integers(0, 256, shape, np.uint8)
    source = model(weights, f"bits = {bits}, block_size = 16", "a, b")
    beside(source, np.array([[0, 8, 3], [5, 5, -1]]))


def test_a_table_that_a_product_has_in_another_shape():
    """As a tied head has it: `MatMulNBits` has an axis of blocks."""
    random = np.random.default_rng(0)
    weights = {
        "w": random.integers(0, 256, (9, 4, 8), np.uint8),
        "s": random.uniform(0.1, 1, (9, 4)).astype(np.float32),
    }
    source = model(weights, "block_size = 16", "n")
    source.graph.node[0].input[0] = "rows"
    source.graph.node.insert(0, helper.make_node("Reshape", ["w", "f"], ["rows"]))
    shape = numpy_helper.from_array(np.array([9, 32]), "f")
    source.graph.initializer.append(shape)
    beside(source, np.array([3, 0, 8]))


@pytest.mark.parametrize("axes", [(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (-1, 0)])
@pytest.mark.parametrize("kind", ["int4", "uint4"])
def test_axes(kind: str, axes: tuple[int, int]):
    random = np.random.default_rng(0)
    shape, scales = [18, 20, 24], [18, 20, 24]
    scales[axes[1]] = 2
    least = -8 if kind == "int4" else 0
    weights = {
        "w": random.integers(least, least + 16, shape).astype(KINDS[kind]),
        "s": random.uniform(0.1, 1, scales).astype(np.float32),
        "z": random.integers(least, least + 16, scales).astype(KINDS[kind]),
    }
    attributes = f"gather_axis = {axes[0]}, quantize_axis = {axes[1]}, block_size = 16"
    beside(model(weights, attributes, "n"), np.array([3, 0, -2]))


def test_blocks_along_the_axis_of_a_look_up_are_refused():
    weights = {
        "w": np.zeros((32, 4), ml_dtypes.uint4),
        "s": np.ones((2, 4), np.float32),
    }
    source = model(weights, "gather_axis = 0, quantize_axis = 0, block_size = 16", "n")
    with pytest.raises(CompileError, match="blocks along the axis of what is looked"):
        read(source)


def test_scales_of_other_blocks_are_refused():
    weights = {"w": np.zeros((9, 32), np.uint8), "s": np.ones((9, 3), np.float32)}
    with pytest.raises(CompileError, match="expected a scale for each block of 16 of"):
        read(model(weights, "bits = 8, block_size = 16", "n"))
