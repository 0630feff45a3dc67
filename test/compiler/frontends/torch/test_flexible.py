"""Attention whose scores a function changes or masks is what PyTorch computes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")
flex: Any = pytest.importorskip("torch.nn.attention.flex_attention")

from torch import nn  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import arrays  # noqa: E402

AUTO = torch.export.Dim.AUTO
OPTIONS = sr.Options(cache=False)
HEADS, SIZE, WIDTH = 4, 12, 8
SLOPES = torch.arange(1, HEADS + 1) / 4
TABLE = torch.arange(HEADS * 23).reshape(HEADS, 23).cos()
PARTS = torch.tensor([[0] * 5 + [1] * 7, [0] * 9 + [2] * 3])


class Attention(nn.Module):
    """Attention with a function of scores, and one of places."""

    def __init__(self, score: Any = None, mask: Any = None, **options: Any):
        super().__init__()
        self.score, self.options, self.blocks = score, options, None
        if mask is not None:
            self.blocks = blocks(mask)

    def forward(self, query: Any, key: Any, value: Any) -> Any:
        return flex.flex_attention(
            query,
            key,
            value,
            score_mod=self.score,
            block_mask=self.blocks,
            enable_gqa=True,
            **self.options,
        )


def blocks(mask: Any, batch: int | None = None) -> Any:
    """The blocks of a mask by a function."""
    return flex.create_block_mask(mask, batch, None, SIZE, SIZE, device="cpu")


def operands(batch: int = 2, heads: int = HEADS, **options: Any) -> tuple[Any, ...]:
    """A query, a key and a value."""
    sizes = HEADS, heads, heads
    return tuple(torch.randn(batch, n, SIZE, WIDTH, **options) for n in sizes)


def causal(b: Any, h: Any, i: Any, j: Any) -> Any:
    """Whether a key is at the place of a query or before it."""
    return i >= j


SCORES: dict[str, Callable[[Any, Any, Any, Any, Any], Any] | None] = {
    "none": None,
    "relative": lambda s, b, h, i, j: s + (i - j),
    "causal": lambda s, b, h, i, j: torch.where(i >= j, s, -float("inf")),
    "alibi": lambda s, b, h, i, j: s + SLOPES[h] * (j - i),
    "table": lambda s, b, h, i, j: s + TABLE[h, i - j + SIZE - 1],
    "capped": lambda s, b, h, i, j: 2 * torch.tanh(s / 2),
    "of all places": lambda s, b, h, i, j: s * (b + 1) + (i // 4 == j // 4) + h,
    "of no score": lambda s, b, h, i, j: (i - j) * 0.5,
}

MASKS: dict[str, Callable[[Any, Any, Any, Any], Any] | None] = {
    "none": None,
    "causal": causal,
    "window": lambda b, h, i, j: (i - j).abs() <= 2,
    "of heads": lambda b, h, i, j: i + h >= j,
    "parts": lambda b, h, i, j: (PARTS[b, i] == PARTS[b, j]) & (i >= j),
    "rows without any": lambda b, h, i, j: (i >= 4) & (j < i - 2),
}

WAYS = [
    *((score, "none", HEADS) for score in SCORES),
    *(("none", mask, HEADS) for mask in [*MASKS][1:]),
    *(("none", "none", 2), ("table", "of heads", 2), ("alibi", "rows without any", 2)),
]
"""Functions, and how many heads the keys have."""


def close(module: Any, model: Any, given: Any, tolerance: float = 1e-5) -> None:
    """Asserts that compiled code computes what PyTorch does."""
    got, wanted = arrays(module(*given)), arrays(model(*given))
    for one, other in zip(got, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("score", "mask", "heads"), WAYS)
def test_scores_and_masks(score: str, mask: str, heads: int):
    model = Attention(SCORES[score])
    if mask != "none":
        model.blocks = blocks(MASKS[mask], 2 if mask == "parts" else None)
    module = sr.compile(model, operands(2, heads), options=OPTIONS)
    close(module, model, operands(2, heads))


@pytest.mark.parametrize("score", ["none", "alibi", "of all places"])
def test_an_open_batch(score: str):
    model = Attention(SCORES[score], causal)
    shapes = ({0: AUTO},) * 3
    module = sr.compile(model, operands(), dynamic_shapes=shapes, options=OPTIONS)
    for batch in (2, 1, 5):
        close(module, model, operands(batch))


@pytest.mark.parametrize(("kind", "tolerance"), [("float64", 1e-12), ("float16", 2e-3)])
def test_other_elements(kind: str, tolerance: float):
    model = Attention(SCORES["alibi"], MASKS["rows without any"])
    given = operands(dtype=getattr(torch, kind))
    close(sr.compile(model, given, options=OPTIONS), model, given, tolerance)


@pytest.mark.parametrize("mask", [None, "rows without any"])
def test_the_logarithm_of_the_sum(mask: str | None):
    model = Attention(SCORES["relative"], mask and MASKS[mask], return_lse=True)
    given = operands()
    close(sr.compile(model, given, options=OPTIONS), model, given)


class Lengths(nn.Module):
    """Attention to as many keys as an input says, by a mask that each run makes."""

    def forward(self, query: Any, key: Any, value: Any, lengths: Any) -> Any:
        def is_there(b: Any, h: Any, i: Any, j: Any) -> Any:
            return j < lengths[b]

        mask = flex.create_block_mask(
            is_there,
            query.shape[0],
            None,
            query.shape[2],
            key.shape[2],
            device="cpu",
        )
        return flex.flex_attention(query, key, value, block_mask=mask, scale=0.3)


def test_a_mask_by_an_input():
    given = *operands(), torch.tensor([3, 9])
    shapes = ({0: AUTO},) * 4
    module = sr.compile(Lengths(), given, dynamic_shapes=shapes, options=OPTIONS)
    for lengths in ([3, 9], [0, 12, 5]):
        given = *operands(len(lengths)), torch.tensor(lengths)
        close(module, Lengths(), given)


def test_attention_without_functions_is_scaled_dot_product_attention():
    class Plain(nn.Module):
        def forward(self, query: Any, key: Any, value: Any) -> Any:
            attend: Any = import_module("torch.nn.functional")
            return attend.scaled_dot_product_attention(query, key, value)

    given = operands()
    reports = [
        sr.compile(each, given, options=OPTIONS).report
        for each in (Attention(), Plain())
    ]
    assert reports[0].ops == reports[1].ops
    assert reports[0].kernels == reports[1].kernels


def test_a_function_that_draws_is_refused():
    def drawn(s: Any, b: Any, h: Any, i: Any, j: Any) -> Any:
        return s + torch.rand_like(s)

    with pytest.raises(sr.CompileError, match="random"):
        sr.compile(Attention(drawn), operands(), options=OPTIONS)
