"""Operators of numbers alone are constants, which torch computes for the reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "indices of a triangle": lambda x: x[0, torch.tril_indices(3, 4)],
    "frequencies": lambda x: torch.fft.fftfreq(4, 0.5) * x,
    "frequencies of real numbers": lambda x: torch.fft.rfftfreq(6) * x,
    "a window": lambda x: torch.hann_window(4) * x,
    "a window of Kaiser": lambda x: torch.kaiser_window(4, True, 3.0) * x,
    "a number and a tensor": lambda x: torch.xlogy(2.5, x.abs()),
    "complex numbers": lambda x: torch.full((4,), 2j - 1) * x,
    "many": lambda x: torch.hamming_window(400).reshape(100, 4) * x[:1],
}


def read_of(function: Callable[[Any], Any]) -> sr.StaticModule:
    """The compiled form of a function of three rows of four."""
    return sr.compile(Wrapped(function), example_inputs=(floats(3, 4),))


@pytest.mark.parametrize("name", NUMBERS)
def test_they_are_what_torch_computes(name: str):
    x = floats(3, 4)
    wanted = NUMBERS[name](x)
    np.testing.assert_allclose(
        read_of(NUMBERS[name])(x), wanted.numpy(), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("name", ["a window", "indices of a triangle"])
def test_they_are_compiled_in_graphs_of_dynamo(name: str):
    x = floats(3, 4)
    torch._dynamo.reset()
    compiled = torch.compile(
        NUMBERS[name], backend="static_runtime", options={"min_size": 1}
    )
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), NUMBERS[name](x))


def test_numbers_at_random_are_refused():
    with pytest.raises(sr.CompileError, match=r"aten\.rand\.default"):
        read_of(lambda x: x + torch.rand(3, 4))


def test_more_than_a_program_should_hold_is_refused():
    with pytest.raises(sr.CompileError, match=r"aten\.tril_indices\.default"):
        read_of(lambda x: torch.tril_indices(4000, 4000).sum() + x)
