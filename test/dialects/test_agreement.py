"""Sizes that are assumed to agree: what numpy refuses is refused, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import f32
from xdsl.utils.exceptions import VerifyException

import static_runtime as sr
from static_runtime.dialects.agreement import (
    Agreement,
    agreed,
    broadcast,
    differ,
    noting,
)
from static_runtime.dialects.dims import dim, evaluate
from static_runtime.dialects.shape import tensor

SIZES = [
    *("1", "3", "a", "b", "c", "2 * a", "floordiv(b, 2)", "a + b", "min(3, c)"),
    "min(1, a)",
]


def holds(agreements: Sequence[Agreement], symbols: dict[str, int]) -> bool:
    """Whether the checks of assumptions pass."""
    found = [evaluate(each.quantity, symbols) for each in agreements]
    assert all(isinstance(each, int) and each <= 0 for each in found)
    return found == [0] * len(found)


def joined(values: Sequence[int]) -> int | None:
    """The size that axes of these sizes broadcast to in numpy."""
    try:
        return np.broadcast_shapes(*((each,) for each in values))[0]
    except ValueError:
        return None


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("count", [2, 3, 4])
def test_what_passes_the_checks_broadcasts_as_in_numpy(count: int):
    source = random.Random(count)
    refused = passed = 0
    for _ in range(150):
        dims = [dim(source.choice(SIZES)) for _ in range(count)]
        try:
            with noting() as agreements:
                (result,) = broadcast(*(tensor(f32, each) for each in dims))
        except VerifyException:
            continue
        for _ in range(10):
            symbols = {name: source.randrange(5) for name in "abc"}
            values = [int(str(evaluate(each, symbols))) for each in dims]
            if holds(agreements, symbols):
                assert evaluate(result, symbols) == joined(values), (dims, symbols)
                passed += 1
            else:
                refused += 1
    assert passed > 100
    assert refused > 100


def test_sizes_of_different_symbols_pass_wherever_numpy_broadcasts_them():
    with noting() as agreements:
        broadcast(
            *(tensor(f32, dim(each)) for each in ("a", "4", "b", "min(1, a)", "c"))
        )
    for a, b, c in np.ndindex(6, 6, 6):
        wanted = joined([a, 4, b, min(1, a), c]) is not None
        assert holds(agreements, {"a": a, "b": b, "c": c}) == wanted


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("n", "n", "n"),
        ("n", "7", "7"),
        ("n", "m", "n"),
        ("2 * floordiv(n, 2)", "n", "n"),
        ("min(512, n)", "n", "n"),
        ("n * m", "m", "m"),
        ("broadcast(n, m)", "m", "m"),
    ],
)
def test_the_simpler_of_two_sizes_is_the_size(a: str, b: str, result: str):
    assert agreed(dim(a), dim(b)) == dim(result)


@pytest.mark.parametrize(
    ("a", "b"),
    [("n", "n + 1"), ("3", "4"), ("n", "2 * n"), ("n + m", "n"), ("n * m + 2", "1")],
)
def test_sizes_that_are_never_equal_differ(a: str, b: str):
    assert differ(dim(a), dim(b))
    assert agreed(dim(a), dim(b)) is None


def test_an_assumption_is_noted_by_the_innermost_context():
    with noting() as outer:
        with noting() as inner:
            agreed(dim("n"), dim("m"))
        agreed(dim("n"), dim("n"))
    assert not outer
    assert inner == [Agreement((dim("n"), dim("m")))]


SHAPES = [
    ("a", "3", "b"),
    ("c", "1"),
    ("d", "3", "1"),
    ("b",),
]


def text(shapes: Sequence[Sequence[str]]) -> str:
    """A function that selects, multiplies and adds tensors of these shapes."""
    types = [tensor(f32, *map(dim, shape)) for shape in shapes]
    x, y, z, w = types
    first = tensor(f32, *broadcast(x, y))
    second = tensor(f32, *broadcast(first, z))
    third = tensor(f32, *broadcast(second, w))
    flags = f"tensor<{str(third).split('<', 1)[1].replace('f32', 'i1')}"
    last = tensor(f32, *broadcast(third, z, w))
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip("xyzw", types, strict=True))
    return f"""
    func.func @main({arguments}) -> {last} {{
      %0 = graph.add %x, %y : {x}, {y} -> {first}
      %1 = graph.mul %0, %z : {first}, {z} -> {second}
      %2 = graph.sub %1, %w : {second}, {w} -> {third}
      %3 = graph.gt %2, %w : {third}, {w} -> {flags}
      %4 = graph.where %3, %z, %w : {flags}, {z}, {w} -> {last}
      return %4 : {last}
    }}"""


def test_compiled_elementwise_ops_broadcast_as_numpy_does():
    source = random.Random(5)
    module = sr.compile(text(SHAPES))
    passed = refused = 0
    for _ in range(150):
        symbols = {name: source.choice([0, 1, 1, 2, 5, 9]) for name in "abcd"}
        arrays = [
            np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 7 - 3
            for shape in (
                [int(str(evaluate(dim(e), symbols))) for e in each] for each in SHAPES
            )
        ]
        x, y, z, w = arrays
        try:
            wanted = np.where((x + y) * z - w > w, z, w)
        except ValueError:
            with pytest.raises(ValueError, match=r"expected equal sizes .*, or "):
                module(*arrays)
            refused += 1
        else:
            np.testing.assert_array_equal(module(*arrays), wanted)
            passed += 1
    assert passed > 20
    assert refused > 20


def stacks() -> str:
    """A function that multiplies two stacks of matrices."""
    x, y = (tensor(f32, *map(dim, each)) for each in ("am3", "bkn"))
    z = tensor(f32, dim("broadcast(a, b)"), dim("m"), dim("n"))
    return f"""
    func.func @main(%x: {x}, %y: {y}) -> {z} {{
      %0 = graph.matmul %x, %y : {x}, {y} -> {z}
      return %0 : {z}
    }}"""


def test_compiled_stacks_of_matrices_broadcast_as_numpy_does():
    source, module = np.random.default_rng(0), sr.compile(stacks())
    for a, b in np.ndindex(4, 4):
        x = source.standard_normal((a, 5, 3)).astype(np.float32)
        y = source.standard_normal((b, 3, 7)).astype(np.float32)
        if joined([a, b]) is None:
            with pytest.raises(ValueError, match=r"sizes a and b, or .* got \d and"):
                module(x, y)
        else:
            np.testing.assert_allclose(module(x, y), np.matmul(x, y), 1e-5, 1e-5)
    with pytest.raises(ValueError, match="expected equal sizes 3 and k, got 3 and 4"):
        module(np.zeros((1, 5, 3), np.float32), np.zeros((1, 4, 7), np.float32))
