"""Sizes, and what is computed on the way to them, are within their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest
from xdsl.dialects.builtin import f32

from static_runtime.dialects.dims import Dim, dim, evaluate, terms_of
from static_runtime.dialects.magnitude import bound_of, magnitude
from static_runtime.dialects.shape import check_sizes

QUOTIENTS = (
    "floordiv(n + 1, m) * m",
    "-3 * floordiv(n - 5, m) * m * n",
    "floordiv(n, m * k) * k * m * m",
    "floordiv(n, 4 * m) * m",
    "floordiv(n - 7, m) * floordiv(n - 7, m) * m * m",
    "floordiv(n * k, floordiv(m + 3, 2)) * floordiv(m + 3, 2)",
    "floordiv(k, m) * floordiv(n, floordiv(k, m)) * m",
    "floordiv(3, m - 2) * m",
)


def number(size: Dim, symbols: Mapping[str, int]) -> int:
    """The number that a dimension is for these values."""
    found = evaluate(size, symbols)
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize("text", QUOTIENTS)
def test_a_quotient_times_its_divisor_is_within_its_bound(text: str):
    size = dim(text)
    for values in product(range(9), repeat=3):
        symbols = dict(zip("nmk", values, strict=True))
        most = {name: max(value, 1) for name, value in symbols.items()}
        whole = number(bound_of(size), most)
        assert abs(number(size, symbols)) <= whole, symbols
        for monomial, factor in terms_of(size):
            part = factor
            for atom in monomial:
                part *= number(dim(str(atom)), symbols)
                assert abs(part) <= number(magnitude(size), most), symbols


def test_a_quotient_times_its_divisor_is_about_the_dividend():
    assert str(bound_of(dim("floordiv(n + 1, m) * m"))) == "m + n + 1"
    patches = dim("floordiv(n + 1, floordiv(n + 15, 16)) * floordiv(n + 15, 16)")
    assert str(bound_of(patches)) == "2 * n + 2"
    assert str(bound_of(patches * patches)) == "4 * n * n + 8 * n + 4"
    assert str(bound_of(dim("floordiv(n, m) * k"))) == "k * n"


def test_what_is_not_below_zero_is_no_greater_than_either_of_two():
    size = dim("max(0, min(2147483647 * m + 3, 2 * n))")
    assert str(bound_of(size)) == "2 * n"
    assert str(bound_of(size * size)) == "4 * n * n"
    # Both are computed.
    assert str(magnitude(size)) == "2147483647 * m + 2 * n + 3"
    assert str(bound_of(dim("min(2147483647 * m, n)"))) == "2147483647 * m + n"


def test_a_number_that_is_no_limit_is_no_bound():
    assert str(bound_of(dim("min(999999, n)"))) == "n"
    assert str(bound_of(dim("min(7, n)"))) == "7"
    check_sizes(f32, [dim(f"min(999999, {each})") for each in "abcd"])
