"""What is proven of dimensions holds for all sizes, and is found in few steps."""

from __future__ import annotations

from random import Random

import pytest

from static_runtime.dialects.dims import (
    Dim,
    ceildiv,
    dim,
    evaluate,
    floordiv,
    greater,
    lesser,
    maximum,
    minimum,
    symbol,
)
from static_runtime.dialects.proof import Proof, is_proven

N = symbol("n")

SIZES = (*range(20), 31, 32, 33, 100, 997)


@pytest.mark.parametrize(
    "text",
    [
        "2 * floordiv(n + 1, 2) - n",
        "2 * floordiv(n + 3, 4) - floordiv(n + 1, 2)",
        "floordiv(n + 1, 2) - 2 * floordiv(n + 3, 4) + 1",
        "n - floordiv(n, 3)",
        "floordiv(n, 2) - floordiv(n, 3)",
        "3 * floordiv(2 * n + 1, 3) - 2 * n + 1",
        "max(n, 3) - min(n, 3)",
    ],
)
def test_quotients_by_several_numbers_are_compared(text: str):
    assert is_proven(dim(text))
    assert all(at(dim(text), n=each) >= 0 for each in SIZES)


@pytest.mark.parametrize(
    "text", ["floordiv(n, 3) - floordiv(n, 2)", "2 * floordiv(n, 2) - n", "n - 1"]
)
def test_what_fails_for_some_size_is_not_proven(text: str):
    assert not is_proven(dim(text))


def at(value: Dim, **symbols: int) -> int:
    """A dimension with a value for each symbol."""
    found = evaluate(value, symbols)
    assert isinstance(found, int)
    return found


def padded(n: Dim, reach: int, stride: int) -> Dim:
    """The places of a window where TensorFlow's SAME fills up an axis."""
    most = (ceildiv(n, stride) - 1) * stride + reach
    whole = greater(most - n, 0)
    return floordiv(n + whole - reach, stride) + 1


@pytest.mark.parametrize(("reach", "stride"), [(3, 2), (1, 2), (5, 3), (7, 4), (2, 2)])
def test_axes_that_are_filled_up_stay_short(reach: int, stride: int):
    """However many windows there are, one after the other."""
    n: Dim = N
    for many in range(1, 9):
        n = padded(n, reach, stride)
        assert n == ceildiv(N, stride**many)


def random_dim(random: Random, depth: int) -> Dim:
    """A dimension with functions inside each other."""
    if depth == 0 or random.random() < 0.2:
        return random.choice([N, symbol("m"), random.randint(-4, 9)])
    a, b = (random_dim(random, depth - 1) for _ in range(2))
    return random.choice(
        [
            lambda: a + b,
            lambda: a - b,
            lambda: a * random.randint(-3, 3),
            lambda: floordiv(a, random.randint(1, 6)),
            lambda: maximum(a, b),
            lambda: minimum(a, b),
        ]
    )()


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("seed", range(5, 10))
def test_nothing_wrong_is_proven(seed: int):
    random = Random(seed)
    proven = 0
    for _ in range(600):
        value = random_dim(random, 4)
        if not is_proven(value):
            continue
        proven += 1
        for n in (0, 1, 2, 3, 7, 50):
            for m in (0, 1, 5, 64):
                assert at(value, n=n, m=m) >= 0, value
    assert proven > 60


def test_the_lesser_and_the_greater_are_those_for_all_sizes():
    random = Random(8)
    for _ in range(300):
        a, b = random_dim(random, 2), random_dim(random, 2)
        for n in (0, 1, 4, 33):
            x, y = (at(each, n=n, m=3) for each in (a, b))
            assert at(lesser(a, b), n=n, m=3) == min(x, y)
            assert at(greater(a, b), n=n, m=3) == max(x, y)


def test_a_proof_has_few_steps():
    """Each quotient may be bounded or not, and each extreme has two arguments."""
    value: Dim = -1
    for number in range(12):
        n = symbol(f"n{number}")
        value = value + maximum(floordiv(n, 3), floordiv(n, 2) - n)
        value = value - floordiv(n, 5 + number)
    proof = Proof()
    proof.holds(value)
    assert len(proof.known) <= 256
