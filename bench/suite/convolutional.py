"""Nets of convolutions: ResNet-50, MobileNetV2, a U-Net and a VGG."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional


class Bottleneck(nn.Module):
    """Three convolutions, narrow, square and wide, around which the input is added."""

    def __init__(self, channels: int, width: int, stride: int, widens: bool) -> None:
        super().__init__()
        wide = width * 4
        self.narrow = nn.Conv2d(channels, width, 1, bias=False)
        self.narrow_norm = nn.BatchNorm2d(width)
        self.square = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.square_norm = nn.BatchNorm2d(width)
        self.wide = nn.Conv2d(width, wide, 1, bias=False)
        self.wide_norm = nn.BatchNorm2d(wide)
        self.shortcut = nn.Sequential()
        if widens:
            conv = nn.Conv2d(channels, wide, 1, stride, bias=False)
            self.shortcut = nn.Sequential(conv, nn.BatchNorm2d(wide))

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, channels, y, x] -> f32[batch, 4 * width, y / s, x / s]."""
        y = torch.relu(self.narrow_norm(self.narrow(x)))
        y = torch.relu(self.square_norm(self.square(y)))
        return torch.relu(self.wide_norm(self.wide(y)) + self.shortcut(x))


class ResNet50(nn.Module):
    """Sixteen bottlenecks in four stages, each of half the size of the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.stem_norm = nn.BatchNorm2d(64)
        blocks: list[nn.Module] = []
        channels = 64
        for width, depth in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for place in range(depth):
                stride = 2 if place == 0 and width > 64 else 1
                blocks.append(Bottleneck(channels, width, stride, place == 0))
                channels = 4 * width
        self.body = nn.Sequential(*blocks)
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 1000]."""
        x = torch.relu(self.stem_norm(self.stem(x)))
        x = self.body(functional.max_pool2d(x, 3, 2, 1))
        return self.fc(torch.flatten(functional.adaptive_avg_pool2d(x, (1, 1)), 1))


class InvertedResidual(nn.Module):
    """A convolution within each channel, between ones that widen and narrow."""

    def __init__(self, channels: int, outputs: int, stride: int, factor: int) -> None:
        super().__init__()
        hidden = channels * factor
        layers: list[nn.Module] = []
        if factor != 1:
            layers += convolved(channels, hidden, 1)
        layers += convolved(hidden, hidden, 3, stride, groups=hidden)
        layers += [nn.Conv2d(hidden, outputs, 1, bias=False), nn.BatchNorm2d(outputs)]
        self.layers = nn.Sequential(*layers)
        self.adds = stride == 1 and channels == outputs

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, channels, y, x] -> f32[batch, outputs, y / s, x / s]."""
        return x + self.layers(x) if self.adds else self.layers(x)


def convolved(
    channels: int, outputs: int, size: int, stride: int = 1, groups: int = 1
) -> list[nn.Module]:
    """A convolution, a norm of its results, and a clamp of these to 0..6."""
    conv = nn.Conv2d(
        channels, outputs, size, stride, size // 2, groups=groups, bias=False
    )
    return [conv, nn.BatchNorm2d(outputs), nn.ReLU6()]


class MobileNetV2(nn.Module):
    """Seventeen inverted residuals."""

    STAGES = (
        *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
        *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
    )
    """Of each stage: how much it widens, its channels, its depth, its first stride."""

    def __init__(self) -> None:
        super().__init__()
        layers = convolved(3, 32, 3, 2)
        channels = 32
        for factor, outputs, depth, stride in self.STAGES:
            for place in range(depth):
                step = stride if place == 0 else 1
                layers.append(InvertedResidual(channels, outputs, step, factor))
                channels = outputs
        layers += convolved(channels, 1280, 1)
        self.body = nn.Sequential(*layers)
        self.fc = nn.Linear(1280, 1000)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 1000]."""
        pooled = functional.adaptive_avg_pool2d(self.body(x), (1, 1))
        return self.fc(torch.flatten(pooled, 1))


def twice(inputs: int, outputs: int) -> nn.Module:
    """Two convolutions of three by three, each with a norm and a clamp."""
    layers: list[nn.Module] = []
    for width in (inputs, outputs):
        conv = nn.Conv2d(width, outputs, 3, padding=1, bias=False)
        layers += [conv, nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """A U-Net (arXiv 1505.04597): some steps down, as many up, and shortcuts."""

    def __init__(self, width: int = 16, depth: int = 2) -> None:
        super().__init__()
        widths = [width << step for step in range(depth + 1)]
        pairs = list(pairwise(widths))
        self.first = twice(3, width)
        self.down = nn.ModuleList(twice(*pair) for pair in pairs)
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in pairs)
        self.back = nn.ModuleList(twice(b, a) for a, b in pairs)
        self.last = nn.Conv2d(width, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 2, y, x], both multiples of 2^depth."""
        kept = [self.first(x)]
        for each in self.down:
            kept.append(each(functional.max_pool2d(kept[-1], 2)))
        x = kept.pop()
        for up, back in zip(reversed(self.up), reversed(self.back), strict=True):
            x = back(torch.cat([up(x), kept.pop()], 1))
        return self.last(x)


class Vgg16(nn.Module):
    """The thirteen convolutions of VGG-16 (arXiv 1409.1556), a mean and a product."""

    STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
    """Of each stage: its channels, and how many convolutions it has."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for width, depth in self.STAGES:
            for _ in range(depth):
                layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
                channels = width
            layers.append(nn.MaxPool2d(2))
        self.body = nn.Sequential(*layers)
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 1000]."""
        return self.fc(self.body(x).mean((2, 3)))


def as_if_trained(module: nn.Module) -> nn.Module:
    """The module, with norms that do something and weights of the usual size."""
    init: Any = nn.init
    for each in module.modules():
        if isinstance(each, nn.BatchNorm2d):
            init.uniform_(each.weight, 0.7, 1.3)
            init.uniform_(each.bias, -0.2, 0.2)
            init.uniform_(each.running_mean, -0.2, 0.2)
            init.uniform_(each.running_var, 0.7, 1.3)
        if isinstance(each, nn.Conv2d):
            init.kaiming_normal_(each.weight)
    return module
