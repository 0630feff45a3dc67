"""Contractions in panels and blocks: right for all sizes, the same bits in all."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.shape import Array
from static_runtime.runtime.program.constant_block import ConstantBlock

from ...as_host import skip_unless_runs

SIZES = (
    # Less than a tile, a tile and more, one row or column, many blocks of steps.
    *((1, 1, 1), (1, 64, 64), (2, 33, 700), (8, 2, 600), (9, 1, 300)),
    *((13, 7, 65), (17, 33, 1300), (61, 100, 40), (7, 17, 1025), (100, 16, 1)),
    # Many blocks of columns and of rows.
    *((33, 300, 520), (12, 600, 1100), (150, 40, 550), (1, 1032, 100), (3, 544, 99)),
)

FEW = (
    # One row, some rows and what remains of a tile, blocks of steps, columns and rows.
    *((1, 64, 64), (13, 7, 65), (17, 33, 1300), (12, 600, 1100), (150, 40, 550)),
)

SYMBOLIC = (
    *(("m", 33, 40), ("m", 100, 1100), ("m", 64, "k"), ("m", "n", "k")),
    *((40, "n", 100), (40, "n", "k")),
)

VALUES = (
    *((1, 1, 1), (2, 3, 0), (0, 3, 2), (3, 0, 2), (3, 3, 3)),
    *((9, 29, 1025), (35, 15, 513), (61, 141, 70), (5, 300, 1200)),
)

KNOWN = {"f32": SIZES, "f64": FEW, "i32": FEW}
"""
The known sizes of a dtype. What a dtype changes of a schedule is how many elements a
vector and a block have.
"""

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32}


def tensor(dtype: str, *shape: int | str) -> str:
    """The type of a tensor whose dimensions are numbers and symbols."""
    sizes = "x".join("?" if isinstance(each, str) else str(each) for each in shape)
    names = ", ".join(f'"{each}"' for each in shape if isinstance(each, str))
    return f"tensor<{sizes}x{dtype}{f', [{names}]' if names else ''}>"


def build(
    sizes: tuple[int | str, int | str, int | str],
    dtype: str = "f32",
    weight: Array | None = None,
    target: str = "host",
) -> StaticModule:
    """The product of x and w, plus a row and a matrix; w is a constant when given."""
    m, n, k = sizes
    x, w, out = tensor(dtype, m, k), tensor(dtype, k, n), tensor(dtype, m, n)
    row = tensor(dtype, n)
    ctx = context()
    operand, constant = f", %w: {w}", ""
    if weight is not None:
        ctx.weights.put("w", weight)
        operand, constant = "", f'%w = graph.weight "w" : {w}'
    text = f"""func.func @main(%x: {x}, %row: {row}, %c: {out}{operand}) -> {out} {{
      {constant}
      %1 = graph.matmul %x, %w : {x}, {w} -> {out}
      %2 = graph.add %1, %row : {out}, {row} -> {out}
      %3 = graph.add %2, %c : {out}, {out} -> {out}
      func.return %3 : {out}
    }}
    """
    driver = Driver(ctx, Options(cache=False), target, None)
    artifact, report = driver.compile(read_mlir(text, ctx))
    skip_unless_runs(target)
    # What was packed is not kept as it was besides, and the program has it once.
    assert not {"w", "w.panels"} <= {*ctx.weights}
    assert isinstance(artifact.constants, ConstantBlock)
    assert len(artifact.constants.arrays) == (weight is not None)
    return make_module(artifact, report)


def arrays(sizes: tuple[int, int, int], dtype: str) -> tuple[Array, ...]:
    """What is multiplied and added: x, row, c, w."""
    random, (m, n, k) = np.random.default_rng(0), sizes
    shapes = ((m, k), (n,), (m, n), (k, n))
    return tuple(
        (random.standard_normal(shape) * 4).astype(DTYPES[dtype]) for shape in shapes
    )


def check(model: StaticModule, sizes: tuple[int, int, int], dtype: str) -> None:
    """Compares a run with the product in double precision."""
    x, row, c, w = arrays(sizes, dtype)
    expected = x.astype(np.float64) @ w.astype(np.float64) + row + c
    tolerance = {"f32": 1e-4, "f64": 1e-10, "i32": 0}[dtype] * max(sizes[2], 1) ** 0.5
    operands = [x, row, c, w][: len(model.program.inputs)]
    np.testing.assert_allclose(model(*operands), expected, rtol=0, atol=16 * tolerance)


EACH = [(dtype, sizes) for dtype, several in KNOWN.items() for sizes in several]


@pytest.mark.sampled(every=22)
@pytest.mark.parametrize("target", ["x86-64", "host"])
@pytest.mark.parametrize(("dtype", "sizes"), EACH, ids=str)
def test_products_of_known_sizes(dtype: str, sizes: tuple[int, int, int], target: str):
    check(build(sizes, dtype, target=target), sizes, dtype)


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("sizes", SYMBOLIC, ids=str)
def test_products_of_symbols(sizes: tuple[int | str, int | str, int | str]):
    model = build(sizes)
    for values in VALUES:
        known = dict(zip("mnk", values, strict=True))
        m, n, k = (known[each] if isinstance(each, str) else each for each in sizes)
        check(model, (m, n, k), "f32")


@pytest.mark.sampled(every=25)
@pytest.mark.parametrize(("dtype", "sizes"), EACH, ids=str)
def test_products_with_packed_weights(dtype: str, sizes: tuple[int, int, int]):
    m, n, k = sizes
    *_, w = arrays((m, n, k), dtype)
    check(build((m, n, k), dtype, w), (m, n, k), dtype)
    model = build(("m", n, k), dtype, w)
    for rows in (1, 2, 3, 5, 8, 14):
        x, row, c, _ = arrays((rows, n, k), dtype)
        expected = x.astype(np.float64) @ w + row + c
        np.testing.assert_allclose(model(x, row, c), expected, atol=1e-1)


@pytest.mark.full(beside="test_products_of_symbols")
def test_a_sum_has_the_same_bits_in_every_shape_and_schedule():
    k, n = 1100, 70
    x, row, c, w = arrays((64, n, k), "f32")
    expected = build((64, n, k))(x, row, c, w)

    def check_rows(model: StaticModule, rows: int, *operands: Array) -> None:
        for start in (0, 64 - rows):
            part = slice(start, start + rows)
            got = model(x[part], row, c[part], *operands)
            np.testing.assert_array_equal(got, expected[part])

    for constant, operands in ((w, ()), (None, (w,))):
        symbolic = build(("m", n, k), weight=constant)
        for rows in (1, 2, 3, 4, 5, 6, 7, 13, 64):
            check_rows(symbolic, rows, *operands)
        for rows in (1, 2, 4, 7, 64):
            check_rows(build((rows, n, k), weight=constant), rows, *operands)
    for columns in (1, 5, 33):
        part = np.ascontiguousarray(w[:, :columns])
        got = build((64, columns, k))(x, row[:columns], c[:, :columns].copy(), part)
        np.testing.assert_array_equal(got, expected[:, :columns])
