"""Numbers that a model computes from sizes are those of 64 bits, as its data is."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .onnx.cases import Case

NUMBERS = {
    "Add": (2**63 - 1, 2**62),
    "Mul": (2**61, 2**62, -(2**62), 2**40),
    "Sub": (-(2**63), -(2**62)),
}

BODIES = {
    "data": "y = Identity(e)",
    "compared": "y = Less(e, g)",
    "an end": "y = Slice(x, zero, e)",
    "chosen": "l = Less(e, g) w = Where(l, zero, g) y = Slice(x, zero, w)",
    "a branch": """l = Less(e, g) q = Squeeze(l)
        y = If<then_branch = t() => (float[?] a) {a = Neg(x)},
               else_branch = f() => (float[?] b) {b = Exp(x)}>(q)""",
}


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("op", NUMBERS)
def test_numbers_from_sizes_wrap(op: str, body: str):
    for number in NUMBERS[op]:
        case = Case(
            f"""float[n] x | <int64[1] zero = {{0}}, int64[1] c = {{{number}}}> {{
            s = Shape(x) g = Gather<axis=0>(s, zero) e = {op}(c, g) {BODIES[body]} }}"""
        )
        module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
        for size in (0, 1, 2, 4, 6, 8, 300):
            x = np.arange(size, dtype=np.float32)
            (wanted,) = judge.run(None, {"x": x})
            got = module(x)
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(got, wanted, 1e-6)


def test_a_count_of_such_numbers_needs_a_bound():
    case = Case(
        """float[n] x | <int64 a = {4}, int64 c = {2305843009213693952},
        int64[1] zero = {0}, int64 d = {-1099511627776}> { s = Shape(x)
        g = Gather<axis=0>(s, zero) q = Squeeze(g) e = Mul(c, q) y = Range(a, e, d) }"""
    )
    with pytest.raises(sr.CompileError, match="which needs a bound"):
        sr.compile(case.model)


REMAINDERS = {
    "of a size": "m = Mod(s, four)",
    "as in C": "m = Mod<fmod = 1>(s, four)",
    "of a negated size": "t = Neg(s) m = Mod(t, four)",
    "of a difference": "t = Sub(four, s) m = Mod(t, four)",
    "of what is left": "l = Mod(s, four) t = Sub(four, l) m = Mod(t, four)",
}


@pytest.mark.parametrize("name", REMAINDERS)
def test_a_remainder_of_a_size_is_a_size(name: str):
    case = Case(
        f"""float[n] x | <int64[1] zero = {{0}}, int64[1] four = {{4}}> {{
        s = Shape(x) {REMAINDERS[name]} pads = Concat<axis = 0>(zero, m)
        y = Pad(x, pads) }}"""
    )
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for size in (1, 2, 3, 4, 5, 8, 11, 300):
        x = np.arange(size, dtype=np.float32)
        (wanted,) = judge.run(None, {"x": x})
        np.testing.assert_array_equal(module(x), wanted)


LIMITED = {
    "a size": "k = Clip(s, two, seven)",
    "a size from above": "k = Clip(s, , seven)",
    "a size from below": "k = Clip(s, two)",
    "half a size": """h = Constant<value = float {0.5}>()
        l = Constant<value = float {1.5}>() u = Constant<value = float {6}>()
        f = Cast<to = 1>(s) a = Mul(f, h) b = Clip(a, l, u) k = Cast<to = 7>(b)""",
    "a number of the run": """m = ReduceMax(x) a = Cast<to = 7>(m) b = Mul(a, a)
        k = Clip(b, two, seven)""",
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_number_that_is_limited_to_a_range_is_a_size(name: str):
    case = Case(
        f"""float[n] x | <float one = {{1}}, int64 two = {{2}}, int64 seven = {{7}}> {{
        s = Shape(x) {LIMITED[name]} y = Expand(one, k) }}"""
    )
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for size in (1, 2, 3, 6, 7, 8, 15, 300):
        x = np.arange(size, dtype=np.float32)
        (wanted,) = judge.run(None, {"x": x})
        np.testing.assert_array_equal(module(x), wanted)


UNDECIDED = {
    "what is compressed": "g = Greater(s, two) y = Compress<axis=0>(s, g)",
    "compressed data": "g = Greater(s, two) y = Compress<axis=0>(row, g)",
    "an index": "i = Mod(s, three) y = Gather<axis=0>(s, i)",
    "an index of conditions": """i = Mod(s, three) g = Greater(s, two)
        y = Gather<axis=0>(g, i)""",
    "conditions beside ones that hold": """g = Greater(s, two) t = Greater(three, two)
        y = Concat<axis=0>(g, t)""",
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_sizes_do_not_decide_is_left_to_the_run(name: str):
    case = Case(
        f"""float[n,m,4] x, int64[3] row |
        <int64[1] two = {{2}}, int64[1] three = {{3}}> {{
        s = Shape(x) {UNDECIDED[name]} }}"""
    )
    module, judge = sr.compile(case.model), ReferenceEvaluator(case.model)
    for shape in ((0, 1, 4), (1, 5, 4), (3, 2, 4), (6, 3, 4)):
        arrays = {"x": np.zeros(shape, np.float32), "row": np.array([7, 8, 9])}
        (wanted,) = judge.run(None, arrays)
        np.testing.assert_array_equal(module(**arrays), wanted)
