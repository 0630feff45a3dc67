"""Every model of the zoo by name, with inputs, and which sizes of them may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.export import Dim

from .generative import Autoencoder, Vae
from .language import (
    GROUPS,
    HEAD,
    WIDTH,
    FixedCache,
    GrowingCache,
    ScatteredCache,
    Translator,
)
from .sequence import Conformer, Tcn
from .tabular import FIELDS, Choice, DeepFm, GraphStep
from .vision import ConvNext, EfficientNet, Mixer, UNet, VisionTransformer

Inputs: TypeAlias = tuple[Tensor, ...]

BATCH = {0: "batch"}


@dataclass(frozen=True)
class ZooModel:
    """How to make one module and inputs for it."""

    build: Callable[[], nn.Module]

    inputs: Callable[[int, int], Inputs]
    """Inputs of a batch and of a length, from torch's generator."""

    axes: tuple[dict[int, str], ...] = (BATCH,)
    """Of each input, the axes along which it has any size, and which sizes are one."""

    traced: tuple[int, int] = (4, 6)
    """The batch and the length of the inputs that the module is exported with."""

    others: tuple[tuple[int, int], ...] = ((1, 9),)
    """Further sizes that are checked."""

    def make(self) -> nn.Module:
        """The module in eval mode, with norms that do something."""
        torch.manual_seed(0)
        module = self.build().eval()
        for name, each in module.named_buffers():
            if name.endswith("running_mean"):
                each.normal_(0, 0.2)
            if name.endswith("running_var"):
                each.uniform_(0.7, 1.3)
        return module

    def dynamic_shapes(self) -> tuple[dict[int, Dim], ...]:
        """For `torch.export.export`: one dimension for each name."""
        names = {name for each in self.axes for name in each.values()}
        dims = {name: Dim(name, min=1, max=512) for name in names}
        return tuple(
            {axis: dims[name] for axis, name in each.items()} for each in self.axes
        )


def images(*shape: int) -> Callable[[int, int], Inputs]:
    """What makes a batch of images of one shape."""
    return lambda batch, _: (torch.randn(batch, *shape),)


def grown(batch: int, past: int) -> Inputs:
    """Two tokens, and a cache of others before them."""
    cache = (torch.randn(batch, GROUPS, past, HEAD) for _ in range(2))
    return torch.randn(batch, 2, WIDTH), *cache


def filled(batch: int, tokens: int) -> Inputs:
    """Tokens, their places, and a cache with more."""
    cache = (torch.randn(batch, GROUPS, 24, HEAD) for _ in range(2))
    return torch.randn(batch, tokens, WIDTH), torch.arange(tokens) + 5, *cache


def scattered(batch: int, tokens: int) -> Inputs:
    """The same, with places for every sentence."""
    x, places, *cache = filled(batch, tokens)
    return x, places.repeat(batch, 1), *cache


def translation(batch: int, tokens: int) -> Inputs:
    """Words, what they translate, and which of that is hidden."""
    hidden = (torch.arange(5) > 2).repeat(batch, 1)
    memory = torch.randn(batch, 5, WIDTH)
    return torch.randint(0, 50, (batch, tokens)), memory, hidden


def graph(nodes: int, edges: int) -> Inputs:
    """Nodes, and which of them are neighbours."""
    return torch.randn(nodes, 6), torch.randint(0, nodes, (2, edges))


def fields(batch: int, _: int) -> Inputs:
    """One of twenty rows for each field."""
    return (torch.randint(0, 20, (batch, FIELDS)),)


BOTH = {0: "batch", 1: "tokens"}
CACHE = {0: "batch", 2: "past"}

ZOO = {
    "vit": ZooModel(VisionTransformer, images(3, 16, 16)),
    "efficientnet": ZooModel(EfficientNet, images(3, 32, 24)),
    "unet": ZooModel(UNet, images(3, 16, 24)),
    "mixer": ZooModel(Mixer, images(3, 16, 16)),
    "convnext": ZooModel(ConvNext, images(3, 32, 24)),
    "autoencoder": ZooModel(Autoencoder, images(1, 16, 12)),
    "vae": ZooModel(
        Vae,
        lambda batch, _: (torch.rand(batch, 64), torch.randn(batch, 8)),
        (BATCH, BATCH),
    ),
    "tcn": ZooModel(
        Tcn,
        lambda batch, length: (torch.randn(batch, 4, length),),
        ({0: "batch", 2: "length"},),
    ),
    "conformer": ZooModel(
        Conformer,
        lambda batch, length: (torch.randn(batch, length, 16),),
        ({0: "batch", 1: "length"},),
    ),
    "growing_cache": ZooModel(GrowingCache, grown, (BATCH, CACHE, CACHE)),
    "fixed_cache": ZooModel(FixedCache, filled, (BOTH, {0: "tokens"}, BATCH, BATCH)),
    "scattered_cache": ZooModel(ScatteredCache, scattered, (BOTH, BOTH, BATCH, BATCH)),
    "translator": ZooModel(Translator, translation, (BOTH, BATCH, BATCH)),
    "deep_fm": ZooModel(DeepFm, fields),
    "graph_step": ZooModel(GraphStep, graph, ({0: "nodes"}, {1: "edges"})),
    "choice": ZooModel(Choice, lambda batch, _: (torch.randn(batch, 5),)),
}
"""The models."""
