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
}
"""What is drawn, its mean and its deviation."""


@pytest.mark.parametrize("name", DRAWN)
def test_numbers_have_their_mean_and_deviation(name: str):
    function, mean, deviation = DRAWN[name]
    y = compiled(function)(X.numpy())
    assert y.shape == tuple(X.shape)
    assert abs(y.mean() - mean) < deviation * NEAR
    assert abs(y.std() - deviation) < deviation * NEAR


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
