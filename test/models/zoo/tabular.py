"""Models of rows, of graphs, and of choices."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

FIELDS = 6


class DeepFm(nn.Module):
    """Products of all pairs of embeddings, beside a perceptron on the same ones."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("first", torch.arange(FIELDS) * 20)
        self.rows = nn.Embedding(20 * FIELDS, 8)
        self.weights = nn.Embedding(20 * FIELDS, 1)
        self.deep = nn.Sequential(
            nn.Linear(8 * FIELDS, 24),
            nn.BatchNorm1d(24),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Linear(24, 1),
        )

    def forward(self, fields: Tensor) -> Tensor:
        """i64[batch, 6] -> f32[batch]."""
        found = fields + self.first
        rows = self.rows(found)
        pairs = 0.5 * (rows.sum(1).square() - rows.square().sum(1)).sum(1)
        linear = self.weights(found).sum((1, 2))
        return torch.sigmoid(pairs + linear + self.deep(rows.flatten(1)).squeeze(1))


class GraphStep(nn.Module):
    """What the neighbours of each node say, averaged and mixed into the node."""

    def __init__(self) -> None:
        super().__init__()
        self.message = nn.Linear(12, 8)
        self.update = nn.Linear(14, 6)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        """f32[nodes, 6], i64[2, edges] -> f32[nodes, 6]."""
        source, target = edges[0], edges[1]
        pairs = torch.cat([nodes[source], nodes.index_select(0, target)], 1)
        said = torch.relu(self.message(pairs))
        total = torch.zeros(nodes.shape[0], 8).index_add(0, target, said)
        ones = torch.ones(target.shape[0])
        count = torch.zeros(nodes.shape[0]).scatter_add(0, target, ones)
        heard = total / count.clamp(min=1)[:, None]
        return self.update(torch.cat([nodes, heard], 1))


class Choice(nn.Module):
    """One of two layers, by what is in the input."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(5, 5), nn.Linear(5, 5)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 5] -> the same."""
        control: Any = torch.cond
        return control(x.sum() > 0, self.left, self.right, (x,))
