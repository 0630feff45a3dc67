"""Sizes that are the greatest or the least of integers that a model holds or counts."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import floats  # noqa: E402

pytestmark = pytest.mark.torch


class Tokens(nn.Module):
    """As many tokens as the greatest of the places that are looked up, and one."""

    places: Any

    def __init__(self, places: Any) -> None:
        super().__init__()
        self.register_buffer("places", places)

    def at(self, x: Any) -> Any:
        """i64[rows, count]"""
        return self.places.long().unsqueeze(0).repeat(x.shape[0], 1)

    def forward(self, x: Any) -> Any:
        """f32[rows, 4] -> f32[rows, count, 4]."""
        at = self.at(x)
        count = at.max() + 1 - at.min()
        tokens = x[:, None].repeat(1, count, 1).cumsum(1)
        return torch.gather(tokens, 1, (at - at.min()).unsqueeze(-1).expand(-1, -1, 4))


class Counted(Tokens):
    """Looks up what is counted while the model runs, as often as a row is long."""

    def at(self, x: Any) -> Any:
        """i64[rows, 4]"""
        return (torch.arange(x.shape[1]) + 3).unsqueeze(0).repeat(x.shape[0], 1)


def _compiled(model: nn.Module, x: Any, sizes: Any) -> Any:
    with torch.no_grad():
        shapes = {"x": sizes} if sizes else None
        program = torch.export.export(model, (x,), dynamic_shapes=shapes)
    return sr.compile(program, options=sr.Options(cache=False))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
@pytest.mark.parametrize("count", [7, 300])
@pytest.mark.parametrize("sizes", [None, {0: torch.export.Dim.DYNAMIC}])
def test_the_greatest_of_repeated_places_is_a_size(sizes: Any, count: int, dtype: Any):
    model = Tokens((torch.arange(count) * 5 % count).to(dtype))
    module = _compiled(model, x := floats(2, 4), sizes)
    for given in (x, floats(3, 4)) if sizes else (x,):
        assert torch.allclose(torch.from_numpy(module(given.numpy())), model(given))


@pytest.mark.parametrize("sizes", [None, {0: torch.export.Dim.DYNAMIC}])
def test_the_greatest_of_what_is_counted_is_a_size(sizes: Any):
    model = Counted(torch.zeros(1))
    module = _compiled(model, x := floats(2, 4), sizes)
    assert torch.allclose(torch.from_numpy(module(x.numpy())), model(x))


def test_the_greatest_of_sums_that_are_not_moved_needs_a_range():
    model = Tokens(torch.arange(80))
    model.at = lambda x: model.places + model.places.flip(0)[None] + 0 * x.shape[0]
    with pytest.raises(sr.CompileError, match="as a size it needs a range"):
        _compiled(model, floats(2, 4), None)
