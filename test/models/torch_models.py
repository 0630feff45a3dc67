"""
Torch modules that the tests compile, each with seeded weights and inputs.

`SrExample` and `DeepWide` are models that PyTorch's Static Runtime was introduced with
(pytorch#43919; `DeepWide` clamps to 0..10, as the scripted variant there does). `Add16`
and `MlpSmall` are a call and a perceptron of the smallest kind. The seed and the order
of construction are those of the benchmarks, so that results can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

SEED = 1234


class Add16(nn.Module):
    """The sum of two vectors: next to nothing but the cost of a call."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """f32[n], f32[n] -> f32[n]."""
        return a + b


class SrExample(nn.Module):
    """Three elementwise steps, and a concat of their result with the last input."""

    def forward(self, a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor) -> Tensor:
        """Five times f32[rows, 32] -> f32[2 * rows, 32]."""
        return torch.cat([(a + b) * c * d, e], 0)


class MlpSmall(nn.Module):
    """A perceptron with two hidden layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 128)
        self.second = nn.Linear(128, 64)
        self.last = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, 64] -> f32[batch, 1]."""
        return self.last(torch.relu(self.second(torch.relu(self.first(x)))))


class DeepWide(nn.Module):
    """A click predictor: the product of two embeddings, and 50 scaled features."""

    def __init__(self, features: int = 50) -> None:
        super().__init__()
        self.mu = nn.Parameter(torch.randn(1, features))
        self.sigma = nn.Parameter(torch.randn(1, features))
        self.fc = nn.Linear(features + 1, 1)

    def forward(self, ad: Tensor, user: Tensor, wide: Tensor) -> Tensor:
        """f32[batch, 1, 32], f32[batch, 1, 32], f32[batch, 50] -> f32[batch, 1]."""
        scaled = torch.clamp((wide + self.mu) * self.sigma, 0, 10)
        match = torch.flatten(torch.bmm(ad, torch.transpose(user, 1, 2)), 1)
        return torch.sigmoid(self.fc(torch.cat([match, scaled], 1)))


@dataclass(frozen=True)
class TorchModel:
    """How to make one module and inputs for it; axis 0 of every input is the batch."""

    build: Callable[[], nn.Module]

    shapes: tuple[tuple[int, ...], ...]
    """Of each input, without the batch."""

    batch: int
    """The size that a compilation for one size is made for; 2 or more, since
    `torch.export` takes a size of 1 in the example for a constant."""

    others: tuple[int, ...]
    """Further sizes that a compilation for any size has to serve."""

    def make(self) -> tuple[nn.Module, tuple[Tensor, ...]]:
        """The module in eval mode, and f32 inputs for it with `batch` rows."""
        torch.manual_seed(SEED)
        module = self.build().eval()
        return module, self.inputs(self.batch)

    def inputs(self, batch: int) -> tuple[Tensor, ...]:
        """Inputs with `batch` rows, standard normal, from torch's generator."""
        return tuple(torch.randn(batch, *shape) for shape in self.shapes)

    def dynamic_shapes(self) -> tuple[dict[int, torch.export.Dim], ...]:
        """For `torch.export.export`: one size, 1 to 4096, on axis 0 of every input."""
        batch = torch.export.Dim("batch", min=1, max=4096)
        return tuple({0: batch} for _ in self.shapes)


MODELS = {
    "add16": TorchModel(Add16, ((), ()), 16, (1, 7, 37)),
    "sr_example": TorchModel(SrExample, ((32,),) * 5, 64, (1, 5)),
    "mlp_small": TorchModel(MlpSmall, ((64,),), 64, (1, 3, 17)),
    "deep_wide": TorchModel(DeepWide, ((1, 32), (1, 32), (50,)), 20, (1, 8, 200)),
}
