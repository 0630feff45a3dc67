"""
Models that are quantised in a way that is none are refused, with the node; products of
few bytes are exact.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from onnx import ModelProto, numpy_helper, parser

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError, UnsupportedModelError

from .interpreter import read


def model(text: str, opset: int = 21) -> ModelProto:
    """A model `inputs | body` with the result y."""
    inputs, _, body = text.partition("|")
    return parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : {opset}, "com.microsoft" : 1]>'
        f"g ({inputs}) => (float y) {body}"
    )


REFUSED = {
    "scales of another axis": (
        "float[4,3] x, float[3] s | { y = QuantizeLinear<axis=0>(x, s) }",
        "expected operands that broadcast, got",
    ),
    "axis beyond": (
        "float[4,3] x, float[3] s | { y = QuantizeLinear<axis=2>(x, s) }",
        "expected an axis from -2 to 1, got 2",
    ),
    "scales of two axes": (
        "float[4,3] x, float[4,3] s | { y = QuantizeLinear(x, s) }",
        "expected one scale or a vector of them, got",
    ),
    "zero points without scales": (
        "int8[4,3] x, float[3] s, int8[4] z | { y = DequantizeLinear(x, s, z) }",
        "expected a zero point for each scale, got",
    ),
    "blocks of another rank": (
        "float[4,6] x, float[3] s | { y = QuantizeLinear<block_size=2>(x, s) }",
        "expected scales of blocks of",
    ),
    "blocks of no size": (
        "float[4,6] x, float[4,3] s | { y = QuantizeLinear<block_size=-2>(x, s) }",
        "expected a block_size of zero or more, got -2",
    ),
    "product of scalars": (
        "uint8 a, uint8[3] b | { y = MatMulInteger(a, b) }",
        "expected operands of one axis or more, got",
    ),
    "rows of another matrix": (
        "uint8[1,3] a, uint8[3,4] b, uint8[5] p | { y = MatMulInteger(a, b, p) }",
        "expected a zero point that belongs to",
    ),
    "zero point of a vector": (
        "uint8[1,3,8] x, uint8[4,3,2] w, uint8[2] p | { y = ConvInteger(x, w, p) }",
        "expected as many elements as",
    ),
    "gemm of stacks": (
        "uint8[2,2,3] a, float s, uint8 z, uint8[3,4] b |"
        " { y = com.microsoft.QGemm(a, s, z, b, s, z) }",
        "expected matrices, got",
    ),
    "concat without scales": (
        "uint8[4] a, float s, uint8 z |"
        " { y = com.microsoft.QLinearConcat<axis=0>(s, z, a, s) }",
        "expected tensors, each with a scale and a zero point, got 2 inputs",
    ),
    "pool of a matrix": (
        "uint8[4,3] a, float s, uint8 z |"
        " { y = com.microsoft.QLinearAveragePool<kernel_shape=[1]>(a, s, z, s, z) }",
        "expected NxCx... and a kernel, got",
    ),
    "bits that no byte has": (
        "float[2,32] x | { y = com.microsoft.MatMulNBits<K=32, N=4, bits=3,"
        " block_size=16>(x, w, s) }",
        "expected 2, 4 or 8 bits and sizes of one or more, got 3 bits",
    ),
    "bytes of fewer rows": (
        "float[2,32] x | { y = com.microsoft.MatMulNBits<K=32, N=5, block_size=16>"
        "(x, w, s) }",
        "expected 80 bytes of 4 bits each, got tensor<64xui8>",
    ),
    "scales of fewer rows": (
        "float[2,32] x | { y = com.microsoft.MatMulNBits<K=32, N=4, block_size=16>"
        "(x, w, few) }",
        "expected as many elements as",
    ),
    "attribute of another op": (
        "float[2] x | { y = com.microsoft.Gelu<alpha=1.0>(x) }",
        "expected attributes none, got 'alpha'",
    ),
    "too few inputs": (
        "uint8[2] x | { y = com.microsoft.QLinearAdd(x) }",
        "expected 7 to 8 inputs, got 1",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    text, message = REFUSED[name]
    source = model(text)
    for weight, array in {
        "w": np.zeros(64, np.uint8),
        "s": np.ones(8, np.float32),
        "few": np.ones(3, np.float32),
    }.items():
        if re.search(rf"\b{weight}[,)]", text.partition("|")[2]):
            known = {each.name for each in source.graph.input}
            if weight not in known:
                tensor = numpy_helper.from_array(array, weight)
                source.graph.initializer.append(tensor)
    with pytest.raises(CompileError, match=re.escape(message)):
        read(source)


LACKING = {
    "an op that is not read": (
        "float[2] x | { y = com.microsoft.NoSuchOp(x) }",
        "NoSuchOp",
    ),
    "an activation that is not read": (
        "float[1,2,4] x, float[3,2,2] w |"
        ' { y = com.microsoft.FusedConv<activation="Cosine">(x, w) }',
        "an activation Cosine",
    ),
}


@pytest.mark.parametrize("name", LACKING)
def test_reported(name: str):
    text, message = LACKING[name]
    with pytest.raises(UnsupportedModelError, match=message):
        read(model(text))


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("rows", [(5,), (2, 5)])
def test_products_of_few_bytes_are_exact(rows: tuple[int, ...], k: int):
    of_a, of_y = (",".join(map(str, (*rows, each))) for each in (k, 6))
    source = parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 10]>'
        f"g (uint8[{of_a}] a) => (int32[{of_y}] y) {{ y = MatMulInteger(a, b) }}"
    )
    random = np.random.default_rng(k)
    a = random.integers(0, 256, (*rows, k)).astype(np.uint8)
    b = random.integers(-128, 128, (k, 6)).astype(np.int8)
    source.graph.initializer.append(numpy_helper.from_array(b, "b"))
    wanted = a.astype(np.int32) @ b.astype(np.int32)
    np.testing.assert_array_equal(sr.compile(source)(a), wanted)


@pytest.mark.parametrize("batch", [0, 1])
def test_a_scale_that_the_run_finds_is_one_of_an_empty_batch(batch: int):
    made = parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 21]>'
        "g (float[n,4] x, int8[4,3] w) => (int32[n,3] y, float s, uint8 z) {"
        " q, s, z = DynamicQuantizeLinear(x) y = MatMulInteger(q, w, z) }"
    )
    x, w = np.zeros((batch, 4), np.float32), np.ones((4, 3), np.int8)
    y, scale, zero = sr.compile(made)(x, w)
    np.testing.assert_array_equal(y, np.zeros((batch, 3), np.int32))
    assert (float(scale), int(zero)) == (1, 0)
