"""Graphs in ONNX's own text, with the sizes that they are run with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, TensorProto

from .interpreter import Array, model


@dataclass(frozen=True)
class Case:
    """A graph, and what its symbols are in each run."""

    text: str
    """The inputs, then the initializers and the nodes; the outputs are y and z."""

    sizes: tuple[Mapping[str, int], ...] = ({},)

    opset: int = 18

    evaluator_errs: bool = False
    """Whether ONNX's evaluator does not do what ONNX says, so that others judge."""

    @property
    def model(self) -> ModelProto:
        """The model, which does not say what type its outputs have."""
        inputs, _, body = self.text.partition("|")
        outputs = [name for name in "yz" if re.search(f"\\b{name}( =|,.* =)", body)]
        several = ", ".join(f"float {each}" for each in outputs)
        result = model(f"g ({inputs}) => ({several}) {body}", self.opset)
        for each in result.graph.output:
            each.ClearField("type")
        return result

    def inputs(self, sizes: Mapping[str, int]) -> dict[str, Array]:
        """Arrays for the inputs, the same in every run."""
        random = np.random.default_rng(0)
        arrays: dict[str, Array] = {}
        for each in self.model.graph.input:
            kind = each.type.tensor_type
            shape = [
                size.dim_value if size.HasField("dim_value") else sizes[size.dim_param]
                for size in kind.shape.dim
            ]
            numbers = random.standard_normal(shape)
            arrays[each.name] = {
                TensorProto.FLOAT: lambda x=numbers: x.astype(np.float32),
                TensorProto.DOUBLE: lambda x=numbers: x,
                TensorProto.INT32: lambda x=numbers: (x * 5).astype(np.int32),
                TensorProto.INT64: lambda x=numbers: (x * 5).astype(np.int64),
                TensorProto.BOOL: lambda x=numbers: x > 0,
            }[kind.elem_type]()
        return arrays


N = ({"n": 1}, {"n": 2}, {"n": 7})
NM = ({"n": 2, "m": 3}, {"n": 5, "m": 8})

CASES = {
    "matmul of vectors": Case("float[4] a, float[4] b | { y = MatMul(a, b) }"),
    "vector times stack": Case("float[n] a, float[2,n,3] b | { y = MatMul(a, b) }", N),
    "stack times vector": Case("float[2,n,3] a, float[3] b | { y = MatMul(a, b) }", N),
    "stacks that broadcast": Case(
        "float[2,1,n,3] a, float[4,3,5] b | { y = MatMul(a, b) }", N
    ),
    "matmul of integers": Case("int64[n,3] a, int64[3,2] b | { y = MatMul(a, b) }", N),
    **{
        f"gemm {how} {bias}": Case(
            f"float[{'3,n' if 'transA' in how else 'n,3'}] a, "
            f"float[{'4,3' if 'transB' in how else '3,4'}] b, float[{shape}] c | "
            f"{{ y = Gemm<{how}>(a, b, c) }}",
            N,
        )
        for how in (
            "alpha=1.0",
            "alpha=0.5, beta=2.0",
            "transA=1",
            "transB=1, alpha=3.0",
            "transA=1, transB=1, beta=0.0",
        )
        for bias, shape in (("row", "4"), ("column", "n,1"), ("scalar", "1,1"))
    },
    "gemm without c": Case("float[n,3] a, float[3,4] b | { y = Gemm(a, b) }", N),
    **{
        f"conv {attributes} over {len(size.split(','))} axes": Case(
            f"float[n,4,{size}] x, float[6,{4 // groups},{kernel}] w, float[6] b | "
            f"{{ y = Conv<group={groups}{attributes}>(x, w, b) }}",
            N,
        )
        for attributes, size, kernel, groups in (
            ("", "7", "3", 1),
            (", strides=[2], pads=[1,0]", "8", "3", 2),
            (", dilations=[2,1], pads=[1,2,0,1]", "7,9", "2,3", 1),
            (', auto_pad="SAME_UPPER", strides=[2,3]', "7,9", "3,4", 2),
            (', auto_pad="SAME_LOWER"', "6,5", "2,4", 1),
            (', auto_pad="VALID", kernel_shape=[1,2,3]', "4,5,6", "1,2,3", 1),
            (", pads=[1,1,1,1,1,1], strides=[1,2,1]", "4,5,6", "3,3,3", 2),
        )
    },
    "convs of weights that vary": Case(
        "float[1,n,5,7] x, float[m,2,3,3] w, float[m] b | "
        "{ y = Conv<group=2, pads=[1,1,1,1]>(x, w, b)"
        "  z = ConvTranspose<group=4, strides=[2,2], output_padding=[1,0]>(y, w) }",
        ({"n": 4, "m": 8}, {"n": 4, "m": 0}, {"n": 4, "m": 12}),
        evaluator_errs=True,
    ),
    "conv over sizes that vary": Case(
        "float[1,2,n,m] x, float[3,2,2,3] w | "
        "{ y = Conv<pads=[1,0,1,2], strides=[2,1]>(x, w)"
        '  z = Conv<auto_pad="SAME_UPPER">(x, w) }',
        NM,
    ),
    **{
        f"{op} {attributes} of {size}": Case(
            f"float[n,2,{size}] x | {{ y = {op}<{attributes}>(x) }}", N
        )
        for op in ("MaxPool", "AveragePool")
        for attributes, size in (
            ("kernel_shape=[3]", "7"),
            ("kernel_shape=[2], strides=[2], ceil_mode=1", "7"),
            ("kernel_shape=[2,3], strides=[2,2], pads=[1,1,0,1]", "6,7"),
            ("kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1], ceil_mode=1", "6,8"),
            ('kernel_shape=[2,3], auto_pad="SAME_UPPER", strides=[2,2]', "7,6"),
            ('kernel_shape=[2,3], auto_pad="SAME_LOWER"', "5,6"),
            ("kernel_shape=[2,2,2], strides=[1,2,1], pads=[0,1,0,1,0,1]", "4,5,4"),
        )
    },
    "dilated max pool": Case(
        "float[n,2,9,8] x | "
        "{ y = MaxPool<kernel_shape=[2,3], dilations=[3,2], pads=[0,1,1,0]>(x) }",
        N,
    ),
    "average pool that counts its padding": Case(
        "float[n,2,6,7] x | { y = AveragePool<kernel_shape=[3,2], strides=[2,1],"
        " pads=[1,1,1,0], count_include_pad=1>(x) }",
        N,
    ),
    "pools over sizes that vary": Case(
        "float[1,2,n,m] x | "
        "{ y = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(x)"
        "  z = MaxPool<kernel_shape=[2,2], strides=[2,2], ceil_mode=1>(x) }",
        NM,
    ),
    "global pools": Case(
        "float[n,2,3,m] x | { y = GlobalAveragePool(x) z = GlobalMaxPool(x) }", NM
    ),
    "batch normalization": Case(
        "float[n,3,2] x, float[3] s, float[3] b, float[3] m | "
        "<float[3] v = {0.5, 1, 2}> "
        "{ y = BatchNormalization<epsilon=0.01>(x, s, b, m, v) }",
        N,
    ),
    "layer normalization": Case(
        "float[n,3,4] x, float[4] s, float[3,4] t, float[4] b | "
        "{ y = LayerNormalization(x, s, b) z = LayerNormalization<axis=1>(x, t) }",
        N,
    ),
    "local response normalization": Case(
        "float[n,5,2,3] x | { y = LRN<size=3, alpha=0.2, beta=0.6, bias=1.5>(x) }",
        N,
        evaluator_errs=True,
    ),
    "softmax before opset 13": Case(
        "float[n,2,3] x | { y = Softmax(x) z = LogSoftmax<axis=2>(x) }",
        N,
        11,
        evaluator_errs=True,
    ),
    "softmax from opset 13": Case(
        "float[n,2,3] x | { y = Softmax(x) z = LogSoftmax<axis=0>(x) }", N
    ),
    "reductions": Case(
        "float[n,3,m] x | <int64[2] a = {0,-1}> { s = ReduceSum(x, a)"
        " p = ReduceProd<keepdims=0>(x, a) m = ReduceMean(x) l = ReduceL2(x, a)"
        " e = ReduceLogSumExp(x, a) g = ReduceMax(x, a) k = ReduceMin(x, a)"
        " y = Sum(s, p, m, l, e, g, k)"
        " z = ReduceSum<noop_with_empty_axes=1>(x) }",
        NM,
    ),
    "reductions of integers": Case(
        "int64[n,3] x | <int64[1] a = {1}> { y = ReduceMean(x, a) z = ReduceMax(x) }", N
    ),
    # ONNX Runtime makes integers of the exponentials, which shows below zero.
    "roots and logarithms of integers": Case(
        "int32[n,3] x | <int64[1] a = {1}> { l = ReduceL2(x, a) s = ReduceL1(x, a)"
        " g = ReduceLogSum(s, a) m = Abs(x) e = ReduceLogSumExp(m, a)"
        " p = Add(l, g) y = Add(p, e) }",
        N,
        evaluator_errs=True,
    ),
    "indices of extremes": Case(
        "float[n,3] x | { y = ArgMax<axis=0>(x)"
        " z = ArgMin<axis=-1, keepdims=0, select_last_index=1>(x) }",
        N,
    ),
    "cumulative sums": Case(
        "float[n,3] x | <int64 a = {0}, int64 b = {1}> "
        "{ y = CumSum<exclusive=1, reverse=1>(x, a) z = CumSum<exclusive=1>(x, b) }",
        N,
    ),
    "powers": Case(
        "float[n] x | <float a = {2}, int64[1] b = {3}, float c = {0.5},"
        " float d = {-0.5}> { p = Pow(x, a) q = Pow(x, b) r = Pow(p, c) s = Exp(x)"
        " t = Pow(s, d) y = Sum(p, q, r, t) }",
        N,
    ),
    "powers of tensors": Case(
        "float[n] x, double[n] e | "
        "{ p = Abs(x) q = Abs(e) y = Pow(p, e) z = Pow(q, x) }",
        N,
    ),
    "powers of integers": Case(
        "int64[n] i, int32[n] e | { f = Abs(e) y = Pow(i, f) z = Pow(f, f) }", N
    ),
    "rests of floats": Case(
        "float[n,1] a, float[3] b | { y = Mod<fmod=1>(a, b) }",
        N,
    ),
    "shifted bits": Case(
        """int64[n] a, int64[n] b | { c = Abs(b) y = BitShift<direction="LEFT">(a, c)
        z = BitShift<direction="RIGHT">(a, c) }""",
        N,
        opset=28,
    ),
    "bits": Case(
        "int32[n] a, int32[n] b | { c = BitwiseAnd(a, b) d = BitwiseNot(c)"
        " y = BitwiseOr(d, b) z = BitwiseXor(d, a) }",
        N,
    ),
    "bits of floats": Case(
        "float[n] x | { a = BitCast<to=6>(x) y = BitCast<to=1>(a) z = Abs(a) }",
        N,
        opset=28,
    ),
    "greatest in order": Case(
        "float[n,5] x | <int64[1] k = {3}> { y, z = TopK(x, k) }", N
    ),
    "least in order": Case(
        "int64[5,n] x | <int64[1] k = {2}> { y, z = TopK<axis=0, largest=0>(x, k) }", N
    ),
    "cumulative products": Case(
        "float[n,3] x | <int64 a = {0}, int64 b = {1}> { y = CumProd<reverse=1>(x, a)"
        " z = CumProd<exclusive=1>(x, b) }",
        N,
        opset=28,
    ),
    **{
        f"einsum {equation}": Case(
            f'{inputs} | {{ y = Einsum<equation="{equation}">({names}) }}', N
        )
        for equation, inputs, names in (
            ("ij,jk->ik", "float[n,3] a, float[3,4] b", "a, b"),
            ("ij , kj", "float[n,3] a, float[4,3] b", "a, b"),
            ("bij,bkj->kib", "float[n,2,3] a, float[n,4,3] b", "a, b"),
            ("...ij,...jk", "float[n,1,2,3] a, float[5,3,4] b", "a, b"),
            ("i...->...", "float[n,2,3] a", "a"),
            ("ii->i", "float[3,3] a", "a"),
            ("iji->j", "float[3,n,3] a", "a"),
            ("ij->", "float[n,3] a", "a"),
            ("i,j->ji", "float[n] a, float[3] b", "a, b"),
            ("ij,ij->i", "float[n,3] a, float[n,3] b", "a, b"),
            ("ij,jk,kl->li", "float[n,3] a, float[3,4] b, float[4,n] c", "a, b, c"),
            ("ij,kl->k", "float[n,3] a, float[2,n] b", "a, b"),
            ("bhid,bhjd->bhij", "float[2,3,n,4] a, float[2,3,5,4] b", "a, b"),
        )
    },
    "identities": Case(
        "float[n,5] x | { y = EyeLike<k=1>(x) z = EyeLike<dtype=7, k=-1>(x) }",
        N,
    ),
    "identities of halves": Case(
        "float[n,5] x | { h = Cast<to=10>(x) y = EyeLike(h)"
        " z = EyeLike<dtype=11, k=-1>(h) }",
        N,
    ),
    "triangles of any size": Case(
        "float[2,n,m] x | { y = Trilu(x) z = Trilu<upper=0>(x) }", NM
    ),
    "remainders": Case(
        "int64[n] a | <int64[1] b = {-3}> { y = Mod(a, b) z = Mod<fmod=1>(a, b) }", N
    ),
    "clips": Case(
        "float[n] x, int64[n] i, float a | <float l = {-0.5}, int64 h = {1}> "
        "{ p = Clip(x, l) q = Clip(x, , a) s = Sum(p, q) y = Max(s, x)"
        " z = Clip(i, , h) }",
        N,
    ),
    "clip by attributes": Case(
        "float[n] x | { y = Clip<min=-0.5, max=0.25>(x) z = Clip<max=0.1>(x) }", N, 9
    ),
    "casts": Case(
        "float[n] x, bool[n] b | { i = Cast<to=7>(x) j = Cast<to=6>(b)"
        " k = Cast<to=11>(i) l = CastLike(j, k) y = Sum(k, l) z = Cast<to=9>(x) }",
        N,
    ),
    "logic": Case(
        "float[n] a, float[n] b | { p = Less(a, b) q = GreaterOrEqual(a, b)"
        " r = Equal(a, a) s = Or(p, q) t = Xor(s, p) u = And(t, r) v = Not(u)"
        " y = Where(v, a, b) }",
        N,
    ),
    "activations": Case(
        "float[n,3] x, float[3] s | { a = Elu<alpha=0.5>(x) b = Selu(x)"
        " c = HardSigmoid<alpha=0.3>(x) d = HardSwish(x) e = Softplus(x)"
        " f = PRelu(x, s) g = Softsign(x) h = LeakyRelu<alpha=0.2>(x) i = Mish(x)"
        " j = ThresholdedRelu<alpha=0.1>(x) k = Celu<alpha=0.7>(x) l = Shrink(x)"
        " m = Erf(x) y = Sum(a, b, c, d, e, f, g, h, i, j, k, l, m) }",
        N,
    ),
    "gelu": Case('float[n] x | { y = Gelu(x) z = Gelu<approximate="tanh">(x) }', N, 20),
    "gather": Case(
        "float[n,4] x, int64[2,3] i | <int64 one = {-1}> "
        "{ three = Constant<value_int=3>() j = Mod(i, three)"
        " y = Gather<axis=1>(x, j) z = Gather(x, one) }",
        N,
    ),
    "gather elements": Case(
        "float[n,4] x | <int64[1,3] i = {0,-4,3}, int64[2,4] j = {0,-1,0,0,-1,0,-1,0}>"
        " { y = GatherElements<axis=1>(x, i) z = GatherElements(x, j) }",
        N,
        evaluator_errs=True,
    ),
    "gather blocks": Case(
        "float[n,4,3] x | <int64[2,2] i = {0,-4,-1,3}, int64[1] j = {-1}>"
        " { y = GatherND(x, i) z = GatherND(x, j) }",
        N,
    ),
    "scatter elements": Case(
        "float[n,4] x, float[n,3] u, int64[n,3] i |"
        " { four = Constant<value_int=4>() j = Mod(i, four)"
        ' y = ScatterElements<axis=1, reduction="add">(x, j, u)'
        ' z = ScatterElements<axis=-1, reduction="max">(x, j, u) }',
        N,
    ),
    **{
        f"resize crops of a run, {mode}": Case(
            "float[n,1,5,6] x, float[4] q, float[m,3] t | {"
            " r = Sigmoid(q) d = Mul(q, q) s = Shape(t)"
            ' y = Resize<coordinate_transformation_mode="tf_crop_and_resize", axes='
            f'[2,3], mode="{mode}", extrapolation_value=9.0>(x, r, , s)'
            ' z = Resize<coordinate_transformation_mode="tf_crop_and_resize", axes='
            f'[2,3], mode="{mode}", extrapolation_value=9.0>(x, d, , s) }}',
            ({"n": 2, "m": 4}, {"n": 1, "m": 1}, {"n": 3, "m": 9}),
        )
        for mode in ("nearest", "linear", "cubic")
    },
    "scan of batches": Case(
        "float[n,3] h, float[n,m,3] x, float[n,m] u, float[3] w | {"
        " y, p, q = Scan<num_scan_inputs=2, directions=[1,0], body = b (float[3] h,"
        " float[3] r, float s) => (float[3] k, float[3] o, float[3] t) {"
        " k = Sub(r, h) o = Mul(k, w) t = Mul(o, s) }>(, h, x, u)"
        " z = Concat<axis=-1>(p, q) }",
        NM,
        opset=8,
        evaluator_errs=True,
    ),
    "scatter blocks": Case(
        "float[n,3] x, float[4,3] u | <int64[4,1] i = {0,-1,0,0}>"
        ' { y = ScatterND<reduction="mul">(x, i, u) z = ScatterND(x, i, u) }',
        N,
    ),
    "compress": Case(
        "float[n,3] x | <bool[2] c = {0, 1}> { y = Compress<axis=1>(x, c) }", N
    ),
    "splits": Case(
        "float[n,7] x | <int64[3] s = {1,4,2}> "
        "{ a, b, c = Split<axis=1>(x, s) d, e, f = Split<axis=-1, num_outputs=3>(x)"
        " p = Concat<axis=1>(c, f, a) q = Concat<axis=-1>(b, d) y = Neg(p)"
        " z = Abs(q) }",
        N,
    ),
    "pads": Case(
        "float[n,4] x | <int64[4] p = {1,2,0,3}, float v = {1.5}, int64[1] a = {1},"
        ' int64[2] r = {2,3}> { b = Pad(x, p, v) e = Pad<mode="edge">(x, p)'
        ' f = Pad<mode="reflect">(x, r, , a) y = Concat<axis=1>(b, e)'
        " z = Concat<axis=1>(f, x) }",
        N,
    ),
    "pads that cut": Case(
        "float[n,4] x | <int64[4] q = {0,-1,2,-2}> { y = Pad(x, q) }",
        N,
        evaluator_errs=True,
    ),
    "tiles": Case("float[n,2] x | <int64[2] r = {3,2}> { y = Tile(x, r) }", N),
    "expand": Case("float[n,1] x | <int64[3] s = {2,1,3}> { y = Expand(x, s) }", N),
    "depth and space": Case(
        'float[n,8,2,3] x | { y = DepthToSpace<blocksize=2, mode="CRD">(x)'
        " a = DepthToSpace<blocksize=2>(x) z = SpaceToDepth<blocksize=2>(a) }",
        N,
    ),
    "one hot": Case(
        "int64[n] i | <int64 d = {4}, float[2] v = {-1, 5}> "
        "{ y = OneHot(i, d, v) z = OneHot<axis=0>(i, d, v) }",
        N,
    ),
    "triangles": Case(
        "float[n,3,4] x | <int64 k = {1}> { y = Trilu(x) z = Trilu<upper=0>(x, k) }", N
    ),
    "dropout of nothing": Case(
        "float[n,3] x | <float r = {0.0}, bool t = {1}> { y, z = Dropout(x, r, t) }", N
    ),
    "dropout": Case("float[n,3] x | { y, z = Dropout(x) }", N),
    "means": Case("float[n] a, float[n] b | { y = Mean(a, b) z = Mean(a) }", N),
}


def check_close(actual: Sequence[Array], expected: Sequence[Array]) -> None:
    """The arrays are of one type, and nearly the same for what the largest is."""
    for got, wanted in zip(actual, expected, strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        is_float = wanted.dtype.kind == "f"
        tolerance = 1e-5 * np.abs(wanted).max(initial=1e-6) if is_float else 0
        np.testing.assert_allclose(got, wanted, 0, tolerance)
