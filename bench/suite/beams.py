"""A step of beam search: attention over caches that are reordered before it."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor, nn

from .model import Inputs
from .open import OpenModel, Sizes

_HEADS, _WIDTH = 8, 64


class Beams(nn.Module):
    """Attention of each beam to the past of the beam that it goes on from."""

    def __init__(self) -> None:
        super().__init__()
        width = _HEADS * _WIDTH
        self.query, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, order: Tensor) -> Tensor:
        """
        f32[beams, 512], caches f32[beams, 8, length, 64] of keys and of values, and
        i64[beams], the beam that each goes on from -> f32[beams, 512].
        """
        keys, values = (each.index_select(0, order) for each in (keys, values))
        query = self.query(x).view(-1, _HEADS, 1, _WIDTH)
        scores = torch.softmax(query @ keys.transpose(2, 3) * _WIDTH**-0.5, 3)
        return self.out((scores @ values).flatten(1))


def _step(beams: int, length: int, is_turned: bool) -> Inputs:
    cache = beams, _HEADS, length, _WIDTH
    order = torch.arange(beams)
    if is_turned:
        order = order.flip(0)
    x = torch.randn(beams, _HEADS * _WIDTH)
    return x, torch.randn(cache), torch.randn(cache), order


_BEAMS, _CACHE = {0: "beams"}, {0: "beams", 2: "length"}
_SIZES: tuple[Sizes, ...] = ((4, 128), (4, 1024))

BEAMS: dict[str, OpenModel] = {
    name: OpenModel(
        Beams,
        partial(_step, is_turned=is_turned),
        (_BEAMS, _CACHE, _CACHE, _BEAMS),
        _SIZES,
    )
    for name, is_turned in (("beams.in_order", False), ("beams.turned", True))
}
"""Beams that all go on from themselves, and beams that change places."""
