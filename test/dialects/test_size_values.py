"""Symbols have a value before sizes are computed; long sums are computed in steps."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from static_runtime.dialects.dims import Dim, Polynomial, SizeError, Symbol, dim
from static_runtime.dialects.size_values import (
    as_word,
    is_long_sum,
    short_difference,
    value_of,
)


def sum_of(*names: str) -> Polynomial:
    """The sum of symbols."""
    found = dim(" + ".join(names))
    assert isinstance(found, Polynomial)
    return found


LONG = sum_of(*"abcdefgh")


@pytest.mark.parametrize(
    ("size", "other", "wanted"),
    [
        (LONG, None, None),
        (LONG, LONG, 0),
        (sum_of(*"abcdefghi"), LONG, dim("i")),
        (sum_of(*"abcdijkl"), LONG, None),
        (sum_of("a", "b"), LONG, None),
    ],
)
def test_short_difference(size: Polynomial, other: Polynomial | None, wanted: Dim):
    assert short_difference(size, other) == wanted


def test_a_difference_beyond_the_bounds_of_sizes_is_not_short():
    def sum_at(start: int) -> Polynomial:
        return sum_of(*(f"{'n' * 900}{at}" for at in range(start, start + 200)))

    size, other = sum_at(1000), sum_at(2000)
    with pytest.raises(SizeError, match="characters"):
        _ = size - other
    assert short_difference(size, other) is None


def test_a_sum_is_long_from_eight_terms_on():
    assert is_long_sum(LONG)
    assert not is_long_sum(sum_of(*"abcdefg"))


def test_numbers_have_64_bits():
    assert as_word(1 - 2**63) == 1 - 2**63
    with pytest.raises(SizeError, match=f"expected numbers of 64 bits, got {2**63}"):
        as_word(2**63)


def test_a_symbol_without_a_value_is_refused():
    assert value_of(Symbol("n"), {"n": "%n"}) == "%n"
    with pytest.raises(VerifyException, match=r"before it is used \(n, m\), got k"):
        value_of(Symbol("k"), {"n": 1, "m": 2})
    with pytest.raises(VerifyException, match=r"\(none\), got k"):
        value_of(Symbol("k"), {})
