"""
The models of PyTorch's own tests of its Static Runtime, as torch exports them, pass the
harness, and compute what torch does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ..harness import check, compiled_alike, flat

torch = pytest.importorskip("torch")

from torch import Tensor, nn  # noqa: E402
from torch.utils._pytree import tree_flatten  # noqa: E402

import static_runtime as sr  # noqa: E402

pytestmark = pytest.mark.torch


class Attention(nn.Module):
    """Attention of several heads, with its scores as a second result."""

    def __init__(self, width: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Any:
        """f32[batch, length, width] three times -> that, and the scores."""
        batch = query.shape[0]
        split = (batch, -1, self.heads, self.width // self.heads)
        q, k, v = (
            layer(x).view(split).permute(0, 2, 1, 3)
            for layer, x in ((self.q, query), (self.k, key), (self.v, value))
        )
        energy = torch.matmul(q, k.permute(0, 1, 3, 2)) / split[-1] ** 0.5
        attention = torch.softmax(energy, -1)
        x = torch.matmul(attention, v).permute(0, 2, 1, 3).contiguous()
        return self.o(x.view(batch, -1, self.width)), attention


def perceptron() -> nn.Module:
    """Layers with ReLU, and a sigmoid at the end."""
    sizes = [20, 32, 16, 1]
    layers: list[nn.Module] = []
    for n, m in pairwise(sizes):
        layers += [nn.Linear(n, m), nn.ReLU()]
    return nn.Sequential(*layers[:-1], nn.Sigmoid())


class Part(nn.Module):
    """A module that changes an attribute before it reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = 12, 2

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3] -> the same."""
        self.b = 30
        return self.a + self.b + x


class Attributes(nn.Module):
    """Numbers that are attributes of a module and of its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.part, self.a, self.b = Part(), 3, 4

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3] -> the same."""
        self.b = 20
        return self.part(x) + self.a + self.b + x


class Pair:
    """An object that a model makes while it computes."""

    def __init__(self, x: Tensor, y: Tensor) -> None:
        self.x, self.y = x, y

    def sum(self) -> Tensor:
        """What it holds, added up."""
        return self.x + self.y


class Objects(nn.Module):
    """A model that keeps values in objects, and returns a dictionary."""

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        """f32[batch, 3] -> two of these."""
        pair = Pair(x * 2, torch.cumsum(x, 0))
        return {"sum": pair.sum(), "softmax": torch.softmax(pair.y, 1)}


class Loop(nn.Module):
    """A loop of Python, which updates a value in place."""

    def forward(self, a: Tensor, b: Tensor) -> list[Tensor]:
        """f32[batch, 3] twice -> what each turn gives."""
        c = a + b * 2
        found: list[Tensor] = []
        for _ in range(3):
            c = c + b
            c *= 2
            c -= a
            found.append(torch.softmax(c, 1))
        return found


class Activation(nn.Module):
    """Five leaky ReLUs, one after the other."""

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 3] -> the same."""
        for _ in range(5):
            x = nn.functional.leaky_relu(x, 0.1)
        return x


MODELS: dict[str, tuple[Any, tuple[int, ...], int]] = {
    "multihead_attention_layer": (Attention, (8, 32), 3),
    "mlp": (perceptron, (20,), 1),
    "leaky_relu": (Activation, (3,), 1),
    "attr": (Attributes, (3,), 1),
    "create_object": (Objects, (3,), 1),
    "fusion_loop": (Loop, (3,), 2),
}
"""Models, the shape of an input but for its batch, and how many inputs there are."""


@pytest.mark.parametrize("name", MODELS)
def test_passes_the_harness(name: str):
    build, shape, count = MODELS[name]
    torch.manual_seed(0)
    module = build().eval()

    def inputs(batch: int) -> Sequence[Any]:
        return [torch.randn(batch, *shape) for _ in range(count)]

    batch = torch.export.Dim("batch", max=64)
    sizes = tuple({0: batch} for _ in range(count))
    small, large = inputs(2), inputs(9)
    program = torch.export.export(module, (*small,), dynamic_shapes=sizes)
    arrays = [[each.numpy() for each in several] for several in (small, large)]
    check(program, *arrays, combinations=compiled_alike([*MODELS].index(name)))
    compiled = sr.compile(program)
    with torch.inference_mode():
        wanted, _ = tree_flatten(module(*large))
    for got, want in zip(flat(compiled(*arrays[1])), wanted, strict=True):
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-4, atol=1e-5)
