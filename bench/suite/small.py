"""
Models with next to no work, where the cost of a call shows.

`SrExample` and `DeepWide` are those that PyTorch's Static Runtime was introduced with
(pytorch#43919; `DeepWide` clamps to 0..10, as the scripted variant there does).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Add16(nn.Module):
    """The sum of two vectors: next to nothing but the cost of a call."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """f32[n], f32[n] -> f32[n]."""
        return a + b


class SrExample(nn.Module):
    """Three elementwise steps, and a concat of their result with the last input."""

    def forward(self, a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor) -> Tensor:
        """Five times f32[rows, 32] -> f32[2 * rows, 32]."""
        return torch.cat([(a + b) * c * d, e], 0)


class MlpSmall(nn.Module):
    """A perceptron with two hidden layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 128)
        self.second = nn.Linear(128, 64)
        self.last = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 64] -> f32[batch, 1]."""
        return self.last(torch.relu(self.second(torch.relu(self.first(x)))))


class DeepWide(nn.Module):
    """A click predictor: the product of two embeddings, and 50 scaled features."""

    def __init__(self, features: int = 50) -> None:
        super().__init__()
        self.mu = nn.Parameter(torch.randn(1, features))
        self.sigma = nn.Parameter(torch.randn(1, features))
        self.fc = nn.Linear(features + 1, 1)

    def forward(self, ad: Tensor, user: Tensor, wide: Tensor) -> Tensor:
        """f32[batch, 1, 32], f32[batch, 1, 32], f32[batch, 50] -> f32[batch, 1]."""
        scaled = torch.clamp((wide + self.mu) * self.sigma, 0, 10)
        match = torch.flatten(torch.bmm(ad, torch.transpose(user, 1, 2)), 1)
        return torch.sigmoid(self.fc(torch.cat([match, scaled], 1)))
