"""Decoders of text: with a cache of earlier tokens, and beside an encoder."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

functional: Any = nn.functional

WIDTH = 32
HEADS = 4
GROUPS = 2
"""Heads of keys and values; each serves two heads of queries."""

HEAD = WIDTH // HEADS


class RmsNorm(nn.Module):
    """Rows divided by the root of the mean of their squares, and scaled."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.rand(WIDTH) + 0.5)

    def forward(self, x: Tensor) -> Tensor:
        """f32[batch, tokens, width] -> the same."""
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale


def rotate(x: Tensor, places: Tensor) -> Tensor:
    """Pairs of features turned by angles that grow with the place of the token."""
    steps = torch.arange(0, HEAD, 2, dtype=torch.float32) / HEAD
    angles = places.to(torch.float32)[:, None] * torch.exp(-math.log(1e4) * steps)
    turned = torch.cat([angles, angles], -1)
    left, right = x.chunk(2, -1)
    return x * turned.cos() + torch.cat([-right, left], -1) * turned.sin()


class LlamaBlock(nn.Module):
    """What the blocks with a cache have in common."""

    def __init__(self) -> None:
        super().__init__()
        self.first_norm, self.second_norm = RmsNorm(), RmsNorm()
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, GROUPS * HEAD, bias=False)
        self.value = nn.Linear(WIDTH, GROUPS * HEAD, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.down = nn.Linear(3 * WIDTH, WIDTH, bias=False)

    def project(self, x: Tensor, places: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each f32[batch, heads, tokens, 8]."""
        batch, tokens, _ = x.shape
        x = self.first_norm(x)
        q = self.query(x).view(batch, tokens, HEADS, HEAD).transpose(1, 2)
        k = self.key(x).view(batch, tokens, GROUPS, HEAD).transpose(1, 2)
        v = self.value(x).view(batch, tokens, GROUPS, HEAD).transpose(1, 2)
        return rotate(q, places), rotate(k, places), v

    def finish(
        self, x: Tensor, q: Tensor, keys: Tensor, values: Tensor, seen: Tensor
    ) -> Tensor:
        """`x` after attention to what is seen of the cache, and a gated perceptron."""
        k, v = (each.repeat_interleave(HEADS // GROUPS, 1) for each in (keys, values))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        y = self.second_norm(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class GrowingCache(LlamaBlock):
    """A cache that is longer after each call."""

    def forward(
        self, x: Tensor, keys: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """f32[batch, tokens, width] and two f32[batch, 2, past, 8] -> the same."""
        past, tokens = keys.shape[2], x.shape[1]
        places = torch.arange(past, past + tokens)
        q, k, v = self.project(x, places)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        seen = torch.arange(past + tokens)[None] <= places[:, None]
        return self.finish(x, q, keys, values, seen), keys, values


class FixedCache(LlamaBlock):
    """A cache of a fixed size, and the places in it where the tokens belong."""

    def forward(
        self, x: Tensor, places: Tensor, keys: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """f32[batch, tokens, width], i64[tokens], f32[batch, 2, 24, 8] twice."""
        q, k, v = self.project(x, places)
        keys = keys.index_copy(2, places, k)
        values = values.index_copy(2, places, v)
        seen = torch.arange(keys.shape[2])[None] <= places[:, None]
        return self.finish(x, q, keys, values, seen), keys, values


class ScatteredCache(LlamaBlock):
    """The same, where every sentence has places of its own."""

    def forward(
        self, x: Tensor, places: Tensor, keys: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """f32[batch, tokens, width], i64[batch, tokens], f32[batch, 2, 24, 8] twice."""
        q, k, v = self.project(x, places[0])
        spread = places[:, None, :, None].expand(k.shape)
        keys = keys.scatter(2, spread, k)
        values = values.scatter(2, spread, v)
        seen = torch.arange(keys.shape[2]) <= places[:, None, :, None]
        return self.finish(x, q, keys, values, seen), keys, values


class Translator(nn.Module):
    """A decoder of two layers that attends to itself and to what was encoded."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, WIDTH)
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(WIDTH, HEADS, 64, batch_first=True), 2
        )
        self.out = nn.Linear(WIDTH, 50, bias=False)
        self.out.weight = self.words.weight

    def forward(self, words: Tensor, memory: Tensor, hidden: Tensor) -> Tensor:
        """i64[batch, tokens], f32[batch, length, width], bool[batch, length]."""
        tokens = words.shape[1]
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        x = self.decoder(
            self.words(words) * math.sqrt(WIDTH),
            memory,
            tgt_mask=later,
            tgt_is_causal=True,
            memory_key_padding_mask=hidden,
        )
        return functional.log_softmax(self.out(x), -1)
