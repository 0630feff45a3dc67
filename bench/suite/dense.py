"""DenseNet: convolutions, each of all that those before it in its block give."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional

GROWTH = 32
"""The channels that a layer adds."""


class DenseLayer(nn.Module):
    """A norm and a convolution twice, narrow and square, beside what came."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(channels, 4 * GROWTH, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(4 * GROWTH)
        self.conv2 = nn.Conv2d(4 * GROWTH, GROWTH, 3, 1, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, channels, y, x] -> f32[batch, channels + 32, y, x]."""
        y = self.conv1(torch.relu(self.norm1(x)))
        return torch.cat((x, self.conv2(torch.relu(self.norm2(y)))), 1)


class DenseNet(nn.Module):
    """Blocks of `depths` layers, each block of half the size of the one before."""

    def __init__(self, *depths: int) -> None:
        super().__init__()
        channels = 2 * GROWTH
        body: list[nn.Module] = [
            *(nn.Conv2d(3, channels, 7, 2, 3, bias=False), nn.BatchNorm2d(channels)),
            *(nn.ReLU(), nn.MaxPool2d(3, 2, 1)),
        ]
        for place, depth in enumerate(depths):
            if place:
                body += [nn.BatchNorm2d(channels), nn.ReLU()]
                body += [nn.Conv2d(channels, channels // 2, 1, bias=False)]
                body += [nn.AvgPool2d(2, 2)]
                channels //= 2
            for _ in range(depth):
                body.append(DenseLayer(channels))
                channels += GROWTH
        body += [nn.BatchNorm2d(channels), nn.ReLU()]
        self.body = nn.Sequential(*body)
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 1000]."""
        x = self.body(x)
        return self.fc(torch.flatten(functional.adaptive_avg_pool2d(x, (1, 1)), 1))
