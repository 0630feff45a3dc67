"""DLRM: a recommender that looks up embeddings and multiplies all pairs of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

DENSE = 13


class Dlrm(nn.Module):
    """A perceptron on numbers, one row of a table per category, pairwise products."""

    def __init__(self, tables: int = 26, rows: int = 1000, width: int = 64) -> None:
        super().__init__()
        self.bottom = perceptron(DENSE, 512, 256, width)
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        count = tables + 1
        pairs = count * tables // 2
        self.top = perceptron(width + pairs, 512, 256, 1)
        left, right = torch.tril_indices(count, count, -1)
        self.register_buffer("pairs", left * count + right)

    def forward(self, dense: Tensor, rows: Tensor) -> Tensor:
        """f32[batch, 13], i64[batch, tables] -> f32[batch, 1]."""
        x = dense
        for layer in self.bottom:
            x = torch.relu(layer(x))
        found = [table(rows[:, place]) for place, table in enumerate(self.tables)]
        features = torch.stack([x, *found], 1)
        products = torch.bmm(features, torch.transpose(features, 1, 2))
        chosen = torch.index_select(torch.flatten(products, 1), 1, self.pairs)
        x = torch.cat([x, chosen], 1)
        *hidden, last = self.top
        for layer in hidden:
            x = torch.relu(layer(x))
        return torch.sigmoid(last(x))


def perceptron(*widths: int) -> Any:
    """Linear layers from each width to the next."""
    return nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
