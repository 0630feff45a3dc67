"""How often each number occurs, in as many places as the greatest number asks for."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped  # noqa: E402

AUTO = torch.export.Dim.AUTO


def compiled(function: Any, *inputs: Any, **options: Any) -> Any:
    """The module of a function of vectors of any length, from one on."""
    shapes = tuple({0: AUTO} for _ in inputs)
    program = torch.export.export(Wrapped(function), inputs, dynamic_shapes=(shapes,))
    return sr.compile(program, options=sr.Options(cache=False, **options))


def close(module: Any, function: Any, *inputs: Any) -> None:
    """The module gives what the function does, of the same dtype and size."""
    found, wanted = torch.from_numpy(module(*inputs).copy()), function(*inputs)
    torch.testing.assert_close(found, wanted)


NUMBERS = torch.tensor([3, 0, 3, 1, 9, 1, 1, 2])


@pytest.mark.parametrize("least", [0, 4, 12])
def test_numbers_are_counted(least: int):
    def counts(x: Any) -> Any:
        return torch.bincount(x, minlength=least)

    module = compiled(counts, NUMBERS, bounds={"u0": 64})
    for numbers in (NUMBERS, torch.tensor([63]), torch.tensor([0]), NUMBERS.repeat(9)):
        close(module, counts, numbers)


DTYPES = ("float32", "float64", "float16", "bfloat16", "int32", "int64", "bool")


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_are_added_up(dtype: str):
    weights = (torch.arange(8) - 3).to(getattr(torch, dtype))
    module = compiled(torch.bincount, NUMBERS, weights, bounds={"u0": 64})
    close(module, torch.bincount, NUMBERS, weights)
    close(module, torch.bincount, NUMBERS[:1], weights[:1])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16])
def test_short_integers_bound_the_size(dtype: Any):
    module = compiled(torch.bincount, NUMBERS.to(dtype))
    most = torch.tensor([torch.iinfo(dtype).max, 1], dtype=dtype)
    close(module, torch.bincount, NUMBERS.to(dtype))
    close(module, torch.bincount, most)


def test_no_numbers():
    def counts(x: Any) -> Any:
        return torch.bincount(x[x > 5], minlength=2)

    module = compiled(counts, NUMBERS, bounds={"u0": 16, "u1": 16})
    for numbers in (NUMBERS, NUMBERS[:3]):
        close(module, counts, numbers)


def test_an_assertion_is_a_bound():
    def counts(x: Any) -> Any:
        found = torch.bincount(x, minlength=4)
        torch._check(found.shape[0] <= 32)
        return found * 2

    module = compiled(counts, NUMBERS)
    close(module, counts, NUMBERS * 3)
    with pytest.raises(ValueError, match="expected a size from 4 to 32, got 46"):
        module(NUMBERS * 5)


def test_without_a_bound_it_is_refused():
    with pytest.raises(sr.CompileError, match="a size that data decide, u0, without"):
        compiled(torch.bincount, NUMBERS)


def test_numbers_below_zero_are_refused():
    module = compiled(torch.bincount, NUMBERS, bounds={"u0": 64})
    with pytest.raises(ValueError, match="expected a size from 0 to 64, got -1"):
        module(-NUMBERS)
