"""Models of signals in time, narrow and shallow, but of true structure."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional


class CausalBlock(nn.Module):
    """Two dilated convolutions that see nothing of what comes later."""

    def __init__(self, channels: int, outputs: int, dilation: int) -> None:
        super().__init__()
        self.ahead = 2 * dilation
        self.first = nn.Conv1d(channels, outputs, 3, dilation=dilation)
        self.second = nn.Conv1d(outputs, outputs, 3, dilation=dilation)
        self.shortcut = nn.Conv1d(channels, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, channels, length] -> f32[batch, outputs, length]."""
        y = torch.relu(self.first(functional.pad(x, (self.ahead, 0))))
        y = torch.relu(self.second(functional.pad(y, (self.ahead, 0))))
        return torch.relu(y + self.shortcut(x))


class Tcn(nn.Module):
    """Causal blocks of growing dilation."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(
            CausalBlock(4, 10, 1), CausalBlock(10, 10, 2), CausalBlock(10, 6, 4)
        )

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 4, length] -> f32[batch, 6, length]."""
        return self.blocks(x)


def perceptron(width: int) -> Any:
    """A norm, and two layers with a wider one between them."""
    return nn.Sequential(
        nn.LayerNorm(width),
        nn.Linear(width, 4 * width),
        nn.SiLU(),
        nn.Linear(4 * width, width),
    )


class Conformer(nn.Module):
    """Half a perceptron, attention, a gated convolution, and another half."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.halves = nn.ModuleList(perceptron(width) for _ in range(2))
        self.attention_norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.conv_norm = nn.LayerNorm(width)
        self.gate = nn.Conv1d(width, 2 * width, 1)
        self.spread = nn.Conv1d(width, width, 7, padding="same", groups=width)
        self.batch_norm = nn.BatchNorm1d(width)
        self.mix = nn.Conv1d(width, width, 1)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, length, width] -> the same."""
        x = x + 0.5 * self.halves[0](x)
        y = self.attention_norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        y = functional.glu(self.gate(self.conv_norm(x).transpose(1, 2)), 1)
        y = self.mix(functional.silu(self.batch_norm(self.spread(y))))
        x = x + y.transpose(1, 2)
        return self.norm(x + 0.5 * self.halves[1](x))
