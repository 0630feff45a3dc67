"""A product of two activations is the product of both rounded to bf16."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16

from static_runtime import StaticModule
from static_runtime.compiler.ir import target as targets
from static_runtime.dialects import Dim, symbol
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.dialects.shape import Array

from ....reduced import PAIRS, build, check, numbers, rounded

pytestmark = pytest.mark.usefixtures("with_pairs")

SIZES = (
    *((2, 2, 2), (3, 5, 7), (17, 33, 2), (16, 16, 32), (33, 17, 33), (32, 32, 31)),
    # Several blocks of columns, of rows and of k.
    *((5, 700, 40), (150, 20, 66), (40, 70, 1301), (9, 1030, 520)),
)
"""Rows, columns and k."""

TARGETS = ("host", "cooperlake", *PAIRS)

SOME = ("host", "cooperlake", "pairs", "matrices")
"""Of those with the same layouts one each."""

NAMES = symbol("b"), symbol("m"), symbol("n"), symbol("k")
"""Sizes that only a run knows."""

BYTES = TargetAttr.of("x86-64-v3", 256, 16, True, isas=["portable_amx_int8"])
"""A machine that multiplies matrices of bytes."""


def typed(*shape: Dim, element: str = "f32") -> str:
    """The text of a type; a size that is no number is a symbol."""
    text = "x".join(str(each) if isinstance(each, int) else "?" for each in shape)
    names = ", ".join(f'"{each}"' for each in shape if not isinstance(each, int))
    return f"tensor<{text}x{element}{names and f', [{names}]'}>"


def stack(b: Dim, m: Dim, n: Dim, k: Dim, turned: Sequence[str] = ()) -> str:
    """The text of a product of two stacks; factors that are `turned` are transposed."""
    x, y, out = typed(b, m, k), typed(b, k, n), typed(b, m, n)
    given = {"x": (x, typed(b, k, m)), "y": (y, typed(b, n, k))}
    lines: list[str] = []
    inputs: list[str] = []
    for name, (straight, other) in given.items():
        inputs.append(f"%{name}: {other if name in turned else straight}")
        turn = "{order = array<i64: 0, 2, 1>}"
        lines += [
            f"%{name}t = graph.permute %{name} {turn} : {other} -> {straight}"
        ] * (name in turned)
    x_name, y_name = (f"%{e}t" if e in turned else f"%{e}" for e in given)
    return f"""func.func @main({", ".join(inputs)}) -> {out} {{
      {"; ".join(lines).replace("; ", chr(10))}
      %1 = graph.matmul {x_name}, {y_name} : {x}, {y} -> {out}
      func.return %1 : {out}
    }}"""


def compiled(text: str, target: str = "host", threads: int = 1) -> StaticModule:
    """The model of a text, with products of bf16."""
    return build(text, {}, target=target, threads=threads)


def factor(array: Array, target: str) -> Array:
    """A factor in f64: rounded where the target multiplies bf16."""
    has_pairs = targets.find_target(target).isa(bf16) is not None
    return rounded(array) if has_pairs else array.astype(np.float64)


def same_bits(got: Array, expected: Array) -> None:
    """Compares two results bit by bit."""
    np.testing.assert_array_equal(got.view(np.int32), expected.view(np.int32))


@pytest.mark.sampled(every=26)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_products_of_rounded_factors(sizes: tuple[int, int, int], target: str):
    m, n, k = sizes
    x, y = numbers(2, m, k), numbers(2, k, n)
    got = compiled(stack(2, m, n, k), target)(x, y)
    check(got, factor(x, target) @ factor(y, target), k)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("target", SOME)
@pytest.mark.parametrize("turned", [("x",), ("y",), ("x", "y")], ids="".join)
def test_factors_that_are_transposed(turned: Sequence[str], target: str):
    m, n, k = 33, 17, 35
    x, y = numbers(2, m, k), numbers(2, k, n)
    given = [
        np.ascontiguousarray(each.swapaxes(1, 2)) if name in turned else each
        for name, each in (("x", x), ("y", y))
    ]
    got = compiled(stack(2, m, n, k, turned), target)(*given)
    check(got, factor(x, target) @ factor(y, target), k)


@pytest.mark.full(beside="test_a_row_has_equal_bits_among_any")
@pytest.mark.parametrize("target", SOME)
def test_open_and_known_sizes_and_threads_have_equal_bits(target: str):
    _, m, n, k = names = NAMES
    open_sizes = [compiled(stack(*names), target, threads) for threads in (1, 2)]
    only_k = compiled(stack(5, m, n, 35), target)
    all_but_k = compiled(stack(names[0], 17, 33, k), target)
    for m, n, k in (
        (2, 2, 2),
        (17, 33, 35),
        (17, 33, 1),
        (33, 3, 700),
        (40, 260, 1301),
    ):
        x, y = numbers(5, m, k), numbers(5, k, n)
        expected = open_sizes[0](x, y)
        check(expected, factor(x, target) @ factor(y, target), k)
        same_bits(open_sizes[1](x, y), expected)
        if k == 35:
            same_bits(only_k(x, y), expected)
        if (m, n) == (17, 33):
            same_bits(all_but_k(x, y), expected)
        if k > 1:
            for threads in (1, 2):
                one = compiled(stack(5, m, n, k), target, threads)
                same_bits(one(x, y), expected)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("target", SOME)
def test_a_row_has_equal_bits_among_any(target: str):
    model = compiled(stack(*NAMES), target)
    x, y = numbers(3, 70, 99), numbers(3, 99, 40)
    expected = model(x, y)
    for rows, columns in itertools.product((1, 2, 16, 17, 33), (1, 5, 17, 40)):
        few = np.ascontiguousarray(y[1:2, :, :columns])
        got = model(np.ascontiguousarray(x[1:2, :rows]), few)
        same_bits(got, np.ascontiguousarray(expected[1:2, :rows, :columns]))


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("target", SOME)
def test_sizes_of_zero(target: str):
    model = compiled(stack(*NAMES), target)
    for b, m, n, k in ((0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5), (2, 3, 4, 0)):
        expected = np.zeros((b, m, n), np.float32)
        same_bits(model(numbers(b, m, k), numbers(b, k, n)), expected)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("target", SOME)
@pytest.mark.parametrize("size", [(1, 40, 64), (40, 1, 64), (40, 64, 1)], ids=str)
def test_products_with_a_vector_are_exact(size: tuple[int, int, int], target: str):
    m, n, k = size
    x, y = numbers(3, m, k), numbers(3, k, n)
    wide, narrow = (
        build(stack(3, m, n, k), {}, precision, target) for precision in ("f32", "bf16")
    )
    same_bits(narrow(x, y), wide(x, y))


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("target", SOME)
def test_numbers_beside_special_ones_are_finite(target: str):
    """Zeros that fill up k, rows and columns are not multiplied with what is not."""
    x, y = np.abs(numbers(2, 19, 35)), np.abs(numbers(2, 35, 21))
    x[0, 3, 34], x[1, 18, 0], y[0, 34, 2], y[1, 0, 20] = np.inf, np.nan, np.inf, np.nan
    got = compiled(stack(2, 19, 21, 35), target)(x, y)
    with np.errstate(invalid="ignore"):
        expected = factor(x, target) @ factor(y, target)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(expected))
    assert np.isfinite(got).any()


def attention(s: Dim, t: Dim, heads: int, d: int) -> str:
    """The text of attention with a mask, with heads beside each other in memory."""
    q, kv, mask = typed(2, s, heads * d), typed(2, t, heads * d), typed(s, t)
    q4, kv4 = typed(2, s, heads, d), typed(2, t, heads, d)
    qh, kh, vh = (typed(2, heads, *each) for each in ((s, d), (d, t), (t, d)))
    scores, out, merged = typed(2, heads, s, t), typed(2, heads, s, d), q4
    return f"""func.func @main(%q: {q}, %k: {kv}, %v: {kv}, %m: {mask}) -> {merged} {{
      %q4 = graph.reshape %q {{shape = ["2", "{s}", "{heads}", "{d}"]}} : {q} -> {q4}
      %k4 = graph.reshape %k {{shape = ["2", "{t}", "{heads}", "{d}"]}} : {kv} -> {kv4}
      %v4 = graph.reshape %v {{shape = ["2", "{t}", "{heads}", "{d}"]}} : {kv} -> {kv4}
      %qh = graph.permute %q4 {{order = array<i64: 0, 2, 1, 3>}} : {q4} -> {qh}
      %kh = graph.permute %k4 {{order = array<i64: 0, 2, 3, 1>}} : {kv4} -> {kh}
      %vh = graph.permute %v4 {{order = array<i64: 0, 2, 1, 3>}} : {kv4} -> {vh}
      %1 = graph.matmul %qh, %kh : {qh}, {kh} -> {scores}
      %2 = graph.add %1, %m : {scores}, {mask} -> {scores}
      %3 = graph.softmax %2 {{axis = -1 : i64}} : {scores} -> {scores}
      %4 = graph.matmul %3, %vh : {scores}, {vh} -> {out}
      %5 = graph.permute %4 {{order = array<i64: 0, 2, 1, 3>}} : {out} -> {merged}
      func.return %5 : {merged}
    }}"""


def attended(
    q: Array, k: Array, v: Array, mask: Array, heads: int, target: str
) -> Array:
    """Attention in f64, whose first product has rounded factors."""
    b, _, width = q.shape
    parts = [
        factor(e, target).reshape(b, -1, heads, width // heads).transpose(0, 2, 1, 3)
        for e in (q, k, v)
    ]
    scores = parts[0] @ parts[1].swapaxes(2, 3) + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return (weights @ parts[2]).transpose(0, 2, 1, 3)


@pytest.mark.full(beside="test_attention_in_blocks_of_rows")
@pytest.mark.parametrize("target", SOME)
def test_attention(target: str):
    heads, d = 3, 20
    any_size = compiled(attention(symbol("s"), symbol("t"), heads, d), target)
    for s, t in ((33, 33), (17, 40), (5, 3)):
        q, k, v = numbers(2, s, 60), numbers(2, t, 60), numbers(2, t, 60)
        mask = np.where(np.tri(s, t), 0, -np.inf).astype(np.float32)
        got = compiled(attention(s, t, heads, d), target)(q, k, v, mask)
        expected = attended(q, k, v, mask, heads, target)
        # Each weight is off by up to 1 part in 256.
        assert np.abs(got - expected).max() <= 4e-3 * np.abs(expected).max()
        same_bits(any_size(q, k, v, mask), got)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("target", ["host", "matrices"])
def test_attention_in_blocks_of_rows(target: str):
    heads, d, s = 2, 16, 768
    q, k, v = numbers(2, s, 32), numbers(2, s, 32), numbers(2, s, 32)
    mask = np.where(np.tri(s), 0, -np.inf).astype(np.float32)
    text = attention(s, s, heads, d)
    got = compiled(text, target)(q, k, v, mask)
    expected = attended(q, k, v, mask, heads, target)
    assert np.abs(got - expected).max() <= 4e-3 * np.abs(expected).max()
    if targets.find_target(target).isa(bf16) is not None:
        exact = build(text, {}, "f32", target)(q, k, v, mask)
        assert (got != exact).any()


def test_what_a_model_has_in_bf16_is_computed_as_it_says():
    a, b, out = (typed(*e, element="bf16") for e in ((20, 33), (33, 17), (20, 17)))
    text = f"""func.func @main(%x: {a}, %y: {b}) -> {out} {{
      %1 = graph.matmul %x, %y : {a}, {b} -> {out}
      func.return %1 : {out}
    }}"""
    x, y = (numbers(*e).view(np.uint16)[:, 1::2] for e in ((20, 33), (33, 17)))
    wide, narrow = (build(text, {}, e, "matrices") for e in ("f32", "bf16"))
    given = [np.ascontiguousarray(each) for each in (x, y)]
    np.testing.assert_array_equal(
        np.asarray(narrow(*given)).view(np.uint16),
        np.asarray(wide(*given)).view(np.uint16),
    )


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_products_of_bytes_in_tile_registers(
    sizes: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(PAIRS, "bytes", BYTES)
    monkeypatch.setitem(targets.TARGETS, "bytes", BYTES)
    m, n, k = sizes
    random = np.random.default_rng(m)
    for dtypes in itertools.product((np.int8, np.uint8), repeat=2):
        names = ["si8" if each is np.int8 else "ui8" for each in dtypes]
        shapes = (m, k), (k, n)
        x, y = (
            random.integers(np.iinfo(each).min, np.iinfo(each).max + 1, shape, each)
            for each, shape in zip(dtypes, shapes, strict=True)
        )
        a, b = (typed(*e, element=n) for e, n in zip(shapes, names, strict=True))
        out = typed(m, n, element="i32")
        text = f"""func.func @main(%x: {a}, %y: {b}) -> {out} {{
          %1 = graph.matmul %x, %y {{to = i32}} : {a}, {b} -> {out}
          func.return %1 : {out}
        }}"""
        got = compiled(text, "bytes")(x, y)
        np.testing.assert_array_equal(got, x.astype(np.int32) @ y.astype(np.int32))
