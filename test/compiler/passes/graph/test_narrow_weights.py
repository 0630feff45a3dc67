"""Products with weights of bf16 are those of the rounded weights, as f32 has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16

import static_runtime as sr
from static_runtime.compiler.ir import target as targets
from static_runtime.dialects.graph.bf16 import narrow
from static_runtime.dialects.shape import Array

from ....reduced import PAIRS, build, check, numbers, rounded

MODEL = Path(__file__).parents[3] / "models" / "onnx" / "mlp_small.onnx"

SIZES = (
    *((1, 64, 64), (2, 33, 700), (9, 2, 300), (13, 7, 65), (6, 96, 1100)),
    # Enough rows that panels are widened a block at a time.
    *((64, 16, 32), (70, 33, 1300), (150, 300, 550)),
)

TARGETS = ("x86-64", "host")

pytestmark = pytest.mark.usefixtures("with_pairs")


def product(m: int | str, n: int, k: int) -> str:
    """The text of a product with a weight, plus a row."""
    rows, names = (m, "") if isinstance(m, int) else ("?", f', ["{m}"]')
    x, out = f"tensor<{rows}x{k}xf32{names}>", f"tensor<{rows}x{n}xf32{names}>"
    w, row = f"tensor<{k}x{n}xf32>", f"tensor<{n}xf32>"
    return f"""func.func @main(%x: {x}, %row: {row}) -> {out} {{
      %w = graph.weight "w" : {w}
      %1 = graph.matmul %x, %w : {x}, {w} -> {out}
      %2 = graph.add %1, %row : {out}, {row} -> {out}
      func.return %2 : {out}
    }}"""


def factor(array: Array, target: str = "host") -> Array:
    """What a product has of its rows, in f64: rounded where it takes pairs of steps."""
    isa = targets.find_target(target).isa(bf16)
    return rounded(array) if isa is not None else array.astype(np.float64)


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_products_of_known_sizes(sizes: tuple[int, int, int], target: str):
    m, n, k = sizes
    x, row, w = numbers(m, k), numbers(n), numbers(k, n)
    model = build(product(m, n, k), {"w": w}, target=target)
    check(model(x, row), factor(x, target) @ rounded(w) + row, k)


def test_products_of_symbols_have_the_same_bits_in_every_size_and_schedule():
    n, k = 70, 1100
    row, w, x = numbers(n), numbers(k, n), numbers(100, k)
    model = build(product("m", n, k), {"w": w})
    expected = build(product(100, n, k), {"w": w})(x, row)
    check(expected, factor(x) @ rounded(w) + row, k)
    for rows in (0, 1, 2, 3, 5, 6, 7, 64, 100):
        np.testing.assert_array_equal(model(x[:rows], row), expected[:rows])
    for rows in (1, 7):
        one = build(product(rows, n, k), {"w": w})
        np.testing.assert_array_equal(one(x[:rows], row), expected[:rows])


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("sizes", [(1, 2048, 1024), (200, 96, 300), (200, 16, 600)])
def test_two_threads_compute_the_same_bits(sizes: tuple[int, int, int]):
    m, n, k = sizes
    x, row, weights = numbers(m, k), numbers(n), {"w": numbers(k, n)}
    one, two = (build(product(*sizes), weights, threads=t) for t in (1, 2))
    assert two.program.is_shared
    np.testing.assert_array_equal(one(x, row), two(x, row))


def test_the_memory_is_half():
    weights = {"w": numbers(256, 512)}
    wide, narrowed = (
        build(product(4, 512, 256), weights, each) for each in ("f32", "bf16")
    )
    assert wide.report.constant_bytes == 256 * 512 * 4
    assert narrowed.report.constant_bytes == 256 * 512 * 2


def test_a_stack_of_matrices():
    x, w = numbers(4, 5, 30), numbers(4, 30, 32)
    a, b, out = "tensor<4x5x30xf32>", "tensor<4x30x32xf32>", "tensor<4x5x32xf32>"
    text = f"""func.func @main(%x: {a}) -> {out} {{
      %w = graph.weight "w" : {b}
      %1 = graph.matmul %x, %w : {a}, {b} -> {out}
      func.return %1 : {out}
    }}"""
    model = build(text, {"w": w})
    assert model.report.constant_bytes == 4 * 30 * 32 * 2
    check(model(x), factor(x) @ rounded(w), 30)


def test_a_linear_layer():
    x, w = numbers(3, 7, 33), numbers(20, 33)
    a, b, out = "tensor<3x7x33xf32>", "tensor<20x33xf32>", "tensor<3x7x20xf32>"
    text = f"""func.func @main(%x: {a}) -> {out} {{
      %w = graph.weight "w" : {b}
      %1 = graph.linear %x, %w : {a}, {b} -> {out}
      func.return %1 : {out}
    }}"""
    check(build(text, {"w": w})(x), factor(x) @ rounded(w).T, 33)


def convolution(groups: int, batch: int | str = 2) -> str:
    """The text of a convolution of 32 channels to 32, 3 by 3, in `groups` groups."""
    rows, names = (batch, "") if isinstance(batch, int) else ("?", f', ["{batch}"]')
    x, out = (f"tensor<{rows}x32x{size}xf32{names}>" for size in ("9x10", "7x8"))
    w = f"tensor<32x{32 // groups}x3x3xf32>"
    return f"""func.func @main(%x: {x}) -> {out} {{
      %w = graph.weight "w" : {w}
      %1 = graph.conv %x, %w {{strides = array<i64: 1, 1>,
        padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
        groups = {groups} : i64}} : {x}, {w} -> {out}
      func.return %1 : {out}
    }}"""


def convolved(x: Array, w: Array, groups: int) -> Array:
    """The convolution in f64."""
    parts: list[Array] = []
    for images, filters in zip(
        np.split(x, groups, 1), np.split(w, groups), strict=True
    ):
        windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), (2, 3))
        parts.append(
            np.einsum("bchwij,ocij->bohw", windows.astype(np.float64), filters)
        )
    return np.concatenate(parts, 1)


@pytest.mark.sampled
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_convolutions(groups: int, target: str):
    x, w = numbers(2, 32, 9, 10), numbers(32, 32 // groups, 3, 3)
    model = build(convolution(groups), {"w": w}, target=target)
    is_narrowed = model.report.constant_bytes < w.nbytes
    both = (factor(x, target), rounded(w)) if is_narrowed else (x, w)
    # Without its channels last, a group's weights are not columns, and stay.
    assert is_narrowed or groups > 1
    check(model(x), convolved(*both, groups), 9 * 32 // groups)


def test_a_convolution_of_any_batch():
    x, w = numbers(5, 32, 9, 10), numbers(32, 32, 3, 3)
    model = build(convolution(1, "n"), {"w": w})
    assert model.report.constant_bytes == w.nbytes // 2
    for batch in (1, 5):
        check(model(x[:batch]), convolved(factor(x[:batch]), rounded(w), 1), 288)


def test_places_are_copied_beside_widened_panels():
    """Every second place is 2048 bytes from the next: few sets of a cache."""
    x, w = numbers(1, 42, 42, 256), numbers(1, 1, 256, 512)
    model = build(
        """func.func @main(%x: tensor<1x42x42x256xf32>) -> tensor<1x21x21x512xf32> {
          %w = graph.weight "w" : tensor<1x1x256x512xf32>
          %1 = graph.conv %x, %w {strides = array<i64: 2, 2>,
            padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
            groups = 1 : i64, channels_last}
            : tensor<1x42x42x256xf32>, tensor<1x1x256x512xf32>
            -> tensor<1x21x21x512xf32>
          func.return %1 : tensor<1x21x21x512xf32>
        }""",
        {"w": w},
    )
    expected = factor(x[:, ::2, ::2]) @ rounded(w[0, 0])
    check(model(x), expected, 256)


def test_a_filter_for_each_channel_stays_as_it_is():
    x, w = numbers(2, 32, 9, 10), numbers(32, 1, 3, 3)
    wide, narrowed = (
        build(convolution(32), {"w": w}, each) for each in ("f32", "bf16")
    )
    np.testing.assert_array_equal(wide(x), narrowed(x))


def test_special_numbers_stay():
    w = numbers(40, 16)
    w[3, 0], w[5, 1], w[7, 2] = np.nan, np.inf, -np.inf
    x, row = np.abs(numbers(3, 40)), numbers(16)
    for rows in (3, 1):
        got = build(product(rows, 16, 40), {"w": w})(x[:rows], row)
        assert np.isnan(got[:, 0]).all()
        assert (got[:, 1] == np.inf).all()
        assert (got[:, 2] == -np.inf).all()
        assert np.isfinite(got[:, 3:]).all()


def test_what_something_else_reads_is_exact_there():
    w, x = numbers(24, 24), numbers(5, 24)
    type, square = "tensor<5x24xf32>", "tensor<24x24xf32>"
    text = f"""func.func @main(%x: {type}) -> ({type}, {square}, {square}) {{
      %w = graph.weight "w" : {square}
      %1 = graph.matmul %x, %w : {type}, {square} -> {type}
      %2 = graph.neg %w : {square} -> {square}
      %3 = graph.matmul %w, %w : {square}, {square} -> {square}
      func.return %1, %2, %3 : {type}, {square}, {square}
    }}"""
    first, second, third = build(text, {"w": w})(x)
    check(first, factor(x) @ rounded(w), 24)
    np.testing.assert_array_equal(second, -w)
    assert np.abs(third - w.astype(np.float64) @ w).max() <= 2e-2 * np.abs(third).max()


def test_it_is_kept_apart_from_what_is_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("onnx")
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path))
    exact = sr.compile(MODEL)
    cold, warm = (
        sr.compile(MODEL, options=sr.Options(precision="bf16")) for _ in range(2)
    )
    assert (exact.report.warm, cold.report.warm) == (False, False)
    assert warm.report.warm
    assert cold.report.constant_bytes < 0.6 * exact.report.constant_bytes
    inputs = [numbers(*each.sizes({})) for each in exact.program.inputs]
    np.testing.assert_array_equal(cold(*inputs), warm(*inputs))
    assert (cold(*inputs) != exact(*inputs)).any()


PAIRED = (
    *((1, 64, 64), (2, 33, 700), (13, 7, 66), (70, 33, 1300), (150, 40, 550)),
    # Rows so long that they are copied in parts.
    *((1, 32, 40_000), (6, 8, 12_000)),
    # Tiles of matrices with all rows and columns, and some; blocks with a rest.
    *((32, 32, 64), (33, 48, 96), (100, 40, 1302)),
)


@pytest.mark.sampled(every=7)
@pytest.mark.parametrize("target", PAIRS)
@pytest.mark.parametrize("sizes", PAIRED, ids=str)
def test_pairs_are_products_of_rounded_factors(
    sizes: tuple[int, int, int], target: str
):
    m, n, k = sizes
    x, row, w = numbers(m, k), numbers(n), numbers(k, n)
    model = build(product(m, n, k), {"w": w}, target=target)
    check(model(x, row), rounded(x) @ rounded(w) + row, k)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("target", ["pairs", "matrices", "host"])
def test_a_zero_is_beside_the_last_of_steps_that_are_odd(target: str):
    for rows in (1, 7, 70):
        x, row, w = numbers(rows, 65), numbers(20), numbers(65, 20)
        model = build(product(rows, 20, 65), {"w": w}, target=target)
        check(model(x, row), factor(x, target) @ rounded(w) + row, 65)
        x[0, 64] = np.inf
        assert (np.isfinite(model(x, row)).all(1) == (np.arange(rows) > 0)).all()


@pytest.mark.parametrize("target", ["pairs", "matrices", "host"])
def test_windows_of_odd_rows(target: str):
    """Each row of a window ends within a word, whose rest no other number fills."""
    x, w = numbers(2, 9, 10, 3), numbers(3, 3, 3, 32)
    a, b, out = "tensor<2x9x10x3xf32>", "tensor<3x3x3x32xf32>", "tensor<2x7x8x32xf32>"
    text = f"""func.func @main(%x: {a}) -> {out} {{
      %w = graph.weight "w" : {b}
      %1 = graph.conv %x, %w {{strides = array<i64: 1, 1>,
        padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
        groups = 1 : i64, channels_last}} : {a}, {b} -> {out}
      func.return %1 : {out}
    }}"""
    model = build(text, {"w": w}, target=target)
    images, filters = factor(x, target), rounded(w).transpose(3, 2, 0, 1)
    expected = convolved(images.transpose(0, 3, 1, 2), filters, 1)
    check(model(x), expected.transpose(0, 2, 3, 1), 27)
    x[0, 0, 3] = np.inf
    reads = np.zeros((2, 7, 8), bool)
    reads[0, 0, 1:4] = True
    assert (np.isfinite(model(x)) == ~reads[..., None]).all()


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("target", ["pairs", "matrices"])
def test_pairs_have_the_same_bits_in_every_size_and_schedule(target: str):
    n, k = 70, 1100
    row, w, x = numbers(n), numbers(k, n), numbers(100, k)
    expected = build(product(100, n, k), {"w": w}, target=target)(x, row)
    model = build(product("m", n, k), {"w": w}, target=target)
    for rows in (0, 1, 2, 5, 6, 7, 16, 17, 33, 64, 100):
        np.testing.assert_array_equal(model(x[:rows], row), expected[:rows])
    for rows in (1, 4, 17, 64):
        one = build(product(rows, n, k), {"w": w}, target=target, threads=2)
        np.testing.assert_array_equal(one(x[:rows], row), expected[:rows])


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("target", ["pairs", "matrices"])
@pytest.mark.parametrize("groups", [1, 4])
def test_convolutions_in_pairs(groups: int, target: str):
    x, w = numbers(2, 32, 9, 10), numbers(32, 32 // groups, 3, 3)
    model = build(convolution(groups), {"w": w}, target=target)
    assert model.report.constant_bytes == w.nbytes // (2 if groups == 1 else 1)
    both = (rounded(x), rounded(w)) if groups == 1 else (x, w.astype(np.float64))
    check(model(x), convolved(*both, groups), 9 * 32 // groups)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("target", ["pairs", "matrices"])
def test_rows_that_go_into_an_image_with_a_border(target: str):
    """
    Accumulators of many steps are kept where they go: between zeros of the border.
    """
    channels, shapes = 1100, ("1x1100x7x7", "64x1100x1x1", "1x64x7x7", "8x64x3x3")
    x, first, middle, second = (f"tensor<{each}xf32>" for each in shapes)
    out = "tensor<1x8x7x7xf32>"
    same = "strides = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64"
    text = f"""func.func @main(%x: {x}) -> {out} {{
      %v = graph.weight "v" : {first}
      %w = graph.weight "w" : {second}
      %1 = graph.conv %x, %v {{padding = array<i64: 0, 0, 0, 0>, {same}}}
        : {x}, {first} -> {middle}
      %2 = graph.relu %1 : {middle} -> {middle}
      %3 = graph.conv %2, %w {{padding = array<i64: 1, 1, 1, 1>, {same}}}
        : {middle}, {second} -> {out}
      func.return %3 : {out}
    }}"""
    image, v, w = (
        numbers(1, channels, 7, 7),
        numbers(64, channels),
        numbers(8, 64, 3, 3),
    )
    got = build(text, {"v": v[..., None, None], "w": w}, target=target)(image)
    between = np.einsum("bchw,oc->bohw", rounded(image), rounded(v))
    between = np.maximum(between, 0).astype(np.float32)
    between = np.pad(between, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(rounded(between), (3, 3), (2, 3))
    expected = np.einsum("bchwij,ocij->bohw", windows, rounded(w))
    # A sum that is rounded to bf16 may be beside one that is rounded the other way.
    assert np.abs(got - expected).max() <= 1e-2 * np.abs(expected).max()


@pytest.mark.parametrize("target", ["pairs", "matrices"])
def test_special_numbers_stay_in_pairs(target: str):
    w, x, row = numbers(40, 16), np.abs(numbers(3, 40)), numbers(16)
    w[3, 0], w[5, 1] = np.nan, np.inf
    x[2, 6] = np.inf
    got = build(product(3, 16, 40), {"w": w}, target=target)(x, row)
    assert np.isnan(got[:, 0]).all()
    assert (got[:2, 1] == np.inf).all()
    assert np.isfinite(got[:2, 2:]).all()
    np.testing.assert_array_equal(got[2, 2:], np.copysign(np.inf, w[6, 2:]))


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("target", ["host", *PAIRS])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_weights_of_bf16_in_a_model(element: str, target: str):
    """Nothing else is rounded of a model that has such weights itself."""
    dtype = np.dtype({"f32": np.float32, "f64": np.float64}[element])
    for m, n, k in ((1, 64, 64), (13, 7, 66), (70, 33, 1300), (70, 33, 65)):
        x, w = numbers(m, k).astype(dtype), numbers(k, n)
        shapes = (f"{m}x{k}", f"{k}x{n}", f"{m}x{n}")
        a, b, out = (f"tensor<{each}x{element}>" for each in shapes)
        narrowed = f"tensor<{k}x{n}xbf16>"
        text = f"""func.func @main(%x: {a}) -> {out} {{
          %w = graph.weight "w" : {narrowed}
          %1 = graph.fusion %x, %w : {a}, {narrowed} -> {out} {{
          ^bb0(%y: {a}, %v: {narrowed}):
            %2 = graph.cast %v {{to = {element}}} : {narrowed} -> {b}
            %3 = graph.matmul %y, %2 : {a}, {b} -> {out}
            graph.yield %3 : {out}
          }}
          func.return %1 : {out}
        }}"""
        model = build(text, {"w": narrow(w)}, "f32", target)
        check(model(x), x.astype(np.float64) @ rounded(w), k)
