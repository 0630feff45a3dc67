"""What the decoder of the example computes, in numpy, without a cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from examples.decoder import EPSILON, Sizes

Array = npt.NDArray[Any]


def norm(x: Array, weight: Array) -> Array:
    """RMSNorm."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weight


def rotated(x: Array, weights: Mapping[str, Array]) -> Array:
    """Heads, turned by the angles of their positions, as complex numbers."""
    count, half = x.shape[-2], x.shape[-1] // 2
    turn = weights["cosine"][:count] + 1j * weights["sine"][:count]
    turned = (x[..., :half] + 1j * x[..., half:]) * turn
    return np.concatenate([turned.real, turned.imag], -1)


def attention(x: Array, weights: Mapping[str, Array], at: int, sizes: Sizes) -> Array:
    """Attention of each token to itself and to those before it."""
    batch, count, _ = x.shape

    def heads(name: str, number: int) -> Array:
        split = (x @ weights[f"{name}.{at}"]).reshape(batch, count, number, sizes.head)
        return np.repeat(split, sizes.heads // number, 2).transpose(0, 2, 1, 3)

    query = rotated(heads("query", sizes.heads), weights)
    key = rotated(heads("key", sizes.key_heads), weights)
    scores = query @ key.transpose(0, 1, 3, 2) / sizes.head**0.5
    scores = np.where(np.tri(count, dtype=bool), scores, -np.inf)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    scores /= scores.sum(-1, keepdims=True)
    result = scores @ heads("value", sizes.key_heads)
    joined = result.transpose(0, 2, 1, 3).reshape(batch, count, sizes.width)
    return joined @ weights[f"attended.{at}"]


def logits(tokens: Array, weights: Mapping[str, Array], sizes: Sizes) -> Array:
    """The logits after each token of some texts, in f64."""
    weights = {name: each.astype(np.float64) for name, each in weights.items()}
    hidden = weights["embedding"][tokens]
    for at in range(sizes.layers):
        x = norm(hidden, weights[f"before_attention.{at}"])
        hidden = hidden + attention(x, weights, at, sizes)
        x = norm(hidden, weights[f"before_gate.{at}"])
        gate = x @ weights[f"gate.{at}"]
        gate = gate / (1 + np.exp(-gate)) * (x @ weights[f"up.{at}"])
        hidden = hidden + gate @ weights[f"down.{at}"]
    return norm(hidden, weights["last"]) @ weights["logits"]
