"""The most that sizes of data are, by what exported programs assert of sums of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch


def compiled(function: Callable[..., Any], *inputs: Any) -> Any:
    """The module of a function with an open number of rows in its first input."""
    open_rows = (({0: torch.export.Dim("rows")}, *[None] * (len(inputs) - 1)),)
    program = torch.export.export(Wrapped(function), inputs, dynamic_shapes=open_rows)
    return sr.compile(program, options=sr.Options(cache=False))


def split(x: Any, counts: Any) -> Any:
    """The rows by groups, as mixtures of experts divide tokens."""
    a, b, c = x.split(counts.tolist())
    return a * 2, b.sum(0), c - 1


@pytest.mark.parametrize("counts", [[1, 2, 3], [0, 0, 5], [9, 0, 0], [0, 4, 0]])
def test_parts_of_a_split_are_at_most_what_is_split(counts: list[int]):
    module = compiled(split, floats(6, 3), torch.tensor([1, 2, 3]))
    x, each = floats(sum(counts), 3), torch.tensor(counts)
    for result, expected in zip(module(x, each), split(x, each), strict=True):
        torch.testing.assert_close(torch.from_numpy(result), expected)


@pytest.mark.parametrize("counts", [[2, 2, 3], [2, 2, 1], [-1, 4, 3], [7, 0, -1]])
def test_parts_that_are_no_split_are_refused(counts: list[int]):
    module = compiled(split, floats(6, 3), torch.tensor([1, 2, 3]))
    with pytest.raises(ValueError, match="expected"):
        module(floats(6, 3), torch.tensor(counts))


def narrow(x: Any, count: Any) -> Any:
    """Some rows after the first."""
    return x.narrow(0, 1, count.item()) * 2


def below(x: Any, count: Any) -> Any:
    """As many first rows as are asserted to be fewer than there are."""
    number = count.item()
    torch._check(number >= 0)
    torch._check(number < x.shape[0])
    return x[:number] * 2


@pytest.mark.parametrize("function", [narrow, below])
def test_a_number_of_rows_is_at_most_what_there_are(function: Callable[..., Any]):
    module = compiled(function, floats(6, 3), torch.tensor(2))
    x = floats(7, 3)
    for count in (0, 1, 6):
        expected = function(x, torch.tensor(count))
        assert module(x, torch.tensor(count)).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="expected"):
        module(x, torch.tensor(7))


def test_a_sum_with_what_may_be_negative_bounds_nothing():
    def shifted(x: Any, count: Any, by: Any) -> Any:
        number, other = count.item(), by.item()
        torch._check(number >= 0)
        torch._check(number + other <= x.shape[0])
        return torch.arange(number)

    with pytest.raises(sr.CompileError, match="as a size it needs a range"):
        compiled(shifted, floats(6, 3), torch.tensor(2), torch.tensor(-1))


def test_a_comparison_that_no_run_checks_bounds_nothing():
    def chosen(x: Any, count: Any) -> Any:
        number = count.item()
        torch._check(number >= 0)
        is_less = torch.sym_ite(number <= x.shape[0], 1, 0)
        return torch.arange(number), torch.full((2,), is_less)

    with pytest.raises(sr.CompileError, match="needs a range"):
        compiled(chosen, floats(6, 3), torch.tensor(2))


def test_the_greatest_number_of_torch_is_no_bound():
    def counted(x: Any, count: Any) -> Any:
        size = count.item()
        torch._check(size >= 0)
        torch._check(size < 2**63 - 1)
        return x.sum() + torch.arange(size)

    with pytest.raises(sr.CompileError, match="as a size it needs a range"):
        compiled(counted, floats(6, 3), torch.tensor(5))


@pytest.mark.parametrize("axes", [None, {1: torch.export.Dim.AUTO}])
def test_a_piece_of_any_axis_is_at_most_the_axis(axes: Any):
    def pieces(x: Any, counts: Any) -> Any:
        a, b = torch.split(x, counts.tolist(), 1)
        return a.sum(1), 2 * b

    inputs = floats(2, 12), torch.tensor([5, 7])
    shapes = ((axes, None),)
    program = torch.export.export(Wrapped(pieces), inputs, dynamic_shapes=shapes)
    module = sr.compile(program, options=sr.Options(cache=False))
    x, _ = inputs
    for first in (0, 5, 12):
        counts = torch.tensor([first, 12 - first])
        for got, expected in zip(module(x, counts), pieces(x, counts), strict=True):
            torch.testing.assert_close(torch.from_numpy(got), expected)
    with pytest.raises(ValueError, match="expected a size from 0 to 12, got 13"):
        module(x, torch.tensor([13, -1]))
    with pytest.raises(ValueError, match="got 4 and 12"):
        module(x, torch.tensor([2, 2]))
