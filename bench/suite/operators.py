"""Models of one operator, on sizes that measure its own speed."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional


class Gemm(nn.Module):
    """The product with a matrix that is known."""

    def __init__(self, inner: int, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inner, columns) / math.sqrt(inner))

    def forward(self, x: Tensor) -> Tensor:
        """f32[rows, inner] -> f32[rows, columns]."""
        return x @ self.weight


class Matmul(nn.Module):
    """The product of two matrices that are both inputs."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """f32[rows, inner], f32[inner, columns] -> f32[rows, columns]."""
        return a @ b


class Softmax(nn.Module):
    """Rows of exponentials whose sum is one."""

    def forward(self, x: Tensor) -> Tensor:
        """f32[rows, columns] -> the same."""
        return torch.softmax(x, -1)


class LayerNorm(nn.Module):
    """Rows normalized, scaled and shifted."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(columns)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: Tensor) -> Tensor:
        """f32[rows, columns] -> the same."""
        return self.norm(x)


class Gelu(nn.Module):
    """Each element times the chance that a normal number is below it."""

    def forward(self, x: Tensor) -> Tensor:
        """f32[rows, columns] -> the same."""
        return functional.gelu(x)
