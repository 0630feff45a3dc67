"""Sizes that vary: the symbols of a model, and what it computes from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from static_runtime.compiler.session.errors import UnsupportedModelError

from .interpreter import Array, model, read, slice_of


def ones(*shape: int) -> Array:
    """An array of ones."""
    return np.ones(shape, np.float32)


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        pytest.param("n, n", ("n", "n"), id="one name is one symbol"),
        pytest.param("?, ?", ("x_dim0", "x_dim1"), id="no name"),
        pytest.param("-1, 3", ("x_dim0", "3"), id="a negative size"),
        pytest.param('"a b", "a-b"', ("a_b", "a_b_1"), id="names that are no symbols"),
        pytest.param(
            '"1st", max', ("_1st", "max_1"), id="names that mean other things"
        ),
        pytest.param('"?", "?"', ("x_dim0", "x_dim1"), id="names without a letter"),
        pytest.param('past, "past + 1"', ("past", "past + 1"), id="an expression"),
        pytest.param('"s0//2", s0', ("floordiv(s0, 2)", "s0"), id="and before"),
        pytest.param('"2*t"', ("2 * t",), id="an expression of what is no size"),
        pytest.param('"t-1"', ("t_1",), id="what may be a name"),
        pytest.param('"h*w"', ("h_w",), id="an expression of two that are no size"),
        pytest.param('"m*", m', ("m_", "m"), id="what only looks like an expression"),
        pytest.param('"7", "0"', ("x_dim0", "x_dim1"), id="numbers in words"),
        pytest.param('"18446744073709551620"', ("x_dim0",), id="a number too large"),
        pytest.param('n, "n - n"', ("n", "n___n"), id="an expression of a number"),
        pytest.param(
            'n, "n * 99999999999999999999"',
            ("n", "n___99999999999999999999"),
            id="a huge factor",
        ),
        pytest.param('"n // 0", n', ("n____0", "n"), id="a division by nothing"),
        pytest.param(f'"{"z" * 99}"', ("z" * 64,), id="a long name"),
        pytest.param("x_dim1, ?", ("x_dim1", "x_dim1_1"), id="a name that is taken"),
    ],
)
def test_dimensions_of_inputs(dims: str, expected: tuple[str, ...]):
    quoted = model(f"g (float[{dims}] x) => (float y) {{ y = Identity(x) }}")
    assert read(quoted).shapes() == [expected]


def test_every_symbol_is_a_dimension_of_an_input_with_a_range():
    graph = read(model('g (float[n,"k l"] x) => (float[z] y) { y = Relu(x) }'))
    assert graph.ranges == {"n": (0, 2**63 - 1), "k_l": (0, 2**63 - 1)}


SHAPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "a shape with the type of an input": (
        """narrow = Constant<value=int32[2] {0,-1}>()
           where = ArgMax(x)
           r = CastLike(narrow, where)
           y = Reshape(x, r)""",
        ("n", "12"),
    ),
    "0 and -1": ("r = Constant<value_ints=[0,-1]>() y = Reshape(x, r)", ("n", "12")),
    "-1 from a size that varies": (
        "r = Constant<value_ints=[-1,6]>() y = Reshape(x, r)",
        ("2 * n", "6"),
    ),
    "a shape put together": (
        """s = Shape(x)
           zero = Constant<value_int=0>()
           b = Gather(s, zero)
           axes = Constant<value_ints=[0]>()
           first = Unsqueeze(b, axes)
           rest = Constant<value_ints=[-1]>()
           r = Concat<axis=0>(first, rest)
           y = Reshape(x, r)""",
        ("n", "12"),
    ),
    "arithmetic on sizes": (
        """s = Shape(x)
           two = Constant<value_int=2>()
           twice = Constant<value_ints=[1,2,1]>()
           wide = Mul(s, twice)
           narrow = Div(wide, twice)
           plus = Add(narrow, two)
           less = Sub(plus, two)
           parts = Cast<to=7>(less)
           y = Reshape(x, parts)""",
        ("n", "3", "4"),
    ),
    "the size of an axis": (
        """b = Shape<start=0, end=1>(x)
           c = Shape<start=-2>(x)
           k = ReduceProd<keepdims=1>(c)
           r = Concat<axis=0>(b, k)
           y = Reshape(x, r)""",
        ("n", "12"),
    ),
    "all elements": (
        """n = Size(x)
           axes = Constant<value_ints=[0]>()
           r = Unsqueeze(n, axes)
           y = Reshape(x, r)""",
        ("12 * n",),
    ),
    "a shape sliced": (
        """s = Shape(x)
           a = Constant<value_ints=[0]>()
           b = Constant<value_ints=[1]>()
           head = Slice(s, a, b)
           tail = Constant<value_ints=[4,3]>()
           r = Concat<axis=0>(head, tail)
           y = Reshape(x, r)""",
        ("n", "4", "3"),
    ),
    "the greatest and the least of sizes": (
        """s = Shape(x)
           a = Constant<value_ints=[0]>()
           b = Constant<value_ints=[1]>()
           head = Slice(s, a, b)
           both = Concat<axis=0>(head, head)
           greatest = ReduceMax<keepdims=1>(head)
           least = ReduceMin<keepdims=0>(both)
           alone = Unsqueeze(least, a)
           is = Equal(greatest, alone)
           tail = Constant<value_ints=[3,4]>()
           n = Where(is, greatest, three)
           r = Concat<axis=0>(n, tail)
           y = Reshape(x, r)""",
        ("n", "3", "4"),
    ),
    "the shape that is expanded to has -1 nowhere": (
        """s = Shape(x)
           minus = Constant<value_int=-1>()
           is = Equal(s, minus)
           r = ConstantOfShape<value: tensor = int64[1] {1}>(three)
           t = Where(is, r, s)
           one = Constant<value: tensor = float[1,1,1] {2}>()
           y = Expand(one, t)""",
        ("n", "3", "4"),
    ),
    "comparisons that no size changes": (
        """s = Shape(x)
           zero = Constant<value_int=0>()
           is = GreaterOrEqual(s, zero)
           no = Not(is)
           r = ConstantOfShape<value: tensor = int64[1] {7}>(three)
           t = Where(no, r, s)
           y = Reshape(x, t)""",
        ("n", "3", "4"),
    ),
    "a condition that is known": (
        """s = Shape(x)
           r = Size(s)
           t = Constant<value_int=3>()
           is = Equal(r, t)
           y = If<then_branch = a () => (float p) { p = Relu(x) },
                  else_branch = b () => (float q) { q = Squeeze(x) }>(is)""",
        ("n", "3", "4"),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_that_a_model_computes_is_known_before_it_runs(name: str):
    body, expected = SHAPES[name]
    graph = read(
        model(f"g (float[n,3,4] x) => (float y) <int64[1] three = {{3}}> {{ {body} }}")
    )
    assert graph.shapes() == [expected]
    assert all(op.name not in ("graph.dim", "graph.concat") for op in graph.ops)
    for n in (1, 5):
        (y,) = graph.run(ones(n, 3, 4))
        assert y.size == n * 12


VALUES: dict[str, tuple[str, Any]] = {
    "a size": ("z = Constant<value_int=0>() s = Shape(x) y = Gather(s, z)", 5),
    "a shape": ("y = Shape(x)", [5, 3]),
    "half a size": (
        "z = Constant<value_int=2>() s = Size(x) y = Div(s, z)",
        7,
    ),
    "a shape in rows": (
        """a = Constant<value_ints=[2,1]>()
           s = Shape(x)
           y = Reshape(s, a)""",
        [[5], [3]],
    ),
    "a size as i32": ("s = Size(x) y = Cast<to=6>(s)", np.int32(15)),
    "a size as f32": ("s = Size(x) y = Cast<to=1>(s)", np.float32(15)),
    "whether a size is one": (
        "s = Shape(x) y = Equal(s, one)",
        [False, False],
    ),
    "numbers in a row": (
        """z = Constant<value_int=0>()
           s = Shape(x)
           n = Gather(s, z)
           y = Range(z, n, one)""",
        [0, 1, 2, 3, 4],
    ),
    "numbers down from a size": (
        """z = Constant<value_int=0>()
           s = Shape(x)
           n = Gather(s, z)
           minus = Constant<value_int=-2>()
           y = Range(n, z, minus)""",
        [5, 3, 1],
    ),
    "ones for each": (
        "s = Shape(x) y = ConstantOfShape<value: tensor = int32[1] {1}>(s)",
        np.ones((5, 3), np.int32),
    ),
    "a known constant": (
        "y = Constant<value_floats=[1.5,2.5]>()",
        np.array([1.5, 2.5], np.float32),
    ),
    "an initializer": ("y = Identity(one)", 1),
    "an input": ("y = Identity(x)", np.ones((5, 3), np.float32)),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_known_value_is_a_tensor_where_it_is_needed_as_one(name: str):
    body, expected = VALUES[name]
    graph = read(
        model(f"g (float[n,3] x) => (int64 y) <int64 one = {{1}}> {{ {body} }}")
    )
    (y,) = graph.run(ones(5, 3))
    np.testing.assert_array_equal(y, np.asarray(expected), strict=True)


@pytest.mark.parametrize(
    ("cut", "sizes", "shape"),
    [
        pytest.param((":",), (0, 1, 7), "n", id="all"),
        pytest.param(("1:",), (0, 1, 2, 7), "max(0, n - 1)", id="all but the first"),
        pytest.param((":-1",), (0, 1, 2, 7), "max(0, n - 1)", id="all but the last"),
        pytest.param(("-1:",), (0, 1, 2, 7), "min(1, n)", id="the last"),
        pytest.param((":1",), (0, 1, 2, 7), "min(1, n)", id="the first"),
        pytest.param(("2:",), (0, 1, 2, 7), "max(0, n - 2)", id="from the third on"),
        pytest.param((":3",), (0, 2, 3, 7), "min(3, n)", id="three at most"),
        pytest.param(("-3:",), (0, 2, 3, 7), "min(3, n)", id="the last three at most"),
        pytest.param(("1:4",), (0, 1, 2, 4, 7), None, id="in between"),
        pytest.param(("::2",), (0, 1, 2, 7), "floordiv(n + 1, 2)", id="every other"),
        pytest.param(("::-1",), (0, 1, 2, 7), "n", id="backwards"),
        pytest.param(
            ("-2::-1",),
            (0, 1, 2, 7),
            None,
            id="backwards from before the end",
        ),
        pytest.param(("-5:-7:-1",), (0, 1, 4, 5, 7), None, id="before the beginning"),
        pytest.param((":2:-2",), (0, 1, 2, 3, 7), None, id="backwards to the third"),
        pytest.param(("3:0:-2",), (0, 1, 2, 7), None, id="backwards in between"),
        pytest.param(("-3:-1",), (0, 1, 2, 3, 7), None, id="before the last"),
        pytest.param(("5:2",), (0, 7), "0", id="nothing"),
    ],
)
def test_a_slice_of_a_size_that_varies(
    cut: tuple[str], sizes: tuple[int, ...], shape: str | None
):
    start, end, step = (*cut[0].split(":"), "")[:3]
    number = int(step or 1)
    first = int(start or (0 if number > 0 else 2**63 - 1))
    last = int(end or (2**63 - 1 if number > 0 else -(2**63)))
    graph = read(
        model(
            f"""g (float[n] x) => (float y)
            <int64[1] a = {{{first}}}, int64[1] b = {{{last}}},
             int64[1] axes = {{0}}, int64[1] step = {{{number}}}>
            {{ y = Slice(x, a, b, axes, step) }}"""
        )
    )
    if shape is not None:
        assert graph.shapes() == [(shape,)]
    for size in sizes:
        x = np.arange(size, dtype=np.float32)
        python = slice_of(size, first, last, number)
        np.testing.assert_array_equal(graph.run(x)[0], x[python], strict=True)


def test_ends_may_be_numbers_that_no_size_reaches():
    # As tf2onnx has BatchToSpaceND: what is left of halves is cut off, if any is.
    ends = "".join(
        f"""d{at} = Slice(s, a{at}, a{at + 1}) c{at} = Mod(d{at}, two)
        no{at} = Equal(c{at}, zero) is{at} = Not(no{at})
        n{at} = Cast<to=7>(no{at}) i{at} = Cast<to=7>(is{at}) m{at} = Neg(i{at})
        p{at} = Mul(c{at}, m{at}) q{at} = Mul(most, n{at}) e{at} = Add(p{at}, q{at}) """
        for at in (2, 3)
    )
    graph = read(
        model(
            f"""g (float[1,8,h,w] x) => (float y)
            <int64[1] a2 = {{2}}, int64[1] a3 = {{3}}, int64[1] a4 = {{4}},
             int64[1] two = {{2}}, int64[1] zero = {{0}}, int64[2] start = {{0, 0}},
             int64[1] most = {{2147483647}}, int64[2] axes = {{2, 3}}>
            {{ s = Shape(x) {ends} e = Concat<axis=0>(e2, e3)
              y = Slice(x, start, e, axes) }}"""
        )
    )
    for h, w in ((5, 6), (1, 1), (4, 3), (0, 2)):
        x = np.arange(8 * h * w, dtype=np.float32).reshape(1, 8, h, w)
        expected = x[:, :, : h - h % 2, : w - w % 2]
        np.testing.assert_array_equal(graph.run(x)[0], expected, strict=True)


def test_a_part_of_a_size_that_varies():
    graph = read(
        model(
            """g (float[n,4] x) => (float a, float b) <int64[2] s = {-1, 2}>
            { r = Reshape(x, s) a, b = Split<axis=0, num_outputs=2>(r) }"""
        )
    )
    assert graph.shapes() == [("n", "2"), ("n", "2")]
    a, b = graph.run(np.arange(12, dtype=np.float32).reshape(3, 4))
    np.testing.assert_array_equal(np.concatenate([a, b]).ravel(), np.arange(12))


@pytest.mark.parametrize("step", [1, 2])
def test_slices_between_the_same_values_have_one_size(step: int):
    graph = read(
        model(
            f"""g (float[n,6] x, float[2,6] y, int64[1] a, int64[1] b)
            => (float c, float d, float e, float f)
            <int64[1] axes = {{1}}, int64[1] zero = {{0}}, int64[1] step = {{{step}}},
             int64[1] last = {{-1}}>
            {{ c = Slice(x, a, b, axes, step) d = Slice(y, a, b, axes, step)
               e = Slice(x, zero, b, axes, step) f = Slice(y, a, last, axes, step) }}"""
        )
    )
    counts = [shape[1] for shape in graph.shapes()]
    assert counts[0] == counts[1]
    assert len({*counts}) == 3
    x, y = np.arange(18.0).reshape(3, 6), np.arange(12.0).reshape(2, 6)
    for a, b in ((1, 4), (-5, 9), (3, 2), (0, -1), (9, 9)):
        parts = [slice(a, b, step), slice(0, b, step), slice(a, -1, step)]
        wanted = x[:, parts[0]], y[:, parts[0]], x[:, parts[1]], y[:, parts[2]]
        found = graph.run(
            *(each.astype(np.float32) for each in (x, y)), np.array([a]), np.array([b])
        )
        for got, want in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(got, want)


def test_a_slice_in_a_branch_has_a_size_of_its_own():
    graph = read(
        model(
            """g (float[6] x, int64[1] b, bool c) => (float y) <int64[1] a = {0}> {
            p = If(c) <
              then_branch = t () => (float r) {
                q = Slice(x, a, b) v = Slice(x, a, b) w = Add(q, v)
                r = ReduceSum<keepdims=0>(w) },
              else_branch = e () => (float r) {
                q = Slice(x, a, b) r = ReduceMin<keepdims=0>(q) }>
            s = Slice(x, a, b)
            t = ReduceSum<keepdims=0>(s)
            y = Add(p, t) }"""
        )
    )
    x = np.arange(6, dtype=np.float32)
    for count in (1, 3, 6):
        for is_true in (False, True):
            (found,) = graph.run(x, np.array([count]), np.array(is_true))
            assert found == (3 if is_true else 1) * x[:count].sum()


UNKNOWN: dict[str, tuple[str, str]] = {
    "axes that are an input": (
        "y = ReduceSum(x, s)",
        r"ReduceSum \(an input axes that is computed when the model runs\)",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_says_what_a_run_would_have_to_decide(name: str):
    body, message = UNKNOWN[name]
    source = model(f"g (float[n,3] x, int64[1] s) => (float y) {{ {body} }}")
    with pytest.raises(UnsupportedModelError, match=message):
        read(source)
