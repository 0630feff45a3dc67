"""Caches that PyTorch modules take and return are updated where they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

import static_runtime as sr

pytestmark = pytest.mark.torch

Update = Callable[[Tensor, Tensor, Tensor], Tensor]
"""A cache with rows written at positions along axis 2."""

WIDTH, HEADS, CAPACITY = 8, 2, 16


def index_put(cache: Tensor, at: Tensor, rows: Tensor) -> Tensor:
    batch, heads = (torch.arange(each) for each in cache.shape[:2])
    return cache.index_put((batch[:, None, None], heads[:, None], at), rows)


def index_copy(cache: Tensor, at: Tensor, rows: Tensor) -> Tensor:
    return cache.index_copy(2, at, rows)


def scatter(cache: Tensor, at: Tensor, rows: Tensor) -> Tensor:
    return cache.scatter(2, at[:, None].expand(rows.shape), rows)


def assignment(cache: Tensor, at: Tensor, rows: Tensor) -> Tensor:
    cache = cache.clone()
    cache[:, :, at] = rows
    return cache


class Step(nn.Module):
    """A product of what comes, which is put into a cache, and the sum of the cache."""

    def __init__(self, update: Update) -> None:
        super().__init__()
        self.project, self.update = nn.Linear(WIDTH, WIDTH), update

    def forward(self, x: Tensor, at: Tensor, cache: Tensor) -> tuple[Tensor, Tensor]:
        """f32[batch, n, 8], positions[n], the cache -> f32[batch, 2, 4], the cache."""
        rows = self.project(x).unflatten(2, (HEADS, -1)).transpose(1, 2)
        cache = self.update(cache, at, rows)
        return (2 * cache).sum(2), cache


def empty(batch: int) -> Tensor:
    """A cache without rows."""
    return torch.zeros(batch, HEADS, CAPACITY, WIDTH // HEADS)


@pytest.mark.parametrize("update", [index_put, index_copy, scatter, assignment])
def test_a_cache_is_updated_where_it_is(update: Update):
    torch.manual_seed(0)
    module = Step(update).eval()
    batch, n = Dim("batch", min=1, max=64), Dim("n", min=1, max=CAPACITY)
    example = torch.randn(3, 2, WIDTH), torch.arange(2), empty(3)
    compiled = sr.compile(
        module,
        example,
        dynamic_shapes=({0: batch, 1: n}, {0: n}, {0: batch}),
        options=sr.Options(cache=False),
    )
    assert (2, 1) in compiled.program.donations
    for size in (1, 4, 1):
        wanted, kept, at = empty(size), empty(size).numpy(), 0
        for count in (5, 1, 1, 2):
            x, places = torch.randn(size, count, WIDTH), torch.arange(at, at + count)
            with torch.no_grad():
                total, wanted = module(x, places, wanted)
            sums = torch.empty(size, HEADS, WIDTH // HEADS)
            out = sums.numpy(), kept
            compiled(x.numpy(), places.numpy(), kept, out=out)
            torch.testing.assert_close(sums, total)
            torch.testing.assert_close(torch.from_numpy(kept), wanted)
            at += count
