"""Models with several open sizes: image nets of any height and width, and a table."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .convolutional import MobileNetV2, ResNet50, UNet, as_if_trained
from .model import Inputs
from .small import DeepWide, MlpSmall
from .transformers import Bert

functional: Any = nn.functional


class Encoder(Bert):
    """The encoder of BERT for up to 128 tokens."""

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """i64[batch, tokens], i64[batch, tokens] -> f32[batch, tokens, width]."""
        hidden = (1.0 - mask[:, None, None, :].to(torch.float32)) * -10000.0
        place = self.get_buffer("place")[:, : ids.shape[1]]
        x = self.norm(self.words(ids) + self.places(place) + self.kinds(0 * ids))
        for layer in self.layers:
            x = layer(x, hidden)
        return x


class ConvNextBlock(nn.Module):
    """A depthwise convolution, a norm over channels, a perceptron, and the input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, 1e-6)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, width, y, x] -> as its input."""
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.scale * self.narrow(functional.gelu(self.widen(y)))
        return x + y.permute(0, 3, 1, 2)


class ChannelNorm(nn.Module):
    """A norm over the channels of an image."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, 1e-6)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, width, y, x] -> as its input."""
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    """A small net like ConvNeXt (arXiv 2201.03545): three stages of two blocks."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, 32, 4, 4), ChannelNorm(32)]
        for width in (32, 64, 128):
            layers += [ConvNextBlock(width), ConvNextBlock(width)]
            if width < 128:
                layers += [ChannelNorm(width), nn.Conv2d(width, 2 * width, 2, 2)]
        self.body = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(128, 1e-6)
        self.fc = nn.Linear(128, 100)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3, y, x] -> f32[batch, 100]."""
        return self.fc(self.norm(self.body(x).mean((2, 3))))


Sizes = tuple[int, ...]


@dataclass(frozen=True)
class OpenModel:
    """A module, its inputs at some sizes, and which of their axes are open."""

    build: Callable[[], nn.Module]

    inputs: Callable[..., Inputs]
    """Inputs at the sizes of the symbols, in their order."""

    axes: tuple[Mapping[int, str], ...]
    """Of each input, the symbol of each axis that is open."""

    sizes: tuple[Sizes, ...]
    """Values of the symbols that are measured."""

    most: int = 4096
    """The greatest value of a symbol."""

    least: Mapping[str, int] = field(default_factory=dict[str, int])
    """The least value of symbols that may not be one."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols, in the order in which axes have them."""
        return tuple(
            dict.fromkeys(name for each in self.axes for name in each.values())
        )


def export_open(model: OpenModel, path: Path) -> None:
    """Writes the model as ONNX, with inputs in0, in1, … of any of its sizes."""
    least = (model.least.get(name, 2) for name in model.symbols)
    inputs = model.inputs(*(size + at for at, size in enumerate(least)))
    axes = {f"in{at}": dict(each) for at, each in enumerate(model.axes)}
    with warnings.catch_warnings():
        # As in `export.py`: the older exporter folds nothing.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model.build().eval(),
            inputs,
            path,
            input_names=[*axes],
            output_names=["out0"],
            dynamic_axes=axes,
            opset_version=18,
            do_constant_folding=False,
            dynamo=False,
        )


def _image(batch: int, y: int = 96, x: int = 96) -> Inputs:
    return (torch.randn(batch, 3, y, x),)


def _words(batch: int, length: int) -> Inputs:
    shape = batch, length
    return torch.randint(0, Bert.WORDS, shape), torch.ones(shape, dtype=torch.int64)


def _features(batch: int) -> Inputs:
    return (torch.randn(batch, 64),)


def _clicks(batch: int) -> Inputs:
    return torch.randn(batch, 1, 32), torch.randn(batch, 1, 32), torch.randn(batch, 50)


_BATCHES = tuple((each,) for each in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32))
_SMALL_BATCHES = tuple((each,) for each in (1, 2, 3, 4))
_IMAGES = (
    *((1, 96, 96), (1, 64, 64), (2, 64, 96), (1, 128, 64), (3, 64, 64)),
    *((1, 160, 160), (1, 48, 48), (2, 128, 96), (1, 64, 192), (4, 48, 64)),
)
_TEXTS = (
    *((1, 16), (1, 128), (2, 64), (1, 48), (4, 32)),
    *((1, 96), (3, 17), (2, 128), (1, 33), (8, 8)),
)
_BATCH, _TOKENS = {0: "batch"}, {0: "batch", 1: "length"}
_LEAST_PIXELS = {"height": 32, "width": 32}
_PIXELS = {0: "batch", 2: "height", 3: "width"}


def _classifier(module: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    return lambda: as_if_trained(module())


def with_open_pixels(build: Callable[[], nn.Module]) -> OpenModel:
    """A model of images, with batch, height and width open."""
    return OpenModel(build, _image, (_PIXELS,), _IMAGES, least=_LEAST_PIXELS)


OPEN: dict[str, OpenModel] = {
    "deep_wide": OpenModel(DeepWide, _clicks, (_BATCH,) * 3, _BATCHES),
    "mlp": OpenModel(MlpSmall, _features, (_BATCH,), _BATCHES),
    "resnet50": OpenModel(_classifier(ResNet50), _image, (_BATCH,), _SMALL_BATCHES),
    "mobilenet_v2": OpenModel(_classifier(MobileNetV2), _image, (_BATCH,), _BATCHES),
    "block.length": OpenModel(
        lambda: Encoder(64, 1, 4, 128), _words, (_TOKENS,) * 2, _TEXTS, Bert.TOKENS
    ),
    "encoder.length": OpenModel(
        lambda: Encoder(384, 3, 12, 1536),
        _words,
        (_TOKENS,) * 2,
        _TEXTS,
        Bert.TOKENS,
    ),
    **{
        f"{name}.pixels": with_open_pixels(_classifier(module))
        for name, module in (
            ("resnet50", ResNet50),
            ("mobilenet_v2", MobileNetV2),
            ("convnext", ConvNext),
        )
    },
    "unet": OpenModel(_classifier(UNet), _image, (_BATCH,), _BATCHES),
}
"""The models by name; those with more than an open batch say so after a dot."""
