"""Dimensions keep one canonical form, and mean what integer arithmetic does."""

from __future__ import annotations

import random

import pytest

from static_runtime.dialects.dims import (
    Dim,
    ceildiv,
    dim,
    evaluate,
    floordiv,
    is_nonnegative,
    maximum,
    minimum,
    product,
    symbol,
    symbols_of,
)
from static_runtime.runtime.program import size

NAMES = ("n", "m", "seq")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("seq*2+1", "2 * seq + 1"),
        ("-n + 3", "-n + 3"),
        ("a*b*4//4", "a * b"),
        ("n - 1 - n", "-1"),
        ("(32*b)//b", "32"),
        ("n * n + m * 2 - n * n", "2 * m"),
        ("(n+1)//2", "floordiv(n + 1, 2)"),
        ("(n + 5) // 2", "floordiv(n + 1, 2) + 2"),
        ("(n - 2) // 2 + 1", "floordiv(n, 2)"),
        ("n // 2 // 3", "floordiv(n, 6)"),
        ("(2 * n + 1) // 2", "n"),
        ("(8 * n * m + 4 * n) // (2 * n * m + n)", "4"),
        ("(n * n - 1) // (n + 1)", "n - 1"),
        ("(n * n + 1) // (n + 1)", "floordiv(n * n + 1, n + 1)"),
        ("max(n, 3)", "max(3, n)"),
        ("min(n, n + 1)", "n"),
        ("max(m, n) - max(n, m)", "0"),
    ],
)
def test_has_one_form(text: str, canonical: str):
    assert str(dim(text)) == canonical
    assert dim(canonical) == dim(text)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "expected a number or a symbol, got the end"),
        ("6 +", "expected a number or a symbol, got the end"),
        ("n n", "expected the end, got n"),
        ("(n", r"expected `\)`, got the end"),
        ("max(n)", r"expected `,`, got \)"),
        ("n // 0", "expected a divisor that is not zero, got n // 0"),
        ("n ? 2", "expected the end"),
    ],
)
def test_refuses_other_text(text: str, error: str):
    with pytest.raises(ValueError, match=error):
        dim(text)


def test_names_its_symbols():
    assert symbols_of(dim("floordiv(n, 2) * m + max(seq, 3)")) == {"n", "m", "seq"}
    assert symbols_of(7) == set()


def expression(source: random.Random, depth: int) -> tuple[Dim, str]:
    """A random dimension, and Python text of the same meaning."""
    if depth == 0:
        if source.random() < 0.4:
            number = source.randint(-3, 9)
            return number, f"({number})"
        name = source.choice(NAMES)
        return symbol(name), name
    a, left = expression(source, depth - 1)
    match source.randrange(6):
        case 0 | 1:
            b, right = expression(source, depth - 1)
            return a + b, f"({left} + {right})"
        case 2:
            b, right = expression(source, depth - 1)
            return a - b, f"({left} - {right})"
        case 3:
            b, right = expression(source, depth - 1)
            return a * b, f"({left} * {right})"
        case 4:
            by = source.randint(1, 5)
            return floordiv(a, by), f"({left} // {by})"
        case _:
            b, right = expression(source, depth - 1)
            if source.random() < 0.5:
                return minimum(a, b), f"min({left}, {right})"
            return maximum(a, b), f"max({left}, {right})"


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("seed", range(300))
def test_means_what_integers_do(seed: int):
    source = random.Random(seed)
    value, text = expression(source, 3)
    assert dim(str(value)) == value
    for _ in range(5):
        symbols = {name: source.randint(0, 12) for name in NAMES}
        expected = eval(text, {}, dict(symbols))
        assert evaluate(value, symbols) == expected
        # The runtime reads the same text by itself.
        assert size.evaluate(str(value), symbols) == expected


def test_rounds_up():
    assert [ceildiv(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert str(ceildiv(symbol("n"), 4)) == "floordiv(n + 3, 4)"


def test_multiplies():
    assert product([]) == 1
    assert str(product([symbol("n"), 3, symbol("m")])) == "3 * m * n"


@pytest.mark.parametrize("text", ["floordiv(n, m)", "floordiv(n + 4, m - 1) + seq"])
def test_a_quotient_by_zero_is_zero_in_a_run(text: str):
    for m in (0, 1, 3):
        symbols = {"n": 5, "m": m, "seq": 2}
        assert evaluate(dim(text), symbols) == size.evaluate(text, symbols)
    with pytest.raises(ValueError, match="expected a divisor that is not zero"):
        dim("floordiv(n, 0)")


@pytest.mark.parametrize(
    ("text", "is_proven"),
    [
        ("2 * floordiv(n + 1, 2) - n", True),
        ("n - 3 * floordiv(n, 3)", True),
        ("2 * floordiv(n, 2) - n + 1", True),
        ("2 * floordiv(n, 2) - n", False),
        ("n - 3 * floordiv(n + 1, 3)", False),
        ("n - 2 * floordiv(n, 3)", True),
    ],
)
def test_a_quotient_times_its_divisor_is_near_what_is_divided(
    text: str, is_proven: bool
):
    assert is_nonnegative(dim(text), {}) == is_proven
    if is_proven:
        assert all(size.evaluate(text, {"n": each}) >= 0 for each in range(50))
