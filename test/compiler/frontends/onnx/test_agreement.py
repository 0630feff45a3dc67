"""
Models in which sizes must be equal that cannot be proven so: they run where they are,
and are refused with the node and both sizes where they are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .cases import Case


@dataclass(frozen=True)
class Assumed:
    """A model with sizes at which it runs, and others at which it says why not."""

    text: str
    runs: list[tuple[int, ...]]
    """The values of the symbols, in the order of their names."""

    refused: dict[tuple[int, ...], str]
    opset: int = 18


JOINT = [(3, 3), (1, 1), (0, 0), (17, 17), (64, 64)]
WIDE = [*JOINT, (1, 5), (5, 1), (0, 1), (1, 0)]
DIFFERENT = "expected equal sizes a and b, got 3 and 5 with a = 3, b = 5"
EITHER = "expected equal sizes a and b, or one of them 1, got 3 and 5"
PYRAMID = """
| <float[4] s = {1, 1, 2, 2}> {
    p = MaxPool<kernel_shape=[2, 2], strides=[2, 2]>(x)
    r = Resize<mode="nearest", coordinate_transformation_mode="asymmetric",
        nearest_mode="floor">(p, , s)
    [join] y = """
EVEN = [(1, 4, 6), (2, 8, 8), (3, 2, 2), (1, 32, 2), (2, 10, 64)]

CASES: dict[str, Assumed] = {
    "a multiple": Assumed(
        'float["2*n",3] x | <int64[2] s = {-1, 6}> { y = Reshape(x, s) }',
        [(2,), (0,), (4,), (34,), (64,)],
        {(3,): "input x: expected a size 2 . n along axis 0, got x_dim0 = 3"},
    ),
    "multiples of one": Assumed(
        """float[1,2,"16*h","16*w"] x, float[1,2,"8*h","8*w"] v | {
            p = MaxPool<kernel_shape=[2, 2], strides=[2, 2]>(x)
            [join] y = Concat<axis=1>(p, v)
        }""",
        # The names in order: 16*h, 16*w, 8*h, 8*w.
        [(16, 32, 8, 16), (32, 32, 16, 16), (64, 16, 32, 8), (48, 16, 24, 8)],
        {
            (17, 16, 8, 8): "input x: expected a size 16 . h along axis 2, got",
            (16, 16, 8, 16): "input v: expected shape",
        },
    ),
    "one more": Assumed(
        'float["p+1",3] x, float[p,3] v | { y = Concat<axis=0>(x, v) }',
        [(2, 3), (0, 1), (4, 5), (31, 32), (63, 64)],
        {(2, 2): "input x: expected shape .p . 1, 3. with p = 2, got"},
    ),
    "Add": Assumed(
        "float[a,4] x, float[b,4] w | { [join] y = Add(x, w) }",
        WIDE,
        {(3, 5): f"at join: {EITHER}", (0, 2): "at join: .* got 0 and 2"},
    ),
    "Where": Assumed(
        "bool[a,4] c, float[a,4] x, float[b,4] w | { [join] y = Where(c, x, w) }",
        WIDE,
        {(3, 5): f"at join: {EITHER}"},
    ),
    "three": Assumed(
        "float[a,4] x, float[b,4] v, float[c,1] w "
        "| { p = Add(x, v) [join] y = Mul(p, w) }",
        [(3, 3, 3), (1, 1, 1), (1, 3, 3), (3, 1, 1), (0, 1, 0), (1, 1, 6)],
        {(3, 1, 2): "at join: .*, got 3 and 2 ", (2, 3, 1): "equal sizes a and b, or"},
    ),
    "a vector": Assumed(
        "float[a] x, float[b] w | { [join] y = Mul(x, w) }",
        WIDE,
        {(3, 5): f"at join: {EITHER}"},
    ),
    "a number": Assumed(
        "float[n] x | <float[3] w = {1, 2, 3}> { [join] y = Add(x, w) }",
        [(3,), (1,)],
        {(2,): "equal sizes n and 3, or n of 1, got 2 and 3", (0,): "got 0 and 3"},
    ),
    "Concat": Assumed(
        "float[a,4] x, float[b,4] w | { [join] y = Concat<axis=1>(x, w) }",
        JOINT,
        {(3, 5): f"at join: {DIFFERENT}", (1, 5): "at join: .* got 1 and 5"},
    ),
    "MatMul": Assumed(
        "float[3,a] x, float[b,4] w | { [join] y = MatMul(x, w) }",
        JOINT,
        {(3, 5): f"at join: {DIFFERENT}", (1, 5): "at join: .* got 1 and 5"},
    ),
    "Gemm": Assumed(
        "float[a,3] x, float[b,4] w, float[c,4] v "
        "| { [join] y = Gemm<transA=1>(x, w, v) }",
        [(3, 3, 1), (1, 1, 3), (0, 0, 3), (17, 17, 1), (64, 64, 3)],
        {(3, 5, 1): "at join: expected equal sizes a and b, got", (3, 3, 2): "at join"},
    ),
    "Einsum": Assumed(
        "float[a,4] x, float[b,4] w "
        '| { [join] y = Einsum<equation="nc,nd->cd">(x, w) }',
        JOINT,
        {(3, 5): f"at join: {DIFFERENT}"},
    ),
    "Conv": Assumed(
        "float[1,c,6] x | <float[2,3,1] w = {1, 2, 3, 4, 5, 6}> "
        "{ [join] y = Conv(x, w) }",
        [(3,)],
        {(4,): "at join: expected equal sizes c and 3, got 4 and 3"},
    ),
    "Squeeze": Assumed(
        "float[a,4,b] x | <int64[1] s = {2}> { [join] y = Squeeze(x, s) }",
        [(3, 1), (1, 1), (0, 1), (17, 1), (64, 1)],
        {(3, 5): "Squeeze at join: expected equal sizes b and 1, got 5 and 1"},
    ),
    "Squeeze of all": Assumed(
        "float[1,4,b] x | { [join] y = Squeeze(x) }",
        [(3,), (0,), (17,), (64,), (2,)],
        {(1,): "Squeeze at join: expected a size b other than 1, by which an axis"},
    ),
    "Reshape of rows": Assumed(
        "float[b,6] x | <int64[2] s = {-1, 4}> { [join] y = Reshape(x, s) }",
        [(2,), (4,), (0,), (6,), (32,)],
        {(3,): "at join: expected 6 . b elements to be a multiple of 4, got 18 and 4"},
    ),
    "Reshape of all": Assumed(
        "float[b,t] x | <int64[2] s = {-1, 12}> { [join] y = Reshape(x, s) }",
        [(2, 6), (4, 3), (0, 5), (12, 1), (5, 24)],
        {(5, 5): "at join: expected b . t elements to be a multiple of 12, got 25"},
    ),
    "Reshape to numbers": Assumed(
        "float[b,t] x | <int64[2] s = {3, 4}> { [join] y = Reshape(x, s) }",
        [(2, 6), (4, 3), (12, 1), (1, 12), (3, 4)],
        {(5, 5): "at join: expected equal sizes b . t and 12, got 25 and 12"},
    ),
    "a slice without end": Assumed(
        "float[b,4] x | <int64[1] s = {0}, int64[1] e = {1000000000}> "
        "{ p = Slice(x, s, e) [join] y = Add(x, p) }",
        [(3,), (1,), (0,), (17,), (64,)],
        {},
    ),
    "a slice with an end": Assumed(
        "float[b,4] x | <int64[1] s = {0}, int64[1] e = {9}> "
        "{ p = Slice(x, s, e) [join] y = Add(x, p) }",
        [(3,), (1,), (0,), (8,), (9,)],
        {(10,): r"at join: expected equal sizes b and min\(9, b\), got 10 and 9"},
    ),
    "a table of positions": Assumed(
        "float[b,l,2] x | <float[4,2] w = {0, 1, 2, 3, 4, 5, 6, 7}, int64[1] s = {0}, "
        "int64 i = {1}, int64[1] m = {4}> { d = Shape(x) n = Gather(d, i) "
        "e = Min(m, n) p = Slice(w, s, e) [join] y = Add(x, p) }",
        [(2, 3), (1, 4), (0, 2), (7, 1), (2, 0)],
        {(2, 5): r"at join: expected equal sizes l and min\(4, l\), got 5 and 4"},
    ),
    "a pyramid of Concat": Assumed(
        "float[b,3,h,w] x" + PYRAMID + "Concat<axis=1>(r, x) }",
        EVEN,
        {(1, 5, 4): r"at join: expected equal sizes 2 . floordiv\(h, 2\) and h, got 4"},
    ),
    "a pyramid of Add": Assumed(
        "float[b,3,h,w] x" + PYRAMID + "Add(r, x) }",
        EVEN,
        {(1, 4, 7): r"at join: expected equal sizes 2 . floordiv\(w, 2\) and w, got 6"},
    ),
    "a branch that is entered when it may be": Assumed(
        "float[2,3,t] x | <int64 i = {2}, int64 o = {1}, int64[2] s = {2, 3}, "
        "int64[1] a = {2}> { d = Shape(x) n = Gather(d, i) c = Equal(n, o) "
        "[join] y = If(c) <then_branch = g1 () => (float[2,3] p) "
        "{ p = Reshape(x, s) }, else_branch = g2 () => (float[2,3] q) "
        "{ q = ReduceSum<keepdims=0>(x, a) }> }",
        [(1,), (2,), (0,), (5,), (64,)],
        {},
    ),
    "a branch with another size": Assumed(
        "float[a] x, float[b] w, bool c | { [join] y = If(c) "
        "<then_branch = g1 () => (float[p] p) { p = Relu(x) }, "
        "else_branch = g2 () => (float[q] q) { q = Relu(w) }> }",
        JOINT,
        {},
    ),
    "equal parts": Assumed(
        "float[n,3] x | { [join] y, z = Split<axis=0>(x) }",
        [(2,), (4,), (0,), (34,), (64,)],
        {(3,): "Split at join: expected n elements to be a multiple of 2, got 3 and 2"},
        opset=13,
    ),
    "Expand": Assumed(
        "float[a,1] x, float[b,3] w | { s = Shape(w) [join] y = Expand(x, s) }",
        WIDE,
        {(3, 5): "at join: expected equal sizes .* or one of them 1, got 3 and 5"},
    ),
    "ScatterND": Assumed(
        "float[8,4] x, float[b,4] w, int64[a,1] i | { j = Sub(i, i) "
        "[join] y = ScatterND(x, j, w) }",
        JOINT,
        {(3, 5): "at join: expected equal sizes b and a, got 5 and 3"},
    ),
    "Scan": Assumed(
        "float[4] s, float[a,4] x, float[b,4] w | { [join] t, y = "
        "Scan<num_scan_inputs=2, body = g1 (float[4] c, float[4] p, float[4] q) => "
        "(float[4] n, float[4] r) { o = Add(c, p) n = Mul(o, q) r = Identity(n) }>"
        "(s, x, w) }",
        [(3, 3), (1, 1), (17, 17), (5, 5), (64, 64)],
        {(3, 5): "Scan at join: expected equal sizes b and a, got 5 and 3"},
    ),
}


def values(case: Case, numbers: tuple[int, ...]) -> Mapping[str, int]:
    """The symbols of a case with these values, in the order of their names."""
    names = {
        size.dim_param
        for each in case.model.graph.input
        for size in each.type.tensor_type.shape.dim
        if size.dim_param
    }
    return dict(zip(sorted(names), numbers, strict=True))


@pytest.mark.sampled(every=8)
@pytest.mark.parametrize("name", CASES)
def test_runs_where_sizes_agree_and_says_where_they_do_not(name: str):
    assumed = CASES[name]
    case = Case(assumed.text, opset=assumed.opset)
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for numbers in assumed.runs:
        arrays = case.inputs(values(case, numbers))
        wanted = judge.run(None, arrays)
        found = module(**arrays)
        results = [found] if len(wanted) == 1 else list(found)
        for want, got in zip(wanted, results, strict=True):
            assert np.shape(got) == np.shape(want), numbers
            np.testing.assert_allclose(got, want, 1e-5, 1e-5)
    for numbers, message in assumed.refused.items():
        with pytest.raises(ValueError, match=message):
            module(**case.inputs(values(case, numbers)))
