"""Conditions on sizes mean what comparisons of their values do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from static_runtime.dialects import conditions
from static_runtime.dialects.dims import Dim, dim, evaluate, is_nonnegative
from static_runtime.dialects.magnitude import magnitude

TEXTS = ("n", "m", "n - 3", "-n + 2", "n - m", "n * m - 3", "0", "1", "-2", "3")

OF_TWO: dict[str, tuple[Callable[[Dim, Dim], Dim], Callable[[int, int], int]]] = {
    "less": (conditions.less, lambda a, b: int(a < b)),
    "equal": (conditions.equal, lambda a, b: int(a == b)),
    "either": (
        lambda a, b: conditions.either(conditions.less(a, b), conditions.equal(a, 1)),
        lambda a, b: int(a < b or a == 1),
    ),
    "both": (
        lambda a, b: conditions.both(conditions.less(a, b), conditions.equal(b, 3)),
        lambda a, b: int(a < b and b == 3),
    ),
    "the lesser": (
        lambda a, b: conditions.chosen(conditions.less(a, b), a, b),
        lambda a, b: min(a, b),
    ),
    "the greater": (
        lambda a, b: conditions.chosen(conditions.less(b, a), a, b),
        lambda a, b: max(a, b),
    ),
    "chosen": (
        lambda a, b: conditions.chosen(conditions.equal(a, 3), b * 2, a),
        lambda a, b: b * 2 if a == 3 else a,
    ),
}

QUOTIENTS: dict[
    str, tuple[Callable[[Dim, Dim], Dim | None], Callable[[int, int], int]]
] = {
    "truncated": (
        conditions.truncated,
        lambda a, b: abs(a) // abs(b) * (1 if a * b > 0 else -1),
    ),
    "remainder": (conditions.remainder, lambda a, b: a % b),
}


def values(size: Dim, **symbols: int) -> int:
    """The number that a size is."""
    found = evaluate(size, symbols)
    assert isinstance(found, int)
    return found


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("name", OF_TWO)
def test_means_what_numbers_do(name: str):
    ours, plain = OF_TWO[name]
    for a, b in product(map(dim, TEXTS), repeat=2):
        found = ours(a, b)
        for n, m in product(range(8), repeat=2):
            wanted = plain(values(a, n=n, m=m), values(b, n=n, m=m))
            assert values(found, n=n, m=m) == wanted


@pytest.mark.parametrize("name", QUOTIENTS)
def test_divides_as_numbers_are(name: str):
    ours, plain = QUOTIENTS[name]
    judged = 0
    for a, b in product(map(dim, TEXTS), repeat=2):
        if (found := ours(a, b)) is None:
            continue
        for n, m in product(range(8), repeat=2):
            numbers = values(a, n=n, m=m), values(b, n=n, m=m)
            if numbers[1]:
                assert values(found, n=n, m=m) == plain(*numbers)
                judged += 1
    assert judged > 1000


def test_a_dividend_that_is_just_below_zero_has_one_half():
    # As the steps of a window are written: integers of a model are divided so.
    found = conditions.truncated(dim("n - 1"), 16)
    assert str(found) == "max(0, floordiv(n + 15, 16) - 1)"


def test_a_divisor_of_both_signs_has_no_quotient():
    n = dim("n")
    assert conditions.truncated(n, n - 1) is None
    assert conditions.remainder(n, n - 1) is None


@pytest.mark.parametrize("name", ["less", "equal"])
def test_is_known_to_be_0_or_1(name: str):
    for a, b in product(map(dim, TEXTS), repeat=2):
        found = OF_TWO[name][0](a, b)
        assert is_nonnegative(found, {})
        assert is_nonnegative(1 - found, {})


def test_what_it_multiplies_stays_small():
    n, m = dim("n"), dim("m")
    chosen = conditions.chosen(conditions.equal(n * m, 4), n, m)
    assert str(magnitude(chosen)) == "m * n + 3 * m + 2 * n + 4"


N, M = dim("n"), dim("m")

WORDS: dict[str, tuple[Dim, tuple[Dim, Dim]]] = {
    "m == 1": (conditions.equal(M, 1), (M, 1)),
    "m != 1": (conditions.negated(conditions.equal(M, 1)), (M, 1)),
    "n < m": (conditions.less(N, M), (N, M)),
    "n >= m": (conditions.negated(conditions.less(N, M)), (N, M)),
    "n < m + 3": (conditions.less(N - 3, M), (N, M + 3)),
}


@pytest.mark.parametrize("words", WORDS)
def test_is_told_in_words(words: str):
    condition, sides = WORDS[words]
    assert conditions.in_words(condition) == words
    assert conditions.sides(condition) == sides


def test_another_size_is_told_as_it_is():
    assert conditions.in_words(N * M) == "m * n == 1"
    assert conditions.sides(N * M) == ()
