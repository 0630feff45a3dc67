"""
Small models that compute the sizes of their tensors, at sizes of 0, 1, 2, 3 and many.

ONNX's evaluator judges. Where it has no answer, as for a Reshape of nothing that asks
for a rest, a run may be refused in a sentence, or have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx import ModelProto, parser
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

NUMBERS = """int64[1] i0 = {0}, int64[1] i1 = {1}, int64[1] i2 = {2}, int64[1] i3 = {3},
    int64[1] i4 = {4}, int64[1] m1 = {-1}, int64[1] m2 = {-2}, int64 s0 = {0},
    int64[1] far = {9223372036854775807}, int64 s1 = {1}, int64 s2 = {2},
    float f0 = {0}, float f1 = {1}, float low = {-1e9}"""

PLAIN = {
    "heads split and joined with the batch": """float[n,m,8] x |
        s = Shape(x) a = Slice(s, i0, i2) t = Concat<axis=0>(a, i2, i4)
        r = Reshape(x, t) p = Transpose<perm=[0,2,1,3]>(r) b = Gather<axis=0>(s, i0)
        c = Gather<axis=0>(s, i1) d = Mul(b, i2) u = Concat<axis=0>(d, c, i4)
        y = Reshape(p, u)""",
    "halves that change places": """float[n,m] x | s = Shape(x)
        b = Gather<axis=0>(s, i1) h = Div(b, i2) a = Slice(x, i0, h, i1)
        c = Slice(x, h, far, i1) e = Neg(c) y = Concat<axis=1>(e, a)""",
    "a causal mask": """float[n,m] x | s = Shape(x) c = Gather<axis=0>(s, s1)
        q = Range(s0, c, s1) u = Unsqueeze(q, i0) b = Unsqueeze(q, i1)
        g = Greater(u, b) w = Where(g, f0, f1) y = MatMul(x, w)""",
    "a tensor tiled by a size": """float[n,2] x, float[m] w | s = Shape(w)
        t = Concat<axis=0>(s, i2) r = Tile(x, t) y = ReduceSum<keepdims=0>(r, i0)""",
    "rows that are missing": """float[n,3] x, float[m] w | q = Shape(w)
        r = Sub(q, i1) z = Max(r, i0) t = Concat<axis=0>(z, i3)
        c = ConstantOfShape<value = float[1] {2.5}>(t) y = Concat<axis=0>(x, c)""",
    "the last elements": """float[n,m] x, float[k] w | q = Shape(w) e = Neg(q)
        y = Slice(x, e, far, i1)""",
    "every other element of what is left": """float[n,m] x | s = Shape(x)
        c = Gather<axis=0>(s, i1) h = Div(c, i2) y = Slice(x, h, i0, i1, m2)""",
    "a branch for an axis of one": """float[n,m] x | s = Shape(x)
        c = Gather<axis=0>(s, i1) e = Equal(c, i1) q = Squeeze(e, i0)
        y = If<then_branch = t() => (float[?] a) {a = Squeeze(x, i1)},
               else_branch = f() => (float[?] b) {b = ReduceSum<keepdims=0>(x, i1)}>(q)
        """,
    "the most of a few": """float[n,m] x | s = Shape(x) c = Gather<axis=0>(s, i1)
        k = Min(c, i3) y, i = TopK(x, k)""",
    "parts of computed sizes": """float[n,m] x | s = Shape(x)
        c = Gather<axis=0>(s, i1) h = Div(c, i2) r = Sub(c, h)
        p = Concat<axis=0>(h, r) a, b = Split<axis=1>(x, p) e = Exp(a)
        y = Concat<axis=1>(b, e)""",
    "rows and columns as one axis and apart": """float[n,m,k] x | s = Shape(x)
        a = Slice(s, i0, i1) b = Slice(s, i1, i2) c = Slice(s, i2, i3) d = Mul(a, b)
        t = Concat<axis=0>(d, c) r = Reshape(x, t) e = Softmax<axis=1>(r)
        u = Concat<axis=0>(a, b, m1) y = Reshape(e, u)""",
    "a cache and what is new": """float[1,2,n,4] x, float[1,2,m,4] w |
        k = Concat<axis=2>(x, w) t = Transpose<perm=[0,1,3,2]>(k) a = MatMul(w, t)
        q = Shape(x) p = Gather<axis=0>(q, s2) s = Shape(k) z = Gather<axis=0>(s, s2)
        row = Range(p, z, s1) col = Range(s0, z, s1) r = Unsqueeze(row, i1)
        c = Unsqueeze(col, i0) g = GreaterOrEqual(r, c) v = Where(g, a, low)
        o = Softmax<axis=-1>(v) y = MatMul(o, k)""",
    "all pairs of rows": """float[n,m] x | a = Unsqueeze(x, i1) b = Unsqueeze(x, i0)
        d = Sub(a, b) q = Mul(d, d) y = ReduceSum<keepdims=0>(q, i2)""",
    "windows of an image": """float[1,n,m,2] x | s = Shape(x) h = Slice(s, i1, i2)
        w = Slice(s, i2, i3) a = Div(h, i2) b = Div(w, i2)
        t = Concat<axis=0>(m1, a, i2, b, i2, i2) r = Reshape(x, t)
        p = Transpose<perm=[0,1,3,2,4,5]>(r) u = Concat<axis=0>(m1, i4, i2)
        q = Reshape(p, u) y = ReduceSum<keepdims=0>(q, i1)""",
    "an expanded column": """float[n,1] x, float[m] w | s = Shape(x) q = Shape(w)
        a = Gather<axis=0>(s, i0) t = Concat<axis=0>(a, q) e = Expand(x, t)
        y = Sub(e, w)""",
    "half of what may be below zero": """float[n,m] x | s = Shape(x)
        d = Sub(s, i3) h = Div(d, i2) t = Abs(h) y = Expand(f1, t)""",
    "a negated quotient": """float[n,m] x | s = Shape(x) c = Gather<axis=0>(s, i1)
        e = Add(c, i1) d = Div(e, m2) t = Neg(d) y = Expand(f1, t)""",
    "remainders of both signs": """float[n,m] x | s = Shape(x) d = Sub(s, i3)
        p = Max(s, i1) a = Mod(d, p) b = Mod<fmod=1>(d, p) e = Abs(b)
        t = Add(a, e) y = Expand(f1, t)""",
    "the lesser of two by a choice": """float[n,m] x | s = Shape(x)
        a = Gather<axis=0>(s, i0) b = Gather<axis=0>(s, i1) l = LessOrEqual(a, b)
        t = Where(l, a, b) y = Expand(f1, t)""",
    "a size that a comparison chooses": """float[n,m] x | s = Shape(x)
        a = Gather<axis=0>(s, i0) b = Gather<axis=0>(s, i1) l = Equal(a, i2)
        g = Greater(b, i3) q = And(l, g) v = Not(q) o = Or(v, l) p = Xor(o, g)
        d = Mul(b, i2) u = Where(q, d, a) w = Where(p, u, i4) y = Expand(f1, w)""",
    "a comparison as a number": """float[n,m] x | s = Shape(x) l = Less(s, i3)
        c = Cast<to=7>(l) b = Cast<to=9>(s) q = Cast<to=6>(b) k = Cast<to=7>(q)
        t = Add(c, k) e = Expand(f1, t) f = Cast<to=1>(l) y = Mul(e, f)""",
    "a comparison as data": """float[n,m] x | s = Shape(x) a = Gather<axis=0>(s, i0)
        b = Gather<axis=0>(s, i1) l = Less(a, b) y = Where(l, x, f0)""",
}

LATE = "q = NonZero(x) p = Squeeze(q, i0) v = Gather<axis=0>(x, p) s = Shape(v)"
COUNTED = {
    "concatenated": "y = Concat<axis=0>(v, x, v)",
    "all but three": "h = Sub(s, i3) y = Slice(v, i0, h, i0)",
    "the last three": "h = Sub(s, i3) y = Slice(v, h, far, i0)",
    "as rows": """a = Concat<axis=0>(v, v) t = Concat<axis=0>(i2, s) r = Reshape(a, t)
        y = ReduceSum<keepdims=0>(r, i0)""",
    "as columns": """a = Concat<axis=0>(v, v) t = Concat<axis=0>(s, i2)
        r = Reshape(a, t) y = ReduceSum<keepdims=0>(r, i1)""",
    "with a rest": """u = Unsqueeze(v, i1) a = Concat<axis=1>(u, u, u, u)
        t = Concat<axis=0>(i0, i2, m1) y = Reshape(a, t)""",
    "tiled": "y = Tile(x, s)",
    "expanded": """t = Concat<axis=0>(s, i4) e = Expand(f1, t) u = Unsqueeze(v, i1)
        y = Mul(e, u)""",
    "numbered": """n = Squeeze(s) r = Range(s0, n, s1) c = Cast<to = 1>(r)
        y = Mul(c, v)""",
    "padded": """z = Shape(x) d = Sub(z, s) a = Concat<axis=0>(i0, d) w = Pad(v, a)
        y = Add(w, x)""",
    "as factors": """u = Unsqueeze(v, i1) w = Unsqueeze(v, i0) y = MatMul(u, w)""",
    "sorted": "y, i = TopK(v, s)",
    "in a branch": """e = Greater(s, i2) c = Squeeze(e, i0)
        y = If<then_branch = t() => (float[?] a) {a = Exp(v)},
               else_branch = f() => (float[?] b) {b = Neg(v)}>(c)""",
    "in a loop": """n = Squeeze(s, i0) on = Constant<value = bool {1}>()
        h0 = Constant<value = float[1] {0}>() o, y = Loop<body = b(
            int64 i, bool k, float[1] h) => (bool k2, float[1] h2, float[1] z) {
            k2 = Identity(k) j = Unsqueeze(i, i0) r = Gather<axis=0>(v, j)
            h2 = Add(h, r) z = Mul(h2, r) }>(n, on, h0)""",
    "scattered": "t = Transpose(q) e = Exp(v) y = ScatterND(x, t, e)",
}

CASES = PLAIN | {
    f"counted elements {name}": f"float[n] x | {LATE} {body}"
    for name, body in COUNTED.items()
}


def model_of(text: str) -> ModelProto:
    """The model of inputs and nodes in ONNX's text."""
    inputs, _, body = text.partition("|")
    model = parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : 18]> g ({inputs}) => (float y) '
        f"<{NUMBERS}> {{ {body} }}"
    )
    model.graph.output[0].ClearField("type")
    return model


def arrays(model: ModelProto) -> Iterator[dict[str, npt.NDArray[np.float32]]]:
    """Inputs of all sizes, with zeros among the numbers."""
    random = np.random.default_rng(0)
    shapes = {
        each.name: [d.dim_param or d.dim_value for d in each.type.tensor_type.shape.dim]
        for each in model.graph.input
    }
    names = sorted({d for each in shapes.values() for d in each if isinstance(d, str)})
    for sizes in product((0, 1, 2, 3, 40), repeat=len(names)):
        known = dict(zip(names, sizes, strict=True))
        found: dict[str, npt.NDArray[np.float32]] = {}
        for name, shape in shapes.items():
            whole = [known[d] if isinstance(d, str) else d for d in shape]
            numbers = random.standard_normal(whole).astype(np.float32)
            found[name] = np.where(numbers < -0.5, np.float32(0), numbers)
        yield found


def answer(run: Callable[[], Any]) -> npt.NDArray[Any] | str:
    """The result of a run, or what an error says."""
    try:
        return run()
    except (ValueError, IndexError) as error:
        return str(error)


@pytest.mark.sampled(every=16)
@pytest.mark.parametrize("name", CASES)
def test_equals_the_evaluator(name: str):
    model = model_of(CASES[name])
    module = sr.compile(model, options=sr.Options(cache=False))
    judge, judged = ReferenceEvaluator(model), 0
    for given in arrays(model):
        wanted = answer(lambda given=given: judge.run(None, given)[0])
        got = answer(lambda given=given: module(**given))
        if isinstance(got, str):
            assert "expected" in got
            # Both readings of a Reshape of nothing are tensors.
            assert isinstance(wanted, str) or not wanted.size, given
        elif not isinstance(wanted, str):
            assert got.shape == wanted.shape, {k: v.shape for k, v in given.items()}
            np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)
            judged += 1
    assert judged >= 3
