"""
Products of rows rounded to bytes with weights of few bits have what their bytes stand
for, with equal bits in every batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

import static_runtime as sr
from static_runtime.dialects.shape import Array

from ..compiler.library.replay import replay
from .test_few_bits import ROWS, build, of_bits, stepped

BYTES = sr.Options(cache=False, activations="int8")

CASES = [
    ((128, 64), 4, 32, False),
    ((50, 256), 4, 64, True),
    ((300, 256), 8, 64, False),
    ((40, 512), 8, 16, True),
    ((129, 1024), 2, 64, True),
    ((33, 2048), 4, 2048, False),
]
"""Sizes NxK, bits, rows of a group, and whether there are zero points."""


def numbers_of(weights: dict[str, Array]) -> Array:
    """The matrix KxN that steps, scales and zero points of a test stand for."""
    steps = weights["w"].astype(np.float64) - weights["z"].astype(np.float64)
    exact = steps * weights["s"].astype(np.float64)
    return exact.reshape(len(exact), -1).T


def rounded(x: Array, block: int) -> Array:
    """Rows as their bytes stand for them."""
    apart = x.reshape(len(x), -1, block)
    most = np.abs(apart).max(-1, keepdims=True)
    scale = np.maximum(most * np.float32(1 / 127), np.float32(2.0**-126))
    steps = np.rint(apart / scale).astype(np.float64)
    return (steps * scale).reshape(x.shape)


def rows_of(count: int, depth: int) -> Array:
    """Rows of several sizes, one of zeros and one that is denormal."""
    random = np.random.default_rng(count)
    x = random.standard_normal((count, depth), np.float32)
    x *= 10.0 ** random.integers(-3, 4, (count, 1)).astype(np.float32)
    if count > 2:
        x[1], x[2] = 0, 1e-40
    return x


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("target", ["host", "x86-64-v3", "x86-64"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_rows_are_rounded_in_blocks_and_nothing_else_is(
    case: tuple[tuple[int, int], int, int, bool], target: str
):
    text, weights = stepped(*case)
    module, matrix = build(text, weights, BYTES, target), numbers_of(weights)
    block = 32 if case[2] % 32 == 0 else 16
    for rows in ROWS:
        x = rows_of(rows, case[0][1])
        want = np.maximum(rounded(x, block) @ matrix, 0)
        size = np.abs(x).max(1, keepdims=True) * np.abs(matrix).max() + 1e-30
        np.testing.assert_array_less(np.abs(module(x) - want) / size, 1e-4)


@pytest.mark.sampled(every=3, start=2)
@pytest.mark.parametrize("case", CASES[1:4], ids=str)
def test_a_row_has_its_bits_in_every_batch(
    case: tuple[tuple[int, int], int, int, bool],
):
    text, weights = stepped(*case)
    module = build(text, weights, BYTES)
    x = rows_of(41, case[0][1])
    together = module(x)
    for each in (1, 7, 8, 13):
        apart = [module(x[start : start + each]) for start in range(0, 41, each)]
        np.testing.assert_array_equal(np.concatenate(apart), together)


@pytest.mark.full(beside="test_a_row_has_its_bits_in_every_batch")
def test_targets_with_multiply_adds_have_equal_bits():
    text, weights = stepped((32, 128), 4, 64, True)
    x = rows_of(13, 128)
    found = [
        build(text, weights, BYTES, target)(x) for target in ("x86-64-v3", "x86-64-v4")
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.full(
    beside="models/test_few_bits.py::test_a_model_as_data_has_the_same_bits"
)
def test_threads_and_models_as_data_have_equal_bits():
    model, _ = of_bits(4, 32, False, k=1024, n=1040)
    one, two = (
        sr.compile(
            model, options=sr.Options(cache=False, activations="int8", threads=each)
        )
        for each in (1, 2)
    )
    data = replay(model, options=BYTES)
    for rows in (1, 5, 41):
        x = rows_of(rows, 1024)
        np.testing.assert_array_equal(two(x), one(x))
        np.testing.assert_array_equal(data(x), one(x))


def test_what_is_not_finite_stays_in_its_row():
    text, weights = stepped((128, 64), 4, 32, False)
    text = text.replace("%4 = graph.relu %3", "%4 = graph.neg %3")
    module = build(text, weights, BYTES)
    x = rows_of(6, 64)
    clean = module(x)
    x[3, 5], x[5, 40] = np.nan, np.inf
    got = module(x)
    assert not np.isfinite(got[[3, 5]]).any()
    np.testing.assert_array_equal(got[[0, 1, 2, 4]], clean[[0, 1, 2, 4]])


def with_level(model: bytes, level: int) -> bytes:
    """A model whose node has an `accuracy_level`."""
    proto: Any = onnx.ModelProto()
    proto.ParseFromString(model)
    proto.graph.node[0].attribute.append(
        onnx.helper.make_attribute("accuracy_level", level)
    )
    return proto.SerializeToString()


@pytest.mark.parametrize(
    ("block", "levels"),
    [
        (16, (1, 4)),
        *(pytest.param(n, (0, 1, 4), marks=pytest.mark.full) for n in (16, 32, 128)),
    ],
)
def test_a_node_may_ask_for_bytes(block: int, levels: tuple[int, ...]):
    """With level 4, as an option does for all; any other is computed in f32."""
    model, matrix = of_bits(4, block, False, k=128, n=32)
    x, uncached = rows_of(7, matrix.shape[1]), sr.Options(cache=False)
    plain, bytes = (sr.compile(model, options=each)(x) for each in (uncached, BYTES))
    for level in levels:
        asked = sr.compile(with_level(model, level), options=uncached)(x)
        np.testing.assert_array_equal(asked, bytes if level == 4 else plain)
    assert not np.array_equal(bytes, plain)


def test_rounding_stays_where_products_are_of_floats():
    """The level is kept where a weight is not of few bits: it has 2,048 elements."""
    model, matrix = of_bits(4, 32, False, k=128, n=16)
    asked = sr.compile(with_level(model, 4), options=sr.Options(cache=False))
    x = rows_of(7, 128)
    want = rounded(x, 32) @ matrix.T.astype(np.float64)
    np.testing.assert_allclose(asked(x), want, rtol=1e-4, atol=1e-4)


def test_groups_without_blocks_are_computed_in_f32():
    """Rows of 24 share a scale, which are no whole blocks of 16."""
    text, weights = stepped((128, 96), 8, 24, False)
    x = rows_of(7, 96)
    plain, bytes = (
        build(text, weights, each) for each in (sr.Options(cache=False), BYTES)
    )
    np.testing.assert_array_equal(bytes(x), plain(x))


@pytest.mark.parametrize(
    ("bits", "group", "block"),
    [
        (4, 32, 4),
        pytest.param(2, 32, 8, marks=pytest.mark.full),
        (4, 32, 64),
        (8, 24, 16),
    ],
)
def test_blocks_that_no_kernel_has_are_rounded_in_f32(
    bits: int, group: int, block: int
):
    """Shorter than words, longer than a group, or no part of one."""
    text, weights = stepped((32, 192), bits, group, False)
    x, y = 'tensor<?x192xf32, ["m"]>', "%x, %2"
    text = text.replace(
        f"graph.linear {y}",
        f"graph.round_blocks %x {{block = {block}}} : {x} -> {x}\n"
        f"%6 = graph.linear %3, %2",
    ).replace("graph.relu %3", "graph.relu %6")
    given = rows_of(7, 192)
    want = np.maximum(rounded(given, block) @ numbers_of(weights), 0)
    got = build(text, weights, sr.Options(cache=False))(given)
    size = np.abs(given).max(1, keepdims=True) + 1e-30
    np.testing.assert_array_less(np.abs(got - want) / size, 1e-4)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(("weights", "most"), [("int8", 0.27), ("int4", 0.15)])
def test_an_option_makes_both_factors_bytes(weights: str, most: float):
    random = np.random.default_rng(0)
    w = random.standard_normal((128, 64), np.float32)
    x, y = (f'tensor<?x{each}xf32, ["m"]>' for each in (64, 128))
    text = f"""
        func.func @main(%x : {x}) -> {y} {{
          %w = graph.weight "w" : tensor<128x64xf32>
          %a = graph.linear %x, %w : {x}, tensor<128x64xf32> -> {y}
          return %a : {y}
        }}"""
    options = sr.Options(cache=False, weights=weights, activations="int8")
    plain = build(text, {"w": w}, sr.Options(cache=False, weights=weights))
    narrow = build(text, {"w": w}, options)
    assert narrow.report.constant_bytes <= most * w.nbytes
    assert options.key != sr.Options(weights=weights).key
    rows = random.standard_normal((5, 64), np.float32)
    got, want = narrow(rows), plain(rows)
    assert 0 < np.abs(got - want).max() < 0.01 * np.abs(want).max()
