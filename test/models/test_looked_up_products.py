"""
A product whose matrices are looked up has the bits of products with each of them.

Machines with other vectors are tried too, and instruction sets in a form that
every machine runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.ir import target as targets
from static_runtime.dialects.loop import TargetAttr
from static_runtime.runtime.call import StaticModule

from .test_few_bits import Array, build

MACHINES = {
    "wide": TargetAttr.of("x86-64-v3", 512, 32, True),
    "pairs": TargetAttr.of("x86-64-v3", 256, 16, True, isas=["portable"]),
    "matrices": TargetAttr.of("x86-64-v3", 256, 16, True, isas=["portable_amx"]),
    "words": TargetAttr.of("x86-64-v3", 256, 16, True, isas=["portable_vnni"]),
    "tiles": TargetAttr.of("x86-64-v3", 512, 32, True, isas=["portable_amx_int8"]),
}

EXPERTS = 3
SHAPES = [(1, 64, 48), (4, 33, 20), (16, 96, 130), (40, 128, 64), (2, 600, 272)]
"""Rows of each product, what is summed, and columns."""

F32 = ("f32", "f32", "")
S8 = ("si8", "i32", "{to = i32}")


def products(
    shape: tuple[int, int, int], kinds: tuple[str, str, str], turned: bool, one: bool
) -> str:
    """A batch of products with matrices that are looked up, or with `one` matrix."""
    (rows, k, n), (element, total, to) = shape, kinds
    side = (n, k) if turned else (k, n)
    stored = "x".join(map(str, side if one else (EXPERTS, *side)))
    x = f'tensor<?x{rows}x{k}x{element}, ["b"]>'
    y = f'tensor<?x{rows}x{n}x{total}, ["b"]>'
    found, made = (
        f"tensor<{p}x{q}x{element}>" if one else f'tensor<?x{p}x{q}x{element}, ["b"]>'
        for p, q in (side, (k, n))
    )
    indices = 'tensor<?xi64, ["b"]>'
    look = f"""%m = graph.index_select %w, %i {{axis = 0 : i64, wraps = true}}
        : tensor<{stored}x{element}>, {indices} -> {found}"""
    if one:
        look = f'%m = graph.weight "w" : {found}'
    order = "1, 0" if one else "0, 2, 1"
    turn = f"%t = graph.permute %m {{order = array<i64: {order}>}} : {found} -> {made}"
    return f"""
        func.func @main(%x : {x}{"" if one else f", %i : {indices}"}) -> {y} {{
          {"" if one else f'%w = graph.weight "w" : tensor<{stored}x{element}>'}
          {look}
          {turn if turned else ""}
          %y = graph.matmul %x, {"%t" if turned else "%m"} {to} : {x}, {made} -> {y}
          return %y : {y}
        }}"""


def operands(
    shape: tuple[int, int, int], kind: str, turned: bool
) -> tuple[Array, Array]:
    """Rows of a batch, and the matrices."""
    (rows, k, n), random = shape, np.random.default_rng(7)
    sizes = (11, rows, k), (EXPERTS, *((n, k) if turned else (k, n)))
    if kind == "f32":
        x, w = (random.standard_normal(each, np.float32) for each in sizes)
        return x, w
    x, w = (random.integers(-128, 128, each, np.int8) for each in sizes)
    return x, w


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("target", "kinds", "precision"),
    [
        *((each, F32, "f32") for each in ("host", "x86-64-v3", "x86-64", "wide")),
        *((each, F32, "bf16") for each in ("host", "pairs", "matrices")),
        *((each, S8, "f32") for each in ("host", "x86-64-v3", "words", "tiles")),
    ],
)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits_are_those_of_each_matrix(
    shape: tuple[int, int, int],
    target: str,
    kinds: tuple[str, str, str],
    precision: Any,
    turned: bool,
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
):
    if target in MACHINES:
        monkeypatch.setitem(targets.TARGETS, target, MACHINES[target])
    options = sr.Options(cache=False, precision=precision, threads=threads)
    x, w = operands(shape, kinds[0], turned)

    def made(matrices: Array, one: bool) -> StaticModule:
        text = products(shape, kinds, turned, one)
        return build(text, {"w": matrices}, options, target)

    which = np.array([0, 2, 2, 2, 1, 0, 1, 1, 2, 0, 0])
    got = made(w, False)(x, which)
    for expert in range(EXPERTS):
        alone = made(w[expert], True)(x)
        np.testing.assert_array_equal(
            got[which == expert], alone[which == expert], f"of matrix {expert}"
        )


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("target", ["host", "x86-64-v3", "x86-64"])
@pytest.mark.parametrize("weights", ["int4", "int8"])
@pytest.mark.parametrize("shape", [(1, 192, 48), (16, 96, 130), (40, 128, 64)], ids=str)
def test_steps_have_the_bits_of_each_matrix(
    shape: tuple[int, int, int], weights: str, target: str, turned: bool, threads: int
):
    options = sr.Options(cache=False, weights=weights, threads=threads)
    x, w = operands(shape, "f32", turned)
    which = np.array([0, 2, 2, 2, 1, 0, 1, 1, 2, 0, 0])
    module = build(products(shape, F32, turned, False), {"w": w}, options, target)
    got = module(x, which)
    for expert in range(EXPERTS):
        text = products(shape, F32, turned, True)
        alone = build(text, {"w": w[expert]}, options, target)(x)
        np.testing.assert_array_equal(
            got[which == expert], alone[which == expert], f"of matrix {expert}"
        )
    bits, columns = int(weights.removeprefix("int")), -(-shape[2] // 32) * 32
    # A scale for 48 rows at least, and panels of up to 32 columns.
    most = w.size / shape[2] * columns * (bits / 8 + 4 / 48)
    assert module.report.constant_bytes <= most + 1024
    # No kernel copies a matrix or makes one of its steps.
    assert module.report.kernels <= 2


@pytest.mark.usefixtures("runs_host")
def test_indices_are_checked_before_anything_is_computed():
    x, w = operands((4, 64, 48), "f32", False)
    module = build(
        products((4, 64, 48), F32, False, False), {"w": w}, sr.Options(cache=False)
    )
    which = np.zeros(11, np.int64)
    np.testing.assert_array_equal(module(x, which), module(x, which - EXPERTS))
    assert module.report.planned_bytes == 0
    for wrong in (EXPERTS, -EXPERTS - 1):
        which[7] = wrong
        with pytest.raises(IndexError, match=f"from -3 to 2, got {wrong}"):
            module(x, which)
