"""Models of images, narrow and shallow, but of the structure that gave them names."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional


class EncoderBlock(nn.Module):
    """Attention of every token to all, and a perceptron, after a norm each."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.first_norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.second_norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, tokens, width] -> the same."""
        y = self.first_norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.narrow(functional.gelu(self.widen(self.second_norm(x))))


class VisionTransformer(nn.Module):
    """Patches as tokens, with a token for the class and an embedding of each place."""

    def __init__(self, width: int = 24, depth: int = 2) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, 17, width))
        self.blocks = nn.Sequential(*(EncoderBlock(width, 3) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, 16, 16] -> f32[batch, 10]."""
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        first = self.token.expand(x.shape[0], -1, -1)
        tokens = torch.cat([first, tokens], 1) + self.places
        return self.fc(self.norm(self.blocks(tokens))[:, 0])


class SqueezeExcite(nn.Module):
    """Each channel scaled by what the means of all of them say."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(channels, channels // 4, 1)
        self.excite = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, channels, y, x] -> the same."""
        means = functional.adaptive_avg_pool2d(x, 1)
        scale = self.excite(functional.silu(self.squeeze(means)))
        return x * torch.sigmoid(scale)


class MbConv(nn.Module):
    """A widening, a convolution within each channel, a scaling and a narrowing."""

    def __init__(self, channels: int, outputs: int, stride: int, size: int) -> None:
        super().__init__()
        wide = 4 * channels
        self.layers = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False),
            nn.BatchNorm2d(wide),
            nn.SiLU(),
            nn.Conv2d(wide, wide, size, stride, size // 2, groups=wide, bias=False),
            nn.BatchNorm2d(wide),
            nn.SiLU(),
            SqueezeExcite(wide),
            nn.Conv2d(wide, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.adds = stride == 1 and channels == outputs

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, channels, y, x] -> f32[batch, outputs, y / s, x / s]."""
        return x + self.layers(x) if self.adds else self.layers(x)


class EfficientNet(nn.Module):
    """A stem, three MBConv, and a head with dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1, bias=False),
            nn.BatchNorm2d(8),
            nn.SiLU(),
            MbConv(8, 12, 2, 3),
            MbConv(12, 12, 1, 5),
            MbConv(12, 16, 2, 5),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(16, 10),
        )

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 10]."""
        return self.layers(x)


def double_conv(channels: int, outputs: int) -> Any:
    """Two convolutions of the same size, each with a norm."""
    return nn.Sequential(
        nn.Conv2d(channels, outputs, 3, padding=1),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class UNet(nn.Module):
    """Down twice by pooling, up twice by transposed convolutions, joined by level."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([double_conv(3, 6), double_conv(6, 12)])
        self.bottom = double_conv(12, 24)
        self.rise = nn.ModuleList(
            [nn.ConvTranspose2d(24, 12, 2, 2), nn.ConvTranspose2d(12, 6, 2, 2)]
        )
        self.up = nn.ModuleList([double_conv(24, 12), double_conv(12, 6)])
        self.head = nn.Conv2d(6, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 2, y, x]."""
        skipped: list[Tensor] = []
        for block in self.down:
            x = block(x)
            skipped.append(x)
            x = functional.max_pool2d(x, 2)
        x = self.bottom(x)
        for rise, block in zip(self.rise, self.up, strict=True):
            x = block(torch.cat([skipped.pop(), rise(x)], 1))
        return self.head(x)


class MixerBlock(nn.Module):
    """A perceptron over the tokens, then one over the channels."""

    def __init__(self, tokens: int, width: int) -> None:
        super().__init__()
        self.token_norm, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.tokens = nn.Sequential(
            nn.Linear(tokens, 20), nn.GELU(), nn.Linear(20, tokens)
        )
        self.channels = nn.Sequential(
            nn.Linear(width, 40), nn.GELU(), nn.Linear(40, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, tokens, width] -> the same."""
        x = x + self.tokens(self.token_norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm(x))


class Mixer(nn.Module):
    """Patches that are mixed by perceptrons alone."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 12, 4, 4)
        self.blocks = nn.Sequential(MixerBlock(16, 12), MixerBlock(16, 12))
        self.fc = nn.Linear(12, 10)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, 16, 16] -> f32[batch, 10]."""
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        return self.fc(self.blocks(tokens).mean(1))


class ConvNextBlock(nn.Module):
    """A wide convolution within each channel, then a perceptron on the channels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.spread = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, 1e-6)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.rand(width))

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, width, y, x] -> the same."""
        y = self.norm(self.spread(x).permute(0, 2, 3, 1))
        y = self.scale * self.narrow(functional.gelu(self.widen(y)))
        return x + y.permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    """A stem of patches, two blocks, and a step down between them."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 4, 4)
        self.first = ConvNextBlock(8)
        self.step = nn.Conv2d(8, 16, 2, 2)
        self.second = ConvNextBlock(16)
        self.fc = nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 10]."""
        x = self.second(self.step(self.first(self.stem(x))))
        return self.fc(x.mean((-2, -1)))
