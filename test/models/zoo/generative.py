"""Models that rebuild what they are given from a few numbers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional


class Autoencoder(nn.Module):
    """Convolutions down to a few channels, and transposed ones back up."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 6, 3, 2, 1),
            nn.LeakyReLU(0.1),
            nn.Conv2d(6, 10, 3, 2, 1),
            nn.LeakyReLU(0.1),
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(10, 6, 3, 2, 1, output_padding=1),
            nn.LeakyReLU(0.1),
            nn.ConvTranspose2d(6, 1, 4, 2, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """f32[batch, 1, y, x] -> the same, and the code in between."""
        code = self.encoder(x)
        return self.decoder(code), code


class Vae(nn.Module):
    """A variational autoencoder that is given its noise."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(64, 32)
        self.mean = nn.Linear(32, 8)
        self.spread = nn.Linear(32, 8)
        self.decoder = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 64))

    def forward(self, x: Tensor, noise: Tensor) -> dict[str, Tensor]:
        """f32[batch, 64], f32[batch, 8] -> the image, its code, and the divergence."""
        hidden = functional.softplus(self.hidden(x))
        mean, log_variance = self.mean(hidden), self.spread(hidden)
        code = mean + torch.exp(0.5 * log_variance) * noise
        loss = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(1)
        image = torch.sigmoid(self.decoder(code))
        return {"image": image, "mean": mean, "divergence": loss}
