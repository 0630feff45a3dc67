"""PyTorch's operators that draw numbers: distributions, seeds, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.session.errors import CompileError  # noqa: E402

from .case import Wrapped  # noqa: E402

pytestmark = pytest.mark.torch

MANY = 40_000
NEAR = 5 / MANY**0.5
ATEN: Any = torch.ops.aten
X = torch.full((MANY // 100, 100), 0.25)


def compiled(
    function: Callable[..., Any], seed: int | str | None = 7, **named: Any
) -> sr.StaticModule:
    """A function of X."""
    options = sr.Options(seed=seed, cache=False)
    return sr.compile(Wrapped(function), example_inputs=(X,), options=options, **named)


DRAWN: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "rand": (lambda x: torch.rand(x.shape[0], 100) + x, 0.75, 12**-0.5),
    "rand_like": (lambda x: torch.rand_like(x) + x, 0.75, 12**-0.5),
    "randn": (lambda x: torch.randn(x.shape) * 2 + x, 0.25, 2),
    "randn_like": (lambda x: torch.randn_like(x), 0, 1),
    "randint": (lambda x: torch.randint(3, 7, x.shape) + x, 4.75, 1.25**0.5),
    "bernoulli": (lambda x: torch.bernoulli(x), 0.25, 0.1875**0.5),
    "bernoulli of each": (
        lambda x: ATEN.bernoulli.Tensor(x, x[:1]) * 1.0,
        0.25,
        0.1875**0.5,
    ),
    "randn without a generator": (
        lambda x: ATEN.randn.generator(list(x.shape), generator=None) + x,
        0.25,
        1,
    ),
    "rand without a generator": (
        lambda x: ATEN.rand.generator(list(x.shape), generator=None) + x,
        0.75,
        12**-0.5,
    ),
    "randint without a generator": (
        lambda x: ATEN.randint.low_generator(3, 7, list(x.shape), generator=None) + x,
        4.75,
        1.25**0.5,
    ),
    "dropout": (
        lambda x: torch.nn.functional.dropout(x, 0.5, training=True),
        0.25,
        0.25,
    ),
    "multinomial": (
        lambda x: torch.multinomial(x, 100, replacement=True) * 1.0,
        49.5,
        833.25**0.5,
    ),
    "normal": (lambda x: torch.normal(1, 2, x.shape) + x, 1.25, 2),
    "normal of tensors": (lambda x: torch.normal(x, 2 * x), 0.25, 0.5),
    "normal around a tensor": (lambda x: torch.normal(x, 2.0), 0.25, 2),
    "normal by deviations": (lambda x: torch.normal(1.0, x), 1, 0.25),
    "normal in place": (lambda x: torch.empty_like(x).normal_(1, 2), 1, 2),
    "uniform in place": (lambda x: torch.empty_like(x).uniform_(2, 4), 3, 3**-0.5),
    "exponential": (lambda x: torch.empty_like(x).exponential_(2.0), 0.5, 0.5),
    "randperm": (
        lambda x: torch.randperm(MANY).reshape(x.shape) / MANY,
        0.5,
        12**-0.5,
    ),
}
"""What is drawn, its mean and its deviation."""


@pytest.mark.parametrize("name", DRAWN)
def test_numbers_have_their_mean_and_deviation(name: str):
    function, mean, deviation = DRAWN[name]
    y = compiled(function)(X.numpy())
    assert y.shape == tuple(X.shape)
    assert abs(y.mean() - mean) < deviation * NEAR
    assert abs(y.std() - deviation) < deviation * NEAR


def test_normal_numbers_follow_the_mean_and_deviation_of_their_element():
    deviations = np.repeat(np.array([[0.0, 1, 10, 3]], np.float32), MANY, 0)
    x = np.stack([deviations * 5, deviations])
    given = (torch.from_numpy(x),)
    options = sr.Options(seed=3, cache=False)
    made = Wrapped(lambda x: torch.normal(x[0], x[1]))
    y = sr.compile(made, example_inputs=given, options=options)(x)
    np.testing.assert_array_equal(y[:, 0], 0)
    unit = (y[:, 1:] - x[0, :, 1:]) / x[1, :, 1:]
    assert (abs(unit.mean(0)) < NEAR).all()
    assert (abs(unit.std(0) - 1) < NEAR).all()
    assert (abs(np.corrcoef(unit.T) - np.eye(3)) < NEAR).all()


def test_a_permutation_has_each_number_once_anywhere():
    count = 5

    def permutations(x: Any) -> Any:
        return torch.stack([torch.randperm(x.shape[1]) for _ in range(64)])

    options = sr.Options(seed="input", cache=False)
    made = Wrapped(permutations)
    given = (torch.zeros(2, count),)
    module = sr.compile(made, example_inputs=given, options=options)
    x = np.zeros((2, count), np.float32)
    drawn = np.concatenate([module(x, np.array(seed)) for seed in range(100)])
    np.testing.assert_array_equal(np.sort(drawn), [range(count)] * len(drawn))
    # The share of each order of the first two, of 20 that there are.
    shares = np.bincount(drawn[:, 0] * count + drawn[:, 1], minlength=count**2)
    wanted = (1 - np.eye(count).ravel()) / 20
    assert (abs(shares / len(drawn) - wanted) < 5 * 0.22 / len(drawn) ** 0.5).all()


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16])
def test_columns_without_replacement_are_drawn_one_after_the_other(kind: Any):
    weights = np.array([1, 2, 3, 0, 6])
    x = torch.from_numpy(weights).to(kind).repeat(MANY, 1)
    options = sr.Options(seed=11, cache=False)
    made = Wrapped(lambda x: torch.multinomial(x, 3))
    y = sr.compile(made, example_inputs=(x,), options=options)(x)
    assert y.shape == (MANY, 3)
    assert (y != 3).all()
    ordered = np.sort(y)
    assert (ordered[:, 1:] > ordered[:, :-1]).all()
    for first in (0, 1, 2, 4):
        is_first = y[:, 0] == first
        assert abs(is_first.mean() - weights[first] / 12) < NEAR / 2
        for second in {0, 1, 2, 4} - {first}:
            share = weights[first] / 12 * weights[second] / (12 - weights[first])
            found = (is_first & (y[:, 1] == second)).mean()
            assert abs(found - share) < NEAR / 2


def test_columns_of_one_row_are_drawn_without_replacement():
    made = Wrapped(lambda x: torch.multinomial(x, 4))
    options = sr.Options(seed=1, cache=False)
    module = sr.compile(made, example_inputs=(torch.ones(4),), options=options)
    np.testing.assert_array_equal(np.sort(module(np.ones(4, np.float32))), range(4))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_numbers_of_16_bits_are_below_one(kind: Any):
    def drawn(x: Any) -> Any:
        return torch.rand(x.shape, dtype=kind).float() + 0 * x

    y = compiled(drawn)(X.numpy())
    assert 0 <= y.min() < y.max() < 1
    assert abs(y.mean() - 0.5) < NEAR


def test_without_a_seed_they_are_refused():
    with pytest.raises(CompileError, match=r"numbers at random, of no seed[^$]*seed=0"):
        compiled(torch.randn_like, None)


@pytest.mark.parametrize("probability", [0, 1.0])
@pytest.mark.parametrize("kind", [torch.float32, torch.int64, torch.bool])
def test_a_certain_number_needs_no_seed(kind: Any, probability: float):
    x = torch.zeros(2, 3, dtype=kind)
    made = Wrapped(lambda x: torch.bernoulli(x, probability))
    module = sr.compile(made, example_inputs=(x,), options=sr.Options(cache=False))
    y = module(x.numpy())
    np.testing.assert_array_equal(y, made(x).numpy(), strict=True)


def test_a_seed_is_an_input_of_structured_models():
    def function(pair: Any) -> Any:
        return {"noisy": pair[0] + torch.randn_like(pair[0]), "same": pair[1] + 1}

    options = sr.Options(seed="input", cache=False)
    module = sr.compile(Wrapped(function), example_inputs=((X, X),), options=options)
    x = X.numpy()
    one, other, again = (module((x, x), np.array(n)) for n in (1, 2, 1))
    np.testing.assert_array_equal(one["noisy"], again["noisy"])
    np.testing.assert_array_equal(one["same"], x + 1)
    assert (one["noisy"] != other["noisy"]).any()


def test_torch_compile_leaves_numbers_at_random_to_pytorch():
    def noisy(x: Any) -> Any:
        return torch.rand_like(x).relu() + x

    made = torch.compile(noisy, backend="static_runtime")
    torch.manual_seed(0)
    one = made(X)
    torch.manual_seed(0)
    torch.testing.assert_close(made(X), one)
    assert (made(X) != one).any()
