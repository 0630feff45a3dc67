"""Transformers: the encoder of BERT, in two sizes, and one block of GPT-2."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional


def heads(x: Tensor, count: int) -> Tensor:
    """f32[batch, tokens, count * width] -> f32[batch, count, tokens, width]."""
    batch, tokens, width = x.shape
    return x.view(batch, tokens, count, width // count).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    """The inverse of `heads`."""
    batch, count, tokens, width = x.shape
    return x.transpose(1, 2).reshape(batch, tokens, count * width)


class EncoderLayer(nn.Module):
    """Attention and a perceptron, each added to its input and then normalized."""

    def __init__(self, width: int, count: int, hidden: int) -> None:
        super().__init__()
        self.count = count
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.first_norm = nn.LayerNorm(width, 1e-12)
        self.second_norm = nn.LayerNorm(width, 1e-12)
        self.widen = nn.Linear(width, hidden)
        self.narrow = nn.Linear(hidden, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """f32[batch, tokens, width], f32[batch, 1, 1, tokens] -> as the first."""
        projections = self.query(x), self.key(x), self.value(x)
        q, k, v = (heads(each, self.count) for each in projections)
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.first_norm(x + self.out(joined(mixed)))
        return self.second_norm(x + self.narrow(functional.gelu(self.widen(x))))


class Bert(nn.Module):
    """The encoder of BERT with random weights: embeddings, and layers of attention."""

    TOKENS = 128
    WORDS = 30522

    def __init__(
        self, width: int = 768, depth: int = 12, count: int = 12, hidden: int = 3072
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(self.WORDS, width)
        self.places = nn.Embedding(512, width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        layers = (EncoderLayer(width, count, hidden) for _ in range(depth))
        self.layers = nn.ModuleList(layers)
        self.register_buffer("place", torch.arange(self.TOKENS)[None])
        self.register_buffer("kind", torch.zeros(1, self.TOKENS, dtype=torch.int64))
        for each in self.modules():
            if isinstance(each, (nn.Linear, nn.Embedding)):
                nn.init.normal_(each.weight, 0, 0.04)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """i64[batch, 128], i64[batch, 128] -> f32[batch, 128, width]."""
        hidden = (1.0 - mask[:, None, None, :].to(torch.float32)) * -10000.0
        x = self.words(ids) + self.places(self.place) + self.kinds(self.kind)
        x = self.norm(x)
        # With queries of f64, PyTorch reads the bits of an f32 mask as f64.
        hidden = hidden.to(x.dtype)
        for layer in self.layers:
            x = layer(x, hidden)
        return x


class Gpt2Block(nn.Module):
    """Attention to earlier tokens and a perceptron, each of its input normalized."""

    def __init__(self, width: int = 768, count: int = 12) -> None:
        super().__init__()
        self.count = count
        self.first_norm = nn.LayerNorm(width)
        self.second_norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, tokens, width] -> the same."""
        parts = self.project(self.first_norm(x)).split(x.shape[2], 2)
        q, k, v = (heads(each, self.count) for each in parts)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(joined(mixed))
        wide = functional.gelu(self.widen(self.second_norm(x)), approximate="tanh")
        return x + self.narrow(wide)
