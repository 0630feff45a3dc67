"""
Models that compute with sizes, the sizes that they are run with, and which of these a
run refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from onnx import ModelProto, parser

from .interpreter import Array

NUMBERS = """int64[1] i0 = {0}, int64[1] i1 = {1}, int64[1] i2 = {2}, int64[1] i3 = {3},
    int64[1] i4 = {4}, int64[1] m1 = {-1}, int64 s0 = {0}, int64 s1 = {1},
    int64 s2 = {2}, int64 s3 = {3}, int64 s7 = {7}, float f0 = {0}, float f1 = {1}"""


@dataclass(frozen=True)
class Form:
    """A model, and which of its runs are refused."""

    text: str
    """The inputs, then the nodes; the output is y."""

    refused: Callable[[int, int], bool] = lambda n, m: False
    """Whether a run of sizes n and m is refused."""

    message: str = ""
    """What such a run is told."""

    sizes: tuple[int, ...] = (0, 1, 2, 3, 4, 7, 30)

    opset: int = 18

    evaluator_errs: bool = False
    """Whether ONNX's evaluator does not do what ONNX says, so that others judge."""

    def fixed(self, sizes: Mapping[str, int]) -> ModelProto:
        """The model with numbers as sizes."""
        model = self.model
        for each in model.graph.input:
            for size in each.type.tensor_type.shape.dim:
                if size.dim_param:
                    size.dim_value = sizes[size.dim_param]
        return model

    @property
    def model(self) -> ModelProto:
        """The model, which does not say what type its output has."""
        inputs, _, body = self.text.partition("|")
        model = parser.parse_model(
            f'<ir_version: 10, opset_import: ["" : {self.opset}]> g ({inputs}) => '
            f"(float y) <{NUMBERS}> {{ {body} }}"
        )
        model.graph.output[0].ClearField("type")
        return model

    def is_refused(self, sizes: Mapping[str, int]) -> bool:
        """Whether a run of sizes by name is refused."""
        return self.refused(sizes.get("n", 0), sizes.get("m", 0))

    def runs(self) -> Iterator[tuple[Mapping[str, int], Mapping[str, Array]]]:
        """The sizes by name of each run, and its inputs."""
        random = np.random.default_rng(0)
        inputs = self.model.graph.input
        shapes = {
            each.name: [
                d.dim_param or d.dim_value for d in each.type.tensor_type.shape.dim
            ]
            for each in inputs
        }
        names = sorted(
            {d for shape in shapes.values() for d in shape if isinstance(d, str)}
        )
        for numbers in product(self.sizes, repeat=len(names)):
            known = dict(zip(names, numbers, strict=True))
            yield (
                known,
                {
                    name: random.standard_normal(
                        [known[d] if isinstance(d, str) else d for d in shape]
                    ).astype(np.float32)
                    for name, shape in shapes.items()
                },
            )


SQUEEZE = """then_branch = t() => (float[?] a) {a = Squeeze(x, i1)},
    else_branch = f() => (float[?,?] b) {b = Identity(x)}"""

WIDTH = "s = Shape(x) c = Gather<axis=0>(s, s1) h = Gather<axis=0>(s, s0)"

BRANCHES = {
    "an axis that is removed where it is 1": Form(
        f"float[n,m] x | {WIDTH} e = Equal(c, s1) r = If<{SQUEEZE}>(e) y = Neg(r)",
        lambda n, m: m == 1,
        "expected m != 1, as else_branch is compiled .*, got 1 and 1",
    ),
    "rows that the rest of the model takes": Form(
        f"""float[n,m] x | {WIDTH} e = Equal(c, s1) r = If<{SQUEEZE}>(e)
        y = Transpose<perm=[0]>(r)""",
        lambda n, m: m != 1,
        "expected m == 1, as then_branch is compiled",
    ),
    "an axis that another test keeps": Form(
        f"""float[n,m] x | {WIDTH} g = Greater(c, s3) l = Less(h, s7) q = And(g, l)
        r = If<{SQUEEZE}>(q) y = Exp(r)""".replace(
            "Squeeze(x, i1)", "ReduceMax<keepdims=0>(x)"
        ),
        lambda n, m: m > 3 and n < 7,
        "expected .* == 1, as else_branch is compiled",
    ),
    "a branch of an op that nobody has": Form(
        f"""float[n,m] x | {WIDTH} e = GreaterOrEqual(c, s7)
        y = If<then_branch = t() => (float[?,?] a) {{ a = Unknown(x) }},
               else_branch = f() => (float[?,?] b) {{ b = Abs(x) }}>(e)""",
        lambda n, m: m >= 7,
        "expected m < 7, .* then_branch is not: it cannot be compiled: Unknown",
    ),
    "a branch that is wrong for other sizes": Form(
        f"""float[n,m,2] x | {WIDTH} e = Less(c, h)
        y = If<then_branch = t() => (float[?,?,?] a) {{ a = Relu(x) }},
               else_branch = f() => (float[?,?,?] b) {{ b = Squeeze(x, i2) }}>(e)""",
        lambda n, m: m >= n,
        "expected m < n, as then_branch is compiled",
    ),
    "branches of other elements": Form(
        f"""float[n,m] x | {WIDTH} e = Less(c, s2)
        r = If<then_branch = t() => (int64[?] a) {{ a = Cast<to=7>(x) }},
               else_branch = f() => (float[?] b) {{ b = Sqrt(x) }}>(e)
        q = Mul(r, r) y = Cast<to=1>(q)""",
        lambda n, m: m < 2,
        "expected m >= 2",
    ),
    "two axes in turn": Form(
        f"""float[n,m] x | {WIDTH} e = Equal(c, s1) d = Equal(h, s1)
        r = If<{SQUEEZE}>(e) y = If<then_branch = u() => (float[?] k) {{
            k = Squeeze(r, i0) }}, else_branch = v() => (float[?,?] l) {{
            l = Identity(r) }}>(d)""",
        lambda n, m: m == 1 or n == 1,
        "expected (m|n) != 1",
    ),
    "a branch in a branch": Form(
        f"""float[n,m] x | {WIDTH} e = Equal(c, s1) d = Less(h, s3)
        y = If<then_branch = u() => (float[?,?] k) {{ r = If<{SQUEEZE}>(e)
            k = Neg(r) }}, else_branch = v() => (float[?,?] l) {{
            l = Identity(x) }}>(d)""",
        lambda n, m: m == 1 and n < 3,
        "expected m != 1",
    ),
    "sizes that a branch changes": Form(
        f"""float[n,m] x | {WIDTH} q = Mod(c, s2) e = Equal(q, s1)
        r = If<then_branch = t() => (float[?,?] a) {{
            z = Concat<axis=0>(i0, i0, i0, i1) a = Pad(x, z) }},
            else_branch = f() => (float[?,?] b) {{ b = Identity(x) }}>(e)
        z = Shape(r) w = Gather<axis=0>(z, i1) d = Div(w, i2)
        u = Concat<axis=0>(i0, d, i2) y = Reshape(r, u)""",
    ),
    "one number or all": Form(
        f"""float[n,m] x | {WIDTH} e = Greater(c, h)
        r = If<then_branch = t() => (float[?,?] a) {{ a = ReduceSum(x) }},
            else_branch = f() => (float[?,?] b) {{ b = Identity(x) }}>(e)
        y = Add(r, x)""",
    ),
    "an axis that is added": Form(
        f"""float[n,m] x | {WIDTH} e = Equal(c, s3)
        r = If<then_branch = t() => (float[?,?] a) {{a = Identity(x)}},
            else_branch = f() => (float[?,?,?] b) {{b = Unsqueeze(x, i0)}}>(e)
        y = Transpose<perm=[1,0]>(r)""",
        lambda n, m: m != 3,
        "expected m == 3, as then_branch is compiled",
    ),
}

MANY = (0, 1, 2, 3, 5, 8, 10, 41, 49, 100, 255, 1000, 4097)
"""Sizes along one axis, among them some whose products with fractions are rounded."""

FLOAT = """s = Shape(x) f = Cast<to=1>(s) d = Cast<to=11>(s)
    h = Constant<value = float {0.5}>() t = Constant<value = float {2}>()
    q = Constant<value = float {0.7}>() p = Constant<value = double {0.1}>()
    e = Constant<value = float {3}>() w = Constant<value = double {7}>()"""


def _by_floats(
    body: str,
    end: str = "y = Expand(f1, k)",
    refused: Callable[[int, int], bool] = lambda n, m: False,
    message: str = "",
    sizes: tuple[int, ...] = MANY,
) -> Form:
    """The form in which floats compute the length k of the result."""
    return Form(f"float[n] x | {FLOAT} {body} {end}", refused, message, sizes)


FLOATS = {
    "twice": _by_floats("a = Mul(f, t) b = Floor(a) k = Cast<to=7>(b)"),
    "half, rounded down": _by_floats("a = Mul(f, h) b = Floor(a) k = Cast<to=7>(b)"),
    "half, rounded up": _by_floats("a = Div(f, t) b = Ceil(a) k = Cast<to=7>(b)"),
    "half, to even": _by_floats("a = Mul(f, h) b = Round(a) k = Cast<to=7>(b)"),
    "half, cut": _by_floats("a = Mul(f, h) k = Cast<to=7>(a)"),
    "a third": _by_floats("a = Div(f, e) k = Cast<to=7>(a)"),
    "a third, to even": _by_floats("a = Div(f, e) b = Round(a) k = Cast<to=7>(b)"),
    "a seventh, rounded up": _by_floats("a = Div(d, w) b = Ceil(a) k = Cast<to=7>(b)"),
    "one and a half and one": _by_floats(
        "a = Mul(f, h) b = Add(a, f) c = Add(b, f1) k = Cast<to=7>(c)"
    ),
    "below zero": _by_floats("""a = Sub(f, e) b = Mul(a, h) c = Cast<to=7>(b)
        k = Abs(c)"""),
    "as i32": _by_floats("a = Mul(f, h) c = Cast<to=6>(a) k = Cast<to=7>(c)"),
    "seven tenths": _by_floats("a = Mul(f, q) b = Floor(a) k = Cast<to=7>(b)"),
    "a tenth in doubles": _by_floats("a = Mul(d, p) k = Cast<to=7>(a)"),
    "divided by a fraction": _by_floats("a = Div(f, q) b = Ceil(a) k = Cast<to=7>(b)"),
    "a root": _by_floats("a = Sqrt(f) k = Cast<to=7>(a)"),
    "a root of a square": _by_floats(
        "a = Mul(f, f) b = Sqrt(a) k = Cast<to=7>(b)",
        refused=lambda n, m: n * n > 2**24,
        message=r"expected a size n \* n of at most 16777216, as floats of 24 bits",
    ),
    "a ratio": _by_floats(
        """a = Mul(s, i3) b = Cast<to=1>(a) c = Div(b, f) g = Mul(c, f)
        k = Cast<to=7>(g)""",
        refused=lambda n, m: n == 0,
        message="expected a size n of at least 1, by which others are divided, got 0",
    ),
    "the lesser of two": _by_floats(
        "a = Mul(f, h) b = Min(a, e) c = Max(b, f1) k = Cast<to=7>(c)"
    ),
    "a comparison": _by_floats(
        "a = Mul(f, h) b = Less(a, e) c = Cast<to=7>(b) k = Add(c, i1)"
    ),
    "numbers up to half": _by_floats(
        "a = Mul(f, h) b = Ceil(a) c = Cast<to=7>(b) k = Squeeze(c)",
        "r = Range(s0, k, s1) y = Cast<to=1>(r)",
    ),
    "numbers up to a fraction": _by_floats(
        "a = Mul(f, q) b = Squeeze(a)", "y = Range(f0, b, f1)"
    ),
    "numbers below a size": _by_floats("b = Squeeze(f)", "y = Range(f1, b, t)"),
    "a part": _by_floats("a = Mul(f, q) k = Cast<to=7>(a)", "y = Slice(x, i0, k)"),
    "what is missing": _by_floats(
        "a = Mul(f, q) k = Cast<to=7>(a) z = Concat<axis=0>(i1, k)", "y = Pad(x, z)"
    ),
    "a part of data": _by_floats(
        "a = ReduceMin(x) b = Ceil(a) c = Cast<to=7>(b) g = Abs(c) k = Min(g, s)",
        sizes=MANY[1:],
    ),
}


def _resized(body: str, sizes: tuple[int, ...] = (1, 2, 3, 5, 7, 30)) -> Form:
    """The form of an image whose new sizes or scales floats compute."""
    return Form(
        f"""float[1,2,n,m] x | s = Shape(x) b = Slice(s, i0, i2) c = Slice(s, i2, i4)
        o = Constant<value = float[2] {{1, 1}}>()
        u = Constant<value = float[2] {{2, 1.5}}>()
        v = Constant<value = float[2] {{0.6, 1.7}}>() f = Cast<to=1>(c) {body}""",
        sizes=sizes,
    )


IMAGES = {
    "sizes times two": _resized(
        """g = Mul(f, u) h = Floor(g) k = Cast<to=7>(h) t = Concat<axis=0>(b, k)
        y = Resize<mode="nearest", coordinate_transformation_mode="asymmetric",
            nearest_mode="floor">(x, , , t)"""
    ),
    "sizes times fractions": _resized(
        """g = Mul(f, v) h = Ceil(g) k = Cast<to=7>(h) t = Concat<axis=0>(b, k)
        y = Resize<mode="linear">(x, , , t)"""
    ),
    "scales of sizes": _resized(
        """i = Mul(c, i2) j = Cast<to=1>(i) g = Div(j, f) h = Concat<axis=0>(o, g)
        y = Resize<mode="linear">(x, , h)"""
    ),
}


def _windowed(
    body: str, sizes: tuple[int, ...] = (1, 2, 3, 4, 7, 10), errs: bool = False
) -> Form:
    """The form of a window over an image of open sizes."""
    return Form(
        f"""float[1,2,n,m] x | w = Constant<value = float[1,2,2,3] {{1, 2, 3, 4, 5, 6,
        6, 5, 4, 3, 2, 1}}>() {body}""",
        sizes=sizes,
        evaluator_errs=errs,
    )


WINDOWS = {
    **{
        f"weights whose window varies{more}": Form(
            "float[2,2,m,m] x, float[3,2,n,n] w | "
            f"y = Conv<pads=[1,0,1,2]{more}>(x, w)",
            lambda n, m: n > m + 2,
            "a window that fits spatial axis 0",
            sizes=(1, 2, 3, 4, 7),
        )
        for more in ("", ", strides=[2,1], dilations=[1,1]")
    },
    "weights whose window a node says": Form(
        "float[2,2,m,m] x, float[3,2,n,n] w | y = Conv<kernel_shape=[3,3]>(x, w)",
        lambda n, m: n != 3 or m < 2,
        "expected equal sizes|a window that fits",
        sizes=(2, 3, 4, 5, 7),
    ),
    **{
        f"conv {kind} by {strides}": _windowed(
            f'y = Conv<auto_pad="SAME_{kind}", strides=[{strides}]>(x, w)'
        )
        for kind in ("UPPER", "LOWER")
        for strides in ("2,2", "3,4")
    },
    "conv of holes": _windowed(
        'y = Conv<auto_pad="SAME_UPPER", strides=[2,2], dilations=[2,3]>(x, w)'
    ),
    **{
        f"{op} {kind} {more}": _windowed(
            f'y = {op}<auto_pad="SAME_{kind}", kernel_shape=[3,2], strides=[2,3]{more}>'
            "(x)",
            errs=True,
        )
        for op, more in (
            ("MaxPool", ""),
            ("AveragePool", ""),
            ("AveragePool", ", count_include_pad=1"),
            ("LpPool", ", p=2"),
        )
        for kind in ("UPPER", "LOWER")
    },
    **{
        f"{op} that passes the image": Form(
            f"float[1,2,n,m] x | y = {op}<kernel_shape=[3,2], strides=[3,2], "
            f"pads=[1,0,0,0]{more}>(x)",
            lambda n, m: n < 2 or m == 1,
            "a size [nm] of 2 or more along spatial axis [01] of a pool, or a model",
            (0, 1, 2, 3, 4, 7),
        )
        for op, more in (
            ("MaxPool", ""),
            ("AveragePool", ", count_include_pad=1"),
            ("AveragePool", ""),
            ("LpPool", ""),
        )
    },
    **{
        f"means of windows with holes{more}": Form(
            "float[1,2,n,m] x | y = AveragePool<kernel_shape=[3,2], strides=[2,3], "
            f"dilations=[2,2], pads=[1,1,0,0]{more}>(x)",
            lambda n, m: n in (1, 3) or m == 1,
            "a size [nm] of [24] or more along spatial axis [01]|sizes of zero or more",
            sizes=(1, 2, 3, 4, 7),
            opset=19,
            evaluator_errs=True,
        )
        for more in ("", ", count_include_pad=1")
    },
    **{
        f"indices {more} {kind}": Form(
            f"float[2,2,n,m] x | z, y = MaxPool<kernel_shape=[3,2], strides=[3,2], "
            f"{kind}{more}>(x)",
            sizes=(1, 2, 3, 4, 7),
            evaluator_errs=True,
        )
        for more in ("", ", storage_order=1")
        for kind in (
            "pads=[1,1,1,0], ceil_mode=1",
            'auto_pad="SAME_LOWER"',
            'auto_pad="SAME_UPPER"',
        )
    },
    **{
        f"{op} of nothing, or that fits": Form(
            f"float[1,2,n,m] x | y = {op}<kernel_shape=[4,3], strides=[3,2], "
            "pads=[0,1,0,1]>(x)",
            lambda n, m: n in (0, 2, 3),
            "a size n of 4 or more along spatial axis 0 of a pool|a window that fits",
            (0, 1, 2, 3, 4, 7),
        )
        for op in ("MaxPool", "AveragePool")
    },
    **{
        f"{op} rounded up {pads}{more}": _windowed(
            f"y = {op}<ceil_mode=1, kernel_shape=[3,2], strides=[2,3], "
            f"pads=[{pads}]{more}>(x)",
            sizes=(2, 3, 4, 7, 10),
        )
        for op, more in (
            ("MaxPool", ""),
            ("AveragePool", ""),
            ("AveragePool", ", count_include_pad=1"),
        )
        for pads in ("0,0,0,0", "1,1,1,1")
    },
}

PADS = {
    f"{mode} by {amounts}": Form(
        f"""float[n,m] x | s = Shape(x) a = Gather<axis=0>(s, i0)
        b = Gather<axis=0>(s, i1) h = Div(s, i2) d = Sub(b, i3) q = Sub(a, i1)
        z = Concat<axis=0>({amounts}) y = Pad<mode="{mode}">(x, z)""",
        sizes=(2, 3, 4, 7, 10),
        evaluator_errs="d" in amounts,
    )
    for mode, amounts in (
        ("constant", "h, s"),
        ("constant", "i0, d, i1, i0"),
        ("edge", "h, s"),
        ("edge", "i0, d, i1, i0"),
        ("reflect", "i1, i0, q, i0"),
        ("reflect", "h, i1, i0"),
        ("wrap", "h, h"),
    )
}


def _while(
    start: str = "s0",
    step: str = "s1",
    test: str = "k2 = Less(j, h)",
    first: str = "c = Less(b, h)",
    most: str = "far",
    sizes: tuple[int, ...] = (0, 1, 2, 3, 4, 7, 30),
) -> Form:
    """The form of a loop that counts to the size h, as tf2onnx writes a while loop."""
    return Form(
        f"""float[n,3] x | s = Shape(x) h = Gather<axis=0>(s, s0)
        b = Identity({start}) far = Constant<value = int64 {{9223372036854775807}}>()
        on = Constant<value = bool {{1}}>() w = Constant<value = float[3] {{0, 0, 0}}>()
        {first} i, v, y = Loop<body = l(int64 t, bool k, int64 i, float[3] v) =>
            (bool k2, int64 j, float[3] v2, float[3] z) {{ e = Sub(i, s1)
            r = Gather<axis=0>(x, e) v2 = Add(v, r) z = Exp(r) j = Add(i, {step})
            {test} }}>({most}, c, b, w)""",
        sizes=sizes,
    )


LOOPS = {
    "while less": _while(start="s1"),
    "while not more": _while(
        start="s1", test="k2 = LessOrEqual(j, h)", first="c = LessOrEqual(b, h)"
    ),
    "while the limit is more": _while(start="s2", test="k2 = Greater(h, j)"),
    "while less in steps": _while(start="s1", step="s3"),
    "at least once": _while(start="s1", first="c = Identity(on)", sizes=(1, 2, 3, 7)),
    "without a limit": _while(start="s1", most=""),
    "where data may end it": _while(
        start="s1",
        test="""a = Less(j, h) q = ReduceSum<keepdims=0>(v2) f = Less(q, f1)
        k2 = And(a, f)""",
    ),
    "stacks beside the input": Form(
        f"""{
            _while(
                start="s1",
                test="k2 = LessOrEqual(j, h)",
                first="c = LessOrEqual(b, h)",
            ).text.replace("i, v, y =", "i, v, o =")
        }
        p = Neg(o) y = Add(p, x)"""
    ),
}

SEQUENCES = {
    f"turned along {time}": Form(
        f"""float[n,m,2] x | s = Shape(x) a = Gather<axis=0>(s, s{time})
        b = Gather<axis=0>(s, s{1 - time}) r = Range(s0, b, s1) q = Add(r, s1)
        l = Min(q, a) y = ReverseSequence<time_axis={time}, batch_axis={1 - time}>
            (x, l)""",
        sizes=(1, 2, 3, 7),
    )
    for time in (0, 1)
} | {
    "running sums": Form(
        """float[n,m] x | s = Shape(x) a = Slice(s, i1, i2) h = Expand(f0, a)
        o, y = Scan<num_scan_inputs=1, body = b(float[m] h, float[m] r) =>
            (float[m] h2, float[m] z) { h2 = Add(h, r) z = Identity(h2) }>(h, x)"""
    ),
}

FORMS = BRANCHES | FLOATS | IMAGES | WINDOWS | PADS | LOOPS | SEQUENCES
