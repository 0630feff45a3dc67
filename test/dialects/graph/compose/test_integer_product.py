"""Products of steps are those of their differences from the zero points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from xdsl.ir import SSAValue

from static_runtime.dialects.graph.compose.convolution import convolved
from static_runtime.dialects.graph.compose.integer_product import (
    integer_convolution,
    integer_matmul,
)
from static_runtime.dialects.graph.compose.pooling import Window

from .run import Array, run_all

BYTES = ("int8", "uint8")


def bytes_of(kind: str, *shape: int) -> Array:
    """Bytes over the whole range of a type."""
    random = np.random.default_rng(sum(shape))
    return random.integers(0, 256, shape).astype(np.uint8).view(kind)


SHAPES = {
    "matrices": ((3, 5), (5, 4), (), ()),
    "columns": ((3, 5), (5, 4), (), (4,)),
    "rows and columns": ((3, 5), (5, 4), (3, 1), (1, 4)),
    "stacks": ((2, 1, 3, 5), (4, 5, 2), (), (4, 1, 2)),
    "row": ((5,), (5, 4), (), (4,)),
    "column": ((3, 5), (5,), (), ()),
}
"""Shapes of the factors and of their zero points."""


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("kinds", list(product(BYTES, BYTES)))
def test_matmul(name: str, kinds: tuple[str, str]):
    shapes = SHAPES[name]
    a, b, p, q = (
        bytes_of(kind, *each) for kind, each in zip(kinds * 2, shapes, strict=True)
    )
    for has_p, has_q in product((True, False), repeat=2):

        def build(values: Sequence[SSAValue]) -> list[SSAValue]:
            rest = iter(values[2:])
            zeros = (next(rest) if each else None for each in (has_p, has_q))
            return [integer_matmul(values[0], values[1], *zeros)]

        given = [a, b, *([p] if has_p else []), *([q] if has_q else [])]
        (got,) = run_all(build, *given)
        wide = [each.astype(np.int64) for each in (a, b, p, q)]
        wanted = (wide[0] - wide[2] * has_p) @ (wide[1] - wide[3] * has_q)
        assert got.dtype == np.int32
        np.testing.assert_array_equal(got, wanted)


WINDOWS = {
    "point": (Window((1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (0, 0)), 1),
    "padded point": (Window((1,), (1,), (1,), (1,), (1,), (0,)), 2),
    "row": (Window((3,), (2,), (1,), (1,), (0,), (0,)), 3),
    "image": (Window((3, 2), (2, 3), (1, 2), (1, 0), (2, 1), (0, 0)), 2),
}


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("of_filter", [False, True])
@pytest.mark.parametrize("fills", [False, True])
@pytest.mark.parametrize("name", WINDOWS)
def test_convolution(name: str, fills: bool, of_filter: bool):
    window, groups = WINDOWS[name]
    rank = len(window.kernel)
    x = bytes_of("uint8", 2, 6, *(8, 9)[:rank])
    w = bytes_of("int8", 12, 6 // groups, *window.kernel)
    p, q = np.array(200, np.uint8), bytes_of("int8", *([12] if of_filter else []))
    fill = 200 if fills else None

    def build(values: Sequence[SSAValue]) -> list[SSAValue]:
        one, other, p, q = values
        return [
            integer_convolution(one, other, p, q, groups, window, fill),
            integer_convolution(one, other, p, None, groups, window, fill),
            integer_convolution(one, other, None, q, groups, window),
            integer_convolution(one, other, None, None, groups, window),
        ]

    got = run_all(build, x, w, p, q)
    # The difference is padded with zeros, whose products are none.
    wide = x.astype(np.int32) - 200, x.astype(np.int32)
    filters = w.astype(np.int32), q.astype(np.int32).reshape(-1, *(1,) * (rank + 1))

    def plain(values: Sequence[SSAValue]) -> list[SSAValue]:
        return [convolved(values[0], values[1], groups, window)]

    pairs = product(wide, (filters[0] - filters[1], filters[0]))
    for found, (image, weight) in zip(got, pairs, strict=True):
        (wanted,) = run_all(plain, image, weight)
        np.testing.assert_array_equal(found, wanted)
