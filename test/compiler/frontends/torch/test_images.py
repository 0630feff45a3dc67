"""Networks that make images of images, with any number of them, and of any size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Function, Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch


def layers(inputs: int, outputs: int) -> nn.Module:
    """Two convolutions that keep the size of an image."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.GroupNorm(2, outputs),
        nn.ReLU(),
    )


class Transposed(nn.Module):
    """A U-Net that grows images by transposed convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([layers(3, 4), layers(4, 8), layers(8, 16)])
        self.up = nn.ModuleList(
            [
                nn.ConvTranspose2d(16, 8, 2, stride=2),
                nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1),
            ]
        )
        self.join = nn.ModuleList([layers(16, 8), layers(8, 4)])
        self.last = nn.Conv2d(4, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        """An image of two channels, as large as `x`."""
        kept: list[Tensor] = []
        for layer in self.down:
            x = layer(F.max_pool2d(kept[-1], 2) if kept else x)
            kept.append(x)
        kept.pop()
        for up, join in zip(self.up, self.join, strict=True):
            x = join(torch.cat([up(x), kept.pop()], 1))
        return self.last(x)


class Bilinear(nn.Module):
    """A U-Net that grows images to the size of those they are joined with."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([layers(3, 4), layers(4, 8), layers(8, 16)])
        self.join = nn.ModuleList([layers(24, 8), layers(12, 4)])
        self.last = nn.Conv2d(4, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        """An image of two channels, as large as `x`."""
        kept: list[Tensor] = []
        for layer in self.down:
            x = layer(F.avg_pool2d(kept[-1], 2) if kept else x)
            kept.append(x)
        kept.pop()
        for join in self.join:
            size = kept[-1].shape[2:]
            grown = F.interpolate(x, size=size, mode="bilinear", align_corners=True)
            x = join(torch.cat([kept.pop(), grown], 1))
        return self.last(x)


class Doubled(Bilinear):
    """The same, in which images are always twice as large as before."""

    def forward(self, x: Tensor) -> Tensor:
        """An image of two channels, as large as `x`."""
        first = self.down[0](x)
        second = self.down[1](F.max_pool2d(first, 2))
        third = self.down[2](F.max_pool2d(second, 2))
        grown = F.interpolate(third, scale_factor=2, mode="bilinear")
        joined = self.join[0](torch.cat([second, grown], 1))
        grown = F.interpolate(joined, scale_factor=2.0, mode="bilinear")
        return self.last(self.join[1](torch.cat([first, grown], 1)))


def built(kind: type[nn.Module]) -> nn.Module:
    """A network with statistics of its own."""
    torch.manual_seed(0)
    module = kind()
    for each in module.modules():
        if isinstance(each, nn.BatchNorm2d):
            nn.init.uniform_(each.running_mean)
            nn.init.uniform_(each.running_var, 0.5, 2)
    return module.eval()


def check(module: Any, compiled: sr.StaticModule, *inputs: Tensor) -> None:
    """What was compiled computes what torch computes, within 1e-4."""
    got: Any = compiled(*(each.numpy() for each in inputs))
    with torch.no_grad():
        expected = module(*inputs).numpy()
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", [Transposed, Bilinear, Doubled])
def test_u_net_of_any_number_of_images(kind: type[nn.Module]):
    module = built(kind)
    program = torch.export.export(
        module, (floats(2, 3, 16, 24),), dynamic_shapes=({0: Dim("batch")},)
    )
    compiled = sr.compile(program)
    for batch in (1, 2, 5):
        check(module, compiled, floats(batch, 3, 16, 24))


def test_u_net_of_images_of_any_size():
    module = built(Bilinear)
    high, wide = (Dim(name, min=8, max=256) for name in ("high", "wide"))
    compiled = sr.compile(
        module,
        example_inputs=(floats(2, 3, 16, 24),),
        dynamic_shapes=({0: Dim("batch"), 2: high, 3: wide},),
    )
    for size in ((8, 8), (17, 11), (20, 38)):
        check(module, compiled, floats(3, 3, *size))


SIZED: dict[str, Function] = {
    "adaptive average": lambda x: F.adaptive_avg_pool2d(x, (7, 3)),
    "adaptive greatest": lambda x: F.adaptive_max_pool2d(x, (7, 3)),
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "nearest to a size": lambda x: F.interpolate(x, size=(5, 7)),
    "exactly nearest": lambda x: F.interpolate(x, size=(5, 7), mode="nearest-exact"),
    "cubic": lambda x: F.interpolate(x, scale_factor=1.5, mode="bicubic"),
    "corners": lambda x: F.interpolate(
        x, scale_factor=3, mode="bilinear", align_corners=True
    ),
    "transposed": lambda x: F.conv_transpose2d(
        x, torch.arange(54.0).reshape(2, 3, 3, 3) / 54, stride=2, padding=1
    ),
    "reflect": lambda x: F.pad(x, (2, 3, 1, 0), mode="reflect"),
    "replicate": lambda x: F.pad(x, (2, 3, 1, 0), mode="replicate"),
    "unfold": lambda x: x.unfold(2, 3, 2),
    "instance norm": lambda x: F.instance_norm(x),
}


@pytest.mark.parametrize("name", SIZED)
def test_sizes_known_when_it_runs(name: str):
    module = Wrapped(SIZED[name])
    high, wide = Dim("high", min=5, max=99), Dim("wide", min=5, max=99)
    compiled = sr.compile(
        module,
        example_inputs=(floats(2, 2, 9, 8),),
        dynamic_shapes=(({0: Dim("batch"), 2: high, 3: wide},),),
    )
    for batch, *size in ((1, 9, 8), (3, 5, 13), (2, 31, 6)):
        check(module, compiled, floats(batch, 2, *size))


CEILED: dict[str, tuple[Function, list[tuple[int, int]]]] = {
    "greatest": (
        lambda x: F.max_pool2d(x, 2, 2, 1, ceil_mode=True),
        [(8, 9), (10, 13), (4, 3)],
    ),
    "greatest of some": (
        lambda x: F.max_pool2d(x, 1, 2, 0, ceil_mode=True),
        [(8, 9), (10, 13), (4, 3)],
    ),
    "place of the greatest": (
        lambda x: F.max_pool2d(x, 2, 2, 1, ceil_mode=True, return_indices=True)[1],
        [(8, 9), (10, 13), (4, 3)],
    ),
    "greatest integer": (
        lambda x: F.max_pool2d((x * 9).to(torch.int64), 2, 2, 1, ceil_mode=True),
        [(8, 9), (10, 13), (4, 3)],
    ),
    **{
        f"mean, {counts}, {divisor}": (
            lambda x, how=(counts, divisor): F.avg_pool2d(x, 2, 3, (1, 0), True, *how),
            [(8, 9), (11, 12), (5, 6)],
        )
        for counts in (False, True)
        for divisor in (None, 3)
    },
    "mean of one image": (
        lambda x: F.avg_pool2d(x[0], 2, 3, (1, 0), True),
        [(8, 9), (11, 12), (5, 6)],
    ),
}
"""Pools with windows that begin in the padding, and sizes that torch traces alike."""


@pytest.mark.parametrize("name", CEILED)
def test_pools_rounded_up_over_sizes_known_when_they_run(name: str):
    function, sizes = CEILED[name]
    module = Wrapped(function)
    compiled = sr.compile(
        module,
        example_inputs=(floats(2, 3, *sizes[0]),),
        dynamic_shapes=(({2: Dim.AUTO, 3: Dim.AUTO},),),
    )
    for size in sizes:
        check(module, compiled, floats(2, 3, *size))
    with pytest.raises(ValueError, match="expected"):
        compiled(floats(2, 3, 9, 10).numpy())


class Same(nn.Module):
    """A convolution that fills up an image as TensorFlow does, of any size."""

    def __init__(self, inputs: int, outputs: int, reach: int, stride: int) -> None:
        super().__init__()
        self.reach, self.stride = reach, stride
        self.convolution = nn.Conv2d(inputs, outputs, reach, stride)

    def forward(self, x: Tensor) -> Tensor:
        """The image, with each stride begun."""
        amounts: list[int] = []
        for axis in (-1, -2):
            most = (math.ceil(x.shape[axis] / self.stride) - 1) * self.stride
            whole = max(most + self.reach - x.shape[axis], 0)
            amounts += [whole // 2, whole - whole // 2]
        return self.convolution(F.pad(x, amounts))


def test_sizes_of_filled_up_images_stay_short():
    """Without proofs of the greater of two sizes they double at each layer."""
    torch.manual_seed(3)
    model = nn.Sequential(Same(3, 4, 3, 2), Same(4, 2, 3, 2)).eval()
    exported = torch.export.export(
        model, (torch.randn(2, 3, 41, 33),), dynamic_shapes=({2: Dim.AUTO},)
    )
    module = sr.compile(exported, options=sr.Options(cache=False))
    assert repr(module).endswith("[2, 2, floordiv(input_dim2 + 3, 4), 9]>")
    for height in (41, 8, 10, 71):
        x = torch.randn(2, 3, height, 33)
        with torch.no_grad():
            np.testing.assert_allclose(module(x.numpy()), model(x), atol=1e-5)
