"""Bounds of dimensions hold for all values of their symbols."""

from __future__ import annotations

from itertools import product

import pytest

from static_runtime.dialects.dims import dim, symbols_of
from static_runtime.dialects.ranges import greatest, resolved
from static_runtime.runtime.program import size


def test_ranges_need_no_symbols_of_their_own():
    ranges = {"a": (0, dim("n")), "b": (dim("a"), dim("min(8, a + 1)"))}
    wanted = {"a": (0, dim("n")), "b": (0, dim("min(8, n + 1)"))}
    assert resolved(ranges) == wanted


def test_no_symbol_is_below_zero():
    ranges = {"a": (0, dim("n - 4")), "b": (0, -5), "c": (0, dim("a + b"))}
    most = dim("max(0, n - 4)")
    assert resolved(ranges) == {"a": (0, most), "b": (0, 0), "c": (0, most)}


@pytest.mark.parametrize(
    "text",
    [
        "2 * a * n + 1",
        "n - a",
        "max(a, n) * min(b, 3)",
        "floordiv(12 * n, a)",
        "a * floordiv(n, b)",
        "floordiv(n + a, a)",
        "floordiv(5, a) + floordiv(a, 2)",
        "broadcast(a, n)",
    ],
)
def test_no_value_is_above_the_greatest(text: str):
    ranges = {"a": (0, dim("n")), "b": (dim("a"), dim("a + 2"))}
    most = greatest(dim(text), resolved(ranges))
    assert symbols_of(most) <= {"n"}
    for n in range(5):
        limit = size.evaluate(str(most), {"n": n})
        for a, more in product(range(n + 1), range(3)):
            symbols = {"n": n, "a": a, "b": a + more}
            assert size.evaluate(text, symbols) <= limit, symbols
