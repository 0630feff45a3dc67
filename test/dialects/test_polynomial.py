"""Polynomials are bounded: what is too large for them is told in a sentence."""

from __future__ import annotations

import re

import pytest
from xdsl.utils.exceptions import VerifyException

from static_runtime.dialects import polynomial
from static_runtime.dialects.dims import (
    Dim,
    SizeError,
    dim,
    evaluate,
    floordiv,
    maximum,
    minimum,
    product,
    symbol,
    total,
)

SUM = "(a + b + c + d + e + f)"


def test_a_power_of_a_sum_is_computed_and_replaced():
    value = dim("*".join([SUM] * 10))
    assert evaluate(value, dict.fromkeys("abcdef", 2)) == 12**10
    assert dim(str(value)) == value


def test_a_sum_has_as_many_terms_as_a_model_has_inputs():
    names = [f"n{at}" for at in range(2000)]
    whole = total(map(symbol, names))
    assert dim(" + ".join(names)) == whole
    assert evaluate(whole, dict.fromkeys(names, 3)) == 6000


def nested(count: int) -> Dim:
    """Functions inside each other, each with the one before twice in its text."""
    value: Dim = symbol("n")
    for at in range(count):
        value = minimum(value * 2, maximum(value, at))
    return value


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: dim("*".join([SUM] * 20)), "at most 4096 terms"),
        (lambda: dim("*".join(["n"] * 200)), "at most 128 symbols in a term"),
        (lambda: dim("n") * 2**65, "numbers of a size up to 2**64"),
        (lambda: dim("n") + 2**65, "numbers of a size up to 2**64"),
        (lambda: total(symbol(f"n{at}") for at in range(4096)) + 1, "at most 4096"),
        (lambda: dim("99999999999999999999 * n"), "numbers up to 2**64"),
        (lambda: dim("9" * 5000), "numbers up to 2**64"),
        (lambda: dim("0" * 5000 + "9" * 5000 + " + n"), "numbers up to 2**64"),
        (lambda: nested(90), "at most"),
        (lambda: dim("min(" * 80 + "n" + ", 3)" * 80), "at most 64 parentheses"),
        (lambda: dim("(" * 10**5 + "n"), "at most 64 parentheses"),
        (lambda: dim("n + " * 10**6 + "n"), "at most 262144 characters"),
        (lambda: symbol("n" * 5000), "at most 1024 characters"),
    ],
)
def test_what_is_too_large_is_refused_in_one_sentence(build: object, message: str):
    assert callable(build)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        build()
    assert len(str(caught.value)) < 300


def test_an_error_of_sizes_is_one_of_ir_and_of_text():
    with pytest.raises(SizeError) as caught:
        product([symbol("n")] * 1000)
    assert isinstance(caught.value, VerifyException)
    assert isinstance(caught.value, ValueError)


def test_long_runs_of_signs_and_zeros_are_read():
    assert dim("-" * 10**5 + "n") == symbol("n")
    assert dim("0" * 5000 + "7") == 7


def test_a_quotient_by_a_sum_that_is_not_exact_is_found_so_at_once():
    value = floordiv(dim("*".join([SUM] * 6)) + 1, dim("a + b - c"))
    assert str(value).startswith("floordiv(")
    assert floordiv(dim("a * a - b * b"), dim("a + b")) == dim("a - b")


def test_bounds_leave_room_for_real_tensors():
    assert polynomial.MOST_TERMS >= 4 * 1000
    many = product(symbol(f"n{at}") for at in range(64))
    assert dim(str(many * 4)) == many * 4


@pytest.mark.parametrize("number", [-3, -1, 0, 1, 2, 7])
@pytest.mark.parametrize(
    "text", ["n", "n + 3", "2 * n - 7", "n * m + min(n, m) + 1", "floordiv(n, 2) - m"]
)
def test_numbers_are_added_and_multiplied_as_dimensions_are(text: str, number: int):
    value, zero = dim(text), dim("z")
    for result, same in (
        (value + number, total((value, zero + number, -zero))),
        (value * number, value * (zero + number) - value * zero),
    ):
        assert result == same
        assert hash(result) == hash(same)
        assert dim(str(result)) == result
