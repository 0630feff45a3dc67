"""Elements that are repeated as often as a tensor says, which a run checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped  # noqa: E402

AUTO = torch.export.Dim.AUTO
OPTIONS = sr.Options(cache=False)


def of_graphs(counts: Any, nodes: Any) -> Any:
    """The sum of the nodes of each graph, where `counts` says how many each has."""
    graphs = torch.arange(counts.shape[0])
    at = torch.repeat_interleave(graphs, counts, output_size=nodes.shape[0])
    return torch.zeros(counts.shape[0], nodes.shape[1]).index_add(0, at, nodes)


def compiled(function: Any, inputs: Any, *shapes: Any, **options: Any) -> Any:
    """The module of a function, whose inputs have open sizes along axis 0."""
    dynamic = (shapes,) if shapes else None
    program = torch.export.export(Wrapped(function), inputs, dynamic_shapes=dynamic)
    return sr.compile(program, options=sr.Options(cache=False, **options))


def test_the_nodes_of_graphs_of_any_number():
    inputs = torch.tensor([3, 1, 4]), torch.randn(8, 5)
    module = compiled(of_graphs, inputs, {0: AUTO}, {0: AUTO})
    for counts in ([3, 1, 4], [0, 0, 2, 0], [5], [0, 1], [0] * 7 + [70]):
        given = torch.tensor(counts), torch.randn(sum(counts), 5)
        wanted = of_graphs(*given).numpy()
        np.testing.assert_allclose(module(*given), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("counts", [[3, 2], [9, 3], [-1, 9], [-4, 4]])
def test_repeats_of_another_sum_are_refused(counts: list[int]):
    inputs = torch.tensor([3, 5]), torch.randn(8, 5)
    module = compiled(of_graphs, inputs, {0: AUTO}, {0: AUTO})
    given = torch.tensor(counts), torch.randn(8, 5)
    with pytest.raises(ValueError, match=r"expected (a size from 0 to 8|equal sizes)"):
        module(*given)


@pytest.mark.parametrize("count", [3, 70])
def test_repeats_that_the_model_holds(count: int):
    held = (torch.arange(count) % 3).int()

    def repeated(x: Any) -> Any:
        return x[:, None] * torch.repeat_interleave(torch.arange(count), held)

    x = torch.arange(2)
    module = compiled(repeated, (x,))
    np.testing.assert_array_equal(module(x), repeated(x))


def test_a_size_that_data_decide_needs_a_bound():
    def repeated(x: Any, counts: Any) -> Any:
        return x.repeat_interleave(counts, 0) * 2

    given = torch.randn(3, 2), torch.tensor([2, 0, 1])
    program = torch.export.export(Wrapped(repeated), given)
    with pytest.raises(sr.CompileError, match=r"u0.*without a bound") as told:
        sr.compile(program, options=OPTIONS)
    assert "bounds={'u0': 4096}" in str(told.value)
    module = compiled(repeated, given, bounds={"u0": 9})
    for counts in ([2, 0, 1], [0, 0, 0], [3, 3, 3]):
        given = given[0], torch.tensor(counts)
        np.testing.assert_array_equal(module(*given), repeated(*given))
    with pytest.raises(ValueError, match="expected a size from 0 to 9, got 12"):
        module(given[0], torch.tensor([12, 0, 0]))


def test_a_size_that_the_model_bounds():
    def repeated(x: Any, counts: Any) -> Any:
        found = x.repeat_interleave(counts, 0)
        torch._check(found.shape[0] <= 8)
        return found * 2

    given = torch.randn(3, 2), torch.tensor([2, 0, 1])
    module = compiled(repeated, given)
    np.testing.assert_array_equal(module(*given), repeated(*given))
    with pytest.raises(ValueError, match="expected a size from 0 to 8, got 9"):
        module(given[0], torch.tensor([9, 0, 0]))


def test_a_wrong_size_of_constant_repeats_is_refused():
    def repeated(x: Any) -> Any:
        times = torch.tensor([2, 0, 3])
        return x * torch.repeat_interleave(torch.arange(3), times, output_size=7)

    with pytest.raises(sr.CompileError, match="an output_size of 7, expected 5"):
        compiled(repeated, (torch.arange(7),))
