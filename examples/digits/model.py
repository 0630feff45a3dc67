"""`Digits`: a small convolutional network that reads handwritten digits."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Digits(nn.Module):
    """
    Ten logits, one per digit, for each image of 8x8 grey values between 0 and 1.

    f32[batch, 1, 8, 8] -> f32[batch, 10]. Three 3x3 convolutions and one linear layer;
    the first two convolutions leave their bias to the batch norm behind them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 32, 3),
            nn.ReLU(),
        )
        self.classify = nn.Linear(32 * 2 * 2, 10)

    def forward(self, image: Tensor) -> Tensor:
        """The logits of each image."""
        return self.classify(torch.flatten(self.features(image), 1))
