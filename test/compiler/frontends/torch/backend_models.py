"""Small models for the backend of `torch.compile`, with inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .case import floats, whole


class Network(nn.Module):
    """Convolutions with batch norms, and a residual."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, padding=1)
        self.last = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        """The logits of images."""
        x = F.relu(self.norm(self.first(x)))
        x = F.max_pool2d(x + self.second(x), 2)
        return self.last(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Block(nn.Module):
    """A transformer block with scaled dot product attention."""

    def __init__(self, width: int = 16, heads: int = 2):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """What comes after attention and MLP."""
        batch, length, width = x.shape
        parts = self.qkv(self.before(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.after(x))


class Recurrent(nn.Module):
    """An LSTM of two layers."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 12, 2, batch_first=True)
        self.out = nn.Linear(12, 3)

    def forward(self, x: Tensor) -> Tensor:
        """What follows from the last step."""
        return torch.sigmoid(self.out(torch.relu(self.lstm(x)[0])[:, -1])) * 2


class Recommender(nn.Module):
    """Bags of embeddings beside dense features, as DLRM has them."""

    def __init__(self):
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(20, 8, mode="sum") for _ in range(3))
        self.bottom = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(14, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, dense: Tensor, sparse: Tensor) -> Tensor:
        """The probability of a click."""
        x = self.bottom(dense)
        bags = [bag(sparse[:, i]) for i, bag in enumerate(self.bags)]
        all = torch.stack([x, *bags], 1)
        rows, columns = torch.tril_indices(4, 4, -1)
        pairs = (all @ all.transpose(1, 2))[:, rows, columns]
        return torch.sigmoid(self.top(torch.cat([x, pairs], 1)))


def factored(x: Tensor) -> Tensor:
    """What has no reader: factors of a symmetric matrix, far from a singular one."""
    return torch.linalg.ldl_factor_ex(x.T @ x + torch.eye(x.shape[1])).LD[:3]


class Between(nn.Module):
    """An operator between two stacks of layers."""

    def __init__(self, function: Callable[[Tensor], Tensor]):
        super().__init__()
        self.function = function
        self.first = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
        self.second = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 8))

    def forward(self, x: Tensor) -> Tensor:
        """The operator between the two stacks."""
        y = torch.sigmoid(self.function(torch.sigmoid(self.first(x)))) * 2
        return torch.relu(self.second(y))


@torch.library.custom_op("static_runtime_test::doubled", mutates_args=())
def doubled(x: Tensor) -> Tensor:
    """Twice a tensor, by an operator of the user's."""
    return x * 2


@doubled.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


class Named(nn.Module):
    """Returns a dictionary, with a tensor twice and views."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 6))

    def forward(self, x: Tensor) -> dict[str, Any]:
        """Logits, what is made of them, and the input itself."""
        y = self.layers(x)
        probability = torch.softmax(y, -1)
        pair = (y.t(), [probability, 3])
        return {"logits": y, "pair": pair, "none": None, "x": x, "view": x[1:]}


class Overwrites(nn.Module):
    """Changes an input."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        """What is made of the input after it was changed."""
        x.add_(torch.relu(self.layer(x)))
        x[:, 0] = torch.tensor(1.0)
        return torch.tanh(x * 2) + 1


class Counts(nn.Module):
    """Changes its buffers at each call."""

    count: Tensor
    mean: Tensor

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x: Tensor) -> Tensor:
        """What follows from the mean so far."""
        y = torch.relu(self.layer(x))
        self.count += 1
        self.mean.mul_(0.9).add_(y.mean(0) * 0.1)
        return y - self.mean + self.count


@dataclass(frozen=True)
class Model:
    """A model with inputs, and the least share of FLOPs that is compiled."""

    make: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Tensor, ...]]
    share: float = 0.8
    leaves: tuple[str, ...] = ()
    """Operators that are left to torch."""


def mlp() -> nn.Module:
    """Three linear layers."""
    return nn.Sequential(
        *(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.GELU()),
        *(nn.Linear(16, 4), nn.Softmax(-1)),
    )


def rows(count: int = 3) -> tuple[Tensor, ...]:
    """An input of eight columns."""
    return (floats(count, 8),)


MODELS = {
    "mlp": Model(mlp, rows),
    "cnn": Model(Network, lambda: (floats(2, 3, 8, 8),)),
    "transformer": Model(Block, lambda: (floats(2, 5, 16),)),
    "lstm": Model(Recurrent, lambda: (floats(2, 5, 8),)),
    "dlrm": Model(
        Recommender,
        lambda: (floats(3, 4), whole(3, 3, 2, low=0, high=20)),
    ),
    "unknown operator": Model(
        lambda: Between(factored),
        rows,
        leaves=("aten.linalg_ldl_factor_ex.default",),
    ),
    "custom operator": Model(
        lambda: Between(doubled), rows, leaves=("static_runtime_test.doubled.default",)
    ),
    "dictionary": Model(Named, rows),
    "input in place": Model(Overwrites, rows),
    "buffer in place": Model(Counts, rows),
}
