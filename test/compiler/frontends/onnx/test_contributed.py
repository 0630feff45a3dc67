"""Ops of `com.microsoft`, and ONNX's own of steps, compute what ONNX Runtime does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, numpy_helper, parser

from .interpreter import read

Array: TypeAlias = np.ndarray[Any, Any]

pytestmark = pytest.mark.torch

NUMPY = {
    TensorProto.FLOAT: np.float32,
    TensorProto.INT8: np.int8,
    TensorProto.UINT8: np.uint8,
    TensorProto.INT32: np.int32,
    TensorProto.INT64: np.int64,
}


@dataclass(frozen=True)
class Case:
    """A graph `inputs | body` with results y and z, and how far apart they may be."""

    text: str
    steps: int = 0
    """How many steps results in integers may be apart."""
    ulps: float = 1e-5
    """How far others may be apart, of the greatest."""
    opset: int = 18

    @property
    def model(self) -> ModelProto:
        """The model; ONNX Runtime finds the types of the outputs."""
        inputs, _, body = self.text.partition("|")
        outputs = [name for name in "yzw" if f" {name} =" in body or f"{name}," in body]
        several = ", ".join(f"float {each}" for each in outputs)
        found = parser.parse_model(
            f'<ir_version: 9, opset_import: ["" : {self.opset}, "com.microsoft" : 1]>'
            f"g ({inputs}) => ({several}) {body}"
        )
        for each in found.graph.output:
            each.ClearField("type")
        return found


def random_inputs(source: ModelProto, seed: int) -> dict[str, Array]:
    """
    Arrays for the inputs: steps over the whole range, and numbers around zero.

    Steps with a sign have seven bits: ONNX Runtime adds up products of pairs of them in
    16 bits, which saturate, where the processor has no better instruction.
    """
    random = np.random.default_rng(seed)
    made: dict[str, Array] = {}
    for each in source.graph.input:
        type = each.type.tensor_type
        kind = NUMPY[type.elem_type]
        shape = [size.dim_value for size in type.shape.dim]
        if kind is np.float32:
            made[each.name] = random.standard_normal(shape).astype(kind)
        else:
            least, most = (0, 256) if kind is np.uint8 else (-64, 64)
            made[each.name] = random.integers(least, most, shape).astype(kind)
    return made


CASES = {
    "quantize": Case(
        "float[5,7] x | <float s = {0.03}, uint8 o = {7}> { y = QuantizeLinear(x, s, o)"
        " z = QuantizeLinear(x, s) }",
    ),
    "quantize by axis": Case(
        "float[5,3,7] x | <float[3] s = {0.03, 0.1, 0.2}, int8[3] o = {0, 1, -2}>"
        " { y = QuantizeLinear<axis=-2>(x, s, o) z = DequantizeLinear(y, s, o) }",
    ),
    "quantize in blocks": Case(
        "float[4,2] x | <float[2,2] s = {0.03, 0.1, 0.2, 0.01}, int8[2,2] o ="
        " {0, 1, -2, 3}> { y = QuantizeLinear<axis=0, block_size=2>(x, s, o)"
        " z = DequantizeLinear<axis=0, block_size=2>(y, s, o) }",
        opset=21,
    ),
    "quantize to a type": Case(
        "float[4,2] x | <float s = {0.03}> "
        "{ y = QuantizeLinear<output_dtype=3>(x, s) }",
        opset=21,
    ),
    "dequantize bias": Case(
        "int32[3,4] x | <float s = {0.03}> { y = DequantizeLinear(x, s) }"
    ),
    "dynamic": Case("float[5,7] x | { y, z, w = DynamicQuantizeLinear(x) }"),
    "dynamic of zeros": Case(
        "float[5,7] x | <float o = {0}> { a = Mul(x, o)"
        " y, z, w = DynamicQuantizeLinear(a) }"
    ),
    **{
        f"conv of steps {name}": Case(
            f"uint8[2,4,7,8] x, int8[6,{4 // groups},3,2] w | <float a = {{0.02}}, "
            "uint8 p = {113}, float b = {0.01}, int8 q = {3}, float[6] c = "
            "{0.01, 0.02, 0.03, 0.001, 0.1, 1}, int8[6] r = {0, 0, 0, 0, 0, 0},"
            " float s = {0.4}, uint8 t = {120}, int32[6] d = {1, -500, 3, 40, 50, 6}>"
            f" {{ y = QLinearConv<group={groups}{attributes}>"
            "(x, a, p, w, c, r, s, t, d)"
            f" z = QLinearConv<group={groups}{attributes}>(x, a, p, w, b, q, s, t) }}"
        )
        for name, groups, attributes in (
            ("", 1, ""),
            ("in groups", 2, ", pads=[1,0,2,1]"),
            ("far apart", 1, ", pads=[1,1,1,1], strides=[2,3], dilations=[2,1]"),
        )
    },
    "conv to integers": Case(
        "uint8[2,4,7,8] x, uint8[6,4,3,2] w, uint8 p | <uint8 q = {200}> {"
        " y = ConvInteger<pads=[1,1,1,1]>(x, w, p, q)"
        " z = ConvInteger<pads=[1,0,0,1], strides=[2,2]>(x, w) }"
    ),
    "matmul of steps": Case(
        "uint8[2,5,7] x, int8[7,4] w | <float a = {0.02}, uint8 p = {113},"
        " float[4] b = {0.01, 0.02, 0.1, 0.5}, int8[4] q = {0, 0, 0, 0},"
        " float e = {0.01}, int8 f = {-7}, float s = {0.4}, uint8 t = {120}> {"
        " y = QLinearMatMul(x, a, p, w, b, q, s, t)"
        " z = QLinearMatMul(x, a, p, w, e, f, s, t) }"
    ),
    "matmul to integers": Case(
        "uint8[5,7] x, int8[7,4] w, uint8 p | <int8[4] q = {0, 1, 5, -7}> {"
        " y = MatMulInteger(x, w, p, q) z = MatMulInteger(x, w) }"
    ),
    "elementwise": Case(
        "uint8[2,3,5] a, uint8[3,1] b | <float s = {0.02}, uint8 o = {113},"
        " float t = {0.03}, uint8 p = {9}, float u = {0.05}, uint8 q = {99}>"
        "{ y = com.microsoft.QLinearAdd(a, s, o, b, t, p, u, q)"
        "  z = com.microsoft.QLinearMul(a, s, o, b, t, p, u, q) }",
        steps=1,
    ),
    "functions": Case(
        "int8[2,3,5] a | <float s = {0.05}, int8 o = {13}, float t = {0.03},"
        " int8 p = {9}, float u = {0.00390625}, int8 q = {-128}>"
        "{ y = com.microsoft.QLinearSigmoid(a, s, o, u, q)"
        "  z = com.microsoft.QLinearLeakyRelu<alpha=0.2>(a, s, o, t, p) }",
        steps=1,
    ),
    "softmax": Case(
        "uint8[2,3,5] a | <float s = {0.05}, uint8 o = {13}, float u = {0.00390625},"
        " uint8 q = {0}>"
        "{ y = com.microsoft.QLinearSoftmax<axis=-1, opset=13>(a, s, o, u, q)"
        "  z = com.microsoft.QLinearSoftmax<axis=1, opset=12>(a, s, o, u, q) }",
        steps=1,
    ),
    "pools": Case(
        "uint8[2,3,7,8] a | <float s = {0.05}, uint8 o = {13}, float u = {0.04},"
        " uint8 q = {5}> {"
        " y = com.microsoft.QLinearAveragePool<kernel_shape=[3,2], pads=[1,0,1,1],"
        " strides=[2,2]>(a, s, o, u, q)"
        " z = com.microsoft.QLinearGlobalAveragePool(a, s, o, u, q) }",
        steps=1,
    ),
    "pools with channels last": Case(
        "uint8[2,7,8,3] a | <float s = {0.05}, uint8 o = {13}, float u = {0.04},"
        " uint8 q = {5}> {"
        " y = com.microsoft.QLinearAveragePool<kernel_shape=[3,2], channels_last=1,"
        " count_include_pad=1, pads=[1,0,1,1]>(a, s, o, u, q)"
        " z = com.microsoft.QLinearGlobalAveragePool<channels_last=1>(a, s, o, u, q)}",
        steps=1,
    ),
    **{
        f"pools that pass the image, {more}": Case(
            "uint8[2,1,4,3] a | <float s = {0.05}, uint8 o = {13}, float u = {0.04},"
            " uint8 q = {5}> {"
            " y = com.microsoft.QLinearAveragePool<kernel_shape=[4,3], strides=[3,2],"
            f" pads=[1,0,0,0], channels_last=1, {more}>(a, s, o, u, q)"
            " z = com.microsoft.NhwcMaxPool<kernel_shape=[2,2], strides=[2,2]>(a) }",
            steps=1,
        )
        for more in (
            "ceil_mode=0",
            "ceil_mode=1",
            "count_include_pad=1",
            "count_include_pad=1, ceil_mode=1",
        )
    },
    "layers with channels last": Case(
        "uint8[2,7,8,4] x, int8[6,2,3,2] w | <float a = {0.02}, uint8 p = {113},"
        " float b = {0.01}, int8 q = {3}, float s = {0.4}, uint8 t = {120}> {"
        " y = com.microsoft.QLinearConv<channels_last=1, group=2, pads=[1,0,2,1]>"
        "(x, a, p, w, b, q, s, t)"
        " z = com.microsoft.NhwcMaxPool<kernel_shape=[2,3], pads=[1,0,0,1]>(x) }"
    ),
    "where": Case(
        "float[2,5] c, uint8[2,5] a, uint8[5] b | <float s = {0.05}, uint8 o = {13},"
        " float u = {0.04}, uint8 q = {5}, float n = {0}>"
        "{ d = Less(c, n) y = com.microsoft.QLinearWhere(d, a, s, o, b, u, q, u, q) }",
        steps=1,
    ),
    "concat": Case(
        "uint8[2,3] a, uint8[2,5] b | <float s = {0.05}, uint8 o = {13},"
        " float u = {0.04}, uint8 q = {5}>"
        "{ y = com.microsoft.QLinearConcat<axis=1>(u, q, a, s, o, b, u, q) }",
        steps=1,
    ),
    "gemm of steps": Case(
        "uint8[5,7] x, int8[4,7] w, int32[4] c | <float a = {0.02}, uint8 p = {113},"
        " float[4] b = {0.01, 0.02, 0.1, 0.5}, int8[4] q = {0, 0, 0, 0}, float s ="
        " {0.4}, uint8 t = {120}> {"
        " y = com.microsoft.QGemm<transB=1>(x, a, p, w, b, q, c, s, t)"
        " z = com.microsoft.QGemm<transB=1, alpha=1.0>(x, a, p, w, b, q, c) }",
    ),
    "matmul of what a run quantises": Case(
        "float[5,7] x, int8[7,4] w, float[4] c | <float[4] b = {0.01, 0.02, 0.1, 0.5}>"
        "{ y = com.microsoft.DynamicQuantizeMatMul(x, w, b, , c) }",
    ),
    "matmul to floats": Case(
        "uint8[5,7] x, int8[7,4] w, float[4] c | <float a = {0.02}, uint8 p = {113},"
        " float b = {0.01}, int8 q = {3}> {"
        " y = com.microsoft.MatMulIntegerToFloat(x, w, a, b, p, q, c)"
        " z = com.microsoft.MatMulIntegerToFloat(x, w, a, b) }",
    ),
    "matmul of transposed": Case(
        "float[2,7,5] a, float[2,7,4] b, float[7,2,4] c | {"
        " y = com.microsoft.FusedMatMul<transA=1, alpha=0.5>(a, b)"
        " z = com.microsoft.FusedMatMul<transA=1, transBatchB=1>(a, c) }",
    ),
    "gelus": Case(
        "float[3,5] a, float[5] b | { p = com.microsoft.QuickGelu(a)"
        " q = com.microsoft.Gelu(p) y = com.microsoft.BiasGelu(q, b)"
        " r = com.microsoft.FastGelu(a) z = com.microsoft.FastGelu(r, b) }",
    ),
    "fused conv": Case(
        "float[2,4,7,8] x, float[6,4,3,2] w, float[6] b, float[2,6,5,7] o | {"
        ' y = com.microsoft.FusedConv<activation="Relu">(x, w, b, o)'
        ' z = com.microsoft.FusedConv<activation="LeakyRelu",'
        " activation_params=[0.3]>(x, w)"
        ' u = com.microsoft.FusedConv<activation="HardSwish">(x, w) }',
    ),
    "fused gemm": Case(
        "float[5,7] x, float[4,7] w, float[4] c | {"
        ' y = com.microsoft.FusedGemm<transB=1, activation="Tanh", beta=0.5>(x, w, c)'
        ' z = com.microsoft.FusedGemm<transB=1, activation="LeakyRelu",'
        " activation_alpha=0.2>(x, w, c) }",
    ),
    **{
        f"fused gemm with {name}": Case(
            f"float[5,7] x, float[7,4] w | {{ y = com.microsoft.FusedGemm"
            f'<activation="{name}"{numbers}>(x, w) }}'
        )
        for name, numbers in {
            "Celu": ", activation_alpha=0.7",
            "Elu": ", activation_alpha=0.7",
            "HardSigmoid": ", activation_alpha=0.3, activation_beta=0.4",
            "Selu": ", activation_alpha=0.7, activation_gamma=1.3",
            "Softplus": "",
            "Softsign": "",
            "ThresholdedRelu": ", activation_alpha=0.4",
        }.items()
    },
    "skip layer norm": Case(
        "float[2,3,5] x, float[2,3,5] s, float[5] g, float[5] b, float[5] c | {"
        " y, , , z = com.microsoft.SkipLayerNormalization<epsilon=0.01>"
        "(x, s, g, b, c) }",
    ),
    "skip simple norm": Case(
        "float[2,3,5] x, float[2,3,5] s, float[5] g | {"
        " y, , , z = com.microsoft.SkipSimplifiedLayerNormalization<epsilon=0.01>"
        "(x, s, g) }",
    ),
    "simple norm": Case(
        "float[2,3,5] x, float[3,5] g | {"
        " y = SimplifiedLayerNormalization<axis=1, epsilon=0.01>(x, g) }",
    ),
    "layer norm of an older opset": Case(
        "float[2,3,5] x, float[5] g, float[5] b | {"
        " y = LayerNormalization<epsilon=0.01>(x, g, b)"
        " z = SimplifiedLayerNormalization(y, g) }",
        opset=11,
    ),
    "attention": Case(
        "float[2,3,8] x, float[8,24] w, float[24] b, float[2,2,3,3] a | {"
        " y = com.microsoft.Attention<num_heads=2>(x, w, b, , , a)"
        " z = com.microsoft.Attention<num_heads=4, unidirectional=1, scale=0.3>"
        "(x, w, b) }",
    ),
    "attention with masks": Case(
        "float[2,3,8] x, float[8,20] w, float[20] b | <int32[2,3] m = {1,1,0,1,0,1},"
        " int32[2] l = {2, 3}> {"
        " y = com.microsoft.Attention<num_heads=2, qkv_hidden_sizes=[8,8,4]>"
        "(x, w, b, m)"
        " z = com.microsoft.Attention<num_heads=2, qkv_hidden_sizes=[8,8,4]>"
        "(x, w, b, l) }",
    ),
    "attention with ends and starts of keys": Case(
        "float[2,3,8] x, float[8,24] k, float[24] b, float[2,2,2,2,4] p |"
        " <int32[4] m = {5,4,0,2}, int32[8] l = {2,3,0,2,5,0,3,6}> {"
        " y, z = com.microsoft.Attention<num_heads=2, unidirectional=1>"
        "(x, k, b, m, p)"
        " w = com.microsoft.Attention<num_heads=2, mask_filter_value=-3.0>"
        "(x, k, b, l) }",
    ),
    "attention after calls before": Case(
        "float[2,3,8] x, float[8,24] w, float[24] b, float[2,2,2,4,4] p |"
        " { y, z = com.microsoft.Attention<num_heads=2, unidirectional=1>"
        "(x, w, b, , p) }",
    ),
    "attention after calls before, with masks": Case(
        "float[2,3,8] x, float[8,24] w, float[24] b, float[2,2,2,4,4] p |"
        " <int32[2,7] m = {0,1,1,1,1,1,1,0,0,0,1,1,1,1}> {"
        " y, z = com.microsoft.Attention<num_heads=2, unidirectional=1>"
        "(x, w, b, m, p) }",
    ),
    "attention that gives its keys and values": Case(
        "float[2,3,8] x, float[8,24] w, float[24] b |"
        " { y, z = com.microsoft.Attention<num_heads=2, unidirectional=1>(x, w, b) }",
    ),
    "attention of steps after calls before": Case(
        "uint8[2,3,8] x, int8[8,24] w, float[24] b, float[2,2,2,4,4] k |"
        " <float s = {0.02}, float t = {0.01}, uint8 o = {113}, int8 p = {3}> {"
        " y, z = com.microsoft.QAttention<num_heads=2, unidirectional=1>"
        "(x, w, b, s, t, , o, p, k) }",
    ),
    "attention of steps": Case(
        "uint8[2,3,8] x, int8[8,24] w, float[24] b | <float s = {0.02}, float t ="
        " {0.01}, uint8 o = {113}, int8 p = {3}, int32[2,3] m = {1,1,0,1,0,1}> {"
        " y = com.microsoft.QAttention<num_heads=2>(x, w, b, s, t, m, o, p)"
        " z = com.microsoft.QAttention<num_heads=2, unidirectional=1>"
        "(x, w, b, s, t, , o) }",
    ),
    "heads of given rows": Case(
        "float[2,3,8] q, float[2,5,8] k, float[2,5,12] v, float[28] b,"
        " float[1,2,3,5] a | <int32[2,5] m = {1,1,0,1,0,1,1,1,1,0}> {"
        " y = com.microsoft.MultiHeadAttention<num_heads=2>(q, k, v, b, m)"
        " z = com.microsoft.MultiHeadAttention<num_heads=4, scale=0.3>(q, k, v)"
        " w = com.microsoft.MultiHeadAttention<num_heads=2>(q, k, v, b, , a) }",
    ),
    "heads with rows of calls before": Case(
        "float[2,3,8] q, float[2,3,8] k, float[2,3,8] v, float[2,2,4,4] p,"
        " float[2,2,4,4] o | { y, z, w = com.microsoft.MultiHeadAttention"
        "<num_heads=2, unidirectional=1>(q, k, v, , , , p, o) }",
    ),
    "keys and values of heads": Case(
        "float[2,3,8] q, float[2,2,5,4] k, float[2,2,5,4] v | {"
        " y = com.microsoft.MultiHeadAttention<num_heads=2>(q, k, v) }",
    ),
    "keys and values of heads, with a bias of queries": Case(
        "float[2,3,8] q, float[2,2,5,4] k, float[2,2,5,4] v, float[24] b |"
        " <int32[8] l = {2,3,0,2,5,0,3,6}> {"
        " y = com.microsoft.MultiHeadAttention<num_heads=2>(q, k, v, b, l) }",
    ),
    # Of the last row ONNX Runtime masks no key, unless there are as many keys as rows.
    "rows before keys": Case(
        "float[2,3,8] q, float[2,5,8] k, float[2,5,8] v, float[2,2,2,4] p |"
        " <int64[1] s = {0}, int64[1] e = {2}, int64[1] a = {1}> {"
        " h, i, j = com.microsoft.MultiHeadAttention<num_heads=2, unidirectional=1>"
        "(q, k, v, , , , p, p)"
        " y = Slice(h, s, e, a) }",
    ),
    "rotations": Case(
        "float[2,3,8] x, float[2,2,3,8] h, float[9,2] c, float[9,2] s,"
        " float[9,4] d, float[9,4] e | <int64[2,3] i = {5,0,8,1,2,3},"
        " int64[1] j = {4}> { y = com.microsoft.RotaryEmbedding(x, i, c, s)"
        " z = com.microsoft.RotaryEmbedding<interleaved=1>(h, j, d, e)"
        " w = com.microsoft.RotaryEmbedding<num_heads=1, rotary_embedding_dim=4,"
        " interleaved=1>(x, j, c, s) }",
    ),
    "rotations of a scale, in packed batches": Case(
        "float[2,3,8] x, float[1,5,8] h, float[3,2] c, float[3,2] s |"
        " <int64[2,3] i = {2,0,1,1,2,0}, int64[1,5] j = {0,1,2,0,1}> {"
        " y = com.microsoft.RotaryEmbedding<scale=0.5>(x, i, c, s)"
        " z = com.microsoft.RotaryEmbedding<is_packed_batching=1>(h, j, c, s) }",
    ),
    # These ops have the form of one ONNX opset, in a model of any opset.
    "ops that ONNX has later": Case(
        "float[2,3,4] x | <int64[1,6] p = {0,1,-1,1,0,1}, int64[2,2] e = {0,2,1,-1},"
        " int64 k = {1}> { y = com.microsoft.Trilu<upper=0>(x, k)"
        ' z = com.microsoft.Pad<mode="reflect">(x, p)'
        " w = com.microsoft.GatherND(x, e) }",
        opset=10,
    ),
    "counted": Case(
        "float[4] x | <float a = {1}, float b = {9}, float c = {2}> {"
        " i = com.microsoft.Range(a, b, c) y = Add(x, i) }",
        opset=10,
    ),
    "counted in ones": Case(
        "float[4] x | <float a = {-1.5}, float b = {2}, int64 f = {1}, int64 k = {4}> {"
        " i = com.microsoft.Range(a, b) y = Add(x, i)"
        " z = com.microsoft.Range(f, k) w = com.microsoft.Range(k, f, ) }",
        opset=10,
    ),
    "padded with a number": Case(
        "float[2,3,4] x | <int64[6] p = {0,1,-1,2,0,1}, float v = {0.5}> {"
        " y = com.microsoft.Pad(x, p, v) }",
        opset=10,
    ),
    "places in images": Case(
        "float[1,2,4,5] x, float[1,3,2,2] g | {"
        ' y = com.microsoft.GridSample<align_corners=1, padding_mode="border">(x, g)'
        " z = com.microsoft.GridSample(x, g) }",
        opset=10,
    ),
    "inverse": Case(
        "float[2,3,3] x | { y = com.microsoft.Inverse(x) }", ulps=1e-3, opset=10
    ),
    "a new axis": Case(
        "float[2,3,4] x | <int32 a = {-2}, int32 b = {3}> {"
        " y = com.microsoft.ExpandDims(x, a) z = com.microsoft.ExpandDims(x, b) }",
        opset=10,
    ),
    "transposed products": Case(
        "float[2,3,4] a, float[2,5,4] b | {"
        " y = com.microsoft.TransposeMatMul<transB=1, alpha=0.3>(a, b) }",
    ),
    "embeddings": Case(
        "int32[2,3] i, int32[2,3] k, float[128,6] w, float[9,6] p, float[128,6] s,"
        " float[6] g, float[6] b, int32[2,3] m | { j = Abs(i) l = Abs(k)"
        " t = Less(m, j) u = Cast<to=6>(t)"
        " y, z = com.microsoft.EmbedLayerNormalization<epsilon=0.01>"
        "(j, l, w, p, s, g, b, u) }",
    ),
}


LARGE_HALVES = {
    "skip layer norm": "com.microsoft.SkipLayerNormalization(x, s, g, g)",
    "skip simple norm": "com.microsoft.SkipSimplifiedLayerNormalization(x, s, g)",
    "simple norm": "SimplifiedLayerNormalization(x, g)",
    "attention": "com.microsoft.Attention<num_heads=2>(x, w, b)",
}


@pytest.mark.parametrize("name", LARGE_HALVES)
def test_squares_of_halves_may_leave_their_type(name: str):
    text = (
        '<ir_version: 9, opset_import: ["" : 18, "com.microsoft" : 1]>'
        "g (float[2,3,8] x, float[2,3,8] s, float[8] g, float[8,24] w, float[24] b)"
        f" => (float[2,3,8] y) {{ y = {LARGE_HALVES[name]} }}"
    )
    random = np.random.default_rng(0)
    shapes = {"x": (2, 3, 8), "s": (2, 3, 8), "g": (8,), "w": (8, 24), "b": (24,)}
    given = {each: random.standard_normal(shape) for each, shape in shapes.items()}
    given["x"] *= 400
    halves = {each: array.astype(np.float16) for each, array in given.items()}
    (got,) = read(parser.parse_model(text.replace("float", "float16"))).run(
        *halves.values()
    )
    singles = {each: array.astype(np.float32) for each, array in halves.items()}
    (wanted,) = session(parser.parse_model(text)).run(None, singles)
    assert got.dtype == np.float16
    np.testing.assert_allclose(got, wanted, 2e-3)


BITS = [(8, "none", 32), (8, "packed", 32), (4, "none", 32), (4, "packed", 32)]


@pytest.mark.parametrize(
    ("bits", "zeros", "block"), [*BITS, (4, "float", 32), (4, "packed", 16)]
)
def test_matmul_of_few_bits(bits: int, zeros: str, block: int):
    """A row of 70 numbers ends in a block that is cut."""
    random = np.random.default_rng(0)
    depth, count = 70, 6
    blocks = -(-depth // block)
    bytes_of_row = -(-blocks * bits // 8)
    weights = {
        "w": random.integers(0, 256, (count, blocks, block * bits // 8), np.uint8),
        "s": random.uniform(0.01, 0.1, count * blocks).astype(np.float32),
        "b": random.standard_normal(count).astype(np.float32),
    }
    if zeros == "packed":
        weights["z"] = random.integers(0, 256, count * bytes_of_row, np.uint8)
    elif zeros == "float":
        weights["z"] = random.uniform(3, 9, (count, blocks)).astype(np.float32)
    given = f"K={depth}, N={count}, bits={bits}, block_size={block}"
    place = "" if zeros == "none" else "z"
    source = Case(
        f"float[5,{depth}] x | {{ y = com.microsoft.MatMulNBits<{given}>"
        f"(x, w, s, {place}, , b) }}"
    ).model
    for name, array in weights.items():
        source.graph.initializer.append(numpy_helper.from_array(array, name))
    x = random.standard_normal((5, depth), np.float32)
    got, wanted = read(source).run(x), session(source).run(None, {"x": x})
    np.testing.assert_allclose(got[0], wanted[0], 1e-4, 1e-4)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_lstm_with_quantised_weights(kind: str, direction: str):
    """ONNX Runtime rounds the other factors to steps, and we do not."""
    random = np.random.default_rng(0)
    count, hidden, inputs = 1 + (direction != "forward"), 6, 5
    weights = {
        "w": random.integers(0, 128, (count, inputs, 4 * hidden), np.uint8),
        "r": random.integers(0, 128, (count, hidden, 4 * hidden), np.uint8),
        "b": random.uniform(-1, 1, (count, 8 * hidden)).astype(np.float32),
    }
    for name in "wr":
        weights[name] = (weights[name] - (64 * (kind == "int8"))).astype(kind)
        weights[f"{name}s"] = random.uniform(0.005, 0.01, count).astype(np.float32)
        middle = 0 if kind == "int8" else 64
        weights[f"{name}z"] = np.full(count, middle, kind)
    source = Case(
        f"float[7,3,{inputs}] x | {{ y, z = com.microsoft.DynamicQuantizeLSTM"
        f'<hidden_size={hidden}, direction="{direction}">'
        "(x, w, r, b, , , , , ws, wz, rs, rz) }"
    ).model
    for name, array in weights.items():
        source.graph.initializer.append(numpy_helper.from_array(array, name))
    x = random.uniform(-1, 1, (7, 3, inputs)).astype(np.float32)
    for got, wanted in zip(
        read(source).run(x), session(source).run(None, {"x": x}), strict=True
    ):
        np.testing.assert_allclose(got, wanted, 0, 0.02)


def session(source: ModelProto) -> onnxruntime.InferenceSession:
    """ONNX Runtime with a model, as it stands."""
    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    data = source.SerializeToString()
    return onnxruntime.InferenceSession(
        data, options, providers=["CPUExecutionProvider"]
    )


@pytest.mark.parametrize("name", CASES)
def test_computes_what_onnx_runtime_does(name: str):
    case = CASES[name]
    graph, other = read(case.model), session(case.model)
    for seed in range(3):
        inputs = random_inputs(case.model, seed)
        check(case, graph.run(*inputs.values()), other.run(None, inputs))


@pytest.mark.parametrize("zero", [0, 5])
@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_steps_of_numbers_at_the_edges(kind: str, zero: int):
    """Ties go to even, then the zero point is added; NaN is the least step."""
    numbers = [np.nan, -np.nan, np.inf, -np.inf, 0.5, 1.5, 2.5, -0.5, -1.5, 3e38]
    x = np.array([*numbers, -3e38, 1e-40, 126.5, 127.5, 254.5, 255.5], np.float32)
    source = Case(
        f"float[{len(x)}] x | <float s = {{1}}, {kind} o = {{{zero}}}>"
        " { y = QuantizeLinear(x, s, o) z = DequantizeLinear(y, s, o) }"
    ).model
    got, wanted = read(source).run(x), session(source).run(None, {"x": x})
    np.testing.assert_array_equal(got[0], wanted[0])
    np.testing.assert_array_equal(got[1], wanted[1])


def check(case: Case, actual: list[Array], expected: list[Array]) -> None:
    """The results are as far apart as the case allows."""
    assert len(actual) == len(expected)
    for got, wanted in zip(actual, expected, strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        if wanted.dtype.kind == "f":
            tolerance = case.ulps * np.abs(wanted).max(initial=1e-6)
            np.testing.assert_allclose(got, wanted, 0, tolerance)
        else:
            apart = np.abs(got.astype(np.int64) - wanted.astype(np.int64))
            assert apart.max(initial=0) <= case.steps, (got, wanted)
